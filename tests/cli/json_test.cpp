// The program's JSON output, against itself and against its result files.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "sim/results/reading/mean_curve.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/examples.hpp"

namespace ddl::cli::json_test {
namespace {

using Json = nlohmann::json;

constexpr const char* learning = R"({ "platform": { "workers": 3, "servers": 1, "bandwidth": "40Mbps" },
    "data": { "train": 200, "test": 50 }, "model": "softmax", "wire": { "model_bytes": "1MB" },
    "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ps_async", "stop": { "iterations": 40 },
    "evaluate": { "every_iterations": 2 } })";

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

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

void check_as_in_curve(const std::vector<Json>& lines, const std::filesystem::path& folder) {
  const auto rows = results::read_mean_curve(folder);
  REQUIRE(lines.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const run::CurveRow& row = rows[i];
    Json line = lines[i];
    line.erase("run"), line.erase("seed");
    CHECK(line == Json{{"time_s", row.time_s},
                       {"iteration", row.iteration},
                       {"samples", row.samples},
                       {"epoch", row.epoch},
                       {"bytes_sent", row.bytes_sent},
                       {"train_loss", json_of(row.train_loss)},
                       {"test_loss", json_of(row.test_loss)},
                       {"test_accuracy", json_of(row.test_accuracy)}});
  }
}

}  // namespace

TEST_CASE("live lines are the rows of the learning curve, and a file keeps those that it has") {
  const Workplace place;
  place.write("learning.json", learning);
  place.done("learning.json --seeds 1..2 --live new/folder/l.jsonl --quiet");
  const std::vector<std::string> lines = lines_in(text_of(place.at("new/folder/l.jsonl")));
  const auto runs = by_run(lines);
  CHECK(runs.size() == 2);
  for (const auto& [name, of_run] : runs) check_as_in_curve(of_run, place.at("results") / name);
  place.done("learning.json --threads 1 --live new/folder/l.jsonl --quiet");
  const std::vector<std::string> more = lines_in(text_of(place.at("new/folder/l.jsonl")));
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
  const std::vector<std::string> lines = lines_in(side_by_side.out);
  const auto runs = by_run(lines);
  CHECK(runs.size() == 8);
  for (const auto& [name, of_run] : runs) check_as_in_curve(of_run, place.at("results/grid") / name);
  const Reply one_by_one = place.call("sweep grid.json --live - --jobs 1 --out other");
  CHECK(sorted(lines_in(one_by_one.out)) == sorted(lines));
  const Reply finished = place.call("sweep grid.json --live -");
  CHECK(finished.code == 0);
  CHECK(finished.out == "");  // kept results are not evaluated
}

TEST_CASE("model's JSON sums up to its totals, and a scenario can hold the model it spells") {
  const Workplace place;
  const auto json = Json::parse(place.call("model cnn --data synthetic --mask random --json").out);
  std::size_t parameters = 0, non_zeros = 0, operations = 0, bytes = 0;
  for (const auto& layer : json["layers"]) {
    parameters += layer["parameters"].get<std::size_t>();
    non_zeros += layer["non_zeros"].get<std::size_t>();
    operations += layer["operations"].get<std::size_t>();
    bytes += layer["wire_bytes"].get<std::size_t>();
  }
  CHECK(json["total"]["parameters"] == parameters);
  CHECK(json["total"]["non_zeros"] == non_zeros);
  CHECK(json["total"]["operations"] == operations);
  CHECK(json["total"]["wire_bytes"] == bytes);
  CHECK(bytes == 4 * non_zeros);

  Json scenario = Json::parse(R"({"platform": {"workers": 1, "bandwidth": "40Mbps"},
      "algorithm": "single", "stop": {"iterations": 1}, "wire": {"model_bytes": "3MB"}})");
  scenario["model"] = json["model"];
  place.write("own.json", scenario.dump());
  const auto again = Json::parse(place.call("model own.json --json").out);
  CHECK(again["layers"] == json["layers"]);
  CHECK(again["model"] == json["model"]);
  CHECK(again["model_bytes"] == 3e6);
}

TEST_CASE("bench says which kernels it chose and what share of the best product each model reaches") {
  const Reply answer = Workplace().call("bench --json --seconds 1");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  const auto json = Json::parse(answer.out);
  double best = 0;
  for (const auto& kernel : json["kernels"]) best = std::max(best, kernel["gflops"].get<double>());
  CHECK(json["peak_gflops"] == best);
  CHECK(json["chosen_kernels"] == json["kernels"][0]["name"]);
  CHECK(json["steps"].size() >= 4);
  for (const auto& step : json["steps"]) {
    CHECK(step["share_of_peak"].get<double>() == doctest::Approx(step["gflops"].get<double>() / best));
    CHECK(step["eval_images_per_s"] > step["train_images_per_s"]);
  }
  CHECK(json["look_ahead"][0]["threads"] == 1);
  CHECK(json["look_ahead"][0]["speed_up"] == 1);
}

}  // namespace ddl::cli::json_test
