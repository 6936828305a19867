// Faults of one host that cannot all happen.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {
namespace {

std::string crash(double at_s, const std::string& rest = "", const char* host = "w1") {
  return fmt::format(R"({{"type": "host_crash", "host": "{}", "at": "{}s"{}}})", host, at_s, rest);
}
std::string back(double at_s) { return fmt::format(R"(, "restart": "{}s")", at_s); }
std::string join(double at_s) { return fmt::format(R"({{"type": "join", "host": "w1", "at": "{}s"}})", at_s); }
std::string leave(double at_s) { return fmt::format(R"({{"type": "leave", "host": "w1", "at": "{}s"}})", at_s); }

const std::string with_state = R"(, "state": "kept")";
using Lines = std::vector<std::string>;

// The lines that a scenario with these faults gets; none if it is right.
Lines lines_of(const std::vector<std::string>& faults) {
  std::string list;
  for (const std::string& fault : faults) list += (list.empty() ? "" : ", ") + fault;
  try {
    parse_scenario(systems::built_in(),
                   fmt::format(R"({{"platform": {{"workers": 4, "bandwidth": "1Mbps"}}, "algorithm": "gossip",
                                    "stop": {{"iterations": 10}}, "faults": [{}]}})",
                               list),
                   "x.json");
    return {};
  } catch (const ScenarioErrors& errors) {
    return errors.lines;
  }
}

Lines lines_in_time(int workers, const std::string& fault) {
  try {
    parse_scenario(systems::built_in(),
                   fmt::format(R"({{"platform": {{"workers": {}, "bandwidth": "1Mbps"}}, "model": "none",
                                    "wire": {{"model_bytes": "1MB"}}, "compute": {{"seconds_per_batch": "1s"}},
                                    "algorithm": "gossip", "stop": {{"time": "300000s"}}, "faults": [{}]}})",
                               workers, fault),
                   "x.json");
    return {};
  } catch (const ScenarioErrors& errors) {
    return errors.lines;
  }
}

TEST_CASE("a trace has all workers together come a million times at most") {
  const auto lines = [](int workers, int presences, const std::string& rest) {
    std::string presence;
    for (int i = 0; i < presences; ++i) {
      presence += fmt::format(R"({}{{"client": "x", "from": "{}s", "until": "{}.5s"}})", i == 0 ? "" : ", ", i, i);
    }
    return lines_in_time(workers, fmt::format(R"({{"type": "availability", "presence": [{}]{}}})", presence, rest));
  };
  const std::string start = "x.json: $.faults[0].", each_second = R"(, "repeat_every": "1s")";
  const Lines too_often = {start + "repeat_every: has workers come more than 1000000 times; expected a longer time"};
  const Lines too_many = {start +
                          "presence: has workers come more than 1000000 times; expected fewer times of clients, "
                          "or fewer \"hosts\""};
  CHECK(lines(3, 1, each_second).empty());
  CHECK(lines(4, 1, each_second) == too_often);
  CHECK(lines(4, 1, each_second + R"(, "hosts": ["w0", "w3"])").empty());
  CHECK(lines(1000, 1000, "").empty());
  CHECK(lines(1001, 1000, "") == too_many);
  CHECK(lines(1001, 1000, R"(, "hosts": ["w7"])").empty());
}

TEST_CASE("churn has all workers together crash a million times at most") {
  const auto lines = [](int workers, const std::string& rest) {
    return lines_in_time(workers, R"({"type": "churn", "mean_up": "600ms", "mean_down": "400ms")" + rest + "}");
  };
  CHECK(lines(3, "").empty());
  CHECK(lines(4, "") == Lines{"x.json: $.faults[0].mean_up: makes more than 1000000 crashes; expected longer times"});
  CHECK(lines(4, R"(, "hosts": ["w0", "w3"])").empty());
  CHECK(lines(4, R"(, "until": "200000s")").empty());
}

TEST_CASE("faults of one host that follow each other are right in any order of the list") {
  for (const std::vector<std::string>& faults :
       std::vector<std::vector<std::string>>{{crash(1, back(2)), crash(2, back(3)), crash(9)},
                                             {crash(9), crash(1, back(2)), crash(2, back(3))},
                                             {join(1), crash(2, back(3)), leave(4), join(5), leave(6)},
                                             {leave(1), join(2)},
                                             {crash(1), crash(1, "", "w2")},
                                             {crash(1, back(2) + with_state)}}) {
    CHECK(lines_of(faults).empty());
  }
}

TEST_CASE("faults of one host that contradict each other are refused with both their numbers") {
  struct Row {
    std::vector<std::string> faults;
    const char *finds, *expected = "there";  // where a fault finds the host, and where it is expected
  };
  for (const auto& [faults, finds, expected] : {
           Row{{crash(1, back(20)), crash(12, back(15))}, "[1].at: 12 s finds w1 down from 1 s to 20 s by $.faults[0]"},
           Row{{crash(12, back(15)), crash(1, back(20))}, "[0].at: 12 s finds w1 down from 1 s to 20 s by $.faults[1]"},
           Row{{crash(1), crash(12)}, "[1].at: 12 s finds w1 down for good since 1 s by $.faults[0]"},
           Row{{crash(1, back(5)), leave(3)}, "[1].at: 3 s finds w1 down from 1 s to 5 s by $.faults[0]"},
           Row{{leave(3), crash(4, back(5))}, "[1].at: 4 s finds w1 gone: it left at 3 s by $.faults[0]"},
           Row{{join(7), crash(4)}, "[1].at: 4 s finds w1 away until $.faults[0] lets it join at 7 s"},
           Row{{join(3), join(7)}, "[1].at: 7 s finds w1 there since $.faults[0] let it join at 3 s", "away"},
           Row{{leave(3), leave(7)}, "[1].at: 7 s finds w1 gone: it left at 3 s by $.faults[0]"},
           Row{{join(1), crash(2), join(7)}, "[2].at: 7 s finds w1 down for good since 2 s by $.faults[1]", "away"},
       }) {
    CHECK(lines_of(faults) ==
          Lines{fmt::format("x.json: $.faults{}; expected a time at which it is {}", finds, expected)});
  }
  CHECK(lines_of({crash(3, back(4)), leave(3)}) ==
        Lines{"x.json: $.faults[1].at: is the time of $.faults[0], which is of w1, too; expected another"});
}

TEST_CASE("a restart's state is lost unless it is said to be kept") {
  const auto state_of = [](const std::string& rest) {
    const Scenario scenario =
        parse_scenario(systems::built_in(),
                       R"({"platform": {"workers": 4, "bandwidth": "1Mbps"}, "algorithm": "gossip",
                           "stop": {"iterations": 10}, "faults": [)" +
                           crash(1, rest) + "]}",
                       "x.json");
    return std::get<HostCrash>(scenario.faults[0]).state;
  };
  CHECK(state_of(back(2)) == HostState::lost);
  CHECK(state_of(back(2) + with_state) == HostState::kept);
  CHECK_FALSE(state_of(""));
}

}  // namespace
}  // namespace ddl::scenario
