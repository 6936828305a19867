// The dictionary of results against the files: every written column is documented, and every documented one is written.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/results/writing/result_files.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"

namespace ddl::results {
namespace {

using Names = std::vector<std::string>;

// "a.b" for every value; keys that are names of workers or targets become placeholders.
void collect(const nlohmann::ordered_json& json, const std::string& path, Names& names) {
  if (!json.is_object() || path == "scenario" || path == "data_digests" || path == "settings" || path == "measured") {
    names.push_back(path);
    return;
  }
  const char* placeholder = nullptr;
  if (path == "iterations_per_worker" || path == "idle_fraction" || path == "given_up") placeholder = "<worker>";
  if (path == "time_to_accuracy_s" || path == "bytes_to_accuracy") placeholder = "<target>";
  if (placeholder != nullptr) {
    REQUIRE_FALSE(json.empty());
    names.push_back(path + "." + placeholder);
    return;
  }
  for (const auto& [key, value] : json.items()) collect(value, path.empty() ? key : path + "." + key, names);
}

// Keys that a run judged by loss has instead of others.
bool is_of_loss(const std::string& key) {
  return key == "best_loss" || key == "time_to_target_s.<target>" || key == "bytes_to_target.<target>";
}

// Keys of some runs' settings, of a model that a program computes, or of a system in a library.
bool is_of_others(const std::string& name) {
  return name.starts_with("settings.") || name == "model_digests" || name == "model_version" ||
         name == "provenance.plug_ins" || name == "tokens" || name == "perplexity" || name == "bits_per_symbol";
}

}  // namespace

TEST_CASE("the dictionary of results names every column and key that is written, in order, and no other") {
  const TemporaryFolder temporary;
  run::RunResult result = example_result();
  result.measured = {.how = R"({"links": "token buckets"})", .cost = R"({"late_mean_s": 0})", .network = "TCP"};
  result.network.emplace();
  result.is_replay = true;
  result.absences = {{"w1", 1, 2}};
  result.trace.emplace();
  result.trace->period_s = 2.5;
  result.trace->links = {{1, {0, 750, 750}}};
  result.replicas = example_replicas();
  result.answers = {{.request = 0, .threshold = 0.5, .exit = 1, .answer_s = 2, .correct = true}};
  scenario::Scenario scenario = example_scenario();
  scenario.record.batches = scenario.record.draws = true;
  scenario.data.path = "data";  // another path than the scenario's
  const std::filesystem::path folder = write_results(temporary.path().string(), scenario, result, false);
  std::map<std::string, Names> documented;
  for (const FileDictionary& file : result_dictionary()) {
    CAPTURE(file.file);
    for (const ColumnEntry& entry : file.entries) {
      documented[file.file].push_back(entry.name);
      CHECK_MESSAGE(entry.meaning.size() > 5, entry.name);
    }
  }
  for (const std::string& name : names_in(folder)) {
    CAPTURE(name);
    if (name == "trace.json" || name == "platform.xml") continue;  // others' formats
    const std::string text = text_of(folder / name);
    Names written;
    if (name.ends_with(".csv")) {
      std::istringstream header(text.substr(0, text.find('\n')));
      for (std::string column; std::getline(header, column, ',');) written.push_back(column);
    } else {
      collect(nlohmann::ordered_json::parse(text), "", written);
    }
    Names of_this_run = documented[name];
    std::erase_if(of_this_run, is_of_loss);
    std::erase_if(of_this_run, is_of_others);
    CHECK(of_this_run == written);
    documented.erase(name);
  }
  for (const auto& [name, names] : documented) {
    CAPTURE(name);
    CHECK_MESSAGE(names.empty(), "documented, but not written");
  }
}

TEST_CASE("results/README.md names every file of a result") {
  const std::string page = text_of(std::filesystem::path(DDLSIM_SOURCE_DIR) / "results" / "README.md");
  for (const FileDictionary& file : result_dictionary()) {
    CHECK_MESSAGE(page.find("| `" + file.file + "` |") != std::string::npos, file.file);
  }
}

}  // namespace ddl::results
