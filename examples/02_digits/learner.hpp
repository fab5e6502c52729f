// What one rank does in a step of the training, but for the sum of the gradients.
#pragma once

#include <memory>
#include <vector>

#include "digits_file.hpp"
#include "mlp.hpp"

namespace examples {

/// Keeps parameters and gradients where it computes: in host memory, or in the memory of a device.
class Learner {
 public:
  Learner() = default;
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// In which order the images of the next epoch come.
  virtual void set_order(const std::vector<int>& order) = 0;
  /// The gradient of the images at the places begin, begin + stride, ... before end, into gradient().
  virtual void compute_gradient(int begin, int end, int stride) = 0;
  /// The buffers of the sum, to be passed to qr_mpi_allreduce: what this rank computed, and where the sum
  /// goes.
  virtual float* gradient() = 0;
  virtual float* sum() = 0;
  /// Momentum SGD: velocity = momentum * velocity + sum(); parameters -= rate * velocity.
  virtual void step(float rate, float momentum) = 0;

  virtual std::vector<float> gradient_on_host() const = 0;
  virtual std::vector<float> sum_on_host() const = 0;
  virtual std::vector<float> parameters_on_host() const = 0;
};

/// Both start from the parameters of `model`, which must outlive the learner, as must `images`.
std::unique_ptr<Learner> make_host_learner(const Mlp& model, const Digits& images);
/// On the current device; null if the examples were built without a GPU. `most_images`: that one step takes.
std::unique_ptr<Learner> make_device_learner(const Mlp& model, const Digits& images, int most_images);

}  // namespace examples
