// A small neural network: one hidden layer of rectified units, softmax and cross-entropy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

/// All parameters are one flat vector, and so is the gradient: one all-reduce a step, and long enough to be
/// worth it.
class Mlp {
 public:
  /// One layer's place in the flat vector: a row of weights for each output, then the biases.
  struct Layer {
    std::size_t inputs, outputs, weights, biases;
  };

  /// Weights drawn from `seed`: every rank that passes the same seed starts with the same network.
  Mlp(int inputs, int hidden, int outputs, std::uint64_t seed);

  std::vector<float>& parameters() { return parameters_; }
  const std::vector<float>& parameters() const { return parameters_; }
  const Layer& first() const { return first_; }
  const Layer& second() const { return second_; }

  /// Adds the gradient of the cross-entropy of one example to `gradient` (laid out as the parameters).
  void add_gradient(const float* input, int label, std::vector<float>& gradient);

  /// The most probable class.
  int predict(const float* input);

 private:
  void apply(const Layer& layer, const float* input, std::vector<float>& output) const;
  void forward(const float* input);
  static void add_layer_gradient(const Layer& layer, const float* input,
                                 const std::vector<float>& output_gradient, std::vector<float>& gradient);

  Layer first_, second_;
  std::vector<float> parameters_;
  std::vector<float> hidden_, scores_, hidden_gradient_;  // of the example at hand
};

}  // namespace examples
