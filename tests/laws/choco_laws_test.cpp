// CHOCO-SGD against gossip averaging and its first round by hand.
#include <doctest/doctest.h>

#include "tests/laws/decentralized.hpp"

namespace ddl::choco_laws_test {

TEST_CASE("CHOCO without compression is gossip averaging: D-PSGD that combines after") {
  const auto d =
      run::run(learning_apart(R"({"name": "d_psgd", "topology": "torus", "combine": "after"})", 6, 8)).weights;
  const auto choco =
      run::run(learning_apart(R"({"name": "choco", "topology": "torus", "codec": "none"})", 6, 8)).weights;
  CHECK(largest_difference(choco, d) < 1e-5);
}

TEST_CASE("CHOCO's first round by hand: the largest values travel, and gamma of the way is gone") {
  // All copies start at 0, so what travels of a model is its largest tenth.
  const auto scenario =
      only_averaging(R"({"name": "choco", "codec": {"type": "top_k", "fraction": 0.1}, "consensus_rate": 0.6})", 2, 1);
  const Models start = initial_models(scenario, 2);
  Models sent = start;
  for (auto& model : sent) {
    std::vector<float> magnitudes;
    for (const float value : model) magnitudes.push_back(std::fabs(value));
    std::ranges::sort(magnitudes, std::greater{});
    const float least = magnitudes[static_cast<std::size_t>(std::ceil(0.1 * static_cast<double>(model.size()))) - 1];
    for (float& value : model) value = std::fabs(value) >= least ? value : 0;
  }
  Models expected = start;
  for (const std::size_t i : {0, 1}) {
    add_scaled(expected[i], sent[1 - i], 0.6f / 2);  // W = 1/2 on the only edge
    add_scaled(expected[i], sent[i], -0.6f / 2);
  }
  CHECK(largest_difference(run::run(scenario).weights, expected) < 1e-6);
}

TEST_CASE("CHOCO keeps the mean and brings models together at a tenth of the values") {
  for (const char* codec : {"top_k", "random_k"}) {
    CAPTURE(codec);
    const auto scenario = only_averaging(fmt::format(R"({{"name": "choco", "codec": "{}"}})", codec), 4, 150);
    const Models start = initial_models(scenario, 4), end = run::run(scenario).weights;
    CHECK(largest_difference(mean_of(start), mean_of(end)) < 1e-5);
    CHECK(disagreement(end) < 0.05 * disagreement(start));
  }
}

}  // namespace ddl::choco_laws_test
