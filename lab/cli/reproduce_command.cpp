#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "core/base/check.hpp"
#include "lab/cli/commands.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/report.hpp"
#include "lab/studies/run_study.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

struct ReproduceSettings {
  std::string study;  // empty: list them
  bool full = false;  // the published network on CIFAR-10
  std::string data;   // its folder
  std::string out = "results";
  int jobs = 0;           // parallel runs; 0: as many as cores
  bool finished = false;  // make no run: of those that are there
  bool quiet = false;
};

void list_studies() {
  for (const studies::StudyRow& row : studies::study_table())
    std::cout << results::hanging(fmt::format("  {:<16} ", row.name), row.what, Terminal(STDOUT_FILENO).columns());
}

studies::StudyRow row_named(const std::string& name) {
  std::vector<std::string> names;
  for (const studies::StudyRow& row : studies::study_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw InputError(scenario::in_quotes(name) + " is no study; " +
                   scenario::nearest_or(name, names, "studies are " + scenario::listed(names)));
}

// What is asked for, of a study that has it; the folder is absolute, and empty if there is none.
studies::Scale scale_of(const studies::StudyRow& row, const ReproduceSettings& settings) {
  namespace fs = std::filesystem;
  const bool with_mnist = row.data == studies::DataUse::with_mnist;
  const auto is_right = [&](const fs::path& folder) {
    return with_mnist ? fs::is_directory(folder / "mnist") && fs::is_directory(folder / "cifar-10")
                      : fs::is_directory(folder);
  };
  const std::string expected = with_mnist ? "the folder of mnist/ and cifar-10/" : "the folder of CIFAR-10's files";
  const char* usual = std::getenv("DDLSIM_DATA");
  const bool is_usual = with_mnist && settings.data.empty() && usual != nullptr && is_right(usual);
  const std::string data = is_usual ? usual : settings.data;
  if (row.data == studies::DataUse::none && (settings.full || !data.empty())) {
    throw InputError("reproduce " + row.name + ": trains no network; expected it without --full and --data");
  }
  if (settings.full && data.empty()) {
    throw InputError("reproduce --full: needs CIFAR-10; expected --data with " + expected);
  }
  if (!settings.full && row.data == studies::DataUse::full_alone && !data.empty()) {
    throw InputError("reproduce --data: is for --full alone, which trains on CIFAR-10");
  }
  if (!data.empty() && !is_right(data)) {
    throw InputError("reproduce --data " + data + ": is not " + expected + "; expected a folder that is");
  }
  return {settings.full, data.empty() ? "" : fs::absolute(data).string()};
}

// Of pages, tables and runs: each size has its own.
const char* name_ending(const studies::StudyRow& row, const studies::Scale& scale) {
  if (scale.full) return "_full";
  return row.data == studies::DataUse::in_between && !scale.data.empty() ? "_cifar" : "";
}

void reproduce(const Registry& systems, const ReproduceSettings& settings) {
  if (settings.study.empty()) {
    if (settings.full || !settings.data.empty()) throw InputError("reproduce --full: of which study?");
    return list_studies();
  }
  const studies::StudyRow row = row_named(settings.study);
  const studies::Scale scale = scale_of(row, settings);
  studies::Study study = studies::read_study(row.name, scale);
  study.name += name_ending(row, scale);
  studies::StudyOptions options;
  options.out = settings.out;
  options.finished_only = settings.finished;
  options.at_once = settings.jobs > 0 ? settings.jobs : jobs::usable_cores();
  const studies::Outcome outcome =
      with_progress(study.name, !settings.quiet && !settings.finished, [&](const auto& show) {
        options.progress = show;
        return studies::run_study(systems, study, options);
      });
  const std::string command = "ddlsim reproduce " + settings.study + (settings.full ? " --full" : "") +
                              (scale.data.empty() ? "" : " --data DIR");
  const std::string page = studies::write_study(settings.out, study, outcome, command);
  std::cout << studies::counts_of(study, studies::judge(study, outcome)) << "\npage  " << page << "\n";
}

}  // namespace

Command add_reproduce(CLI::App& app, const Registry& systems) {
  const auto settings = std::make_shared<ReproduceSettings>();
  CLI::App& command =
      *app.add_subcommand("reproduce", "Run a published study and compare its figures with simulated ones");
  command.add_option("study", settings->study, "Study; without it, all are listed")->type_name("NAME");
  command.add_flag("--full", settings->full, "The published network on CIFAR-10, instead of a small one");
  command
      .add_option("--data", settings->data,
                  "Folder of CIFAR-10's binary files: for --full, or, without it, for small networks (cui_2019, "
                  "zhang); iddl: of mnist/ and cifar-10/, default DDLSIM_DATA")
      ->type_name("DIR");
  command.add_option("--out", settings->out, "Tables and page go to DIR; finished runs are kept in DIR/cells")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--jobs", settings->jobs, "Parallel runs; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--finished", settings->finished, "Make no run: tables and page of those that are finished")
      ->excludes("--jobs");
  command.add_flag("--quiet", settings->quiet, "No progress");
  command.footer("Interrupted, the same command goes on where it was.\nExample:\n  ddlsim reproduce ako_2018");
  return {&command, [settings, &systems] {
            reproduce(systems, *settings);
            return int{kDone};
          }};
}

}  // namespace ddl::cli
