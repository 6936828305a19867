#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>

#include "core/base/counted.hpp"
#include "sim/cli/analysis.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/cli/tuning/commands.hpp"
#include "sim/process/signals_held.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::cli {
namespace {

double budget_s(const std::string& text) {
  const scenario::Quantity budget = scenario::parse_quantity(text, scenario::Dimension::time);
  if (!budget.problem.empty()) throw InputError("--budget: " + budget.problem);
  if (budget.value <= 0) throw InputError("--budget: " + text + " is no time; expected more than 0s, such as 10min");
  return budget.value;
}

// The line of progress: of which stage the runs are, since how many there will be in all depends on what they find.
class StageLine {
 public:
  StageLine(bool wanted, std::function<double()> used) : line_("advise", wanted), used_(std::move(used)) {}

  void begin(const std::string& stage) {
    stage_ = stage;
    begun_ = false;
  }
  void show(const jobs::RunsProgress& progress) {
    if (!begun_) before_ = progress;
    begun_ = true;
    all_ = progress;
    jobs::RunsProgress of_stage = progress;
    of_stage.runs -= before_.finished + before_.failed;
    of_stage.finished -= before_.finished;
    of_stage.failed -= before_.failed;
    if (of_stage.runs == 0) return;
    line_.show(stage_, of_stage, used_());
  }
  std::string interrupted() const {
    return "interrupted: " + counted(static_cast<std::int64_t>(all_.finished), "finished run") +
           " kept; the same command goes on from there";
  }

 private:
  RunsLine line_;
  std::function<double()> used_;
  std::string stage_;
  bool begun_ = false;
  jobs::RunsProgress before_, all_;
};

void run_within_budget(advise::Adviser& adviser, const AdviseSettings& settings, int at_once,
                       const std::function<double()>& used) {
  const process::SignalsHeld between_runs;
  StageLine line(!settings.quiet && !settings.json, used);
  try {
    adviser.run({at_once, [&](const jobs::RunsProgress& progress) { line.show(progress); }, used,
                 [&](const std::string& stage) { line.begin(stage); }});
  } catch (const process::Interrupted&) {
    advise::write_advice(adviser);  // of the runs that have ended
    throw process::Interrupted(line.interrupted());
  }
  advise::write_advice(adviser);
}

// About the runs that raced; it opens with the advice, which weighs more than these.
void write_page(advise::Adviser& adviser, const std::string& file) {
  const std::vector<std::string> folders = adviser.race_folders();
  if (folders.empty()) {
    print_error(file + ": is not written, for no run of the race has ended; more budget continues from here");
    return;
  }
  std::vector<std::string> words = {"report",
                                    "--output",
                                    file,
                                    "--title",
                                    "Advice: " + adviser.question().name,
                                    "--advice",
                                    (adviser.folder() / "advice.json").string(),
                                    "--"};
  words.insert(words.end(), folders.begin(), folders.end());
  hand_to_analysis(words);
}

}  // namespace

int advise(const Registry& systems, const AdviseSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const double budget = budget_s(settings.budget);
  if (!settings.page.empty()) require_analysis("advise: --output");
  const int at_once = settings.jobs > 0 ? settings.jobs : jobs::usable_cores();
  advise::Adviser adviser(systems, settings.request, at_once);
  run_within_budget(adviser, settings, at_once, [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / budget;
  });
  if (settings.json) {
    std::cout << advise::advice_json(adviser);
  } else {
    const Terminal out(STDOUT_FILENO);
    std::cout << out.titled(advise::advice_text(adviser, out.columns())) << "\n"
              << results::labelled("page", (adviser.folder() / "advice.md").string(), out.columns());
    if (adviser.advice().best) {
      std::cout << results::labelled("run it", "ddlsim " + (adviser.folder() / "best.json").string(), out.columns());
    }
  }
  if (!settings.page.empty()) write_page(adviser, settings.page);
  return adviser.advice().best ? kDone : kRunFailed;
}

}  // namespace ddl::cli
