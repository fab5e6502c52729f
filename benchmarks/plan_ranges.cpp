// Walks over the sizes and bisects where the answer changes.
#include "plan_ranges.hpp"

#include <algorithm>

namespace qr::bench {

std::vector<PlanRange> plan_ranges(MPI_Comm comm, Element element, Operation operation, bool on_device) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(element));
  const std::int64_t last_count = (std::int64_t{1} << 30) / bytes;
  const auto predict = [&](std::int64_t count) {
    return on_device ? prediction_of(comm, count, mpi_type_of(element), mpi_op_of(operation)) : Prediction{};
  };
  const auto ask = [&](std::int64_t count) {
    PlanText plan = plan_of(comm, count, mpi_type_of(element), mpi_op_of(operation), on_device);
    if (const std::string form = predict(count).form; !form.empty()) plan.algorithm = form;
    return plan;
  };
  std::vector<PlanRange> ranges{{bytes, bytes, ask(1), {}, {}}};
  for (std::int64_t count = 1; count < last_count;) {
    const PlanText& plan = ranges.back().plan;
    std::int64_t same = count;
    std::int64_t other = std::min(count * 2, last_count);
    if (ask(other) == plan) {
      count = other;
      ranges.back().last_bytes = count * bytes;
      continue;
    }
    while (other - same > 1) {
      const std::int64_t middle = same + (other - same) / 2;
      (ask(middle) == plan ? same : other) = middle;
    }
    ranges.back().last_bytes = same * bytes;
    ranges.push_back({other * bytes, other * bytes, ask(other), {}, {}});
    count = other;
  }
  for (PlanRange& range : ranges) {
    range.first = predict(range.first_bytes / bytes);
    range.last = predict(range.last_bytes / bytes);
  }
  return ranges;
}

}  // namespace qr::bench
