#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/counted.hpp"
#include "sim/cli/analysis.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/jobs/sweep/run_sweep.hpp"
#include "sim/jobs/sweep/slurm.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/scenario/files/text_file.hpp"

namespace ddl::cli {
namespace {

constexpr std::size_t most_shown = 20;

void print_plan(const jobs::SweepPlan& plan, const jobs::SweepEstimate& outlook, int at_once) {
  for (std::size_t run = 0, next = 0; run < plan.runs(); ++run) {
    const bool open = next < outlook.open.size() && outlook.open[next] == run;
    std::cout << "  " << plan.name_of(run) << (open ? "\n" : "  finished\n");
    next += open;
  }
  std::string text = fmt::format("{} in {}, {} finished", counted(plan.runs(), "run"), outlook.folder.string(),
                                 plan.runs() - outlook.open.size());
  if (!outlook.open.empty()) {
    text += fmt::format("; the other {} take roughly {}, {} at once", outlook.open.size(),
                        results::readable_seconds(outlook.seconds(at_once)), at_once);
  }
  if (const auto outdated = outlook.outdated(); !outdated.empty()) {
    text += "; " + counted(outdated.size(), "outdated result") + " will be replaced";
  }
  std::cout << results::hanging("", text, Terminal(STDOUT_FILENO).columns());
}

void print_failures(const jobs::SweepPlan& plan, const jobs::SweepOutcome& outcome) {
  std::size_t shown = 0;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (outcome.failures[run].empty()) continue;
    if (++shown <= most_shown) print_error(plan.name_of(run) + ": " + outcome.failures[run]);
  }
  if (shown > most_shown) print_error(fmt::format("and {} more, in sweep.csv", shown - most_shown));
  if (shown > 0)
    print_error(fmt::format("{} of {} runs failed; the same command tries them again", shown, plan.runs()));
}

// As they would be typed, of a sweep that is tuned first.
std::vector<std::string> words_of(const SweepSettings& settings) {
  std::vector<std::string> words = {"sweep", settings.file, "--out", settings.out};
  for (const scenario::Override& change : settings.overrides) {
    words.insert(words.end(), {"--set", change.path + "=" + change.value});
  }
  if (settings.jobs > 0) words.insert(words.end(), {"--jobs", std::to_string(settings.jobs)});
  if (settings.live) words.insert(words.end(), {"--live", *settings.live});
  if (settings.learn_each) words.emplace_back("--learn-each");
  if (settings.json) words.emplace_back("--json");
  if (settings.quiet) words.emplace_back("--quiet");
  return words;
}

}  // namespace

int sweep(const Registry& systems, const SweepSettings& settings) {
  const jobs::Sweep what = jobs::read_sweep(settings.file, settings.overrides);
  jobs::SweepPlan plan = jobs::plan_sweep(systems, what);
  if (what.tune && (settings.task || settings.engine == "slurm")) {
    throw InputError("--engine slurm: " + settings.file + " has \"tune\", which runs on this machine; expected local");
  }
  if (what.tune && settings.file == scenario::standard_input) {
    throw InputError("sweep: a sweep with \"tune\" is read more than once; expected the name of a file");
  }
  if (settings.file == scenario::standard_input && settings.engine == "slurm") {
    throw InputError("--engine slurm: each of its tasks reads the sweep; expected the name of a file");
  }
  if (settings.live && (settings.task || settings.engine == "slurm")) {
    throw InputError("--live: is for runs on this machine; expected --engine local");
  }
  if (settings.task) {
    jobs::run_slurm_task(plan, settings.out, *settings.task);
    return kDone;
  }
  NotePrinter notes(settings.quiet);
  for (const jobs::SweepPoint& point : plan.points) notes.print(point.scenario);
  const bool on_slurm = settings.engine == "slurm";
  const int at_once = settings.jobs > 0 ? settings.jobs : jobs::usable_cores();
  if (what.tune && !settings.tuned.empty()) {
    jobs::add_tuned(systems, what, plan, settings.tuned);
  } else if (what.tune && !settings.dry_run) {
    hand_to_analysis(words_of(settings));
  }
  const jobs::SweepEstimate outlook = jobs::estimate_sweep(
      what, plan, settings.out, on_slurm ? jobs::usable_cores() : at_once, on_slurm || settings.learn_each);
  jobs::SlurmSweep slurm{settings.file, settings.overrides, settings.out, settings.jobs, {}};
  if (settings.dry_run) {
    if (what.tune && settings.tuned.empty()) std::cout << "tuning: of each point, before the runs below\n";
    print_plan(plan, outlook, at_once);
    if (on_slurm && !outlook.open.empty()) {
      std::cout << "\n" << jobs::slurm_script(slurm, outlook.folder.string(), outlook.open.size());
    }
    return kDone;
  }
  const std::vector<std::size_t> outdated = outlook.outdated();
  std::optional<jobs::LiveLines> live;
  if (settings.live) live.emplace(*settings.live);
  const jobs::SweepOutcome outcome = with_progress(plan.name, !settings.quiet, [&](const auto& show) {
    slurm.progress = show;
    return on_slurm ? jobs::run_sweep_on_slurm(plan, outlook, slurm)
                    : jobs::run_sweep(plan, outlook, {at_once, show, live ? &*live : nullptr});
  });
  if (settings.json) {
    using Json = nlohmann::ordered_json;
    const Json told = {{"folder", outcome.folder.string()}, {"runs", plan.runs()}, {"failed", outcome.failed()}};
    std::cout << told.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else if (!settings.quiet && settings.live != "-") {
    const auto replaced = static_cast<std::size_t>(
        std::ranges::count_if(outdated, [&](std::size_t run) { return outcome.failures[run].empty(); }));
    std::cout << fmt::format("{} of {} runs in {}\n{}tables: {}\n        {}\n", plan.runs() - outcome.failed(),
                             plan.runs(), outcome.folder.string(),
                             replaced > 0 ? "replaced: " + counted(replaced, "outdated result") + "\n" : "",
                             (outcome.folder / "sweep.csv").string(), (outcome.folder / "means.csv").string());
    if (outcome.replayed > 0) {
      std::cout << counted(outcome.replayed, "run") << " replayed what another learned, of other times "
                << "(--learn-each: each learns)\n";
    }
    if (outcome.failed() < plan.runs()) std::cout << "side by side: ddlsim compare " << outcome.folder.string() << "\n";
  }
  print_failures(plan, outcome);
  return outcome.failed() > 0 ? kRunFailed : kDone;
}

}  // namespace ddl::cli
