#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/record/readable.hpp"
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
  Scale scale{settings.full, ""};
  if (settings.full) scale.data = std::filesystem::absolute(settings.data).string();
  Study study = row_named(settings.study).make(scale);
  if (settings.full) study.name += "_full";
  return study;
}

// A line on a terminal; elsewhere a line per run.
class StudyLine {
 public:
  StudyLine(std::string name, bool wanted)
      : name_(std::move(name)), wanted_(wanted), terminal_(isatty(STDERR_FILENO) == 1) {}
  ~StudyLine() {
    if (wanted_ && terminal_) std::fputs("\r\x1b[K", stderr);
  }
  StudyLine(const StudyLine&) = delete;
  StudyLine& operator=(const StudyLine&) = delete;

  void show(const StudyProgress& progress) const {
    if (!wanted_) return;
    std::string text = fmt::format("{}: {} of {} runs", name_, progress.finished, progress.runs);
    if (progress.kept > 0) text += fmt::format(", {} kept from before", progress.kept);
    if (const std::size_t done = progress.finished - progress.kept; done > 0 && progress.finished < progress.runs) {
      const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
      const double left_s =
          elapsed_s / static_cast<double>(done) * static_cast<double>(progress.runs - progress.finished);
      text += fmt::format(", about {} left", readable_seconds(std::max(1.0, left_s)));
    }
    if (!progress.latest.empty()) text += ", last " + progress.latest;
    std::fputs((terminal_ ? "\r" + text + "\x1b[K" : text + "\n").c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  std::string name_;
  bool wanted_, terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void reproduce(const ReproduceSettings& settings) {
  if (settings.study.empty()) return list_studies();
  const Study study = study_of(settings);
  StudyOptions options;
  options.out = settings.out;
  options.at_once =
      settings.jobs > 0 ? settings.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto simulate = [&] {
    const StudyLine line(study.name, !settings.quiet);
    options.progress = [&](const StudyProgress& progress) { line.show(progress); };
    return run_study(study, options);
  };
  const Outcome outcome = simulate();
  const std::string command = "ddlsim reproduce " + settings.study + (settings.full ? " --full --data DIR" : "");
  const std::string page = write_study(settings.out, study, outcome, command);
  std::cout << study_text(study, outcome) << "\npage  " << page << "\n";
}

}  // namespace ddl
