// A simulated node's operations on a model in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/node/model_parallel.hpp"

namespace ddl::run {

class SimNode;
class Simulation;

class SplitModel final : public ModelParallel {
 public:
  SplitModel(Simulation& simulation, SimNode& node) : simulation_(simulation), node_(node) {}

  const nn::Model* model() const override;
  double gradient_seconds() override;
  void work(double seconds, std::function<void()> math) override;
  Minibatch minibatch() override;
  std::size_t sample_count(SampleSet set) const override;
  std::shared_ptr<const data::Batch> samples(SampleSet set, std::span<const std::uint32_t> numbers) const override;
  Gradient gradient_of(std::vector<std::uint32_t> samples) override;
  std::vector<std::uint8_t> correct_predictions() override;
  void record_loss(double loss) override;

 private:
  Simulation& simulation_;
  SimNode& node_;
};

}  // namespace ddl::run
