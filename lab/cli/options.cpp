#include "lab/cli/options.hpp"

#include <memory>

#include "lab/cli/commands.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/report_error.hpp"

namespace ddl::cli {
namespace {

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
  command.add_option("--jobs", settings->jobs, "Runs at once; default: as many as cores")
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

Command add_bench(CLI::App& app, const Registry& systems) {
  const auto settings = std::make_shared<BenchSettings>();
  CLI::App& command = *app.add_subcommand("bench", "Measure how fast this machine trains and simulates");
  command.add_flag("--json", settings->json, "Print the figures as JSON, and nothing else");
  command.add_option("--seconds", settings->seconds, "Time that it may take, roughly")
      ->type_name("S")
      ->check(from_to(1.0, 3600.0))
      ->capture_default_str();
  command.footer("Example:\n  ddlsim bench --json > bench.json");
  return {&command, [settings, &systems] {
            bench(systems, *settings);
            return int{kDone};
          }};
}

}  // namespace

std::vector<Command> add_laboratory_commands(CLI::App& app, const Registry& systems) {
  return {add_emulate(app, systems), add_reproduce(app, systems), add_bench(app, systems)};
}

}  // namespace ddl::cli
