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

void wait_for(void* /*stream*/) { refuse(); }
int current_device() { refuse(); }

struct Staging::Memory {};
Staging::Staging() = default;
Staging::~Staging() = default;
void Staging::begin(std::size_t /*bytes*/, int /*lanes*/, void* /*stream*/) { refuse(); }
std::byte* Staging::input(int /*lane*/) const { refuse(); }
std::byte* Staging::output(int /*lane*/) const { refuse(); }
void Staging::fetch(int /*lane*/, std::byte* /*to*/, const void* /*device*/, std::size_t /*bytes*/) {
  refuse();
}
void Staging::wait_for_lane(int /*lane*/) { refuse(); }
void Staging::deliver(int /*lane*/, void* /*device*/, std::size_t /*bytes*/) { refuse(); }
void Staging::end(bool /*wait*/) { refuse(); }
void Staging::give_up() noexcept {}
void Staging::release() noexcept {}

}  // namespace qr
#endif
