// Command-line options of the commands that simulate scenarios, or say something of them.
#include <algorithm>
#include <memory>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/shell/shell_texts.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

void add_files(CLI::App& command, Typed& typed, const char* name = "scenarios",
               const char* what = "Scenario files; - is the standard input") {
  command.add_option(name, typed.files, what)->type_name("SCENARIO.json");
}

// Programs that scenarios name are started by runs, and by nothing else without consent.
void add_trust(CLI::App& command, bool& trusted) {
  command.add_flag("--trust", trusted,
                   "Start the program and open the libraries that the scenario names (model.command, load)");
}
run::Programs programs_of(bool trusted) { return trusted ? run::Programs::are_asked : run::Programs::are_left_alone; }

void add_jobs(CLI::App& command, int& jobs) {
  command.add_option("--jobs", jobs, "Parallel runs; default: one per core")->type_name("N")->check(from_to(1, 4096));
}

CLI::Option* add_live(CLI::App& command, std::optional<std::string>& live) {
  return command
      .add_option(
          "--live", live,
          "Append a line of JSON for each evaluation to FILE as it happens; - is the standard output, which then "
          "gets nothing else")
      ->type_name("FILE");
}

void need_one_output(bool json, const std::optional<std::string>& live) {
  if (json && live == "-") throw InputError("--live -: has the standard output to itself; expected no --json");
}

Command add_run(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  const auto settings = std::make_shared<RunSettings>();
  CLI::App& run = *app.add_subcommand("run", "Run scenarios (the word may be left out)");
  add_files(run, *typed);
  typed->add_overrides(run);
  typed->add_seeds(run);
  add_out(run, settings->out, "Results go to DIR/<name>/<seed>/");
  run.add_option("--threads", settings->threads, "Threads for gradients; default all cores; never changes results")
      ->type_name("N")
      ->check(from_to(1, 4096));
  run.add_flag("--json", settings->json, "Print the summary as JSON, and nothing else");
  run.add_flag("--quiet", settings->quiet, "No progress, no closing table");
  run.add_flag("--force", settings->force, "Replace the result of another scenario of the same name");
  run.add_flag("--trace", settings->trace, "Write trace.json, for Perfetto, and links.csv (as record.trace does)");
  auto* verify =
      run.add_option("--verify-digest", settings->verify,
                     "Repeat a result's run and say whether it is the same; --set data.path=FOLDER if data have moved");
  verify->type_name("RESULT_DIR");
  add_live(run, settings->live)->excludes(verify);
  for (const char* other : {"--seed", "--seeds", "--out", "--json", "--force", "--trace"})
    verify->excludes(run.get_option(other));
  run.footer(
      "--set names the run after what it changes, unless it sets the name itself; not after seed, description,\n"
      "record, expect and where files lie, such as data.path.\n"
      "Example:\n  ddlsim run scenarios/het_wan_ako_p3.json --set algorithm.partitions=4 \\\n    --seeds 1..3");
  return {&run, [typed, settings, &run, &systems] {
            if (run.count("--verify-digest") > 0) {
              if (typed->files.size() > 1) {
                throw InputError("run --verify-digest: repeats one run; expected one scenario at most");
              }
              settings->scenarios = typed->files;
              settings->overrides = typed->changes();
              return verify_digest(systems, *settings);
            }
            settings->scenarios = typed->need_files(run);
            settings->overrides = typed->changes();
            if (settings->trace) settings->overrides.push_back({"record.trace", "true"});
            settings->seeds = typed->chosen_seeds();
            need_one_output(settings->json, settings->live);
            run_scenarios(systems, *settings);
            return int{kDone};
          }};
}

Command add_check(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  CLI::App& check = *app.add_subcommand("check", "Validate scenarios and sweeps; lower bounds, and what a run costs");
  const auto trusted = std::make_shared<bool>(false);
  add_files(check, *typed, "scenarios", "Scenario or sweep files");
  typed->add_overrides(check);
  add_trust(check, *trusted);
  const auto json = std::make_shared<bool>(false);
  check.add_flag("--json", *json, "Print bounds and the expected step of scenarios as JSON, and nothing else");
  const auto bounds_alone = std::make_shared<bool>(false);
  check.add_flag("--bounds", *bounds_alone, "Simulate no steps, so that none is expected; quick for large networks")
      ->needs("--json");
  check.footer("Example:\n  ddlsim check scenarios/*.json");
  return {&check, [typed, trusted, json, bounds_alone, &check, &systems] {
            const CheckOutput output = *bounds_alone ? CheckOutput::bounds_as_json
                                       : *json       ? CheckOutput::json
                                                     : CheckOutput::text;
            check_scenarios(systems, typed->need_files(check), typed->changes(), programs_of(*trusted), output);
            return int{kDone};
          }};
}

Command add_describe(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  CLI::App& command =
      *app.add_subcommand("describe", "Print a scenario with all defaults filled in, or what keys and results mean");
  add_files(
      command, *typed, "scenario",
      "Scenario or sweep file, a path of keys such as algorithm.ako or vary, or a file of results such as curve.csv");
  const auto trusted = std::make_shared<bool>(false);
  command.get_option("scenario")->expected(1);
  typed->add_overrides(command);
  add_trust(command, *trusted);
  const auto output = std::make_shared<std::string>();
  command.add_option("-o,--output", *output, "Write the scenario to FILE, where it can be run: paths start from there")
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  ddlsim describe scenarios/het_wan_ako_p3.json --set algorithm.partitions=4\n"
      "  ddlsim describe algorithm.ako\n"
      "  ddlsim describe summary.json\n"
      "  ddlsim describe sweep");
  return {&command, [typed, trusted, output, &command, &systems] {
            need(command, !typed->files.empty(), "scenario");
            describe(systems, scenario_file(typed->files.front()), typed->changes(), programs_of(*trusted), *output);
            return int{kDone};
          }};
}

Command add_list(CLI::App& app, const Registry& systems) {
  const auto kind = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = *app.add_subcommand("list", "List what there is to choose from");
  set_words(
      *command.add_option("kind", *kind, scenario::listed(catalogue_words()) + "; without it, the names of all kinds"),
      "KIND", catalogue_words());
  command.add_flag("--json", *json, "As JSON; systems with their facts, presets and keys");
  command.footer("Example:\n  ddlsim list algorithms");
  return {&command, [kind, json, &systems] {
            (*json ? list_as_json : list_catalogue)(systems, *kind);
            return int{kDone};
          }};
}

Command add_sweep(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  const auto settings = std::make_shared<SweepSettings>();
  CLI::App& command = *app.add_subcommand("sweep", "Run a grid of scenarios: \"base\", \"vary\", \"zip\", \"seeds\"");
  command.add_option("sweep", settings->file, "Sweep file; - is the standard input")->type_name("SWEEP.json");
  typed->add_overrides(command);
  add_out(command, settings->out, "Results go to DIR/<sweep>/<point>/<seed>/, tables to DIR/<sweep>/");
  add_jobs(command, settings->jobs);
  command.add_option("--engine", settings->engine, "local, or slurm: an array of a cluster's jobs")
      ->type_name("ENGINE")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command.add_option("--task", settings->task)->group("");    // for the array's script
  command.add_option("--tuned", settings->tuned)->group("");  // for what tunes: see jobs::add_tuned
  auto* dry_run =
      command.add_flag("--dry-run", settings->dry_run, "Say what would be run, and about how long it would take");
  command.add_flag("--learn-each", settings->learn_each,
                   "Let each run learn by itself, also where another has learned the same and only times differ");
  command.add_flag("--json", settings->json, "Print its folder and how many runs failed as JSON, and nothing else")
      ->excludes(dry_run);
  command.add_flag("--quiet", settings->quiet, "No progress, no closing table");
  add_live(command, settings->live)->excludes(dry_run);
  command.footer(
      "Interrupted or killed, the same command goes on where it was.\n"
      "Example:\n  ddlsim sweep scenarios/study/bandwidth_workers.json");
  return {&command, [typed, settings, &command, &systems] {
            need(command, !settings->file.empty(), "sweep file");
            settings->file = need_scenario_file(settings->file);
            settings->overrides = typed->changes();
            need_one_output(settings->json, settings->live);
            return sweep(systems, *settings);
          }};
}

Command add_batch(CLI::App& app, const Registry& systems) {
  const auto settings = std::make_shared<BatchSettings>();
  CLI::App& command = *app.add_subcommand("batch", "Run jobs that are lines of JSON on the standard input");
  command.group("");  // for programs
  add_jobs(command, settings->jobs);
  add_trust(command, settings->trusted);
  command.add_flag("--finished", settings->finished_only, "Start nothing: say which jobs are kept, and which are open");
  command.footer(
      "Each job is answered with a line as it ends; docs/batch.md says more.\n"
      "Example:\n  echo '{\"scenario\": \"mine.json\", \"seed\": 2, \"out\": \"results/mine/2\"}' | ddlsim batch");
  return {&command, [settings, &systems] { return batch(systems, *settings); }};
}

}  // namespace

Command add_expect(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  const auto settings = std::make_shared<ExpectSettings>();
  CLI::App& command = *app.add_subcommand("expect", "Run scenarios and judge them by their \"expect\"");
  add_files(command, *typed);
  typed->add_overrides(command);
  typed->add_seeds(command);
  add_out(command, settings->request.out, "Results go to DIR/<name>/<seed>/, and are kept for the next time");
  add_jobs(command, settings->jobs);
  command.add_flag("--json", settings->json, "Print the verdicts as JSON, and nothing else");
  command.add_flag("--widen", settings->widen, "Print instead what to expect, with a margin, by what these seeds show");
  command.add_flag("--quiet", settings->quiet, "No progress; only what does not hold");
  command.footer(
      "An expectation holds when it holds for every seed. Exit code 4: one does not.\n"
      "Example:\n  ddlsim expect scenarios/het_wan_ako_p3.json --seeds 1..3");
  return {&command, [typed, settings, &command, &systems] {
            settings->request.files = typed->need_files(command);
            settings->request.overrides = typed->changes();
            settings->request.seeds = typed->chosen_seeds();
            return expect(systems, *settings);
          }};
}

std::vector<Command> add_scenario_commands(CLI::App& app, const Registry& systems) {
  return {add_run(app, systems),  add_check(app, systems), add_describe(app, systems),
          add_list(app, systems), add_sweep(app, systems), add_batch(app, systems)};
}

}  // namespace ddl::cli
