#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/emulate/emulate.hpp"
#include "sim/results/writing/results.hpp"

namespace ddl::cli {
namespace {

std::string repetition_text(const scenario::Scenario& scenario, const EmulateSettings& settings, int repetition) {
  std::string text = scenario.name + " (seed " + std::to_string(scenario.seed);
  if (settings.repetitions > 1) text += ", repetition " + std::to_string(repetition);
  return text + ", in real time)";
}

}  // namespace

void emulate_scenario(const EmulateSettings& settings) {
  if (settings.scenario.empty()) throw InputError("emulate: no scenario given; see ddlsim emulate --help");
  scenario::Scenario scenario = read_all({settings.scenario}, settings.overrides).front();
  if (settings.seed) scenario.seed = *settings.seed;
  for (int repetition = 1; repetition <= settings.repetitions; ++repetition) {
    results::result_folder(settings.out, scenario, settings.force, repetition);
  }
  std::string summaries;
  for (int repetition = 1; repetition <= settings.repetitions; ++repetition) {
    const auto measure = [&] {
      ProgressLine line(repetition_text(scenario, settings, repetition), !settings.quiet);
      emulate::EmulateOptions options = settings.options;
      options.real_compute = settings.compute == "real";
      if (line.shown()) options.run.progress = [&](const runtime::Progress& progress) { line.show(progress); };
      return emulate::emulate(scenario, options);
    };
    experiment::RunResult result = measure();
    result.measured->repetition = repetition;
    const std::string folder = results::write_results(settings.out, scenario, result, settings.force);
    if (result.divergence) {
      print_error(settings.scenario + ": training diverged: " + results::divergence_text(result) +
                  "; results end there");
    }
    const bool first = repetition == 1;
    if (settings.json) {
      std::string summary = results::summary_json(scenario, result);
      while (summary.ends_with('\n')) summary.pop_back();
      summaries += (first ? "" : ",\n") + summary;
    } else if (!settings.quiet) {
      std::cout << (first ? "" : "\n") << results::closing_table(scenario, result, folder) << std::flush;
    }
  }
  if (settings.json) std::cout << (settings.repetitions == 1 ? summaries : "[\n" + summaries + "\n]") << "\n";
}

}  // namespace ddl::cli
