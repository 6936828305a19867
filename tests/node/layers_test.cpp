// A gradient by layers: its calls and their times, and the weights it is taken at.
#include "core/node/layers.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "core/node/message.hpp"
#include "core/node/vectors.hpp"
#include "core/node/weights.hpp"

namespace ddl {
namespace {

// Three layers of one value, with tasks of 1, 2 and 1 s: forward passes of 4 s, and backward ones of 2 + 4 + 1 s.
const std::vector<LayerInfo> layers = {{{0, 1}, 1}, {{1, 2}, 2}, {{2, 3}, 1}};
constexpr double all_s = 11;

struct Told {
  std::string what;
  double at_s;
  bool operator==(const Told&) const = default;
};

struct Outcome {
  std::vector<Told> told;
  std::vector<float> at;  // the weights of the gradient
  double seconds = 0;
  int waits = 0;  // number of calls that let time pass
};

// Before a held layer begins, all weights grow by one.
Outcome take(const std::vector<std::size_t>& held, const std::vector<std::size_t>& told) {
  Outcome outcome;
  Weights weights(make_payload(std::vector<float>(layers.size())));
  const auto tell = [&](const char* what, std::size_t layer) {
    outcome.told.push_back({what + std::to_string(layer), outcome.seconds});
  };
  const LayerCalls calls{.held = held,
                         .begin =
                             [&](std::size_t layer) {
                               for (float& weight : weights.write()) ++weight;
                               tell("begin ", layer);
                             },
                         .told = told,
                         .known =
                             [&](std::size_t layer, const Gradient& gradient) {
                               CHECK(gradient.loss == 7);
                               tell("known ", layer);
                             }};
  const Gradient gradient = gradient_by_layers(layers, weights, calls,
                                               {.seconds = all_s,
                                                .spend =
                                                    [&](double seconds) {
                                                      outcome.seconds += seconds;
                                                      ++outcome.waits;
                                                    },
                                                .compute = [&](const Payload& at) { outcome.at = *at; },
                                                .result =
                                                    [] {
                                                      return Gradient{nullptr, 7};
                                                    }});
  CHECK(gradient.loss == 7);
  CHECK(outcome.seconds == doctest::Approx(all_s));
  return outcome;
}

}  // namespace

TEST_CASE("the passes go forward from the first layer and back from the last, which needs no gradient of the inputs") {
  const Outcome all = take({0, 1, 2}, {2, 1, 0});
  const std::vector<Told> expected = {{"begin 0", 0}, {"begin 1", 1},  {"begin 2", 3},
                                      {"known 2", 6}, {"known 1", 10}, {"known 0", 11}};
  REQUIRE(all.told.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(all.told[i].what == expected[i].what);
    CHECK(all.told[i].at_s == doctest::Approx(expected[i].at_s));
  }
}

TEST_CASE("tasks between which nobody listens are one") {
  CHECK(take({}, {}).waits == 1);
  CHECK(take({0}, {0}).waits == 1);
  CHECK(take({1}, {}).waits == 2);
  CHECK(take({1}, {1}).waits == 3);
}

TEST_CASE("a gradient is taken at the weights that each layer's forward pass begins with") {
  CHECK(take({}, {2}).at == std::vector<float>{0, 0, 0});
  CHECK(take({0, 1, 2}, {}).at == std::vector<float>{1, 2, 3});
  CHECK(take({1}, {}).at == std::vector<float>{0, 1, 1});
  CHECK(take({0, 2}, {}).at == std::vector<float>{1, 1, 2});
}

}  // namespace ddl
