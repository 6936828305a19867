// Checks of the source of data: which keys it has, and whether its files are there.
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/data_problem.hpp"
#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using data::DataSource;

std::string what_is_expected(DataSource source) {
  if (source == DataSource::csv) return "a CSV file";
  if (source == DataSource::npy) return "a file .npz, or a folder with files .npy";
  if (source == DataSource::text) return "a text file, or a folder with input.txt";
  return fmt::format("the folder of the \"{}\" files", name_of(source));
}

void check_path(const std::string& path, DataSource source, const Place& place) {
  const std::string expected = what_is_expected(source);
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) {
    return place.error(fmt::format("{} does not exist; expected {}", in_quotes(path), expected));
  }
  const bool is_folder = std::filesystem::is_directory(path, unreadable);
  const bool either = source == DataSource::npy || source == DataSource::text;
  if (is_folder && source == DataSource::csv) {
    place.error(fmt::format("{} is a folder; expected {}", in_quotes(path), expected));
  } else if (!is_folder && source != DataSource::csv && !either) {
    place.error(fmt::format("{} is not a folder; expected {}", in_quotes(path), expected));
  }
}

// Keys that some sources do not have.
void check_keys(const data::DataSpec& data, const Place& place) {
  const auto only = [&](bool given, const char* key, const std::vector<DataSource>& sources) {
    if (!given || std::ranges::find(sources, data.source) != sources.end()) return;
    std::vector<std::string> names;
    for (const DataSource source : sources) names.push_back(in_quotes(name_of(source)));
    place.at(key).error(fmt::format("is given, but is no key of source \"{}\"; expected it with {} alone",
                                    name_of(data.source), listed(names)));
  };
  only(!data.test_path.empty(), "test_path", {DataSource::csv});
  only(data.held_out.has_value(), "held_out", {DataSource::csv, DataSource::npy});
  only(data.label.has_value(), "label", {DataSource::csv});
  only(data.header.has_value(), "header", {DataSource::csv});
  only(!data.ignore.empty(), "ignore", {DataSource::csv});
  only(data.column.has_value(), "column", {DataSource::csv, DataSource::npy});
  only(data.channels.has_value(), "channels", {DataSource::idx, DataSource::npy});
  only(data.context.has_value(), "context", {DataSource::text});
  if (data.standardize && data.source == DataSource::text) {
    place.at("standardize")
        .error("is given, but of a text's values one is 1 and the others are 0; expected no such key");
  }
  if (data.partition == data::PartitionKind::column && !data.column) {
    place.at("column").error("is missing; partition \"column\" needs the column whose values are dealt");
  }
  if (!data.test_path.empty() && data.held_out) {
    place.at("held_out").error("is given beside \"test_path\"; expected one of them");
  }
}

}  // namespace

void check_data_source(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.data")) return;
  const data::DataSpec& data = scenario.data;
  const Place place{findings, "$.data"};
  check_keys(data, place);
  if (data.source == DataSource::synthetic) {
    if (!data.path.empty()) {
      place.at("path").error("is given, but synthetic data come from no folder; expected another source, or no path");
    }
    return;
  }
  if (data.path.empty()) {
    place.at("path").error(fmt::format("is missing; expected {}", what_is_expected(data.source)));
  } else {
    check_path(resolve_path(scenario, data.path), data.source, place.at("path"));
  }
  if (!data.test_path.empty()) check_path(resolve_path(scenario, data.test_path), data.source, place.at("test_path"));
}

void read_own_data(Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.data") || !data::is_own(scenario.data.source) || scenario.model.none()) return;
  try {
    scenario.own_data = data::data_shape_in_files(resolved_data(scenario));
    for (const std::string& note : scenario.own_data->notes) findings.note("$.data.path", note);
  } catch (const InputError& error) {
    const DataProblem problem = problem_of_data(error);
    findings.add(problem.path, problem.what);
  }
}

void check_start(const Scenario& scenario, Findings& findings) {
  const WeightsFile* weights = scenario.training.init.from_file();
  if (weights == nullptr || !findings.clean("$.training.init")) return;
  const Place place{findings, "$.training.init.file"};
  if (weights->file.empty()) return place.error("is missing; expected a file of safetensors");
  const std::string path = resolve_path(scenario, weights->file);
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) {
    place.error(fmt::format("{} is no file; expected safetensors", in_quotes(path)));
  } else if (scenario.model.none()) {
    place.error("is given, but model \"none\" has no weights; expected no such key");
  } else if (scenario.program) {
    place.error("is given, but the program of model.command makes the first weights; expected no such key");
  }
}

}  // namespace ddl::scenario
