#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/base/check.hpp"
#include "lab/cli/commands.hpp"
#include "lab/emulate/emulate.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/told.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::cli {
namespace fs = std::filesystem;
namespace {

struct EmulateSettings {
  std::string scenario;
  std::vector<scenario::Override> overrides;
  std::vector<std::uint64_t> seeds;  // empty: the scenario's own
  std::string out = "results";
  int repetitions = 1;
  std::string compute = "slept";  // or "real"
  std::string queue = "50ms";     // a time or bytes
  std::string jitter = "0s", links = "auto", slow_start_after_idle = "on";
  bool json = false, quiet = false, force = false;
  emulate::EmulateOptions options;  // without the settings in the texts above
};

std::string repetition_text(const scenario::Scenario& scenario, const EmulateSettings& settings, int repetition) {
  std::string text = scenario.name + " (seed " + std::to_string(scenario.seed);
  if (settings.repetitions > 1) text += ", repetition " + std::to_string(repetition);
  return text + ", in real time)";
}

// A value within limits, in seconds or bytes. Throws InputError, which names the option.
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

// DIR/<name>-measured/<seed>, <seed>-2, ...
fs::path folder_of(const std::string& out, const scenario::Scenario& scenario, int repetition) {
  const fs::path simulated = results::result_folder(out, scenario);
  const std::string seed = simulated.filename().string();
  fs::path measured = simulated.parent_path();
  measured += "-measured";
  return measured / (repetition == 1 ? seed : fmt::format("{}-{}", seed, repetition));
}

// The answer of the run's process.
std::string measure(const jobs::Job& job, const EmulateSettings& settings, results::Replace replace, int repetition) {
  ProgressLine line(job.name, !settings.quiet);
  emulate::EmulateOptions emulation = options_of(settings);
  emulation.repetition = repetition;
  if (line.shown()) emulation.run.progress = [&](const run::Progress& progress) { line.show(progress); };
  jobs::JobOptions options;
  options.measured = true;
  options.replace = replace;
  options.make = [&](const jobs::Job&, const scenario::Scenario& scenario) {
    return emulate::emulate_here(scenario, emulation);
  };
  options.tell = [&](const jobs::Job&, const scenario::Scenario& scenario, const run::RunResult& result) {
    return tell_run(scenario, result, settings.scenario, job.folder);
  };
  return jobs::run_job(job, options);
}

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
      const fs::path folder = folder_of(settings.out, seeded[i], repetition);
      results::check_place(folder, seeded[i], replace, true);
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

void add_network_of(CLI::App& command, EmulateSettings& settings) {
  command
      .add_option("--links", settings.links,
                  "token_buckets, delay_box (real round trips), or auto: a delay box from 1 ms on")
      ->type_name("HOW")
      ->check(CLI::IsMember({"auto", "token_buckets", "delay_box"}))
      ->capture_default_str();
  command.add_option("--queue", settings.queue, "Longest queue of a link: 50ms of its traffic, or 64kB")
      ->type_name("TIME|SIZE")
      ->capture_default_str();
  command.add_option("--jitter", settings.jitter, "By which a packet's latency at a link differs at most")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--loss", settings.options.testbed.loss, "Share of packets that each link loses at random")
      ->type_name("P")
      ->check(from_to(0.0, 0.5))
      ->capture_default_str();
  command
      .add_option("--slow-start-after-idle", settings.slow_start_after_idle,
                  "Whether TCP forgets its window while a connection is idle")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

}  // namespace

Command add_emulate(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  const auto settings = std::make_shared<EmulateSettings>();
  CLI::App& command = *app.add_subcommand("emulate", "Run a scenario over real TCP, in real time, on this machine");
  command.add_option("scenario", settings->scenario, "Scenario file, its network a star")->type_name("SCENARIO.json");
  add_out(command, settings->out, "Results go to DIR/<name>-measured/<seed>/");
  command.add_option("--repetitions", settings->repetitions, "How many runs, one after the other")
      ->type_name("N")
      ->check(from_to(1, 1000))
      ->capture_default_str();
  command
      .add_option("--compute", settings->compute, "A gradient's time: slept, as long as simulated, or its real math")
      ->type_name("HOW")
      ->check(CLI::IsMember({"slept", "real"}))
      ->capture_default_str();
  command.add_option("--congestion", settings->options.congestion_control, "TCP's congestion control")
      ->type_name("NAME")
      ->capture_default_str();
  add_network_of(command, *settings);
  command.add_option("--limit", settings->options.limit_s, "Seconds a run may take; then it fails")
      ->type_name("S")
      ->check(from_to(0.1, 86400.0))
      ->capture_default_str();
  command.add_option("--threads", settings->options.run.threads, "Threads for gradients; default all cores")
      ->type_name("N")
      ->check(from_to(1, 4096));
  command.add_flag("--json", settings->json, "Print the summary as JSON, and nothing else");
  command.add_flag("--quiet", settings->quiet, "No progress, no closing table");
  command.add_flag("--force", settings->force, "Replace the result of another scenario of the same name");
  typed->add_overrides(command);
  typed->add_seeds(command);
  command.footer(
      "Needs root, iproute2 and network namespaces, which vanish with the run.\n"
      "Example:\n  ddlsim emulate scenarios/smoke/ps_async.json --repetitions 3");
  return {&command, [typed, settings, &command, &systems] {
            need(command, !settings->scenario.empty(), "scenario");
            settings->scenario = need_scenario_file(settings->scenario);
            settings->overrides = typed->changes();
            settings->seeds = typed->chosen_seeds();
            emulate_scenario(systems, *settings);
            return int{kDone};
          }};
}

}  // namespace ddl::cli
