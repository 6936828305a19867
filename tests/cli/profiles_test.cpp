// Bandwidths, latencies and speeds over time: what they cost, where they come from, and what is refused.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/systems/table.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::profiles_test {
namespace {

// One step of one worker: a request, 100 MB over 1 MB/s to it, a gradient of a second, 100 MB back and a receipt, each
// with a second's latency.
constexpr const char* kOneStep = R"({
  "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "1s",
                "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "100MB" }, "compute": { "seconds_per_batch": "1s", "jitter": 0 },
  "algorithm": "ps_async", "stop": { "iterations": 1 } })";

nlohmann::json summary_with(const Workplace& place, const std::string& profiles) {
  const Reply answer =
      place.call("run step.json --json --force --set name=step --set 'platform.profiles=" + profiles + "'");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out);
}

double seconds_with(const Workplace& place, const std::string& profiles) {
  return summary_with(place, profiles)["simulated_seconds"];
}

double seconds_with(scenario::LinkSolver solver, const std::string& profiles) {
  scenario::Scenario scenario =
      scenario::parse_scenario(systems::built_in(), kOneStep, "step.json", {{"platform.profiles", profiles}});
  scenario.platform.network.solver = solver;
  return run::run(scenario).simulated_s;
}

}  // namespace

TEST_CASE("a bandwidth's profile costs what the link could not carry, with either solver") {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    const double plain = seconds_with(solver, "[]");
    CHECK(plain == doctest::Approx(205).epsilon(1e-9));
    // 20 s at a half carry 10 s' worth; the latency of the first second is over by then.
    CHECK(seconds_with(solver,
                       R"([{"quantity":"bandwidth","link":"w0","points":[{"at":"10s","value":"4Mbps"},
                                                                         {"at":"30s","value":"8Mbps"}]}])") ==
          doctest::Approx(plain + 10).epsilon(1e-9));
    // Half of every ten seconds at a half: the down half is full from 2 s until 100 MB are through, the up half the
    // same from its own time on. 7.5 MB per period.
    const double repeated =
        seconds_with(solver, R"([{"quantity":"bandwidth","link":"w0","direction":"down","repeat_every":"10s",
                    "points":[{"at":"0s","value":"8Mbps"},{"at":"5s","value":"4Mbps"}]}])");
    // From 2 s: 3 + 2.5 to 10 s; then twelve periods of 7.5 make 95.5 at 130 s, and 4.5 s are left.
    CHECK(repeated == doctest::Approx(plain - 102 + 134.5).epsilon(1e-9));
    // More than nominal is possible, and the server's link is then the narrow one.
    CHECK(seconds_with(solver, R"([{"quantity":"bandwidth","link":"w0","points":[{"at":"0s","value":"80Mbps"}]}])") ==
          doctest::Approx(plain).epsilon(1e-9));
  }
}

TEST_CASE("bounds count links and hosts at their best") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const double plain = summary_with(place, "[]")["bounds"]["step_s"];
  const auto narrow =
      summary_with(place, R"([{"quantity":"bandwidth","link":"w0","points":[{"at":"1s","value":"1Mbps"}]}])");
  CHECK(narrow["bounds"]["step_s"] == plain);
  const auto quick = summary_with(place, R"([
    {"quantity":"bandwidth","link":"w0","points":[{"at":"0s","value":"80Mbps"}]},
    {"quantity":"bandwidth","link":"ps0","points":[{"at":"0s","value":"80Mbps"}]},
    {"quantity":"speed","host":"w0","points":[{"at":"0s","value":"500Gf"}]}])");
  // 10 s each way, 0.1 s and the latencies of the transfers.
  CHECK(quick["bounds"]["step_s"].get<double>() == doctest::Approx(plain - 200 - 1 + 20 + 0.1).epsilon(1e-9));
  CHECK(quick["simulated_seconds"].get<double>() >= quick["bounds"]["step_s"].get<double>());
}

TEST_CASE("a profile may leave a link without bandwidth for a while but not for ever") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto with = [&](const std::string& rest) {
    return place.call(
        R"(run step.json --quiet --force --set 'platform.profiles=[{"quantity":"bandwidth","link":"w0",)" + rest +
        "}]'");
  };
  const Reply for_ever = with(R"("points":[{"at":"1s","value":"0bps"}])");
  CHECK(for_ever.code == 2);
  CHECK(for_ever.err.find("$.platform.profiles[0].points: end with no bandwidth for ever") != std::string::npos);
  CHECK(with(R"("points":[{"at":"1s","value":"0bps"},{"at":"9s","value":"8Mbps"}])").code == 0);
  CHECK(with(R"("points":[{"at":"0s","value":"8Mbps"},{"at":"1s","value":"0bps"}],"repeat_every":"2s")").code == 0);
}

TEST_CASE("a latency's profile holds for messages that start from then on") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const double plain = seconds_with(place, "[]");
  // Half of the way's second is w0's. From 50 s on, in the middle of the first model: the push and its receipt.
  CHECK(seconds_with(place, R"([{"quantity":"latency","link":"w0","points":[{"at":"50s","value":"2s"}]}])") ==
        doctest::Approx(plain + 2 * 1.5).epsilon(1e-9));
}

TEST_CASE("a trace shows when a latency was another") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const std::string profile =
      R"([{"quantity":"latency","link":"w0","direction":"up","points":[
           {"at":"50s","value":"2s"}, {"at":"80s","value":"500ms"}, {"at":"90s","value":"1s"}]}])";
  REQUIRE(place.call("step.json --quiet --trace --set name=step --set 'platform.profiles=" + profile + "'").code == 0);
  const auto trace = nlohmann::json::parse(text_of(place.at("results/step/1/trace.json")));
  std::vector<std::string> seen;
  for (const auto& event : trace["traceEvents"]) {
    const std::string name = event["name"];
    if (!name.starts_with("latency of ")) continue;
    seen.push_back(name + " from " + std::to_string(event["ts"].get<double>() / 1e6) + " for " +
                   std::to_string(event["dur"].get<double>() / 1e6));
  }
  // Half of the way's second is the link's own. The push and the word after it come half a second later each.
  CHECK(seen == std::vector<std::string>{"latency of w0 up x 4 from 50.000000 for 30.000000",
                                         "latency of w0 up x 2 from 90.000000 for 116.000000"});
}

TEST_CASE("a speed's profile changes what its host computes") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const double plain = seconds_with(place, "[]");
  CHECK(seconds_with(place, R"([{"quantity":"speed","host":"w0","points":[{"at":"0s","value":"25Gf"}]}])") ==
        doctest::Approx(plain + 1).epsilon(1e-9));
}

TEST_CASE("a trace file's content is part of the result, which is verified without the file") {
  const Workplace place;
  place.write("step.json", kOneStep);
  place.write("t.csv", "time_s,bandwidth_bps\n10,4e6\n30,8000000\n");
  const std::string from_file = R"([{"quantity":"bandwidth","link":"w0","file":"t.csv"}])";
  CHECK(seconds_with(place, from_file) == doctest::Approx(215).epsilon(1e-9));
  std::filesystem::remove(place.at("t.csv"));
  CHECK(place.call("run --verify-digest results/step/1").code == 0);
}

TEST_CASE("broken profiles are refused in one line that says where") {
  const Workplace place;
  place.write("step.json", kOneStep);
  const auto refused = [&](const std::string& profile, const std::string& what) {
    const Reply answer = place.call("check step.json --set 'platform.profiles=[" + profile + "]'");
    CAPTURE(answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.err.starts_with("ddlsim: step.json: $.platform.profiles"));
    CHECK(answer.err.find(what) != std::string::npos);
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
  };
  const auto file = [&](const std::string& text, const std::string& what) {
    place.write("t.csv", text);
    refused(R"({"quantity":"bandwidth","link":"w0","file":"t.csv"})", what);
  };
  file("seconds,bps\n1,2\n", "line 1");
  file("time_s,bandwidth_bps\n1,2\n1,3\n", "line 3");
  file("time_s,bandwidth_bps\n1,fast\n", "line 2");
  file("time_s,bandwidth_bps\n1,-2\n", "line 2");
  file("time_s,bandwidth_bps\n", "no points");
  file("", "no points");
  file("time_s,latency_s\n1,2\n", "line 1: \"time_s,latency_s\" is no header; expected \"time_s,bandwidth_bps\"");
  file("\xef\xbb\xbftime_s,bandwidth_bps\n1,2\n", "starts with a byte order mark");
  file("time_s,bandwidth_bps\r\n1,2\r\n3, 4\r\n", "line 3: \"3, 4\" has a blank in it");
  file("time_s,bandwidth_bps\n1,2\n\n3,4\n", "line 3: \"\" is no point");
  file("time_s,bandwidth_bps\n1,2,3\n", "line 2: \"1,2,3\" is no point");
  file(std::string("time_s,bandwidth_bps\n1,2\0", 25), "holds a zero byte");
  file("\xff\xfe\x1b[2Jt", "line 1: \"???[2Jt\" is no header");
  refused(R"({"quantity":"bandwidth","link":"w0","file":"absent.csv"})", "no such file");
  refused(R"({"quantity":"bandwidth","link":"w0"})", "points: is missing");
  refused(R"({"quantity":"bandwidth","link":"w7","points":[{"at":"0s","value":"1Mbps"}]})", "no link \"w7\"");
  refused(R"({"quantity":"speed","host":"w0","points":[{"at":"0s","value":"0Gf"}]})", "value");
  refused(R"({"quantity":"speed","host":"w0","points":[{"at":"0s","value":"1Gf"}],"repeat_every":"0.5h"},
             {"quantity":"speed","host":"w0","points":[{"at":"0s","value":"1Gf"}]})",
          "has a profile already");
  refused(R"({"quantity":"bandwidth","link":"w0","points":[{"at":"2s","value":"1Mbps"},{"at":"1s","value":"1Mbps"}]})",
          "points[1].at");
  refused(R"({"quantity":"bandwidth","link":"w0","points":[{"at":"2s","value":"1Mbps"}],"repeat_every":"9s"})",
          "points[0].at");
}

TEST_CASE("a profile or platform of another kind than a file of some size is refused and not read for ever") {
  const Workplace place;
  place.write("step.json", kOneStep);
  REQUIRE(place.shell("mkfifo pipe && truncate -s 65M big").code == 0);
  const std::vector<std::pair<std::string, std::string>> sources = {{"/dev/zero", "is a pipe or a device"},
                                                                    {"pipe", "is a pipe or a device"},
                                                                    {"big", "is larger than 64 MiB"},
                                                                    {".", "is a folder"}};
  for (const auto& [source, problem] : sources) {
    const std::string profile = R"([{"quantity":"bandwidth","link":"w0","file":")" + source + "\"}]";
    for (const std::string& settings :
         {"'platform.profiles=" + profile + "'", "'platform={\"file\": \"" + source + "\", \"servers\": [\"a\"]}'"}) {
      const Reply answer = place.call("check step.json --set " + settings, "timeout 60");
      CAPTURE(answer.err);
      CHECK(answer.code == 2);
      CHECK(answer.err.find(problem + "; expected a") != std::string::npos);
      CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
    }
  }
}

}  // namespace ddl::cli::profiles_test
