// Checks of the source of data: whether its files are there.
#include <fmt/format.h>

#include <filesystem>

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

}  // namespace

void check_data_source(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.data")) return;
  const data::DataSpec& data = scenario.data;
  const Place place{findings, "$.data"};
  if (data.partition == data::PartitionKind::document && data.source != DataSource::text && !scenario.model.none()) {
    place.at("partition").error("\"document\" is for texts; expected another one, or \"source\": \"text\"");
  }
  if (data.alpha != data::DataSpec().alpha && data.partition != data::PartitionKind::dirichlet) {
    findings.note("$.data.alpha", "has no effect, for it is of the partition \"dirichlet\"");
  }
  if (data.source == DataSource::synthetic) return;
  if (data.path.empty()) {
    place.at("path").error(fmt::format("is missing; expected {}", what_is_expected(data.source)));
  } else {
    check_path(resolve_path(scenario, data.path), data.source, place.at("path"));
  }
  if (!data.test_path.empty()) check_path(resolve_path(scenario, data.test_path), data.source, place.at("test_path"));
  const auto gpt = findings.clean("$.model") ? nn::gpt_of(scenario.model) : std::nullopt;
  if (gpt && data.context && *data.context != gpt->context) {
    place.at("context").error(
        fmt::format("{}, but the model reads {} symbols at a time; expected as many, or no such "
                    "key",
                    *data.context, gpt->context));
  }
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
  }
}

}  // namespace ddl::scenario
