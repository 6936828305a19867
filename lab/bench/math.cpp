#include "lab/bench/math.hpp"

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/kernels/blas.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/nn/optimizer.hpp"
#include "lab/bench/stopwatch.hpp"
#include "lab/runs/run.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::bench {
namespace {

constexpr int kSquare = 768;  // large enough for full speed, small enough that panels fit into the second-level cache

std::vector<float> made_up(std::size_t count, Stream& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

struct Case {
  const char* label;
  const char* model;
  Shape input;
  int batch;
  nn::OptimizerParams optimizer;
  nn::MathMode mode;
  int classes = 10;  // or the symbols of a text, where the model reads one
};

data::Dataset made_up_images(Shape shape, std::size_t count, Stream& random) {
  data::Dataset data{.shape = shape, .classes = 10, .pixels = {}, .labels = {}, .mean = {}, .scale = {}, .numbers = {}};
  data.mean.assign(static_cast<std::size_t>(shape.channels), 128.0f);
  data.scale.assign(static_cast<std::size_t>(shape.channels), 0.01f);
  data.pixels.resize(count * shape.size());
  for (auto& pixel : data.pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  for (std::size_t i = 0; i < count; ++i) data.labels.push_back(static_cast<std::uint8_t>(i % 10));
  return data;
}

data::Dataset made_up_text(const Case& c, std::size_t count, Stream& random) {
  data::Dataset data{
      .shape = c.input, .classes = c.classes, .pixels = {}, .labels = {}, .mean = {0}, .scale = {1}, .numbers = {}};
  data.context = c.input.height;
  data.by_position = true;
  for (std::size_t i = 0; i < count + c.input.size(); ++i) {
    data.symbols.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(c.classes))));
  }
  data.labels.assign(data.symbols.begin() + data.context, data.symbols.end());
  return data;
}

// As nanoGPT trains.
nn::AdamWParams clipped_adamw() {
  nn::AdamWParams params;
  params.clip_norm = 1;
  params.betas = {0.9, 0.99};
  params.weight_decay = 0.1;
  params.decays = nn::Decays::matrices;
  return params;
}

// Multiply-adds of one sample's gradient: three times the forward pass, without the first layer's gradient with respect
// to its input.
double training_multiply_adds(const nn::Model& model) {
  for (const auto& layer : model.layers()) {
    if (layer->parameter_count() > 0) return 3 * model.forward_multiply_adds() - layer->multiply_adds();
  }
  return 3 * model.forward_multiply_adds();
}

StepRow measure(const Case& c, double seconds) {
  Stream random(1);
  const nn::Model model({.name = c.model, .layers = {}}, c.input, c.classes, c.mode);
  std::vector<float> parameters(model.parameter_count()), gradient(parameters.size());
  model.initialize(parameters, random);
  constexpr std::size_t samples = 200;
  const data::Dataset data =
      model.positions() > 1 ? made_up_text(c, samples, random) : made_up_images(c.input, samples, random);
  nn::Optimizer optimizer(c.optimizer, parameters.size(), model.matrices());
  const auto workspace = nn::make_workspace();
  data::Batch batch;
  std::vector<std::uint32_t> indices(static_cast<std::size_t>(c.batch));
  const double train_s = median_seconds(seconds * 0.6, [&] {
    for (auto& index : indices) index = static_cast<std::uint32_t>(random.below(samples));
    data::gather(data, indices, batch);
    model.gradient(parameters, batch, random, gradient, *workspace);
    optimizer.step(parameters, {.gradient = gradient}, nn::rate_params(c.optimizer).learning_rate);
  });
  const double eval_s = median_seconds(seconds * 0.4, [&] { model.evaluate(parameters, data, samples, *workspace); });
  StepRow row{.model = c.label, .mode = c.mode, .batch = c.batch};
  row.train_images_per_s = c.batch / train_s;
  row.eval_images_per_s = static_cast<double>(samples) / eval_s;
  row.train_gflops = 2e-9 * training_multiply_adds(model) * row.train_images_per_s;
  return row;
}

}  // namespace

std::vector<KernelRow> measure_kernels() {
  Stream random(1);
  const std::size_t count = std::size_t{kSquare} * kSquare;
  const std::vector<float> a = made_up(count, random), b = made_up(count, random);
  std::vector<float> c(count);
  nn::Buffer scratch;
  const nn::Product product{.rows = kSquare, .columns = kSquare, .inner = kSquare};
  const double gflop = 2e-9 * kSquare * kSquare * kSquare;
  std::vector<KernelRow> rows;
  const auto sets = nn::tile_sets();
  // Plain C++ is measured only on CPUs that have nothing else.
  for (const nn::TileSet& set : sets.first(std::max<std::size_t>(1, sets.size() - 1))) {
    const auto multiply = [&] { nn::gemm_with(set, product, a.data(), b.data(), c.data(), scratch); };
    rows.push_back({set.name, gflop / median_seconds(0.2, multiply)});
  }
  const auto multiply = [&] { nn::blas_gemm(product, a.data(), b.data(), c.data()); };
  rows.push_back({nn::blas_kernels(), gflop / median_seconds(0.2, multiply)});
  return rows;
}

std::vector<StepRow> measure_steps(double seconds) {
  const Shape cifar{3, 32, 32}, mnist{1, 28, 28}, synthetic{1, 12, 12}, text{1, 64, 1};
  const Case cases[] = {{"ako-cnn", "ako-cnn", cifar, 104, nn::AdamParams{}, nn::MathMode::portable},
                        {"ako-cnn", "ako-cnn", cifar, 104, nn::AdamParams{}, nn::MathMode::native},
                        {"cnn-12x12", "cnn", synthetic, 32, nn::SgdParams{}, nn::MathMode::portable},
                        {"cnn-12x12", "cnn", synthetic, 32, nn::SgdParams{}, nn::MathMode::native},
                        {"mlp-784-32-10", "mlp", mnist, 32, nn::SgdParams{}, nn::MathMode::portable},
                        {"mlp-784-32-10", "mlp", mnist, 32, nn::SgdParams{}, nn::MathMode::native},
                        {"softmax-784-10", "softmax", mnist, 32, nn::SgdParams{}, nn::MathMode::portable},
                        {"gpt-4-128-64", "gpt-4-128-64", text, 12, clipped_adamw(), nn::MathMode::portable, 65},
                        {"gpt-4-128-64", "gpt-4-128-64", text, 12, clipped_adamw(), nn::MathMode::native, 65}};
  std::vector<StepRow> rows;
  for (const Case& c : cases) rows.push_back(measure(c, seconds / std::size(cases)));
  return rows;
}

std::vector<LookAheadRow> measure_look_ahead(const Registry& systems, int most, double seconds) {
  const auto run_with = [&systems](int threads, int steps) {
    const scenario::Scenario scenario =
        scenario::parse_scenario(systems,
                                 R"({"platform": {"workers": 4, "servers": 1, "bandwidth": "1Gbps"}, "model": "ako-cnn",
            "data": {"train": 2000, "test": 100}, "training": {"batch_size": 104},
            "compute": {"seconds_per_batch": "340ms"}, "algorithm": "ps_async",
            "stop": {"iterations": )" +
                                     std::to_string(steps) + "}, \"evaluate\": {\"every_iterations\": 1000000}}",
                                 "bench");
    run::RunOptions options;
    options.threads = threads;
    return run::run(scenario, options);
  };
  constexpr int kTrialSteps = 4;
  const run::RunResult trial = run_with(1, kTrialSteps);
  int counts = 1;
  for (int threads = 2; threads <= most; threads *= 2) ++counts;
  const int steps = static_cast<int>(std::clamp(kTrialSteps * seconds / counts / trial.wall_s, 8.0, 400.0));
  std::vector<LookAheadRow> rows;
  for (int threads = 1; threads <= most; threads *= 2) {
    const run::RunResult result = run_with(threads, steps);
    LookAheadRow row{.threads = threads, .images_per_s = result.samples / result.wall_s};
    row.speed_up = rows.empty() ? 1 : row.images_per_s / rows.front().images_per_s;
    // The difference between a longer and a shorter run, because starting and ending cost the same in both.
    row.outside_math_share =
        std::max(0.0, 1 - (result.math_s - trial.math_s) / std::max(result.cpu_s - trial.cpu_s, 1e-9));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ddl::bench
