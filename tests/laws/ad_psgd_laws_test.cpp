// AD-PSGD: what pairs may and may not do to the sum of the models.
#include <doctest/doctest.h>

#include "tests/laws/decentralized.hpp"

namespace ddl::ad_psgd_laws_test {

TEST_CASE("AD-PSGD keeps the pair's sum and the sum of all, whatever is asked when, and brings models together") {
  for (const std::string settings :
       {"", R"(, "topology": "complete_bipartite")", R"(, "topology": "bipartite_exponential", "peer": "cyclic")",
        R"(, "gossip_rate": "continuous")", R"(, "apply": "at_once")",
        R"(, "gossip_rate": "continuous", "apply": "at_once")",
        R"(, "gossip_rate": 3, "update_order": "update_then_average")"}) {
    CAPTURE(settings);
    for (const int n : {2, 7}) {
      auto scenario = only_averaging(fmt::format(R"({{"name": "ad_psgd"{}}})", settings), n, 60);
      scenario.compute.jitter = 0.5;
      const Models start = initial_models(scenario, n), end = run::run(scenario).weights;
      CHECK(largest_difference(mean_of(start), mean_of(end)) < 1e-6);
      CHECK(disagreement(end) < 0.05 * disagreement(start));
    }
  }
}

TEST_CASE("AD-PSGD: after one exchange both of a pair hold the same mean") {
  // But for the vanishing gradients, which zeros do not swallow.
  const auto scenario = only_averaging(R"("ad_psgd")", 2, 1);
  const Models start = initial_models(scenario, 2), end = run::run(scenario).weights;
  CHECK(largest_difference(end[0], end[1]) < 1e-20);
  CHECK(largest_difference(end, mixed({{0.5, 0.5}, {0.5, 0.5}}, start)) < 1e-20);
}

TEST_CASE("AD-PSGD's gradients reach the sum once each: it ends where the gradients at the start move it") {
  // One step: each gradient is taken at the start, so the mean moves by the mean gradient, as D-PSGD's.
  const auto d = mean_of(run::run(learning_apart(R"("d_psgd")", 4, 1)).weights);
  for (const char* how : {R"("update_order": "average_then_update")", R"("update_order": "update_then_average")",
                          R"("apply": "at_once")"}) {
    const auto ad = run::run(learning_apart(fmt::format(R"({{"name": "ad_psgd", {}}})", how), 4, 1));
    CHECK(largest_difference(mean_of(ad.weights), d) < 1e-6);
  }
}

}  // namespace ddl::ad_psgd_laws_test
