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

// The lines that a scenario with these faults gets; none if it is right.
std::vector<std::string> lines_of(const std::vector<std::string>& faults) {
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

void check_refused(const std::vector<std::string>& faults, const std::string& line) {
  CHECK(lines_of(faults) == std::vector<std::string>{"x.json: " + line});
}

TEST_CASE("faults of one host that follow each other are right in any order of the list") {
  CHECK(lines_of({crash(1, back(2)), crash(2, back(3)), crash(9)}).empty());
  CHECK(lines_of({crash(9), crash(1, back(2)), crash(2, back(3))}).empty());
  CHECK(lines_of({join(1), crash(2, back(3)), leave(4), join(5), leave(6)}).empty());
  CHECK(lines_of({leave(1), join(2)}).empty());
  CHECK(lines_of({crash(1), crash(1, "", "w2")}).empty());
  CHECK(lines_of({crash(1, back(2) + R"(, "state": "kept")")}).empty());
}

TEST_CASE("faults of one host that contradict each other are refused with both their numbers") {
  check_refused({crash(1, back(20)), crash(12, back(15))},
                "$.faults[1].at: 12 s finds w1 down from 1 s to 20 s by $.faults[0]; expected a time at which it is "
                "there");
  check_refused({crash(12, back(15)), crash(1, back(20))},
                "$.faults[0].at: 12 s finds w1 down from 1 s to 20 s by $.faults[1]; expected a time at which it is "
                "there");
  check_refused({crash(1), crash(12)},
                "$.faults[1].at: 12 s finds w1 down for good since 1 s by $.faults[0]; expected a time at which it is "
                "there");
  check_refused({crash(1, back(5)), leave(3)},
                "$.faults[1].at: 3 s finds w1 down from 1 s to 5 s by $.faults[0]; expected a time at which it is "
                "there");
  check_refused({leave(3), crash(4, back(5))},
                "$.faults[1].at: 4 s finds w1 gone: it left at 3 s by $.faults[0]; expected a time at which it is "
                "there");
  check_refused({join(7), crash(4)},
                "$.faults[1].at: 4 s finds w1 away until $.faults[0] lets it join at 7 s; expected a time at which it "
                "is there");
  check_refused({join(3), join(7)},
                "$.faults[1].at: 7 s finds w1 there since $.faults[0] let it join at 3 s; expected a time at which it "
                "is away");
  check_refused({leave(3), leave(7)},
                "$.faults[1].at: 7 s finds w1 gone: it left at 3 s by $.faults[0]; expected a time at which it is "
                "there");
  check_refused({join(1), crash(2), join(7)},
                "$.faults[2].at: 7 s finds w1 down for good since 2 s by $.faults[1]; expected a time at which it is "
                "away");
  check_refused({crash(3, back(4)), leave(3)},
                "$.faults[1].at: is the time of $.faults[0], which is of w1, too; expected another");
}

TEST_CASE("the state of a host that never starts again is refused") {
  check_refused({crash(1, R"(, "state": "kept")")},
                "$.faults[0].state: is given, but the host never starts again; expected \"restart\", or no such key");
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
  CHECK(state_of(back(2) + R"(, "state": "kept")") == HostState::kept);
  CHECK_FALSE(state_of(""));
}

}  // namespace
}  // namespace ddl::scenario
