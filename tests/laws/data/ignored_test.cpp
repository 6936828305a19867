// Settings that can have no effect are refused or noted, and all others have one.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/data/data_spec.hpp"
#include "core/systems/single.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::ignored_test {
namespace {

class Keys final : public FieldVisitor {
 public:
  void visit(const char* key, const FieldValue&, const Rule&) override { found.insert(key); }
  std::set<std::string> found;
};

// What a run learns and how it is judged; "" where the scenario is refused, or a note says so.
std::string learned(const std::string& data) {
  try {
    const auto scenario = learning(R"("ring_allreduce")", 2, 0,
                                   R"("stop": {"iterations": 30}, "evaluate":
        {"every_iterations": 15}, "training": {"batch_size": 4}, "data": {)" +
                                       data + "}");
    const auto says_so = [](const std::string& note) { return note.find("has no effect") != std::string::npos; };
    if (std::ranges::any_of(scenario.notes, says_so)) return "";
    const auto result = run::run(scenario);
    std::string text;
    for (const float weight : result.weights[0]) text += fmt::format("{} ", weight);
    for (const run::CurveRow& row : result.curve) text += fmt::format("{} ", row.test_loss.value_or(0));
    return text;
  } catch (const scenario::ScenarioErrors& errors) {
    CHECK(errors.lines.size() == 1);
    return "";
  } catch (const InputError&) {
    return "";
  }
}

// By key of `data`: another value than it has by default.
const std::map<std::string, std::string> others = {{"test_path", ""},
                                                   {"held_out", "0.5"},
                                                   {"label", "1"},
                                                   {"header", "false"},
                                                   {"ignore", "[2]"},
                                                   {"channels", R"("last")"},
                                                   {"context", "8"},
                                                   {"standardize", "true"},
                                                   {"train", "60"},
                                                   {"test", "7"},
                                                   {"partition", R"("by_label")"},
                                                   {"column", "2"},
                                                   {"alpha", "0.05"},
                                                   {"shuffle", "false"},
                                                   {"augment", R"("crop_flip")"}};

std::vector<std::string> notes_of(const std::string& json) { return scenario_from(json).notes; }

// Its author forwards slices whatever hosts do.
struct ForwardsParams : SystemOf<ForwardsParams, systems::AloneParams> {
  static constexpr SystemFacts facts = systems::AloneParams::facts;
  void worker(Node& node) const override {
    if (node.id() == 0) node.send(1, {.wire_bytes = 4000, .relay = std::make_shared<Relay>(Relay{1000})});
  }
};

std::string measured(const std::string& lines) {
  return R"({"name": "law", "model": "none", "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "1s"},
             "stop": {"iterations": 1}, "algorithm": "alone", "platform": {"topology": "measured", "connections": [
             {"from": "a", "to": "a", "rate":"1Gbps", "rtt":"1ms"}, {"from": "b", "to": "b", "rate":"1Gbps", "rtt":"1ms"},
             )" +
         lines + "]}}";
}

}  // namespace

TEST_CASE("every key of data changes what is learned, or is refused, or noted") {
  data::DataSpec spec;
  Keys keys;
  fields(keys, spec);
  keys.found.erase("source");
  keys.found.erase("path");
  for (const std::string& key : keys.found) CHECK_MESSAGE(others.contains(key), key);
  const TemporaryFolder folder;
  std::string lines = "a,b,class\n";
  for (int i = 0; i < 90; ++i) lines += fmt::format("{},{},{}\n", (i * 7) % 13, (i * 5) % 11, i % 3);
  const std::string table = folder.write("table.csv", lines);
  const std::string other = folder.write("other.csv", lines.substr(0, lines.size() / 2));
  const std::string few = R"("train": 80, "test": 20)";
  const std::vector<std::string> contexts = {few, few + R"(, "partition": "dirichlet")",
                                             R"("source": "csv", "path": ")" + table + '"'};
  for (const std::string& context : contexts) {
    CAPTURE(context);
    const std::string usual = learned(context);
    REQUIRE(!usual.empty());
    for (const std::string& key : keys.found) {
      if (context.find('"' + key + '"') != std::string::npos) continue;
      CAPTURE(key);
      const std::string value = key == "test_path" ? '"' + other + '"' : others.at(key);
      CHECK(learned(context + ", \"" + key + "\": " + value) != usual);
    }
  }
}

TEST_CASE("measurements of which more streams got less than fewer are noted by their ends and streams") {
  const auto of = [](int one, int many, const char* way_back) {
    return notes_of(measured(fmt::format(
        R"({{"from": "a", "to": "b", "rate": "{}Mbps", "rtt": "90ms", "streams": 8}},
           {{"from": "a", "to": "b", "rate": "{}Mbps", "rtt": "90ms"}} {})",
        many, one, way_back)));
  };
  CHECK(of(100, 700, "").empty());
  CHECK(of(100, 100, "").empty());
  CHECK(of(100, 700, R"(, {"from": "b", "to": "a", "rate": "50Mbps", "rtt": "90ms", "streams": 20})").empty());
  const auto notes = of(100, 90, "");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find(R"(from "a" to "b": 1 stream got 100 Mbit/s, but 8 streams only 90)") != std::string::npos);
}

TEST_CASE("round trips there and back that differ by half and more are noted once") {
  const auto of = [](int there_ms, int back_ms) {
    return notes_of(measured(fmt::format(
        R"({{"from": "a", "to": "b", "rate": "100Mbps", "rtt": "{}ms"}},
           {{"from": "b", "to": "a", "rate": "100Mbps", "rtt": "{}ms"}})",
        there_ms, back_ms)));
  };
  CHECK(of(90, 90).empty());
  CHECK(of(90, 70).empty());
  for (const auto& [there_ms, back_ms] : {std::pair(90, 30), std::pair(30, 90)}) {
    const auto notes = of(there_ms, back_ms);
    REQUIRE(notes.size() == 1);
    const std::string told = fmt::format(R"(takes {} ms from "a" to "b", but {} ms from there)", there_ms, back_ms);
    CHECK(notes[0].find(told) != std::string::npos);
  }
}

TEST_CASE("slices are noted where messages can be lost, and nowhere else") {
  const auto notes = [](const std::string& slices, const std::string& faults) {
    return learning(R"({"name": "ring_allreduce")" + slices + "}", 2, 0,
                    R"("stop": {"iterations": 1}, "faults": [)" + faults + "]")
        .notes;
  };
  const std::string loses = R"({"type": "message_loss", "probability": 0.1})";
  CHECK(notes("", loses).empty());
  CHECK(notes(R"(, "slice_bytes": "0B")", loses).empty());
  CHECK(notes(R"(, "slice_bytes": "9kB")", "").empty());
  const auto noted = notes(R"(, "slice_bytes": "9kB")", loses);
  REQUIRE(noted.size() == 1);
  CHECK(noted[0].find("$.algorithm.slice_bytes") != std::string::npos);
}

TEST_CASE("a system of one's own that forwards slices where hosts come and go is told so") {
  const auto ends = [](const std::string& faults) -> std::string {
    auto scenario = learning(R"("alone")", 2, 0, R"("stop": {"iterations": 1}, "faults": [)" + faults + "]");
    scenario.algorithm = systems::SystemChoice(ForwardsParams{});
    try {
      run::run(scenario);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const std::string problem = "slices are forwarded only where hosts neither come nor go";
  CHECK(ends("").find(problem) == std::string::npos);
  CHECK(ends(R"({"type": "leave", "host": "w1", "at": "9s"})").find(problem) != std::string::npos);
}

// 20 workers at one site of two: a trace of 30,000 presences has 600,000 of them there, and 1,200,000 everywhere.
TEST_CASE("the events of a site's fault are those of its own hosts") {
  const auto is_refused = [](const std::string& where) {
    try {
      scenario_from(R"({"name": "law", "model": "none", "wire": {"model_bytes": "1MB"}, "algorithm": "alone",
          "compute": {"seconds_per_batch": "1s"}, "stop": {"time": "30000s"}, "platform": {"sites": [
            {"name": "a", "workers": 20, "bandwidth": "8Mbps", "latency": "1ms"},
            {"name": "b", "workers": 20, "bandwidth": "8Mbps", "latency": "1ms"}], "links": [
            {"from": "a", "to": "b", "up": "8Mbps", "latency": "1ms"}]},
          "faults": [{"type": "availability", "repeat_every": "1s", )" +
                    where + R"("presence": [{"client": "x", "from": "0s", "until": "0.5s"}]}]})");
    } catch (const scenario::ScenarioErrors&) {
      return true;
    }
    return false;
  };
  CHECK(is_refused(""));
  CHECK(!is_refused(R"("site": "a", )"));
}

}  // namespace ddl::ignored_test
