// Transcripts of `ddlsim run --live` and `ddlsim sweep --live`.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "sim/results/reading/mean_curve.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::live_test {
namespace {

using Json = nlohmann::json;

constexpr const char* learning = R"({ "platform": { "workers": 3, "servers": 1, "bandwidth": "40Mbps" },
    "data": { "train": 200, "test": 50 }, "model": "softmax", "wire": { "model_bytes": "1MB" },
    "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ps_async", "stop": { "iterations": 40 },
    "evaluate": { "every_iterations": 2 } })";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  return lines;
}

// By run and seed, in the order of the lines.
std::map<std::string, std::vector<Json>> by_run(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<Json>> runs;
  for (const std::string& line : lines) {
    const Json json = Json::parse(line);
    runs[json["run"].get<std::string>() + "/" + std::to_string(json["seed"].get<int>())].push_back(json);
  }
  return runs;
}

void check_as_in_curve(const std::vector<Json>& lines, const std::filesystem::path& folder) {
  const auto rows = results::read_mean_curve(folder);
  REQUIRE(lines.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(lines[i]["time_s"] == rows[i].time_s);
    CHECK(lines[i]["iteration"] == rows[i].iteration);
    CHECK(lines[i]["samples"] == rows[i].samples);
    CHECK(lines[i]["epoch"] == rows[i].epoch);
    CHECK(lines[i]["bytes_sent"] == rows[i].bytes_sent);
    CHECK(lines[i]["test_loss"] == rows[i].test_loss);
    CHECK(lines[i]["test_accuracy"] == rows[i].test_accuracy);
    CHECK(lines[i]["train_loss"].is_null() == !rows[i].train_loss.has_value());
    if (rows[i].train_loss) CHECK(lines[i]["train_loss"] == *rows[i].train_loss);
    CHECK(lines[i].size() == 10);  // run and seed, too
  }
}

}  // namespace

TEST_CASE("live lines are the rows of the learning curve, and a file keeps those that it has") {
  const Workplace place;
  place.write("learning.json", learning);
  REQUIRE(place.call("learning.json --seeds 1..2 --live new/folder/l.jsonl --quiet").code == 0);
  const std::vector<std::string> lines = lines_of(text_of(place.at("new/folder/l.jsonl")));
  const auto runs = by_run(lines);
  CHECK(runs.size() == 2);
  for (const auto& [name, of_run] : runs) check_as_in_curve(of_run, place.at("results") / name);
  REQUIRE(place.call("learning.json --threads 1 --live new/folder/l.jsonl --quiet").code == 0);
  const std::vector<std::string> more = lines_of(text_of(place.at("new/folder/l.jsonl")));
  REQUIRE(more.size() == lines.size() / 2 * 3);
  CHECK(std::equal(lines.begin(), lines.end(), more.begin()));
  CHECK(std::equal(more.begin() + static_cast<std::ptrdiff_t>(lines.size()), more.end(), lines.begin()));
}

TEST_CASE("a sweep's runs tell their evaluations side by side, with nothing else on the standard output") {
  const Workplace place;
  place.write("learning.json", learning);
  place.write("grid.json", R"({ "base": "learning.json", "vary": { "platform.workers": [2, 3],
      "algorithm": ["ps_async", "ako"] }, "seeds": [1, 2] })");
  const Reply side_by_side = place.call("sweep grid.json --live - --jobs 4");
  REQUIRE(side_by_side.code == 0);
  const std::vector<std::string> lines = lines_of(side_by_side.out);
  const auto runs = by_run(lines);
  CHECK(runs.size() == 8);
  for (const auto& [name, of_run] : runs) check_as_in_curve(of_run, place.at("results/grid") / name);
  const Reply one_by_one = place.call("sweep grid.json --live - --jobs 1 --out other");
  CHECK(sorted(lines_of(one_by_one.out)) == sorted(lines));
  const Reply finished = place.call("sweep grid.json --live -");
  CHECK(finished.code == 0);
  CHECK(finished.out == "");  // what is kept from before is not evaluated
}

TEST_CASE("live lines are there while the run still goes on, and stay when it is interrupted") {
  const Workplace place;
  place.write("long.json", std::string(learning).replace(std::string(learning).find("40 }"), 4, "20000 }"));
  const Reply answer = place.shell(
      "env --default-signal=INT '" DDLSIM_BINARY
      "' long.json --quiet --live l.jsonl & pid=$!\n"
      "for i in $(seq 1200); do [ \"$(wc -l <l.jsonl 2>/dev/null || echo 0)\" -ge 5 ] && break; sleep 0.05; done\n"
      "ls -d results/long/1\nkill -INT $pid; wait $pid");
  CHECK(answer.code == 130);
  CHECK(answer.out == "");  // no result yet
  const std::vector<std::string> lines = lines_of(text_of(place.at("l.jsonl")));
  REQUIRE(lines.size() >= 5);
  for (const std::string& line : lines) CHECK(Json::parse(line)["run"] == "long");
}

TEST_CASE("where live lines cannot go is said with one line") {
  const Workplace place;
  place.write("learning.json", learning);
  place.write("grid.json", R"({ "base": "learning.json", "vary": { "platform.workers": [2, 3] }, "seeds": [1] })");
  const struct {
    const char *arguments, *error;
  } cases[] = {
      {"learning.json --live .", "--live .: cannot be written: Is a directory"},
      {"learning.json --live /dev/full --quiet", "--live /dev/full: cannot be written: No space left on device"},
      {"learning.json --live - --json", "--live -: has the standard output to itself; expected no --json"},
      {"sweep grid.json --live l --engine slurm", "--live: is for runs on this machine; expected --engine local"},
  };
  for (const auto& [arguments, error] : cases) {
    CAPTURE(arguments);
    const Reply answer = place.call(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(answer.err == std::string("ddlsim: ") + error + "\n");
  }
  CHECK(place.call("sweep grid.json --live l --dry-run").code == 2);
  CHECK_FALSE(std::filesystem::exists(place.at("results/learning/1")));
}

}  // namespace ddl::cli::live_test
