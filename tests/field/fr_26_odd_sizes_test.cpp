// FR-26: a vector whose length is no multiple of anything (10,556,587 values), for every codec, type and
// algorithm. The small sizes are in mpi/allreduce_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include "support/buffers.hpp"
#include "support/codecs.hpp"
#include "support/equality.hpp"
#include "support/mpi_check.hpp"
#include "support/reference.hpp"
#include "support/watchdog.hpp"

namespace qr_test {
namespace {

constexpr std::int64_t kCount = 10'556'587;

/// What takes T: all codecs between two ranks; between more, where it takes long, `raw` and one that is
/// lossy. What differs between codecs is tested on all worlds at small sizes.
template <class T>
std::vector<Codec> codecs_for(int world) {
  std::vector<Codec> all = codecs();
  if (std::is_same_v<T, double>) std::erase_if(all, [](const Codec& codec) { return !codec.exact(); });
  if (world == 2) return all;
  std::vector<Codec> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [](const Codec& codec) { return codec.exact() || codec.name == "int4"; });
  return some.empty() ? all : some;
}

template <class T>
void reduce_long_vector() {
  allow_time(2);
  const Comm comm;
  const Input input{.seed = 26, .pattern = Pattern::kMixed};
  Guarded<T> send(kCount, 1), recv(kCount, 3);
  input.fill(send.data(), kCount, comm.rank());
  const std::uint64_t before = digest(send.data(), kCount * sizeof(T));
  const Share share = share_of(kCount, comm.rank(), comm.size());
  const Reference<T> reference(input, comm.size(), share.count, share.first);
  for (const Codec& codec : codecs_for<T>(comm.size())) {
    for (const std::string& algorithm : kAlgorithms) {
      SCOPED_TRACE(codec.name + " " + algorithm);
      use(comm.get(), {{"codec", codec.name}, {"algorithm", algorithm}});
      EXPECT_TRUE(succeeded(sum(send.data(), recv.data(), kCount, comm.get())));
      EXPECT_TRUE(reference.check(recv.data() + share.first, share.count, codec, algorithm));
      const std::uint64_t bits = digest(recv.data(), kCount * sizeof(T));
      recv.assign(send.data());
      EXPECT_TRUE(succeeded(sum_in_place(recv.data(), kCount, comm.get())));
      EXPECT_EQ(digest(recv.data(), kCount * sizeof(T)), bits) << "in place";
      EXPECT_TRUE(recv.guards_intact());
      EXPECT_TRUE(send.guards_intact());
      EXPECT_EQ(digest(send.data(), kCount * sizeof(T)), before) << "the send buffer changed";
      EXPECT_TRUE(equal_on_all_ranks(recv.data(), kCount * sizeof(T), comm.get()));
    }
  }
}

TEST(Fr26OddSizes, TenMillionAndSomeFloat16) { reduce_long_vector<Float16>(); }
TEST(Fr26OddSizes, TenMillionAndSomeBFloat16) { reduce_long_vector<BFloat16>(); }
TEST(Fr26OddSizes, TenMillionAndSomeFloat32) { reduce_long_vector<float>(); }
TEST(Fr26OddSizes, TenMillionAndSomeFloat64) { reduce_long_vector<double>(); }

}  // namespace
}  // namespace qr_test
