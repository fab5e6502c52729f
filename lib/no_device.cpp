// lib/device.hpp where there is no GPU back end: all memory is host memory.
#if !defined(QR_WITH_DEVICE)
#include "lib/device.hpp"
#include "lib/status.hpp"

namespace qr {

namespace {
[[noreturn]] void refuse() { throw Error(Status::kInternal, "this build has no GPU back end"); }
}  // namespace

bool on_device(const void* /*send*/, const void* /*recv*/) { return false; }
bool is_captured(void* /*stream*/) { return false; }
void copy_on_device(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, void* /*stream*/) { refuse(); }

struct Staging::Memory {};
Staging::Staging() = default;
Staging::~Staging() = default;
std::byte* Staging::reserve(std::size_t /*bytes*/) { refuse(); }
void Staging::fetch(void* /*to*/, const void* /*device*/, std::size_t /*bytes*/, void* /*stream*/) {
  refuse();
}
void Staging::deliver(void* /*device*/, const void* /*from*/, std::size_t /*bytes*/, void* /*stream*/) {
  refuse();
}

}  // namespace qr
#endif
