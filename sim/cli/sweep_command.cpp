#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/compare/comparison.hpp"
#include "sim/record/readable.hpp"
#include "sim/sweep/run_sweep.hpp"
#include "sim/sweep/slurm.hpp"

namespace ddl {
namespace {

constexpr std::size_t most_shown = 20;

void print_plan(const SweepPlan& plan, const SweepOutlook& outlook, int at_once) {
  for (std::size_t run = 0, next = 0; run < plan.runs(); ++run) {
    const bool open = next < outlook.open.size() && outlook.open[next] == run;
    std::cout << "  " << plan.name_of(run) << (open ? "\n" : "  finished\n");
    next += open;
  }
  std::cout << fmt::format("{} runs in {}, {} finished", plan.runs(), outlook.folder.string(),
                           plan.runs() - outlook.open.size());
  if (!outlook.open.empty()) {
    std::cout << fmt::format("; the other {} take roughly {}, {} at once", outlook.open.size(),
                             readable_seconds(outlook.seconds(at_once)), at_once);
  }
  std::cout << "\n";
}

void print_failures(const SweepPlan& plan, const SweepOutcome& outcome) {
  std::size_t shown = 0;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (outcome.failures[run].empty()) continue;
    if (++shown <= most_shown) print_error(plan.name_of(run) + ": " + outcome.failures[run]);
  }
  if (shown > most_shown) print_error(fmt::format("and {} more, in sweep.csv", shown - most_shown));
  if (shown > 0)
    print_error(fmt::format("{} of {} runs failed; the same command tries them again", shown, plan.runs()));
}

}  // namespace

int sweep(const SweepSettings& settings) {
  const Sweep what = read_sweep(settings.file, settings.overrides);
  const SweepPlan plan = plan_sweep(what);
  if (settings.task) {
    run_slurm_task(plan, settings.out, *settings.task);
    return kDone;
  }
  const bool on_slurm = settings.engine == "slurm";
  const int at_once = settings.jobs > 0 ? settings.jobs : usable_cores();
  const SweepOutlook outlook = look_at_sweep(what, plan, settings.out, on_slurm ? usable_cores() : at_once);
  SlurmSweep slurm{settings.file, settings.overrides, settings.out, settings.jobs, {}};
  if (settings.dry_run) {
    print_plan(plan, outlook, at_once);
    if (on_slurm && !outlook.open.empty()) {
      std::cout << "\n" << slurm_script(slurm, outlook.folder.string(), outlook.open.size());
    }
    return kDone;
  }
  const auto simulate = [&] {
    const RunsLine line(plan.name, !settings.quiet);
    const auto show = [&](const RunsProgress& progress) { line.show(progress); };
    slurm.progress = show;
    return on_slurm ? run_sweep_on_slurm(plan, outlook, slurm) : run_sweep(plan, outlook, {at_once, show});
  };
  const SweepOutcome outcome = simulate();
  if (!settings.quiet) {
    std::cout << fmt::format("{} of {} runs in {}, tables {} and {}\n", plan.runs() - outcome.failed(), plan.runs(),
                             outcome.folder.string(), (outcome.folder / "sweep.csv").string(),
                             (outcome.folder / "means.csv").string());
    if (outcome.failed() < plan.runs()) {
      if (plan.points.size() <= most_shown) {
        std::cout << "\n" << comparison_text(compare_folders({outcome.folder.string()}, true));
      } else {
        std::cout << "side by side: ddlsim compare " << outcome.folder.string() << "\n";
      }
    }
  }
  print_failures(plan, outcome);
  return outcome.failed() > 0 ? kRunFailed : kDone;
}

}  // namespace ddl
