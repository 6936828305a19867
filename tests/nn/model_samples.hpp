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
inline std::vector<float> moved_parameters(const Model& model, double by = 0.05) {
  std::vector<float> parameters = initial_parameters(model);
  const std::vector<float> noise = normal_values(parameters.size(), 17, by);
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

// Along each tensor's own gradient g, which is longer than `least`, the loss must rise by |g| per unit of length.
inline void check_along_each_tensor(const Model& model, const std::vector<float>& parameters, const data::Batch& batch,
                                    double step, double tolerance, double least = 1e-4) {
  const LossAndGradient at = gradient_of(model, parameters, batch);
  for (const TensorInfo& tensor : model.tensors()) {
    CAPTURE(tensor.name);
    double square = 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i) {
      square += static_cast<double>(at.gradient[i]) * at.gradient[i];
    }
    const double length = std::sqrt(square);
    REQUIRE(length > least);
    const auto loss_at = [&](double distance) {
      std::vector<float> moved = parameters;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i) {
        moved[i] += static_cast<float>(distance / length * at.gradient[i]);
      }
      return gradient_of(model, moved, batch).loss;
    };
    const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
    CHECK(slope == doctest::Approx(length).epsilon(tolerance));
  }
}

inline ModelSpec layers(std::vector<LayerSpec> list) { return {.name = "layers", .layers = std::move(list)}; }

}  // namespace ddl::nn
