// The measurement counts the systems' messages, and stays within its time.
#include "lab/bench/messages.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/systems/table.hpp"
#include "tests/support/sanitized.hpp"

using ddl::bench::MessageBench;

TEST_CASE("a measurement's messages are those of its pattern") {
  const auto rows = ddl::bench::measure_messages(ddl::systems::built_in(),
                                                 {.patterns = {"ps_sync", "d_psgd", "gossip", "ring_allreduce"},
                                                  .workers = {10},
                                                  .rounds = 3,
                                                  .most_seconds = 60});
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].messages == 10 * (3 * 3 + 1));             // pull, answer and push a round; and a farewell
  CHECK(rows[1].messages == 10 * 4 * (3 + 1));             // to four neighbours; and a farewell to each
  CHECK(rows[2].messages == 10 * 3 * 2);                   // question and answer
  CHECK(rows[3].messages == 10 * (3 + 1) * 2 * (10 - 1));  // 2 (n - 1) parts of a sum; and a closing round without any
  for (const auto& row : rows) {
    CHECK(row.workers == 10);
    CHECK(row.messages_per_s == doctest::Approx(static_cast<double>(row.messages) / row.wall_s));
    CHECK(row.peak_memory_bytes > 1e6);
  }
}

TEST_CASE("runs that would take longer than allowed are left out, but for the first of each pattern") {
  const auto rows = ddl::bench::measure_messages(
      ddl::systems::built_in(),
      {.patterns = {"gossip", "ps_sync"}, .workers = {4, 8, 16}, .rounds = 2, .most_seconds = 1e-6});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "gossip");
  CHECK(rows[1].name == "ps_sync");
  CHECK(rows[1].workers == 4);
}

TEST_CASE("a worker costs its parameters, its optimizer's state and what is in flight, and no second copy") {
  if (ddl::sanitized) {
    MESSAGE("[skipped] actors are threads in this build, whose stacks outweigh the rest");
    return;
  }
  for (const auto& row : ddl::bench::measure_memory(ddl::systems::built_in(), "mlp", 64)) {
    CAPTURE(row.name);
    CHECK(row.parameters > 1e3);
    CHECK(row.optimizer_state == (row.name == "adam" ? 2 : row.name == "momentum" ? 1 : 0) * row.parameters);
    CHECK(row.measured > row.parameters);
    // A node's actors, stacks and channels take some tens of kilobytes whatever the model.
    CHECK(row.measured < row.sum() + 150e3);
  }
}
