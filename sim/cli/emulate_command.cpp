#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/told.hpp"
#include "sim/emulate/emulate.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/studies/jobs.hpp"

namespace ddl::cli {
namespace {

std::string repetition_text(const scenario::Scenario& scenario, const EmulateSettings& settings, int repetition) {
  std::string text = scenario.name + " (seed " + std::to_string(scenario.seed);
  if (settings.repetitions > 1) text += ", repetition " + std::to_string(repetition);
  return text + ", in real time)";
}

// What the run's process told of it.
std::string measure(const studies::Job& job, const EmulateSettings& settings, results::Replace replace,
                    int repetition) {
  ProgressLine line(job.name, !settings.quiet);
  emulate::EmulateOptions emulation = settings.options;
  emulation.real_compute = settings.compute == "real";
  if (line.shown()) emulation.run.progress = [&](const runtime::Progress& progress) { line.show(progress); };
  studies::JobOptions options;
  options.measured = true;
  options.replace = replace;
  options.make = [&](const studies::Job&, const scenario::Scenario& scenario) {
    experiment::RunResult result = emulate::emulate_here(scenario, emulation);
    result.measured->repetition = repetition;
    return result;
  };
  options.tell = [&](const studies::Job&, const scenario::Scenario& scenario, const experiment::RunResult& result) {
    return tell_run(scenario, result, settings.scenario, job.folder);
  };
  return studies::run_job(job, options);
}

}  // namespace

void emulate_scenario(const EmulateSettings& settings) {
  if (settings.scenario.empty()) throw InputError("emulate: no scenario given; see ddlsim emulate --help");
  scenario::Scenario scenario = read_all({settings.scenario}, settings.overrides).front();
  if (settings.seed) scenario.seed = *settings.seed;
  const auto replace = settings.force ? results::Replace::any_scenario : results::Replace::same_scenario;
  std::vector<studies::Job> jobs;
  for (int repetition = 1; repetition <= settings.repetitions; ++repetition) {
    jobs.push_back({&scenario, scenario.seed, results::result_folder(settings.out, scenario, replace, repetition),
                    repetition_text(scenario, settings, repetition)});
  }
  RunPrinter printer(settings.json, settings.quiet);
  for (int repetition = 1; repetition <= settings.repetitions; ++repetition) {
    const studies::Job& job = jobs[static_cast<std::size_t>(repetition - 1)];
    printer.print(measure(job, settings, replace, repetition), job.folder);
  }
  printer.end();
}

}  // namespace ddl::cli
