#include "core/base/check.hpp"
#include "lab/cli/commands.hpp"
#include "lab/emulate/emulate.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/told.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::cli {
namespace {

std::string repetition_text(const scenario::Scenario& scenario, const EmulateSettings& settings, int repetition) {
  std::string text = scenario.name + " (seed " + std::to_string(scenario.seed);
  if (settings.repetitions > 1) text += ", repetition " + std::to_string(repetition);
  return text + ", in real time)";
}

// A value between limits, in seconds or bytes. Throws InputError, which names the option.
double quantity_of(const std::string& option, const std::string& text, scenario::Dimension dimension, double least,
                   double most) {
  const scenario::Quantity found = scenario::parse_quantity(text, dimension);
  if (!found.problem.empty()) throw InputError(option + " " + text + ": " + found.problem);
  if (found.value >= least && found.value <= most) return found.value;
  throw InputError(option + " " + text + ": is out of range; expected " + scenario::write_quantity(least, dimension) +
                   " to " + scenario::write_quantity(most, dimension));
}

emulate::LinkQueue queue_of(const std::string& text) {
  constexpr double least_s = 1e-3, most_s = 10, least_bytes = 1e3, most_bytes = 1e9;
  using scenario::Dimension;
  if (scenario::parse_quantity(text, Dimension::size).problem.empty()) {
    return {.bytes = quantity_of("--queue", text, Dimension::size, least_bytes, most_bytes)};
  }
  return {.seconds = quantity_of("--queue", text, Dimension::time, least_s, most_s)};
}

emulate::EmulateOptions options_of(const EmulateSettings& settings) {
  emulate::EmulateOptions options = settings.options;
  options.real_compute = settings.compute == "real";
  options.testbed.queue = queue_of(settings.queue);
  constexpr double most_jitter_s = 10;
  options.testbed.jitter_s = quantity_of("--jitter", settings.jitter, scenario::Dimension::time, 0, most_jitter_s);
  options.testbed.slow_start_after_idle = settings.slow_start_after_idle == "on";
  if (settings.links == "token_buckets") options.testbed.links = emulate::LinkKind::token_buckets;
  if (settings.links == "delay_box") options.testbed.links = emulate::LinkKind::delay_box;
  return options;
}

// What the run's process told of it.
std::string measure(const jobs::Job& job, const EmulateSettings& settings, results::Replace replace, int repetition) {
  ProgressLine line(job.name, !settings.quiet);
  emulate::EmulateOptions emulation = options_of(settings);
  if (line.shown()) emulation.run.progress = [&](const run::Progress& progress) { line.show(progress); };
  jobs::JobOptions options;
  options.measured = true;
  options.replace = replace;
  options.make = [&](const jobs::Job&, const scenario::Scenario& scenario) {
    run::RunResult result = emulate::emulate_here(scenario, emulation);
    result.measured->repetition = repetition;
    return result;
  };
  options.tell = [&](const jobs::Job&, const scenario::Scenario& scenario, const run::RunResult& result) {
    return tell_run(scenario, result, settings.scenario, job.folder);
  };
  return jobs::run_job(job, options);
}

}  // namespace

void emulate_scenario(const Registry& systems, const EmulateSettings& settings) {
  if (settings.scenario.empty()) throw InputError("emulate: no scenario given; see ddlsim emulate --help");
  const scenario::Scenario scenario = read_all(systems, {settings.scenario}, settings.overrides).front();
  NotePrinter(settings.quiet).print(scenario);
  options_of(settings);  // wrong options before anything starts
  const auto replace = settings.force ? results::Replace::any_scenario : results::Replace::same_scenario;
  const std::vector<std::uint64_t> seeds =
      settings.seeds.empty() ? std::vector<std::uint64_t>{scenario.seed} : settings.seeds;
  std::vector<scenario::Scenario> seeded(seeds.size(), scenario);
  struct Measuring {
    jobs::Job job;
    int repetition;
  };
  std::vector<Measuring> all;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    seeded[i].seed = seeds[i];
    for (int repetition = 1; repetition <= settings.repetitions; ++repetition) {
      const std::string folder = results::result_folder(settings.out, seeded[i], replace, repetition);
      all.push_back(
          {{&seeded[i], seeded[i].seed, folder, repetition_text(seeded[i], settings, repetition)}, repetition});
    }
  }
  RunPrinter printer(settings.json, settings.quiet);
  for (const Measuring& each : all) {
    printer.print(measure(each.job, settings, replace, each.repetition), each.job.folder);
  }
  printer.end();
}

}  // namespace ddl::cli
