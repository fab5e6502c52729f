// The learner in host memory.
#include <algorithm>

#include "learner.hpp"

namespace examples {

namespace {

class HostLearner final : public Learner {
 public:
  HostLearner(const Mlp& model, const Digits& images)
      : model_(model),
        images_(images),
        gradient_(model.parameters().size()),
        sum_(gradient_.size()),
        velocity_(gradient_.size()) {}

  void set_order(const std::vector<int>& order) override { order_ = order; }

  void compute_gradient(int begin, int end, int stride) override {
    std::fill(gradient_.begin(), gradient_.end(), 0.0f);
    for (int place = begin; place < end; place += stride) {
      const int image = order_[static_cast<std::size_t>(place)];
      model_.add_gradient(images_.image(image), images_.label(image), gradient_);
    }
  }

  float* gradient() override { return gradient_.data(); }
  float* sum() override { return sum_.data(); }

  void step(float rate, float momentum) override {
    std::vector<float>& parameters = model_.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      velocity_[i] = momentum * velocity_[i] + sum_[i];
      parameters[i] -= rate * velocity_[i];
    }
  }

  std::vector<float> gradient_on_host() const override { return gradient_; }
  std::vector<float> sum_on_host() const override { return sum_; }
  std::vector<float> parameters_on_host() const override { return model_.parameters(); }

 private:
  Mlp model_;
  const Digits& images_;
  std::vector<int> order_;
  std::vector<float> gradient_, sum_, velocity_;
};

}  // namespace

std::unique_ptr<Learner> make_host_learner(const Mlp& model, const Digits& images) {
  return std::make_unique<HostLearner>(model, images);
}

}  // namespace examples
