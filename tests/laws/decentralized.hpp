// Common parts of law tests of decentralized systems: runs without learning, means, and the same mathematics in one
// place, without network or actors.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/topology.hpp"
#include "core/nn/optimizer.hpp"
#include "core/nn/schedule.hpp"
#include "core/node/vectors.hpp"
#include "sim/run/learning/trainer.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl {

using Models = std::vector<std::vector<float>>;

// Models that start apart; a vanishing rate leaves only the averaging.
inline scenario::Scenario only_averaging(const std::string& algorithm, int workers, int iterations) {
  auto scenario = learning(algorithm, workers, 0,
                           fmt::format(R"("data": {{"train": 400, "test": 20}}, "stop": {{"iterations": {}}},
                               "training": {{"batch_size": 2, "init": "independent",
                                            "optimizer": {{"type": "sgd", "learning_rate": 1e-30}}}})",
                                       iterations));
  scenario.model.name = "mlp";
  return scenario;
}

// A system that learns, with momentum, from models that start apart.
inline scenario::Scenario learning_apart(const std::string& algorithm, int workers, int iterations) {
  return learning(algorithm, workers, 0,
                  fmt::format(R"("data": {{"train": 400, "test": 20}}, "stop": {{"iterations": {}}},
                      "training": {{"batch_size": 8, "init": "independent",
                                   "optimizer": {{"type": "momentum", "learning_rate": 0.05}}}})",
                              iterations));
}

inline Models initial_models(const scenario::Scenario& scenario, int workers) {
  run::Trainer trainer(scenario, all_of(workers), 1);
  Models models;
  for (int worker = 0; worker < workers; ++worker) models.push_back(*trainer.initial_weights(worker));
  return models;
}

inline std::vector<float> mean_of(const Models& models) {
  std::vector<float> mean(models[0].size());
  for (const auto& model : models) add_scaled(mean, model, 1.0f / static_cast<float>(models.size()));
  return mean;
}

// Sum of squared distances from the mean.
inline double disagreement(const Models& models) {
  const auto mean = mean_of(models);
  double sum = 0;
  for (const auto& model : models) {
    for (std::size_t i = 0; i < mean.size(); ++i) sum += std::pow(static_cast<double>(model[i] - mean[i]), 2);
  }
  return sum;
}

// W times the models.
inline Models mixed(const graph::Matrix& w, const Models& models) {
  Models result;
  for (const auto& row : w) {
    auto& model = result.emplace_back(models[0].size());
    for (std::size_t j = 0; j < models.size(); ++j) add_scaled(model, models[j], static_cast<float>(row[j]));
  }
  return result;
}

// The optimizers, minibatches and models of all workers: one step after the other, by whoever calls.
class Reference {
 public:
  Reference(const scenario::Scenario& scenario, int workers)
      : trainer_(scenario, all_of(workers), 1),
        optimizer_(scenario.training.optimizer),
        models(initial_models(scenario, workers)) {
    for (int worker = 0; worker < workers; ++worker) {
      optimizers_.emplace_back(scenario.training.optimizer, models[0].size());
    }
  }

  // Every worker's next minibatch gradient, at the present models.
  Models gradients() {
    Models result;
    for (std::size_t worker = 0; worker < models.size(); ++worker) {
      result.push_back(*trainer_.begin_gradient(static_cast<int>(worker), make_payload(models[worker]))->wait());
    }
    return result;
  }

  void apply(const Models& gradients) {
    const double rate = nn::learning_rate(nn::rate_params(optimizer_), steps_, {});
    for (std::size_t worker = 0; worker < models.size(); ++worker) {
      optimizers_[worker].step(models[worker], {.gradient = gradients[worker]}, rate);
    }
    steps_.advance(1, 1);
  }

 private:
  run::Trainer trainer_;
  const nn::OptimizerParams optimizer_;
  std::vector<nn::Optimizer> optimizers_;
  ModelSteps steps_;

 public:
  Models models;
};

inline double largest_difference(const Models& a, const Models& b) {
  double largest = 0;
  for (std::size_t worker = 0; worker < a.size(); ++worker) {
    largest = std::max(largest, largest_difference(a[worker], b[worker]));
  }
  return largest;
}

}  // namespace ddl
