// The sentences of the status list.
#include "lib/status.hpp"

namespace qr {

const char* message_of(Status status) {
  switch (status) {
#define QR_STATUS_CASE(name, text) \
  case Status::name:               \
    return text;
    QR_STATUS_LIST(QR_STATUS_CASE)
#undef QR_STATUS_CASE
  }
  return "qr_mpi: unknown status";
}

}  // namespace qr
