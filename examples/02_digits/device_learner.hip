// The learner on a device: images, parameters, gradients and their sum never leave its memory. All work is on
// the default stream, as qr_mpi_allreduce expects it.
#include "gpu/device_vector.hpp"
#include "learner.hpp"

namespace examples {

namespace {

constexpr int kThreads = 128;

unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

/// The images of one step of this rank: image k of it is number order[k * stride] of the data.
struct Images {
  const float* pixels;
  const int* labels;
  const int* order;
  int stride;
  int count;
};

/// The outputs of one unit before its non-linearity.
__device__ float weighted_sum(const Mlp::Layer& layer, const float* parameters, std::size_t row,
                              const float* input) {
  const float* const weights = parameters + layer.weights + row * layer.inputs;
  float sum = parameters[layer.biases + row];
  for (std::size_t i = 0; i < layer.inputs; ++i) sum += weights[i] * input[i];
  return sum;
}

/// Scores to the gradient of the cross-entropy: probability minus target. Shifted so that exp cannot
/// overflow.
__device__ void softmax_gradient(float* scores, std::size_t classes, int label) {
  float largest = scores[0];
  for (std::size_t c = 1; c < classes; ++c) largest = fmaxf(largest, scores[c]);
  float total = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    scores[c] = expf(scores[c] - largest);
    total += scores[c];
  }
  for (std::size_t c = 0; c < classes; ++c) scores[c] /= total;
  scores[label] -= 1.0f;
}

/// Forward and back through the network, a block for each image: a row of `hidden`, of `hidden_gradient` and
/// of `score_gradient`.
__global__ void propagate(Mlp::Layer first, Mlp::Layer second, const float* parameters, Images images,
                          float* hidden, float* hidden_gradient, float* score_gradient) {
  const int image = images.order[blockIdx.x * images.stride];
  const float* const input = images.pixels + image * first.inputs;
  hidden += blockIdx.x * first.outputs;
  hidden_gradient += blockIdx.x * first.outputs;
  score_gradient += blockIdx.x * second.outputs;

  for (std::size_t unit = threadIdx.x; unit < first.outputs; unit += kThreads) {
    hidden[unit] = fmaxf(weighted_sum(first, parameters, unit, input), 0.0f);
  }
  __syncthreads();
  for (std::size_t c = threadIdx.x; c < second.outputs; c += kThreads) {
    score_gradient[c] = weighted_sum(second, parameters, c, hidden);
  }
  __syncthreads();
  if (threadIdx.x == 0) softmax_gradient(score_gradient, second.outputs, images.labels[image]);
  __syncthreads();
  for (std::size_t unit = threadIdx.x; unit < first.outputs; unit += kThreads) {
    float sum = 0;
    for (std::size_t c = 0; c < second.outputs; ++c) {
      sum += score_gradient[c] * parameters[second.weights + c * second.inputs + unit];
    }
    hidden_gradient[unit] = hidden[unit] > 0.0f ? sum : 0.0f;
  }
}

/// The gradient of one layer's parameters, a thread for each: the sum over the images. Row k of `inputs`
/// belongs to image k, or to the image's number in the data where `by_number` says so.
__global__ void add_up(Mlp::Layer layer, const float* inputs, bool by_number, const float* output_gradients,
                       Images images, float* gradient) {
  const std::size_t weights = layer.inputs * layer.outputs;
  const std::size_t parameter = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (parameter >= weights + layer.outputs) return;
  const bool bias = parameter >= weights;
  const std::size_t row = bias ? parameter - weights : parameter / layer.inputs;
  const std::size_t column = parameter % layer.inputs;
  float sum = 0;
  for (int k = 0; k < images.count; ++k) {
    const std::size_t input_row = by_number ? images.order[k * images.stride] : k;
    sum +=
        output_gradients[k * layer.outputs + row] * (bias ? 1.0f : inputs[input_row * layer.inputs + column]);
  }
  gradient[bias ? layer.biases + row : layer.weights + parameter] = sum;
}

__global__ void momentum_step(float* parameters, float* velocity, const float* sum, std::size_t count,
                              float rate, float momentum) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  velocity[i] = momentum * velocity[i] + sum[i];
  parameters[i] -= rate * velocity[i];
}

class DeviceLearner final : public Learner {
 public:
  DeviceLearner(const Mlp& model, const Digits& images, int most_images)
      : first_(model.first()),
        second_(model.second()),
        pixels_(images.pixels),
        labels_(images.labels),
        order_(images.labels.size()),
        parameters_(model.parameters()),
        gradient_(parameters_.size()),
        sum_(parameters_.size()),
        velocity_(parameters_.size()),
        hidden_(static_cast<std::size_t>(most_images) * first_.outputs),
        hidden_gradient_(hidden_.size()),
        score_gradient_(static_cast<std::size_t>(most_images) * second_.outputs) {}

  void set_order(const std::vector<int>& order) override { order_.set(order); }

  void compute_gradient(int begin, int end, int stride) override {
    const int count = begin < end ? (end - begin + stride - 1) / stride : 0;
    const Images images{pixels_.data(), labels_.data(), order_.data() + begin, stride, count};
    if (count > 0) {
      propagate<<<static_cast<unsigned>(count), kThreads>>>(first_, second_, parameters_.data(), images,
                                                            hidden_.data(), hidden_gradient_.data(),
                                                            score_gradient_.data());
    }
    add_up<<<blocks_of(first_), kThreads>>>(first_, pixels_.data(), true, hidden_gradient_.data(), images,
                                            gradient_.data());
    add_up<<<blocks_of(second_), kThreads>>>(second_, hidden_.data(), false, score_gradient_.data(), images,
                                             gradient_.data());
    check_gpu(hipGetLastError());
  }

  float* gradient() override { return gradient_.data(); }
  float* sum() override { return sum_.data(); }

  void step(float rate, float momentum) override {
    momentum_step<<<blocks_for(parameters_.size()), kThreads>>>(
        parameters_.data(), velocity_.data(), sum_.data(), parameters_.size(), rate, momentum);
    check_gpu(hipGetLastError());
  }

  std::vector<float> gradient_on_host() const override { return gradient_.on_host(); }
  std::vector<float> sum_on_host() const override { return sum_.on_host(); }
  std::vector<float> parameters_on_host() const override { return parameters_.on_host(); }

 private:
  static unsigned blocks_of(const Mlp::Layer& layer) {
    return blocks_for(layer.inputs * layer.outputs + layer.outputs);
  }

  Mlp::Layer first_, second_;
  DeviceVector<float> pixels_;
  DeviceVector<int> labels_, order_;
  DeviceVector<float> parameters_, gradient_, sum_, velocity_;
  DeviceVector<float> hidden_, hidden_gradient_, score_gradient_;  // a row for each image of a step
};

}  // namespace

std::unique_ptr<Learner> make_device_learner(const Mlp& model, const Digits& images, int most_images) {
  return std::make_unique<DeviceLearner>(model, images, most_images);
}

}  // namespace examples
