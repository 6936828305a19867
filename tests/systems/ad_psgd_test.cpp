#include "core/systems/neighbours/ad_psgd.hpp"

#include <doctest/doctest.h>

#include "tests/support/scripted_node.hpp"

namespace ddl::systems::ad_psgd_test {

TEST_CASE("only those workers of AD-PSGD hear of others' crashes that wait for answers") {
  // News that no actor reads would pile up as long as hosts come and go.
  Cluster cluster;
  cluster.workers = 4;
  for (const int worker : {0, 1, 2, 3}) {
    ScriptedNode node(cluster, worker, {});
    const auto program = AdPsgdParams{}.program(node);
    CHECK(node.watched.size() == (worker % 2 == 1 ? 1 : 0));
  }
}

}  // namespace ddl::systems::ad_psgd_test
