// Forward and backward pass of the network, one example at a time.
#include "mlp.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace examples {

Mlp::Mlp(int inputs, int hidden, int outputs, std::uint64_t seed) {
  const auto in = static_cast<std::size_t>(inputs);
  const auto mid = static_cast<std::size_t>(hidden);
  const auto out = static_cast<std::size_t>(outputs);
  first_ = {in, mid, 0, in * mid};
  second_ = {mid, out, first_.biases + mid, first_.biases + mid + mid * out};
  parameters_.assign(second_.biases + out, 0.0f);
  hidden_.resize(mid);
  hidden_gradient_.resize(mid);
  scores_.resize(out);

  std::mt19937_64 random(seed);
  for (const Layer& layer : {first_, second_}) {
    // Variance 2 / inputs keeps the size of the activations through rectified layers.
    std::normal_distribution<float> weight(0.0f, std::sqrt(2.0f / static_cast<float>(layer.inputs)));
    for (std::size_t i = layer.weights; i < layer.biases; ++i) parameters_[i] = weight(random);
  }
}

void Mlp::apply(const Layer& layer, const float* input, std::vector<float>& output) const {
  for (std::size_t row = 0; row < layer.outputs; ++row) {
    const float* const weights = parameters_.data() + layer.weights + row * layer.inputs;
    float sum = parameters_[layer.biases + row];
    for (std::size_t i = 0; i < layer.inputs; ++i) sum += weights[i] * input[i];
    output[row] = sum;
  }
}

void Mlp::forward(const float* input) {
  apply(first_, input, hidden_);
  for (float& value : hidden_) value = std::max(value, 0.0f);
  apply(second_, hidden_.data(), scores_);
}

void Mlp::add_layer_gradient(const Layer& layer, const float* input,
                             const std::vector<float>& output_gradient, std::vector<float>& gradient) {
  for (std::size_t row = 0; row < layer.outputs; ++row) {
    float* const weights = gradient.data() + layer.weights + row * layer.inputs;
    for (std::size_t i = 0; i < layer.inputs; ++i) weights[i] += output_gradient[row] * input[i];
    gradient[layer.biases + row] += output_gradient[row];
  }
}

void Mlp::add_gradient(const float* input, int label, std::vector<float>& gradient) {
  forward(input);
  // Softmax, shifted by the largest score so that exp cannot overflow; its gradient is probability minus
  // target.
  const float largest = *std::max_element(scores_.begin(), scores_.end());
  float total = 0;
  for (float& score : scores_) {
    score = std::exp(score - largest);
    total += score;
  }
  for (float& score : scores_) score /= total;
  scores_[static_cast<std::size_t>(label)] -= 1.0f;
  add_layer_gradient(second_, hidden_.data(), scores_, gradient);

  std::fill(hidden_gradient_.begin(), hidden_gradient_.end(), 0.0f);
  for (std::size_t row = 0; row < second_.outputs; ++row) {
    const float* const weights = parameters_.data() + second_.weights + row * second_.inputs;
    for (std::size_t i = 0; i < second_.inputs; ++i) hidden_gradient_[i] += scores_[row] * weights[i];
  }
  for (std::size_t i = 0; i < hidden_.size(); ++i) {
    if (hidden_[i] <= 0.0f) hidden_gradient_[i] = 0.0f;
  }
  add_layer_gradient(first_, input, hidden_gradient_, gradient);
}

int Mlp::predict(const float* input) {
  forward(input);
  return static_cast<int>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin());
}

}  // namespace examples
