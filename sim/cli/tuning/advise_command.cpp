#include <unistd.h>

#include <chrono>
#include <iostream>

#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/cli/tuning/commands.hpp"
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

// About the runs that raced; it opens with the advice, which weighs more than these.
void write_page(search::Adviser& adviser, const std::string& file) {
  const std::vector<std::string> folders = adviser.race_folders();
  if (folders.empty()) {
    print_error(file + ": is not written, for no run of the race has ended; more budget continues from here");
    return;
  }
  report({folders, file, "Advice: " + adviser.question().name, search::advice_answer(adviser)});
}

}  // namespace

int advise(const AdviseSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const double budget = budget_s(settings.budget);
  const int at_once = settings.jobs > 0 ? settings.jobs : studies::usable_cores();
  search::Adviser adviser(settings.request, at_once);
  try {
    with_progress("advise", !settings.quiet && !settings.json, [&](const auto& show) {
      // How long it takes is the budget's matter, and not known from how many runs it may have room for.
      const auto without_estimate = [&](studies::RunsProgress progress) {
        progress.work_left = 0;
        show(progress);
      };
      adviser.run({at_once, without_estimate, [&] {
                     return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / budget;
                   }});
      return 0;
    });
  } catch (const process::Interrupted&) {
    search::write_advice(adviser);  // of the runs that have ended
    throw;
  }
  search::write_advice(adviser);
  if (settings.json) {
    std::cout << search::advice_json(adviser);
  } else {
    std::cout << Terminal(STDOUT_FILENO).titled(search::advice_text(adviser)) << "\n"
              << results::labelled("page", (adviser.folder() / "advice.md").string());
    if (adviser.advice().recommended) {
      std::cout << results::labelled("run it", "ddlsim " + (adviser.folder() / "recommended.json").string());
    }
  }
  if (!settings.page.empty()) write_page(adviser, settings.page);
  return adviser.advice().recommended ? kDone : kRunFailed;
}

}  // namespace ddl::cli
