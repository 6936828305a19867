#include "tests/support/real_data.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "core/nn/optimizer.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {

TEST_CASE("a small network learns MNIST's digits in two passes over a sixth of them") {
  const auto path = real_data("mnist");
  if (!path) return;
  const data::DataSpec spec{.source = data::DataSource::mnist, .path = *path, .train = 10000, .test = 2000};
  const data::DataSplit data = data::load_data(spec, 1);
  REQUIRE(data.train.size() == 10000);
  const Model model({.name = "mlp", .layers = {}}, data.train.shape, data.train.classes);
  std::vector<float> parameters = initial_parameters(model), gradient(parameters.size());
  SgdParams settings;
  settings.learning_rate = 0.1;
  Optimizer optimizer(settings, parameters.size());
  std::vector<std::uint32_t> all(10000);
  std::iota(all.begin(), all.end(), 0u);
  data::BatchStream batches(all, 32, true, Stream(3));
  Workspace workspace;
  Stream random(1);
  data::Batch batch;
  const Score before = model.evaluate(parameters, data.test, 2000, workspace);
  CHECK(before.accuracy < 0.3);
  for (int step = 0; step < 625; ++step) {
    data::gather(data.train, batches.next(), batch);
    model.gradient(parameters, batch, random, gradient, workspace);
    optimizer.step(parameters, {.gradient = gradient}, settings.learning_rate);
  }
  const Score after = model.evaluate(parameters, data.test, 2000, workspace);
  CHECK(after.accuracy > 0.88);
  CHECK(after.loss < 0.45);
}

}  // namespace ddl::nn
