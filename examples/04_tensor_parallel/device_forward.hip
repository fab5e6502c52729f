// The forward pass on a device: captured into a graph once, all-reduces included, and then replayed.
#include <qr_mpi/qr_mpi.h>

#include "common/mpi_check.hpp"
#include "forward.hpp"
#include "gelu.hpp"
#include "gpu/device_vector.hpp"
#include "graph.hpp"

namespace examples {

namespace {

// A block computes 32 rows and 64 columns of the result, each thread 4 x 2 of them.
constexpr int kThreadsAlongColumns = 32;
constexpr int kThreadsAlongRows = 8;
constexpr int kRowsOfThread = 4;
constexpr int kColumnsOfThread = 2;
constexpr int kTileRows = kThreadsAlongRows * kRowsOfThread;
constexpr int kTileColumns = kThreadsAlongColumns * kColumnsOfThread;

/// result = rows x weights, in float, rounded once. For reading: real programs call hipBLASLt or cuBLAS,
/// which are many times as fast. A tile is kept in registers and not in shared memory: kernels of ranks that
/// share a device run side by side only while they agree on how a multiprocessor splits its cache.
template <bool kWithGelu>
__global__ void multiply_tile(const Bf16* rows, const Bf16* weights, Bf16* result, int row_count, int inner,
                              int column_count) {
  const int first_row = static_cast<int>(blockIdx.y) * kTileRows + static_cast<int>(threadIdx.y);
  const int first_column = static_cast<int>(blockIdx.x) * kTileColumns + static_cast<int>(threadIdx.x);
  float sums[kRowsOfThread][kColumnsOfThread] = {};
  for (int k = 0; k < inner; ++k) {
    float weight[kColumnsOfThread];
    for (int c = 0; c < kColumnsOfThread; ++c) {
      const int column = min(first_column + c * kThreadsAlongColumns, column_count - 1);
      weight[c] = to_float(weights[static_cast<std::size_t>(k) * column_count + column]);
    }
    for (int r = 0; r < kRowsOfThread; ++r) {
      const int row = min(first_row + r * kThreadsAlongRows, row_count - 1);
      const float factor = to_float(rows[static_cast<std::size_t>(row) * inner + k]);
      for (int c = 0; c < kColumnsOfThread; ++c) sums[r][c] += factor * weight[c];
    }
  }
  for (int r = 0; r < kRowsOfThread; ++r) {
    const int row = first_row + r * kThreadsAlongRows;
    for (int c = 0; c < kColumnsOfThread; ++c) {
      const int column = first_column + c * kThreadsAlongColumns;
      if (row >= row_count || column >= column_count) continue;
      result[static_cast<std::size_t>(row) * column_count + column] =
          to_bf16(kWithGelu ? gelu(sums[r][c]) : sums[r][c]);
    }
  }
}

template <bool kWithGelu>
void queue_multiply(const Bf16* rows, const DeviceVector<Bf16>& weights, Bf16* result, int row_count,
                    int inner, int column_count, hipStream_t stream) {
  if (column_count == 0) return;  // more ranks than hidden values
  const dim3 blocks(static_cast<unsigned>((column_count + kTileColumns - 1) / kTileColumns),
                    static_cast<unsigned>((row_count + kTileRows - 1) / kTileRows));
  const dim3 threads(kThreadsAlongColumns, kThreadsAlongRows);
  multiply_tile<kWithGelu>
      <<<blocks, threads, 0, stream>>>(rows, weights.data(), result, row_count, inner, column_count);
  check_gpu(hipGetLastError());
}

struct DeviceLayer {
  DeviceLayer(const LayerShare& share, std::size_t tokens, std::size_t activations)
      : hidden_width(share.up.columns),
        up(share.up.values),
        down(share.down.values),
        hidden(tokens * static_cast<std::size_t>(hidden_width)),
        partial(activations),
        sum(activations) {}

  int hidden_width;
  DeviceVector<Bf16> up, down, hidden, partial, sum;
};

class DeviceForward final : public Forward {
 public:
  explicit DeviceForward(const NetworkShare& share) : shape_(share.shape), input_(share.input.values) {
    for (const LayerShare& layer : share.layers) {
      layers_.emplace_back(layer, static_cast<std::size_t>(shape_.tokens), shape_.activations());
    }
  }

  Passes run(MPI_Comm comm, int passes) override {
    queue_pass(comm);  // the first call on a communicator sets up, which a graph cannot hold
    stream_.wait();
    const Graph sums(stream_, [&] { queue_sums(comm); });
    const Graph pass(stream_, [&] { queue_pass(comm); });
    Passes result;
    result.sums_us = median(sums.replay(passes));
    // What is judged later must be the graph's own work.
    for (DeviceLayer& layer : layers_) layer.sum.clear();
    result.pass_us = median(pass.replay(passes));
    for (const DeviceLayer& layer : layers_) {
      result.partial.push_back(layer.partial.on_host());
      result.sum.push_back(layer.sum.on_host());
    }
    queue_sums(comm);  // a replay that failed makes the next call fail
    stream_.wait();
    return result;
  }

 private:
  void queue_pass(MPI_Comm comm) {
    const Bf16* input = input_.data();
    for (const DeviceLayer& layer : layers_) {
      queue_multiply<true>(input, layer.up, layer.hidden.data(), shape_.tokens, shape_.width,
                           layer.hidden_width, stream_.get());
      queue_multiply<false>(layer.hidden.data(), layer.down, layer.partial.data(), shape_.tokens,
                            layer.hidden_width, shape_.width, stream_.get());
      queue_sum(layer, comm);
      input = layer.sum.data();
    }
  }

  void queue_sums(MPI_Comm comm) {
    for (const DeviceLayer& layer : layers_) queue_sum(layer, comm);
  }

  void queue_sum(const DeviceLayer& layer, MPI_Comm comm) {
    check(qr_mpi_allreduce_on_stream(layer.partial.data(), layer.sum.data(),
                                     static_cast<MPI_Count>(layer.sum.size()), qr_mpi_type_bfloat16(),
                                     MPI_SUM, comm, stream_.get()));
  }

  Shape shape_;
  Stream stream_;
  DeviceVector<Bf16> input_;
  std::vector<DeviceLayer> layers_;
};

}  // namespace

std::unique_ptr<Forward> make_device_forward(const NetworkShare& share) {
  return std::make_unique<DeviceForward>(share);
}

}  // namespace examples
