// results/README.md against the files: what is written is documented, and what is documented is written. Rows of tables
// and of summary.json are renewed from the program by DDLSIM_ACCEPT=1 ctest -R dictionary.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/summary_keys.hpp"
#include "sim/results/writing/table_text.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/results/writing/files.hpp"

namespace ddl::results {
namespace {

using Names = std::vector<std::string>;

// The first word in backquotes, or "".
std::string quoted_word(const std::string& line) {
  const std::size_t begin = line.find('`');
  return begin == std::string::npos ? "" : line.substr(begin + 1, line.find('`', begin + 1) - begin - 1);
}

// Per file, the names in the first column of its table, in order. Every row needs a meaning.
std::map<std::string, Names> dictionary() {
  std::istringstream text(text_of(std::filesystem::path(DDLSIM_SOURCE_DIR) / "results" / "README.md"));
  std::map<std::string, Names> files;
  std::string file;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) file = quoted_word(line);
    if (file.empty() || !line.starts_with("| `")) continue;  // of one of the files of a run
    files[file].push_back(quoted_word(line));
    CAPTURE(line);
    const std::size_t unit = line.find('|', 1);
    const std::size_t meaning = line.find('|', unit + 1);
    REQUIRE(meaning != std::string::npos);
    CHECK(line.size() > meaning + 5);
    CHECK(line.ends_with(" |"));
  }
  return files;
}

// "a.b" for every value; keys that are names of workers or targets become placeholders.
void collect(const nlohmann::ordered_json& json, const std::string& path, Names& names) {
  if (!json.is_object() || path == "scenario" || path == "data_digests") {
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

const std::filesystem::path readme = std::filesystem::path(DDLSIM_SOURCE_DIR) / "results" / "README.md";

// What stands in the program, by file.
std::map<std::string, std::vector<ColumnEntry>> entries() {
  std::map<std::string, std::vector<ColumnEntry>> files;
  const auto add = [&]<class Row>(const Row*) { files[run::Table<Row>::file] = dictionary_of<Row>(); };
  add(static_cast<run::CurveRow*>(nullptr));
  add(static_cast<run::IterationRow*>(nullptr));
  add(static_cast<run::TrafficRow*>(nullptr));
  add(static_cast<run::PairRow*>(nullptr));
  add(static_cast<run::LinkPeriod*>(nullptr));
  add(static_cast<Answer*>(nullptr));
  add(static_cast<run::ShardRow*>(nullptr));
  add(static_cast<run::MinibatchRow*>(nullptr));
  add(static_cast<run::DrawRow*>(nullptr));
  for (const SummaryKey& key : summary_keys()) files["summary.json"].push_back({key.name, key.unit, key.meaning});
  return files;
}

// The dictionary with the program's rows in its tables.
std::string renewed(const std::string& dictionary) {
  auto files = entries();
  std::istringstream lines(dictionary);
  std::string text, file;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) file = quoted_word(line);
    const auto rows = files.find(file);
    if (rows == files.end() || !line.starts_with("| `")) {
      text += line + "\n";
      if (rows == files.end() || !line.starts_with("| ---")) continue;
      for (const auto& [name, unit, meaning] : rows->second) {
        text += "| `" + name + "` |" + (unit.empty() ? "" : " " + unit) + " | " + meaning + " |\n";
      }
    }
  }
  return text;
}

}  // namespace

TEST_CASE("the dictionary of results explains columns and keys as the program does") {
  const std::string before = text_of(readme), now = renewed(before);
  if (std::getenv("DDLSIM_ACCEPT") != nullptr) std::ofstream(readme, std::ios::binary) << now;
  CHECK(text_of(readme) == now);
}

TEST_CASE("the dictionary of results names every column and key that is written, in order, and no other") {
  const TemporaryFolder temporary;
  run::RunResult result = example_result();
  result.measured.emplace().delay_box.emplace();
  result.network.emplace();
  result.trace.emplace();
  result.trace->period_s = 2.5;
  result.trace->links = {{1, {0, 750, 750}}};
  result.answers = {{.request = 0, .threshold = 0.5, .exit = 1, .answer_s = 2, .correct = true}};
  scenario::Scenario scenario = example_scenario();
  scenario.record.batches = scenario.record.draws = true;
  scenario.data.path = "data";  // where the scenario lay is written, too
  const std::filesystem::path folder = write_results(temporary.path().string(), scenario, result, false);
  auto documented = dictionary();
  // Tables of many runs are none of a run's; their own tests look after them.
  for (const char* other : {"", "sweep.csv", "means.csv", "curves.csv"}) documented.erase(other);
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
    CHECK(documented[name] == written);
    documented.erase(name);
  }
  for (const auto& [name, names] : documented) {
    CAPTURE(name);
    CHECK_MESSAGE(names.empty(), "documented, but not written");
  }
}

}  // namespace ddl::results
