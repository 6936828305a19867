// Jobs as lines of JSON: each one's end and outputs, and the independence of one line from another's error.
#include "sim/jobs/batch/batch.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/systems/table.hpp"
#include "sim/jobs/batch/job_line.hpp"
#include "sim/process/failures.hpp"
#include "tests/support/files.hpp"

namespace ddl::jobs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Two workers that exchange for `steps` steps, without mathematics.
json scenario_of(int steps) {
  return json::parse(fmt::format(R"({{
    "platform": {{"topology": "star", "workers": 2, "bandwidth": "10Mbps", "latency": "5ms"}},
    "model": "none", "wire": {{"model_bytes": "100kB"}}, "compute": {{"seconds_per_batch": "10ms"}},
    "algorithm": {{"name": "gossip"}}, "stop": {{"iterations": {}}}, "record": {{"iterations": false}}}})",
                                 steps));
}
constexpr int quick = 3, endless = 3'000'000;

class Pipe {
 public:
  Pipe() { REQUIRE(pipe(ends_) == 0); }
  ~Pipe() {
    close(ends_[0]);
    end();
  }
  void say(const std::string& line) const {
    REQUIRE(write(ends_[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    REQUIRE(write(ends_[1], "\n", 1) == 1);
  }
  void end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  int reading() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
};

// A batch in a folder, its answers in the order of their coming.
class Runner {
 public:
  explicit Runner(int at_once = 2) : at_once_(at_once) {}

  json job(const std::string& id, int steps = quick) const {
    return {{"id", id}, {"scenario", scenario_of(steps)}, {"seed", 7}, {"out", folder(id)}};
  }
  std::string folder(const std::string& id) const { return scratch_.file(id); }

  // Says the line of `at_answer` once that answer has come.
  BatchOutcome operator()(const std::vector<json>& lines, const std::map<std::string, json>& at_answer = {}) {
    answers.clear();
    Pipe input;
    for (const json& line : lines) input.say(line.is_string() ? line.get<std::string>() : line.dump());
    std::size_t to_say = at_answer.size();
    if (to_say == 0) input.end();
    const BatchOptions options{.at_once = at_once_, .finished_only = finished_only};
    return run_batch(systems::built_in(), options, input.reading(), [&](const std::string& line) {
      const json answer = json::parse(line);
      answers.push_back(answer);
      const auto said = answer["id"].is_string() ? at_answer.find(answer["id"]) : at_answer.end();
      if (said == at_answer.end()) return;
      input.say(said->second.dump());
      if (--to_say == 0) input.end();
    });
  }

  std::string state(const std::string& id) const {
    for (const json& answer : answers) {
      if (answer["id"] == id) return answer["state"];
    }
    return "";
  }
  bool has_result(const std::string& id) const { return fs::exists(fs::path(folder(id)) / "run.json"); }

  std::vector<json> answers;
  bool finished_only = false;

 private:
  const int at_once_;
  TemporaryFolder scratch_;
};

}  // namespace

TEST_CASE("batch: jobs are done once, and again by force") {
  Runner batch;
  const BatchOutcome first = batch({batch.job("a"), batch.job("b")});
  CHECK(first.failed + first.refused == 0);
  CHECK(batch.state("a") == "done");
  CHECK(batch.state("b") == "done");
  CHECK(batch.has_result("a"));
  CHECK(batch.answers[0]["seconds"].is_number());
  CHECK(batch.answers[0]["error"].is_null());
  json again = batch.job("b");
  again["force"] = true;
  batch({batch.job("a"), again});
  CHECK(batch.state("a") == "kept");
  CHECK(batch.state("b") == "kept");  // force replaces another scenario's result, not its own
  again["set"] = {{"wire.model_bytes", "50kB"}};
  batch({again});
  CHECK(batch.state("b") == "done");
}

TEST_CASE("batch: jobs that learn the same wait for the first of them, and replay what it learned") {
  Runner batch(3);
  const auto learner = [&](const std::string& id, const char* latency) {
    json job = batch.job(id);
    job["scenario"]["platform"]["latency"] = latency;
    job["scenario"]["model"] = "softmax";
    job["scenario"]["data"] = {{"train", 200}, {"test", 50}};
    job["scenario"]["algorithm"] = "ring_allreduce";
    job["scenario"]["evaluate"] = {{"every_iterations", 2}};
    return job;
  };
  json other = learner("other", "5ms");
  other["seed"] = 8;
  json cancelled = learner("cancelled", "1s");
  const BatchOutcome outcome = batch(
      {learner("a", "5ms"), learner("b", "6ms"), cancelled, learner("c", "7ms"), other, json{{"cancel", "cancelled"}}});
  CHECK(outcome.failed + outcome.refused == 0);
  const auto is_replay = [&](const std::string& id) {
    return json::parse(text_of(fs::path(batch.folder(id)) / "timing.json")).contains("is_replay");
  };
  CHECK_FALSE(is_replay("a"));
  CHECK(is_replay("b"));
  CHECK(is_replay("c"));
  CHECK_FALSE(is_replay("other"));
  CHECK(batch.state("cancelled") == "cancelled");
}

TEST_CASE("batch: it says which jobs are finished without starting one") {
  Runner batch;
  batch({batch.job("a")});
  batch.finished_only = true;
  json other = batch.job("a", quick + 1), forced = batch.job("c");
  other["id"] = "other";
  forced["force"] = true;
  const BatchOutcome outcome = batch({batch.job("a"), batch.job("b"), forced, "no job"});
  CHECK(batch.state("a") == "kept");
  CHECK(batch.state("b") == "open");
  CHECK(batch.state("c") == "open");
  CHECK(outcome.refused == 1);
  CHECK_FALSE(batch.has_result("b"));
  batch({other});
  CHECK(batch.state("other") == "open");
  CHECK(batch.has_result("a"));
}

TEST_CASE("batch: a file of a scenario, overrides and a seed say the same as an object that has them") {
  Runner batch;
  const TemporaryFolder scratch;
  const std::string file = scratch.write("mine.json", scenario_of(quick).dump());
  json by_file = batch.job("file"), by_object = batch.job("object");
  by_file["scenario"] = file;
  by_file["set"] = {{"algorithm.mode", "pair"}, {"name", "one"}};
  by_object["scenario"]["algorithm"]["mode"] = "pair";
  by_object["scenario"]["name"] = "one";
  batch({by_file, by_object});
  const auto digest = [&](const std::string& id) {
    return json::parse(text_of(fs::path(batch.folder(id)) / "run.json"))["digest"];
  };
  CHECK(digest("file") == digest("object"));
}

TEST_CASE("batch: a line that is no job is refused, and the others go on") {
  Runner batch;
  json unknown = batch.job("unknown"), bare = batch.job("bare"), wrong = batch.job("wrong");
  unknown["sead"] = 1;
  bare.erase("out");
  wrong["set"] = {{"algorithm.name", "gosip"}};
  json second = batch.job("second");
  second["out"] = batch.folder("a") + "/../a/";
  json file = batch.job("file");
  file["scenario"] = batch.folder("absent.json");
  const BatchOutcome outcome = batch({batch.job("a"), "[1, 2", "[1, 2]", "", unknown, bare, wrong, second, file});
  CHECK(outcome.refused == 7);
  CHECK(outcome.failed == 0);
  CHECK(batch.state("a") == "done");
  for (const char* id : {"unknown", "bare", "wrong", "second", "file"}) CHECK(batch.state(id) == "refused");
  for (const json& answer : batch.answers) {
    if (answer["state"] != "refused") continue;
    const std::string error = answer["error"];
    CAPTURE(error);
    CHECK((error.starts_with("line ") || error.find("absent.json") != std::string::npos));
  }
  CHECK_FALSE(batch.has_result("wrong"));
}

TEST_CASE("batch: a folder or an output without a name is given, not missing") {
  const auto error_of = [](const std::string& keys) {
    const JobLine job = read_job_line("{\"scenario\": \"a.json\"" + keys + "}", "line 1");
    REQUIRE(job.errors.size() == 1);
    return job.errors[0];
  };
  CHECK(error_of("") == "line 1: $.out: is missing; expected the run's own folder");
  CHECK(error_of(R"(, "out": "")").starts_with("line 1: $.out: \"\" is no name of a folder; expected"));
  CHECK(error_of(R"(, "out": "a", "folder": "")").starts_with("line 1: $.folder: is given, but the paths"));
}

TEST_CASE("batch: a result of another scenario is not replaced unless by force") {
  Runner batch;
  batch({batch.job("a")});
  json other = batch.job("a");
  other["set"] = {{"algorithm.mode", "push"}};
  CHECK(batch({other}).refused == 1);
  other["force"] = true;
  CHECK(batch({other}).refused == 0);
  CHECK(batch.state("a") == "done");
}

TEST_CASE("batch: a job is cancelled while it waits and while it runs, and leaves nothing") {
  Runner batch;
  const BatchOutcome outcome =
      batch({batch.job("long", endless), batch.job("quick"), batch.job("longer", endless), batch.job("waits", endless)},
            {{"quick", {{"cancel", "waits"}}}, {"waits", {{"cancel", "long"}}}, {"long", {{"cancel", "longer"}}}});
  CHECK(outcome.failed + outcome.refused == 0);
  CHECK(batch.state("quick") == "done");
  for (const char* id : {"long", "longer", "waits"}) {
    CHECK(batch.state(id) == "cancelled");
    CHECK_FALSE(fs::exists(batch.folder(id)));
  }
}

TEST_CASE("batch: a run that fails is answered, and the others go on") {
  Runner batch;
  json fails = batch.job("fails");
  fails["scenario"]["faults"] = json::parse(R"([{"type": "host_crash", "host": "w1", "at": "1ms"}])");
  fails["scenario"]["algorithm"] = {{"name", "ring_allreduce"}};
  const BatchOutcome outcome = batch({fails, batch.job("a")});
  CHECK(outcome.failed == 1);
  CHECK(batch.state("fails") == "failed");
  CHECK(batch.state("a") == "done");
  CHECK_FALSE(batch.has_result("fails"));
}

TEST_CASE("batch: killed at any time, it leaves whole folders or none, and goes on from there") {
  Runner batch(1);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};
  std::vector<json> lines;
  for (const std::string& name : names) lines.push_back(batch.job(name, 2000));
  for (const int milliseconds : {20, 60, 100}) {
    const pid_t child = fork();
    if (child == 0) {
      batch(lines);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(1000 * milliseconds));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (const std::string& name : names) CHECK(fs::exists(batch.folder(name)) == batch.has_result(name));
  }
  batch(lines);
  for (const std::string& name : names) CHECK(batch.has_result(name));
}

}  // namespace ddl::jobs
