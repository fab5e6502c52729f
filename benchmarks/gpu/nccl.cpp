// The few declarations of NCCL's public C interface (nccl.h of version 2, the same in RCCL) that an
// all-reduce needs.
#include "nccl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace qr::bench {
namespace {

#if defined(__HIP_PLATFORM_AMD__)
constexpr const char* kName = "RCCL";
constexpr std::array kFiles{"librccl.so.1", "librccl.so"};
#else
constexpr const char* kName = "NCCL";
constexpr std::array kFiles{"libnccl.so.2", "libnccl.so"};
#endif

struct UniqueId {
  char internal[128];
};

// Values of ncclDataType_t and ncclRedOp_t.
int type_of(Element element) {
  switch (element) {
    case Element::kFloat16:
      return 6;
    case Element::kFloat:
      return 7;
    case Element::kDouble:
      return 8;
    case Element::kBFloat16:
      return 9;
  }
  throw std::logic_error("element type out of range");
}

int op_of(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return 0;
    case Operation::kProd:
      return 1;
    case Operation::kMax:
      return 2;
    case Operation::kMin:
      return 3;
  }
  throw std::logic_error("operation out of range");
}

}  // namespace

struct Nccl::Api {
  int (*get_version)(int* version);
  const char* (*get_error_string)(int result);
  int (*get_unique_id)(UniqueId* id);
  int (*comm_init_rank)(void** comm, int ranks, UniqueId id, int rank);
  int (*all_reduce)(const void* send, void* recv, std::size_t count, int type, int op, void* comm,
                    hipStream_t stream);
  int (*comm_destroy)(void* comm);

  void check(int result, const char* what) const {
    if (result != 0) throw std::runtime_error(fmt::format("{}: {}", what, get_error_string(result)));
  }
};

const char* nccl_name() { return kName; }

std::string nccl_settings() {
  std::vector<std::string> settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("NCCL_") || text.starts_with("RCCL_")) settings.emplace_back(text);
  }
  std::sort(settings.begin(), settings.end());
  return join(settings, " ");
}

Nccl::Nccl(const std::string& library, const Device& device, MPI_Comm comm) : api_(std::make_unique<Api>()) {
  std::string complaint;
  try {
    open(library);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  absent_ = first_complaint(complaint, comm);
  // Asked with ranks that share a device, it gives an error on those and may leave the others waiting.
  if (absent_.empty() && device.most_sharers > 1) {
    absent_ = fmt::format("{} refuses several ranks on one device ({} share {})", name_, device.most_sharers,
                          device.devices == 1 ? device.bus_id : "one");
  }
  if (!absent_.empty()) return;
  try {
    connect(comm);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  absent_ = first_complaint(complaint, comm);
}

void Nccl::open(const std::string& library) {
  std::vector<std::string> files(kFiles.begin(), kFiles.end());
  if (!library.empty()) files = {library};
  // Never closed: it has threads of its own.
  void* handle = nullptr;
  std::string why;
  for (const std::string& file : files) {
    if (handle == nullptr) handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr && why.empty()) why = dlerror();
  }
  if (handle == nullptr) throw std::runtime_error(fmt::format("{} cannot be loaded: {}", kName, why));
  const auto find = [handle](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) throw std::runtime_error(fmt::format("this {} has no {}", kName, name));
  };
  find(api_->get_version, "ncclGetVersion");
  find(api_->get_error_string, "ncclGetErrorString");
  find(api_->get_unique_id, "ncclGetUniqueId");
  find(api_->comm_init_rank, "ncclCommInitRank");
  find(api_->all_reduce, "ncclAllReduce");
  find(api_->comm_destroy, "ncclCommDestroy");
  int version = 0;
  api_->check(api_->get_version(&version), "ncclGetVersion");
  // 2.8 and before: major * 1000 + minor * 100 + patch.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version / 100 % 10 : version / 100 % 100;
  name_ = fmt::format("{} {}.{}.{}", kName, major, minor, version % 100);
}

void Nccl::connect(MPI_Comm comm) {
  UniqueId id{};
  std::string complaint;
  try {
    if (rank_of(comm) == 0) api_->check(api_->get_unique_id(&id), "ncclGetUniqueId");
  } catch (const std::runtime_error& error) {
    complaint = error.what();
  }
  complaint = first_complaint(complaint, comm);
  if (!complaint.empty()) throw std::runtime_error(complaint);
  qr::bench::check(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm), "MPI_Bcast");
  api_->check(api_->comm_init_rank(&comm_, size_of(comm), id, rank_of(comm)), "ncclCommInitRank");
}

Nccl::~Nccl() {
  if (comm_ != nullptr && api_->comm_destroy(comm_) != 0) fmt::print(stderr, "ncclCommDestroy failed\n");
}

void Nccl::allreduce(const void* send, void* recv, std::int64_t count, Element element, Operation operation,
                     hipStream_t stream) const {
  api_->check(api_->all_reduce(send, recv, static_cast<std::size_t>(count), type_of(element),
                               op_of(operation), comm_, stream),
              "ncclAllReduce");
}

}  // namespace qr::bench
