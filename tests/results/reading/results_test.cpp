// Results read back: written values come out again, and incomplete results are refused with their place.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"

namespace ddl::results {
namespace {

namespace fs = std::filesystem;

std::string complaint_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void replace_in(const fs::path& file, const std::string& old, const std::string& fresh) {
  std::string text = text_of(file);
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  put(file, text.replace(at, old.size(), fresh));
}

}  // namespace

TEST_CASE("a result's figures come back as they were written") {
  const TemporaryFolder out;
  const fs::path folder = write_results(out.path().string(), example_scenario(), example_result(), false);
  const FinishedRun run = read_finished(folder);
  CHECK(run.digest == digest_of(example_result()));
  CHECK(run.busiest_link == "w1 down");
  CHECK(run.stopped_by == "time");
  CHECK_FALSE(run.has_platform_file);
  CHECK_FALSE(run.has_data_path);
  CHECK(*run.measure("final_accuracy.mean") == 0.625);
  CHECK(*run.measure("time_to_accuracy_s.0.6") == 10);
  CHECK(*run.measure("bytes_to_accuracy.0.3") == 1000);
  CHECK_FALSE(run.measure("time_to_accuracy_s.0.9").has_value());
  CHECK(*run.measure("iterations_per_worker.min") == 2);
  CHECK(*run.measure("iterations_per_worker.mean") == 2.5);
  CHECK(*run.measure("idle_fraction.max") == doctest::Approx(0.55));
  CHECK(*run.measure("bounds.step_s") == 4);
  CHECK(*run.measure("bounds.network_bound") == 0);
}

TEST_CASE("every number of summary.json is a measure, or is told per worker") {
  const TemporaryFolder out;
  run::RunResult result = example_result();
  result.replicas = example_replicas();
  const fs::path folder = write_results(out.path().string(), example_scenario(), result, false);
  const FinishedRun run = read_finished(folder);
  const auto summary = nlohmann::json::parse(text_of(folder / "summary.json"));
  std::size_t numbers = 0;
  for (const auto& [key, value] : summary.items()) {
    if (key == "seed" || key == "iterations_per_worker" || key == "idle_fraction" || key == "diverged") continue;
    if (key == "faults" || key == "given_up" || key == "requests") continue;  // events of a run; a list
    nlohmann::json one;
    one[key] = value;
    const nlohmann::json flat = one.flatten();
    for (const auto& [path, number] : flat.items()) {
      if (number.is_string()) continue;
      ++numbers;
      std::string dotted = path.substr(1);
      std::replace(dotted.begin(), dotted.end(), '/', '.');
      const bool known = std::any_of(run.measures.begin(), run.measures.end(),
                                     [&](const Measure& measure) { return measure.key == dotted; });
      CHECK_MESSAGE(known, dotted);
    }
  }
  CHECK(run.measures.size() == numbers + 6);
}

TEST_CASE("a timing-only run has the same measures, those of learning empty") {
  const TemporaryFolder out;
  const fs::path learning = write_results(out.path().string(), example_scenario(), example_result(), false);
  scenario::Scenario scenario = timing_only_scenario();
  scenario.name = "timing";
  const fs::path timing = write_results(out.path().string(), scenario, timing_only_result(), false);
  const FinishedRun with = read_finished(learning), without = read_finished(timing);
  REQUIRE(with.measures.size() == without.measures.size());
  for (std::size_t i = 0; i < with.measures.size(); ++i) CHECK(with.measures[i].key == without.measures[i].key);
  CHECK_FALSE(without.measure("final_accuracy.mean").has_value());
  CHECK(*without.measure("bytes_sent") == 3500);
}

TEST_CASE("a result's tables come back row by row") {
  const TemporaryFolder out;
  const run::RunResult result = example_result();
  const fs::path folder = write_results(out.path().string(), example_scenario(), result, false);
  std::vector<run::CurveRow> curve;
  read_rows<run::CurveRow>(folder, [&](const run::CurveRow& row) { curve.push_back(row); });
  REQUIRE(curve.size() == result.curve.size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    CHECK(curve[i].worker == result.curve[i].worker);
    CHECK(curve[i].train_loss == result.curve[i].train_loss);
    CHECK(curve[i].test_accuracy == result.curve[i].test_accuracy);
  }
  NodeNames nodes;
  std::vector<run::IterationRow> steps;
  CHECK(read_rows<run::IterationRow>(folder, nodes, [&](const run::IterationRow& step) { steps.push_back(step); }));
  REQUIRE(steps.size() == 5);
  CHECK(nodes[steps[4].worker] == "w1");
  CHECK(steps[4].wait_s() == 1);
  std::vector<std::string> links;
  read_rows<run::TrafficRow>(folder,
                             [&](const run::TrafficRow& row) { links.push_back(row.link + " " + row.direction); });
  CHECK(links == std::vector<std::string>{"w0 up", "w1 down", "core free"});
  std::vector<run::PairRow> pairs;
  read_rows<run::PairRow>(folder, nodes, [&](const run::PairRow& pair) { pairs.push_back(pair); });
  REQUIRE(pairs.size() == 2);
  CHECK(nodes[pairs[1].source] == "ps0");
  CHECK(nodes[pairs[1].target] == "w1");
  fs::remove(folder / "iterations.csv");
  CHECK_FALSE(read_rows<run::IterationRow>(folder, [](const run::IterationRow&) {}));
}

TEST_CASE("names with commas, quotes and line breaks survive a table") {
  const TemporaryFolder out;
  run::RunResult result = example_result();
  result.traffic = {{"a,\"b\"\nc", "up", 1, 0.5}, {"\"", "down", 2, 0}};
  const fs::path folder = write_results(out.path().string(), example_scenario(), result, false);
  std::vector<std::string> links;
  read_rows<run::TrafficRow>(folder, [&](const run::TrafficRow& row) { links.push_back(row.link); });
  CHECK(links == std::vector<std::string>{"a,\"b\"\nc", "\""});
}

TEST_CASE("a damaged result is refused with its file and place") {
  const TemporaryFolder out;
  const fs::path folder = write_results(out.path().string(), example_scenario(), example_result(), false);
  const std::string run = (folder / "run.json").string(), summary = (folder / "summary.json").string(),
                    pairs = (folder / "pairs.csv").string();
  const auto read = [&] { read_finished(folder); };
  const auto talk = [&] { read_rows<run::PairRow>(folder, [](const run::PairRow&) {}); };

  replace_in(summary, "\"digest\": \"", "\"digest\": \"0");
  CHECK(complaint_of(read) == summary + ": $.digest: differs from that of run.json; expected the two of one run");
  replace_in(summary, "\"messages_sent\": 3", "\"messages_sent\": \"3\"");
  CHECK(complaint_of(read) == summary + ": $.messages_sent: is no number; expected a result of ddlsim");
  replace_in(run, "\"schema_version\": 2", "\"schema_version\": 99");
  CHECK(complaint_of(read) == run + ": $.schema_version: 99 is unknown; this program reads 2");
  put(run, "{\"schema_version\"");
  CHECK(complaint_of(read) == run + ": is not a JSON object; expected a result of ddlsim");

  replace_in(pairs, "w0,ps0,2,", "w0,ps0,2.5,");
  CHECK(complaint_of(talk) == pairs + ": line 2, messages: \"2.5\" is wrong; expected a whole number");
  replace_in(pairs, "w0,ps0,2.5,", "w0,ps0,");
  CHECK(complaint_of(talk) == pairs + ": line 2: has 3 fields; expected the 4 of the header");
  fs::resize_file(pairs, fs::file_size(pairs) - 1);
  replace_in(pairs, "w0,ps0,", "w0,ps0,2,");
  CHECK(complaint_of(talk) == pairs + ": line 3: is cut off; expected a line break at its end");
  replace_in(pairs, "source", "sauce");
  CHECK(complaint_of(talk).starts_with(pairs + ": line 1: has the columns"));
}

}  // namespace ddl::results
