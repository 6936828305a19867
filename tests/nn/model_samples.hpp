// Models and made-up samples for the tests of whole models.
#pragma once

#include <vector>

#include "core/nn/kernels/workspace.hpp"
#include "core/nn/model.hpp"
#include "tests/nn/gradient_check.hpp"

namespace ddl::nn {

inline data::Batch random_batch(Shape shape, std::size_t count, int classes, std::uint64_t seed) {
  data::Batch batch;
  batch.inputs = normal_values(count * shape.size(), seed);
  Stream random(seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    batch.labels.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(classes))));
  }
  return batch;
}

inline std::vector<float> initial_parameters(const Model& model, std::uint64_t seed = 1) {
  std::vector<float> parameters(model.parameter_count());
  Stream random(seed);
  model.initialize(parameters, random);
  return parameters;
}

// Away from the initial ones, whose output layer may be zero and then hands back no gradient.
inline std::vector<float> moved_parameters(const Model& model) {
  std::vector<float> parameters = initial_parameters(model);
  const std::vector<float> noise = normal_values(parameters.size(), 17, 0.05);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += noise[i];
  return parameters;
}

struct LossAndGradient {
  double loss = 0;
  std::vector<float> gradient;
};

// Dropout draws from a stream of `seed`.
inline LossAndGradient gradient_of(const Model& model, const std::vector<float>& parameters, const data::Batch& batch,
                                   std::uint64_t seed = 1) {
  Workspace workspace;
  Stream random(seed);
  LossAndGradient result;
  result.gradient.assign(parameters.size(), 1e9f);
  result.loss = model.gradient(parameters, batch, random, result.gradient, workspace).loss;
  return result;
}

inline ModelSpec layers(std::vector<LayerSpec> list) { return {.name = "layers", .layers = std::move(list)}; }

}  // namespace ddl::nn
