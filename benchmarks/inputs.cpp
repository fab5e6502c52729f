// Fills a buffer with a rank's inputs.
#include "inputs.hpp"

namespace qr::bench {

void fill_inputs(void* buffer, std::int64_t count, Element element, int rank) {
  const std::uint64_t key = key_of(rank);
  visit(element, [&]<class T>(T) {
    T* values = static_cast<T*>(buffer);
    for (std::int64_t index = 0; index < count; ++index) values[index] = input_value<T>(key, index);
  });
}

}  // namespace qr::bench
