// Workers that come and go as the clients of a trace do.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <tuple>

#include "sim/run/host_schedule.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::availability_test {
namespace {

using Event = std::tuple<double, std::string, bool>;  // time, host, true if it joins

scenario::ClientPresence there(const std::string& client, double from_s, double until_s) {
  return {client, Seconds{from_s}, Seconds{until_s}};
}

scenario::Scenario with(const std::vector<scenario::Fault>& faults, const std::string& algorithm = R"("ps_async")") {
  auto scenario = timing_only(algorithm, 3, 1, "1ms", R"({"time": "100s"})");
  scenario.faults = faults;
  return scenario;
}

// In a process of its own.
std::vector<Event> events(const scenario::HostAvailability& trace) {
  const nlohmann::json found = forked([&] {
    const scenario::Scenario scenario = with({trace});
    const platform::Fabric fabric(scenario);
    const run::HostSchedule schedule(scenario, fabric);
    nlohmann::json events = nlohmann::json::array();
    for (const run::HostEvent& event : schedule.events()) {
      events.push_back({event.time_s, fabric.name(event.node), event.kind == run::HostEvent::join});
    }
    return events;
  });
  REQUIRE_MESSAGE(found.is_array(), found.dump());
  std::vector<Event> events;
  for (const auto& event : found) events.emplace_back(event[0], event[1], event[2]);
  return events;
}

std::string refusal(const std::string& faults, const std::string& algorithm = "\"ps_async\"") {
  try {
    auto scenario = scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"topology": "star", "workers": 3, "servers": 1, "bandwidth": "8Mbps"}},
            "model": "none", "wire": {{"model_bytes": "1MB"}}, "compute": {{"seconds_per_batch": "100ms"}},
            "algorithm": {}, "stop": {{"iterations": 5}}, "faults": {}}})",
        algorithm, faults));
    run::run(scenario);
  } catch (const scenario::ScenarioErrors& error) {
    return error.lines.front();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string csv(const data::ScratchFolder& folder, const std::string& lines) {
  const std::string text = "client,start_s,end_s\n" + lines;
  folder.write("trace.csv", data::FileBytes(text.begin(), text.end()));
  return fmt::format(R"([{{"type": "availability", "file": "{}"}}])", folder.file("trace.csv"));
}

}  // namespace

TEST_CASE("each worker takes a client of the trace, from the first again where there are fewer") {
  const scenario::HostAvailability two = {.presence = {there("x", 0, 10), there("y", 5, 20), there("x", 30, 40)}};
  CHECK(events(two) == std::vector<Event>{{5, "w1", true},
                                          {10, "w0", false},
                                          {10, "w2", false},
                                          {20, "w1", false},
                                          {30, "w0", true},
                                          {30, "w2", true},
                                          {40, "w0", false},
                                          {40, "w2", false}});
  scenario::HostAvailability one = two;
  one.hosts = {"w2"};
  CHECK(events(one) == std::vector<Event>{{10, "w2", false}, {30, "w2", true}, {40, "w2", false}});
}

TEST_CASE("a trace repeats, and a client that goes when it comes stays") {
  // There from 0 to 10 and from 30 to 50 s: across the end of each repetition it stays.
  const scenario::HostAvailability trace = {.hosts = {"w0"},
                                            .presence = {there("x", 0, 7), there("x", 7, 10), there("x", 30, 50)},
                                            .repeat_every = Seconds{50}};
  CHECK(
      events(trace) ==
      std::vector<Event>{{10, "w0", false}, {30, "w0", true}, {60, "w0", false}, {80, "w0", true}, {100, "w0", false}});
}

TEST_CASE("a client that is there to the end of a repetition and at its beginning stays, however times are rounded") {
  // As doubles, many multiples of 2.3 s differ from a multiple plus 2.3 s.
  const scenario::HostAvailability always = {
      .hosts = {"w0"}, .presence = {there("x", 0, 2.3)}, .repeat_every = Seconds{2.3}};
  CHECK(events(always) == std::vector<Event>{{44 * 2.3, "w0", false}});
  scenario::HostAvailability parts = always;
  parts.presence = {there("x", 0, 0.7), there("x", 0.7, 1.9), there("x", 1.9, 2.3)};
  CHECK(events(parts) == events(always));
  scenario::HostAvailability late = always;
  late.presence = {there("x", 1.1, 2.3)};
  const std::vector<Event> comes_and_goes = events(late);
  REQUIRE(comes_and_goes.size() == 88);
  for (int k = 0; k < 44; ++k) {
    CHECK(comes_and_goes[static_cast<std::size_t>(2 * k)] == Event{k * 2.3 + 1.1, "w0", true});
    CHECK(comes_and_goes[static_cast<std::size_t>(2 * k + 1)] == Event{(k + 1) * 2.3, "w0", false});
  }
}

TEST_CASE("a run by a trace is the run by its joins and leaves, in each system that goes on") {
  for (const char* algorithm : {R"("ps_async")", R"({"name": "ps_sync", "on_failure": "go_on"})", R"("ako")",
                                R"({"name": "ring_allreduce", "on_failure": "go_on"})", R"("gossip")"}) {
    CAPTURE(algorithm);
    const run::RunResult traced =
        run::run(with({scenario::HostAvailability{.presence = {there("x", 0, 1000), there("y", 20, 60),
                                                               there("z", 0, 30), there("z", 70, 1000)}}},
                      algorithm));
    const run::RunResult told =
        run::run(with({scenario::HostJoin{"w1", Seconds{20}}, scenario::HostLeave{"w1", Seconds{60}},
                       scenario::HostLeave{"w2", Seconds{30}}, scenario::HostJoin{"w2", Seconds{70}}},
                      algorithm));
    CHECK(traced.steps == told.steps);
    CHECK(traced.bytes_sent == told.bytes_sent);
    CHECK(traced.faults->joins == told.faults->joins);
    CHECK(traced.faults->joins == 2);
    CHECK(traced.faults->leaves == told.faults->leaves);
    REQUIRE(traced.iterations.size() == told.iterations.size());
    for (std::size_t i = 0; i < traced.iterations.size(); ++i) {
      CHECK(traced.iterations[i].worker == told.iterations[i].worker);
      CHECK(traced.iterations[i].end_s == told.iterations[i].end_s);
    }
    for (const run::IterationRow& row : traced.iterations) {
      if (row.worker == 1) CHECK(row.start_s >= 20);
      if (row.worker == 2) CHECK((row.start_s <= 30 || row.start_s >= 70));
    }
  }
}

TEST_CASE("a file of a trace is read into the scenario, and what is wrong with it has its line") {
  const data::ScratchFolder folder;
  CHECK(refusal(csv(folder, "7,0,10.5\r\n\n8,3,4\n7,20,30\n")) == "");
  const std::string start = "law.json: $.faults[0].file: \"" + folder.file("trace.csv") + "\": ";
  struct Wrong {
    std::string lines, said;
  };
  const std::vector<Wrong> table = {
      {"", "has no clients; expected lines below its header"},
      {"7,0\n", "line 2: \"7,0\" has 2 cells; expected 3, as the header has"},
      {"7,0,1\n7,x,9\n", "line 3: \"7,x,9\" has no two times; expected seconds from 0 on"},
      {"7,-1,9\n", "line 2: \"7,-1,9\" has no two times; expected seconds from 0 on"},
      {"7,9,9\n", "line 2: \"7,9,9\" is over before it begins; expected a later end"},
      {",1,9\n", "line 2: \",1,9\" names no client; expected a word in UTF-8"},
      {"7,0,10\n8,0,3\n7,9,12\n",
       "line 4: \"7,9,12\" begins at 9 s, when \"7\" is there until 10 s; expected a client's times in order"},
  };
  for (const Wrong& wrong : table) CHECK(refusal(csv(folder, wrong.lines)) == start + wrong.said);
  const std::string other = "id,from,to\n";
  folder.write("trace.csv", data::FileBytes(other.begin(), other.end()));
  const std::string named = fmt::format(R"([{{"type": "availability", "file": "{}"}}])", folder.file("trace.csv"));
  CHECK(refusal(named) == start + "line 1: \"id,from,to\" is no header; expected \"client,start_s,end_s\"");
  std::filesystem::remove(folder.file("trace.csv"));
  CHECK(refusal(named) == start + "no such file; expected a CSV file");
}

TEST_CASE("an impossible trace is refused in one line") {
  const std::string x = R"("presence": [{"client": "x", "from": "0s", "until": "9s"}])";
  const auto fault = [](const std::string& keys) { return R"([{"type": "availability", )" + keys + "}]"; };
  CHECK(refusal(fault(R"("hosts": ["w0"])")) ==
        "law.json: $.faults[0].presence: is missing; expected a list of clients' times, or a \"file\" of them");
  CHECK(refusal(fault(x + R"(, "file": "a.csv")")) ==
        "law.json: $.faults[0].file: is given beside \"presence\"; expected one of them");
  CHECK(refusal(fault(x + R"(, "repeat_every": "9s")")) ==
        "law.json: $.faults[0].repeat_every: is given, and the run has no end in time; expected $.stop.time");
  CHECK(refusal(fault(x + R"(, "repeat_every": "8s")")) ==
        "law.json: $.faults[0].repeat_every: 8 s is before 9 s, when the last client goes; expected a longer time");
  CHECK(refusal(fault(x + R"(, "hosts": ["ps0"])")) ==
        "law.json: $.faults[0].hosts[0]: is a server, which serves to the end; expected a worker");
  CHECK(refusal(fault(x + R"(, "hosts": ["w0", "w0"])")) ==
        "law.json: $.faults[0].hosts[1]: comes and goes by a trace of availability; expected another host");
  const std::string and_join =
      "[{\"type\": \"availability\", " + x + R"(}, {"type": "join", "host": "w1", "at": "5s"}])";
  CHECK(refusal(and_join) ==
        "law.json: $.faults[1].host: comes and goes by a trace of availability; expected another host");
  CHECK(refusal(fault(x), R"({"name": "diloco", "eager": true})")
            .starts_with(
                "law.json: $.faults[0]: has a host come or go, but with eager \"diloco\" needs each of its hosts"));
}

}  // namespace ddl::availability_test
