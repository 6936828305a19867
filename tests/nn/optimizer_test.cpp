#include "core/nn/optimizer.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/check.hpp"
#include "core/nn/schedule.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

// With settings that differ from each other, and from the usual ones.
const std::vector<OptimizerParams> every_kind = [] {
  MomentumParams momentum;
  NesterovParams nesterov;
  AdamParams adam;
  momentum.momentum = nesterov.momentum = 0.7;
  adam.betas = {0.8, 0.95};
  adam.epsilon = 1e-3;
  AdamWParams adamw;
  static_cast<AdamParams&>(adamw) = adam;
  return std::vector<OptimizerParams>{SgdParams{}, momentum, nesterov, adam, adamw};
}();

double rate_at(const RateParams& params, std::int64_t step, double run_share = 0) {
  return learning_rate(params, {.whole = step}, {.share = run_share});
}

// The parameter after each of the gradients, starting from 1.
Floats path(const OptimizerParams& params, const Floats& gradients) {
  Optimizer optimizer(params, 1);
  Floats w = {1}, values;
  for (const float g : gradients) {
    optimizer.step(w, {.gradient = Floats{g}}, rate_at(rate_params(params), std::ssize(values)));
    values.push_back(w[0]);
  }
  return values;
}

float adam_step(const AdamParams& params, int step, float w, float g, float& first, float& second) {
  const double beta1 = params.betas[0], beta2 = params.betas[1];
  first = static_cast<float>(beta1) * first + static_cast<float>(1 - beta1) * g;
  second = static_cast<float>(beta2) * second + static_cast<float>(1 - beta2) * (g * g);
  double power1 = 1, power2 = 1;
  for (int i = 0; i <= step; ++i) power1 *= beta1, power2 *= beta2;
  const float unbiased = static_cast<float>(params.learning_rate / (1 - power1));
  const float root_scale = static_cast<float>(1 / std::sqrt(1 - power2));
  return w - unbiased * first / (std::sqrt(second) * root_scale + static_cast<float>(params.epsilon));
}

void check_path(const std::string& what, const OptimizerParams& params, const Floats& gradients,
                const std::vector<double>& expected) {
  CAPTURE(what);
  const Floats found = path(params, gradients);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

// Rates at steps.
void check_rates(const std::string& what, double rate, std::int64_t warmup_steps, const RateSchedule& schedule,
                 const std::vector<std::pair<std::int64_t, double>>& rates) {
  CAPTURE(what);
  RateParams params;
  params.learning_rate = rate;
  params.warmup_steps = warmup_steps;
  params.schedule = schedule;
  for (const auto& [step, expected] : rates) {
    CAPTURE(step);
    CHECK(rate_at(params, step) == doctest::Approx(expected).epsilon(1e-14));
  }
}

// The parameter after one step of its own, by the definitions.
float scalar_step(const OptimizerParams& params, int step, float w, float gradient, float& first, float& second) {
  const auto& rate = std::visit([](const auto& kind) -> const RateParams& { return kind; }, params);
  const float lr = static_cast<float>(rate.learning_rate), g = gradient + static_cast<float>(rate.weight_decay) * w;
  if (const auto* kind = std::get_if<MomentumParams>(&params)) {
    first = static_cast<float>(kind->momentum) * first + g;
    return w - lr * first;
  }
  if (const auto* kind = std::get_if<NesterovParams>(&params)) {
    const float mu = static_cast<float>(kind->momentum);
    first = mu * first + g;
    return w - lr * (g + mu * first);
  }
  if (const auto* kind = std::get_if<AdamParams>(&params)) return adam_step(*kind, step, w, g, first, second);
  if (const auto* kind = std::get_if<AdamWParams>(&params)) {
    w -= static_cast<float>(kind->learning_rate * kind->weight_decay) * w;
    return adam_step(*kind, step, w, gradient, first, second);
  }
  return w - lr * g;
}

}  // namespace

TEST_CASE("optimizers step as their definitions say") {
  const auto with = [](auto params, double rate, double decay = 0) {
    params.learning_rate = rate;
    params.weight_decay = decay;
    return params;
  };
  auto momentum = with(MomentumParams{}, 0.1);
  auto nesterov = with(NesterovParams{}, 0.1);
  momentum.momentum = nesterov.momentum = 0.5;
  auto halving = with(SgdParams{}, 1);
  halving.schedule = StepRate{.at = {1}, .factor = 0.5};
  check_path("against the gradient", with(SgdParams{}, 0.1), {2, -1}, {0.8, 0.9});
  // 1 - 0.1 (2 + 0.5); 0.75 - 0.1 * 0.375
  check_path("weight decay adds its share of the weight", with(SgdParams{}, 0.1, 0.5), {2, 0}, {0.75, 0.7125});
  check_path("a schedule reaches the parameters", halving, {0.25f, 0.25f}, {0.75, 0.625});
  check_path("velocities 2, 1, 1.5", momentum, {2, 0, 1}, {0.8, 0.7, 0.55});
  check_path("nesterov's directions 3, 0.5, 1.75", nesterov, {2, 0, 1}, {0.7, 0.65, 0.475});
  // m = 0.9 * 0.2 + 0.1 * 1 = 0.28, v = 0.999 * 0.004 + 0.001 = 0.004996; over 1 - 0.81 and 1 - 0.998001.
  check_path("adam's first step is the rate, its second follows the moments", with(AdamParams{}, 0.01), {2, 1},
             {0.99, 0.99 - 0.01 * (0.28 / 0.19) / std::sqrt(0.004996 / 0.001999)});
  check_path("adamw takes its share of the weight beside the step", with(AdamWParams{}, 0.01, 0.5), {2},
             {0.995 - 0.01});
  check_path("whatever the gradient's size", with(AdamParams{}, 0.01), {1e-4f}, {1 - 0.01 * 1e-4 / (1e-4 + 1e-8)});
}

TEST_CASE("long vectors are updated value by value, to the bit, whatever the kind") {
  // Two whole blocks of the optimizer's and a part of one; odd, so that no width of registers fits.
  constexpr std::size_t count = 2501;
  for (OptimizerParams params : every_kind) {
    CAPTURE(params.index());
    std::visit([](auto& kind) { kind.learning_rate = 0.03, kind.weight_decay = 0.01; }, params);
    Optimizer whole(params, count);
    Floats w(count), g(count), first(count), second(count), expected;
    for (std::size_t i = 0; i < count; ++i) w[i] = static_cast<float>(std::sin(0.1 * static_cast<double>(i)));
    expected = w;
    for (int step = 0; step < 10; ++step) {
      for (std::size_t i = 0; i < count; ++i) g[i] = static_cast<float>(std::cos(static_cast<double>(i) + step));
      whole.step(w, {.gradient = g}, 0.03);
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = scalar_step(params, step, expected[i], g[i], first[i], second[i]);
      }
      CHECK(w == expected);
    }
  }
}

TEST_CASE("rates rise in warm-up and fall as their schedules say") {
  const auto cosine_at = [](double share) { return (1 + std::cos(std::acos(-1) * share)) / 2; };
  check_rates("warm-up rises in equal steps, the last of which is the first at the full rate", 0.8, 3, {},
              {{0, 0.2}, {2, 0.6}, {3, 0.8}, {400, 0.8}});
  check_rates("a step schedule multiplies the rate at each of its steps", 1, 0, StepRate{.at = {10, 20}, .factor = 0.1},
              {{9, 1}, {10, 0.1}, {25, 0.01}});
  check_rates("a cosine falls from the rate to its floor and stays there", 2, 0, CosineRate{.steps = 100, .floor = 0.1},
              {{0, 2},
               {1, 0.2 + 1.8 * cosine_at(0.01)},
               {13, 0.2 + 1.8 * cosine_at(0.13)},
               {50, 1.1},
               {99, 0.2 + 1.8 * cosine_at(0.99)},
               {100, 0.2},
               {5000, 0.2}});
  check_rates("a cosine begins after warm-up and ends where its steps do", 1, 20, CosineRate{.steps = 100},
              {{19, 20.0 / 21}, {20, 1}, {60, 0.5}, {100, 0}});
}

TEST_CASE("a cosine without steps falls with the run, in steps of a ten-thousandth") {
  RateParams params;
  params.learning_rate = 1;
  params.schedule = CosineRate{};
  CHECK(follows_the_run(params));
  CHECK(rate_at(params, 7, 0) == doctest::Approx(1));
  CHECK(rate_at(params, 7, 0.5) == doctest::Approx(0.5));
  CHECK(rate_at(params, 7, 1) == doctest::Approx(0));
  CHECK(rate_at(params, 7, 0.31234) == rate_at(params, 7, 0.3123));
  CHECK(rate_at(params, 7, 0.31234) != rate_at(params, 7, 0.3124));
  params.warmup_steps = 20;
  CHECK(rate_at(params, 19, 0.5) == doctest::Approx(20.0 / 21));
  CHECK(rate_at(params, 20, 0.5) == doctest::Approx(0.5));
  // Known steps until the end count like `steps`; the condition nearer to its end wins.
  RateParams with_steps = params;
  with_steps.schedule = CosineRate{.steps = 100};
  for (const std::int64_t step : {20, 60, 99}) {
    CHECK(learning_rate(params, {.whole = step}, {.share = 0, .steps = 100}) ==
          doctest::Approx(rate_at(with_steps, step)).epsilon(1e-3));
    CHECK(learning_rate(params, {.whole = step}, {.share = 0.999, .steps = 100}) < 0.01);
  }
}

TEST_CASE("a model's steps are whole gradients over the workers that give them") {
  ModelSteps steps;
  for (int gradient = 0; gradient < 10; ++gradient) steps.advance(1, 4);
  CHECK(steps.whole == 2);
  steps.advance(1, 3);  // a worker has gone: three make a step
  CHECK(steps.whole == 3);
  for (const std::int64_t whole : {std::int64_t{0}, std::int64_t{16'777'217}, std::int64_t{1} << 40}) {
    std::vector<float> packed;
    ModelSteps{.whole = whole}.pack(packed);
    CHECK(packed.size() == ModelSteps::packed_values);
    CHECK(ModelSteps::unpack(packed).whole == whole);
  }
}

// The step of the mean gradient with its penalty, times the weight, be it one number or one per coordinate.
TEST_CASE("every optimizer's step is that of the mean gradient, times its weight") {
  for (OptimizerParams params : every_kind) {
    CAPTURE(params.index());
    std::visit([](auto& kind) { kind.weight_decay = 0.5; }, params);
    for (const float weight : {0.25f, 1.0f, 4.0f}) {
      const Floats mean = {1.5f, -0.5f, 2.0f}, weights(3, weight), start = {1, 2, -3};
      Floats scaled = mean;
      for (float& value : scaled) value *= weight;
      Floats one = start, weighted = start, by_coordinate = start;
      Optimizer(params, 3).step(one, {.gradient = mean}, 0.01);
      Optimizer(params, 3).step(weighted, {.gradient = scaled, .weight = weight}, 0.01);
      Optimizer(params, 3).step(by_coordinate, {.gradient = scaled, .weights = weights}, 0.01);
      CHECK(weighted == by_coordinate);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(weighted[i] - start[i] == doctest::Approx(weight * (one[i] - start[i])).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("a penalty is taken where it is said to be") {
  SgdParams params;
  params.weight_decay = 0.5;
  Floats w = {1};
  const Floats elsewhere = {3}, gradient = {0};
  Optimizer(params, 1).step(w, {.gradient = gradient, .penalised_at = elsewhere}, 0.1);
  CHECK(w[0] == doctest::Approx(1 - 0.1 * 0.5 * 3));
}

TEST_CASE("an optimizer's state goes on elsewhere as if it had stayed") {
  for (const OptimizerParams& params : every_kind) {
    CAPTURE(params.index());
    Optimizer stays(params, 2), goes(params, 2);
    Floats w = {1, 2};
    const Floats gradient = {0.5f, -1};
    for (int step = 0; step < 3; ++step) stays.step(w, {.gradient = gradient}, 0.1);
    std::vector<float> packed;
    stays.pack(packed);
    goes.unpack(packed);
    Floats there = w;
    stays.step(w, {.gradient = gradient}, 0.1);
    goes.step(there, {.gradient = gradient}, 0.1);
    CHECK(there == w);
    CHECK_THROWS_AS(goes.unpack(std::span(packed).first(packed.size() - 1)), InternalError);
  }
}

TEST_CASE("a mean gradient that is too long is made as long as it may be, and a shorter one stays, to the bit") {
  for (OptimizerParams params : every_kind) {
    CAPTURE(params.index());
    OptimizerParams clips = params;
    std::visit([](auto& kind) { kind.clip_norm = 5; }, clips);
    const auto after = [](const OptimizerParams& how, const Floats& gradient, float weight) {
      Floats w = {1, 2};
      Optimizer(how, 2).step(w, {.gradient = gradient, .weight = weight}, 0.1);
      return w;
    };
    CHECK(after(clips, {3, 4}, 1) == after(params, {3, 4}, 1));
    CHECK(after(clips, {-6, 8}, 2) == after(params, {-6, 8}, 2));  // its mean is 5 long
    CHECK(after(clips, {12, 16}, 1) == after(params, {3, 4}, 1));
    CHECK(after(clips, {12, 16}, 2) == after(params, {6, 8}, 2));
    CHECK(Optimizer::slices(clips) == Slices::none);
  }
}

TEST_CASE("sgd takes slices as they come, whatever its rate, and other optimizers each coordinate once a step") {
  for (OptimizerParams params : every_kind) {
    const Slices expected = std::holds_alternative<SgdParams>(params) ? Slices::any : Slices::once;
    CHECK(Optimizer::slices(params) == expected);
    std::visit([](auto& kind) { kind.weight_decay = 0.1, kind.schedule = CosineRate{}; }, params);
    CHECK(Optimizer::slices(params) == expected);
  }
}

TEST_CASE("steps made of slices equal steps on the whole vector, to the bit, with every optimizer that does not clip") {
  const Floats gradient = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1.0f, 1.1f};
  const std::span<const float> g(gradient);
  for (OptimizerParams params : every_kind) {
    std::visit([](auto& kind) { kind.weight_decay = 0.01; }, params);
    Floats whole(11, 1.5f), slices = whole;
    const std::span<float> w(slices);
    Optimizer by_vector(params, 11), by_slices(params, 11);
    for (int step = 0; step < 3; ++step) {
      by_vector.step(whole, {.gradient = gradient, .weight = 2}, 0.3);
      by_slices.step_slice(w.subspan(3), 3, {.gradient = g.subspan(3), .weight = 2}, 0.3);
      by_slices.step_slice(w.first(3), 0, {.gradient = g.first(3), .weight = 2}, 0.3);
      by_slices.end_slices();
      CHECK(slices == whole);
    }
  }
}

TEST_CASE("a slice that counts its own updates is where it would be if it were the whole vector") {
  for (const OptimizerParams& params : every_kind) {
    Floats low(3, 1.5f), high(8, 1.5f), both(11, 1.5f);
    const Floats gradient(11, 0.4f);
    const std::span<const float> g(gradient);
    Optimizer of_low(params, 3), of_high(params, 8), slices(params, 11);
    const std::span<float> w(both);
    for (int update = 0; update < 3; ++update) {  // the higher slice is overtaken by the lower one
      of_low.step(low, {.gradient = g.first(3)}, 0.3);
      slices.step_slice(w.first(3), 0, {.gradient = g.first(3)}, 0.3, update);
    }
    for (int update = 0; update < 2; ++update) {
      of_high.step(high, {.gradient = g.first(8)}, 0.3);
      slices.step_slice(w.subspan(3), 3, {.gradient = g.first(8)}, 0.3, update);
    }
    CHECK(Floats(both.begin(), both.begin() + 3) == low);
    CHECK(Floats(both.begin() + 3, both.end()) == high);
  }
}

TEST_CASE("slices are refused by optimizers that clip, and vectors of another length by all") {
  AdamParams clips;
  clips.clip_norm = 1;
  CHECK(Optimizer::slices(clips) == Slices::none);
  Optimizer clipping(clips, 2), adam(AdamParams{}, 2);
  Floats w(2), g(2), longer(3);
  CHECK_THROWS_AS(clipping.step_slice(w, 0, {.gradient = g}, 1), InternalError);
  CHECK_THROWS_AS(adam.step(w, {.gradient = longer}, 1), InternalError);
  CHECK_THROWS_AS(adam.step(w, {.gradient = g, .weights = longer}, 1), InternalError);
  CHECK_THROWS_AS(adam.step(longer, {.gradient = longer}, 1), InternalError);
}

}  // namespace ddl::nn
