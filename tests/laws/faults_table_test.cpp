// The table in docs/faults.md of each training system's reactions to hosts that crash, restart, join or leave: each
// cell begins with the outcome that a run must have.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "core/systems/table.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::faults_table_test {
namespace {

struct Row {
  std::vector<std::string> systems;
  std::string policy;              // on_failure, or "" if the system has no choice
  std::vector<std::string> cells;  // the faults', in order
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = 2; at < line.size();) {
    const std::size_t end = line.find(" |", at);
    if (end == std::string::npos) break;
    cells.push_back(line.substr(at, end - at));
    at = end + 3;
  }
  return cells;
}

std::vector<Row> table() {
  std::ifstream file(DDLSIM_SOURCE_DIR "/docs/faults.md");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.starts_with("| system") || line.starts_with("| ---")) continue;
    std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == 6);
    Row row;
    const std::regex code("`([a-z_]+)`");
    for (std::sregex_iterator word(cells[0].begin(), cells[0].end(), code), end; word != end; ++word) {
      const std::string text = (*word)[1];
      (text == "wait" || text == "go_on" || text == "time_out" ? row.policy : row.systems.emplace_back()) = text;
    }
    row.cells.assign(cells.begin() + 1, cells.end());
    rows.push_back(row);
  }
  return rows;
}

// Further settings under which a system must behave as by default.
const std::multimap<std::string, std::string> variants = {
    {"ako", R"(, "partitions": 3, "staleness_bound": 1)"},
    {"ako", R"(, "staleness_bound": 1, "tf_ako": {"clock": "ping_pong"})"},
    {"gossip", R"(, "mode": "pair")"},
    {"ad_psgd", R"(, "gossip_rate": "continuous")"},
};

std::string settings_of(const std::string& system, const std::string& policy) {
  std::string settings = fmt::format(R"({{"name": "{}")", system);
  if (!policy.empty()) settings += fmt::format(R"(, "on_failure": "{}")", policy);
  if (policy == "time_out") settings += R"(, "failure_timeout": "200ms")";
  if (system == "fedavg") settings += R"(, "local_steps": 2)";
  if (system == "diloco") settings += R"(, "sync_every": 2)";
  if (system == "early_exit") settings += R"(, "cuts": [1, 1, 1])";
  return settings;
}

// Columns of the table: the event at a worker, or in the last one at the server. Steps take 0.1 to 0.2 s.
const std::vector<std::string> faults = {
    R"({"type": "host_crash", "host": "HOST", "at": "1.23s"})",
    R"({"type": "host_crash", "host": "HOST", "at": "1.23s", "restart": "2.5s", "state": "kept"})",
    R"({"type": "host_crash", "host": "HOST", "at": "1.23s", "restart": "2.5s", "state": "lost"})",
    R"({"type": "leave", "host": "HOST", "at": "1s"})",
    R"({"type": "host_crash", "host": "ps0", "at": "1.23s", "restart": "2.5s", "state": "kept"})"};

scenario::Scenario scenario_of(const std::string& settings, bool one_trains, std::string fault) {
  const std::string host = one_trains ? "w0" : "w1";
  if (const std::size_t at = fault.find("HOST"); at != std::string::npos) fault.replace(at, 4, host);
  return learning(settings + "}", one_trains ? 1 : 4, 1,
                  fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": 30}}, "faults": [{}],
                                 "training": {{"batch_size": 10, "optimizer": {{"type": "sgd", "learning_rate": 0.02}}}})",
                              fault));
}

// Steps of present workers that end while the host is down; those under way at its crash may still end.
int steps_meanwhile(const run::RunResult& result) {
  return static_cast<int>(std::ranges::count_if(
      result.iterations, [](const run::IterationRow& row) { return row.end_s > 1.7 && row.end_s < 2.45; }));
}

std::string outcome_of(const std::string& system, const std::string& settings, std::size_t column) {
  const bool restarts = column == 1 || column == 2 || column == 4;
  try {
    const run::RunResult result = run::run(scenario_of(settings, system == "single", faults[column]));
    for (std::size_t worker = 0; worker < result.steps.size(); ++worker) {
      CAPTURE(worker);
      if (worker != 1 || restarts) CHECK(result.steps[worker] == 30);
      if (worker == 1 && !restarts && system != "single") CHECK(result.steps[worker] < 13);
    }
    const bool leaves = column == 3;
    CHECK(result.faults->crashes == (leaves ? 0 : 1));
    CHECK(result.faults->restarts == (restarts ? 1 : 0));
    CHECK(result.faults->leaves == (leaves ? 1 : 0));
    if (leaves) CHECK(result.faults->steps_lost == 0);
    if (!restarts || system == "single") return "goes on";
    return steps_meanwhile(result) == 0 ? "stalls" : "goes on";
  } catch (const process::RunFailed&) {
    return system == "single" ? "fails (exit 3)" : "stalls (exit 3)";
  } catch (const std::exception& refusal) {
    CHECK(std::string(refusal.what()).find("needs each of its hosts") != std::string::npos);
    return "refused";
  }
}

}  // namespace

TEST_CASE("each system does what the table in docs/faults.md says") {
  std::set<std::string> in_table;
  for (const Row& row : table()) {
    in_table.insert(row.systems.begin(), row.systems.end());
    for (const std::string& system : row.systems) {
      const std::string by_default = settings_of(system, row.policy);
      std::vector<std::string> all = {by_default};
      const auto [first, last] = variants.equal_range(system);
      for (auto more = first; more != last; ++more) all.push_back(by_default + more->second);
      for (const std::string& settings : all) {
        for (std::size_t column = 0; column < faults.size(); ++column) {
          const std::string& cell = row.cells[column];
          if (cell == "-") continue;
          CAPTURE(settings);
          CAPTURE(faults[column]);
          CAPTURE(cell);
          const std::string outcome = outcome_of(system, settings, column);
          CHECK(cell.starts_with(outcome.substr(0, outcome.find(" ("))));
          CHECK((cell.find("(exit 3)") != std::string::npos) == (outcome.find("(exit 3)") != std::string::npos));
        }
      }
    }
  }
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name;
    CHECK_MESSAGE(in_table.contains(name), name);
  }
}

}  // namespace ddl::faults_table_test
