#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/reproduce/report.hpp"
#include "sim/reproduce/run_study.hpp"
#include "sim/scenario/words.hpp"

namespace ddl {
namespace {

void list_studies() {
  for (const StudyRow& row : study_table()) std::cout << fmt::format("  {:<10} {}\n", row.name, row.what);
}

const StudyRow& row_named(const std::string& name) {
  std::vector<std::string> names;
  for (const StudyRow& row : study_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw InputError(in_quotes(name) + " is no study; " + nearest_or(name, names, "studies are " + listed(names)));
}

Study study_of(const ReproduceSettings& settings) {
  if (settings.full != !settings.data.empty()) {
    throw InputError(settings.full ? "reproduce --full: needs CIFAR-10; expected --data with the folder of its files"
                                   : "reproduce --data: is for --full alone, which trains on CIFAR-10");
  }
  if (settings.full && !std::filesystem::is_directory(settings.data)) {
    throw InputError("reproduce --data " + settings.data + ": is no folder; expected that of CIFAR-10's files");
  }
  Scale scale{settings.full, ""};
  if (settings.full) scale.data = std::filesystem::absolute(settings.data).string();
  Study study = row_named(settings.study).make(scale);
  if (settings.full) study.name += "_full";
  return study;
}

}  // namespace

void reproduce(const ReproduceSettings& settings) {
  if (settings.study.empty()) {
    if (settings.full || !settings.data.empty())
      throw InputError("reproduce --full: of which study? see ddlsim reproduce");
    return list_studies();
  }
  const Study study = study_of(settings);
  StudyOptions options;
  options.out = settings.out;
  options.at_once = settings.jobs > 0 ? settings.jobs : usable_cores();
  const auto simulate = [&] {
    const RunsLine line(study.name, !settings.quiet);
    options.progress = [&](const RunsProgress& progress) { line.show(progress); };
    return run_study(study, options);
  };
  const Outcome outcome = simulate();
  const std::string command = "ddlsim reproduce " + settings.study + (settings.full ? " --full --data DIR" : "");
  const std::string page = write_study(settings.out, study, outcome, command);
  std::cout << study_text(study, outcome) << "\npage  " << page << "\n";
}

}  // namespace ddl
