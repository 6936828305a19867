#include "sim/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <optional>

#include "core/base/check.hpp"
#include "core/nn/kernels/tile.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/result_commands.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/studies/sweep/sweep.hpp"

namespace ddl::cli {
namespace {

constexpr std::uint64_t kMostSeeds = 10000;

// The options as texts, before they are parsed.
struct Words {
  std::vector<std::string> files, overrides;
  std::string kind;
  std::optional<std::string> seed, seeds;
  RunSettings run;
  ReproduceSettings reproduce;
  BenchSettings bench;
  SweepSettings sweep;
  EmulateSettings emulate;
  CompareSettings compare;
  PlotSettings plot;
  ReportSettings report;
  ModelSettings model;
};

scenario::Override override_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--set " + text + ": is no assignment; expected PATH=VALUE such as algorithm.partitions=4");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<scenario::Override> overrides_of(const Words& words) {
  std::vector<scenario::Override> overrides;
  for (const std::string& text : words.overrides) overrides.push_back(override_of(text));
  return overrides;
}

std::uint64_t seed_of(const std::string& text, const std::string& option) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw InputError(option + ": " + scenario::in_quotes(text) +
                     " is no seed; expected a whole number from 0 to 2^64 - 1");
  }
  return seed;
}

template <class Settings>
void understand_seeds(const Words& words, Settings& settings) {
  if (words.seed) settings.first_seed = settings.last_seed = seed_of(*words.seed, "--seed");
  if (!words.seeds) return;
  const std::string& range = *words.seeds;
  const std::size_t dots = range.find("..");
  if (dots == std::string::npos) {
    throw InputError("--seeds: " + scenario::in_quotes(range) + " is no range; expected A..B such as 1..5");
  }
  settings.first_seed = seed_of(range.substr(0, dots), "--seeds");
  settings.last_seed = seed_of(range.substr(dots + 2), "--seeds");
  if (*settings.first_seed > *settings.last_seed) {
    throw InputError("--seeds: " + scenario::in_quotes(range) + " is empty; expected A..B with A not above B");
  }
  if (*settings.last_seed - *settings.first_seed >= kMostSeeds) {
    throw InputError("--seeds: " + scenario::in_quotes(range) + " is too long; expected at most " +
                     std::to_string(kMostSeeds) + " seeds");
  }
}

const std::vector<std::string>& need_files(const Words& words, const char* command) {
  if (words.files.empty()) {
    throw InputError(std::string(command) + ": no scenario given; see ddlsim " + command + " --help");
  }
  return words.files;
}

void add_overrides(CLI::App& command, Words& words) {
  command.add_option("--set", words.overrides, "Override one key of the scenario; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

CLI::Option* add_seed(CLI::App& command, Words& words) {
  return command.add_option("--seed", words.seed, "Seed of all randomness, instead of the scenario's")->type_name("N");
}
void add_seeds(CLI::App& command, Words& words) {
  auto* seed = add_seed(command, words);
  command.add_option("--seeds", words.seeds, "One run for each seed from A to B")->type_name("A..B")->excludes(seed);
}

CLI::App& add_run(CLI::App& app, Words& words) {
  CLI::App& run = *app.add_subcommand("run", "Run scenarios (the word may be left out)");
  run.add_option("scenarios", words.files, "Scenario files")->type_name("SCENARIO.json");
  add_overrides(run, words);
  add_seeds(run, words);
  run.add_option("--out", words.run.out, "Results go to DIR/<name>/<seed>/")->type_name("DIR")->capture_default_str();
  run.add_option("--threads", words.run.threads, "Threads for gradients; default all cores; never changes results")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  run.add_flag("--json", words.run.json, "Print the summary as JSON, and nothing else");
  run.add_flag("--quiet", words.run.quiet, "No progress, no closing table");
  run.add_flag("--force", words.run.force, "Replace the result of another scenario of the same name");
  run.add_flag("--trace", words.run.trace, "Write trace.json, for Perfetto, and links.csv (as record.trace does)");
  auto* verify =
      run.add_option("--verify-digest", words.run.verify, "Repeat a result's run and say whether it is the same");
  verify->type_name("RESULT_DIR");
  for (const char* other : {"--set", "--seed", "--seeds", "--json", "--force"}) verify->excludes(run.get_option(other));
  run.footer("Example:\n  ddlsim run scenarios/het_wan_ako_p3.json --set algorithm.partitions=4 --seeds 1..3");
  return run;
}

CLI::App& add_sweep(CLI::App& app, Words& words) {
  SweepSettings& settings = words.sweep;
  CLI::App& command = *app.add_subcommand("sweep", "Run a grid of scenarios: \"base\", \"vary\", \"zip\", \"seeds\"");
  command.add_option("sweep", settings.file, "Sweep file")->type_name("SWEEP.json");
  add_overrides(command, words);
  command.add_option("--out", settings.out, "Results go to DIR/<sweep>/<point>/<seed>/, tables to DIR/<sweep>/")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--jobs", settings.jobs, "Runs at once; default: as many as cores")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_option("--engine", settings.engine, "local, or slurm: an array of a cluster's jobs")
      ->type_name("ENGINE")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command.add_option("--task", settings.task)->group("");  // for the array's script
  command.add_flag("--dry-run", settings.dry_run, "Say what would be run, and about how long it would take");
  command.add_flag("--quiet", settings.quiet, "No progress, no closing table");
  command.footer(
      "Interrupted or killed, the same command goes on where it was.\n"
      "Example:\n  ddlsim sweep scenarios/study/bandwidth_workers.json");
  return command;
}

std::string version_text() { return std::string("ddlsim ") + DDLSIM_VERSION; }

// The error of CLI11 as one line.
std::string error_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string help = "see ddlsim " + (chosen.empty() ? "" : command.get_name() + " ") + "--help";
  const std::vector<std::string> left = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || left.empty()) {
    return scenario::on_one_line(error.what()) + "; " + help;
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string word = left.front().substr(0, left.front().find('='));
  const auto near = scenario::nearest(word, known);
  const std::string what = word.starts_with('-') ? "unknown option" : "unexpected word";
  return scenario::on_one_line(word) + ": " + what + "; " + (near ? "did you mean " + *near + "? " : "") + help;
}

// The command may be omitted: what is neither a command nor a request for help is a run.
void put_run_first(std::vector<std::string>& words, const CLI::App& app) {
  if (words.empty()) return;
  const std::string& first = words.front();
  if (first == "help") {
    words.front() = "--help";
    return;
  }
  for (const char* option : {"--help", "-h", "--version"}) {
    if (first == option) return;
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) return;
  const bool looks_like_command = !first.starts_with('-') && first.find_first_of("./") == std::string::npos;
  if (looks_like_command && !std::filesystem::exists(first)) {
    throw InputError(scenario::in_quotes(first) + " is neither a command nor a file; " +
                     scenario::nearest_or(first, commands, "commands are " + scenario::listed(commands)));
  }
  words.insert(words.begin(), "run");
}

CLI::App& add_check(CLI::App& app, Words& words) {
  CLI::App& command = *app.add_subcommand("check", "Validate scenarios and print their lower bounds");
  command.add_option("scenarios", words.files, "Scenario files")->type_name("SCENARIO.json");
  add_overrides(command, words);
  command.footer("Example:\n  ddlsim check scenarios/*.json");
  return command;
}

CLI::App& add_describe(CLI::App& app, Words& words) {
  CLI::App& command = *app.add_subcommand("describe", "Print a scenario with all defaults filled in, as JSON");
  command.add_option("scenario", words.files, "Scenario file")->type_name("SCENARIO.json")->expected(1);
  add_overrides(command, words);
  command.footer("Example:\n  ddlsim describe scenarios/het_wan_ako_p3.json --set platform.workers=8");
  return command;
}

}  // namespace

int run_command_line(std::vector<std::string> arguments) {
  Words words;
  CLI::App app{"Simulates distributed deep learning: real training on a simulated cluster.", "ddlsim"};
  app.set_version_flag("--version", version_text(), "Print the version");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  ddlsim scenarios/het_wan_ako_p3.json       run a scenario\n"
      "  ddlsim check scenarios/het_wan_ako_p3.json what no run of it can beat\n"
      "  ddlsim list algorithms\n"
      "Options of a run: ddlsim run --help");
  CLI::App& run = add_run(app, words);

  CLI::App& check = add_check(app, words);
  CLI::App& describe_command = add_describe(app, words);
  CLI::App& reproduce_command = add_reproduce(app, words.reproduce);

  CLI::App& sweep_command = add_sweep(app, words);

  CLI::App& emulate_command = add_emulate(app, words.emulate);
  add_overrides(emulate_command, words);
  add_seeds(emulate_command, words);
  CLI::App& compare_command = add_compare(app, words.compare);
  CLI::App& plot_command = add_plot(app, words.plot);
  CLI::App& report_command = add_report(app, words.report);

  CLI::App& model_command = add_model(app, words.model);
  add_overrides(model_command, words);

  CLI::App& list = *app.add_subcommand("list", "List what there is to choose from");
  list.add_option("kind", words.kind, scenario::listed(catalogue_words()) + "; without it, everything")
      ->type_name("KIND");
  list.footer("Example:\n  ddlsim list algorithms");

  CLI::App& schema =
      *app.add_subcommand("schema", "Print the JSON Schema of scenarios or sweeps, or a page about all keys");
  schema.add_option("of", words.kind, "scenario (default), sweep, or keys (Markdown)")->type_name("KIND");
  schema.footer("Example:\n  ddlsim schema > scenario.schema.json");

  CLI::App& bench_command = add_bench(app, words.bench);

  if (arguments.empty()) throw InputError("nothing to do; expected ddlsim SCENARIO.json, or see ddlsim --help");
  nn::check_kernel_choice();
  put_run_first(arguments, app);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 reads them from the back
    app.parse(arguments);
  } catch (const CLI::Success& answer) {
    return app.exit(answer, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    print_error(error_text(app, error));
    return kBadInput;
  }

  if (run.parsed() && run.count("--verify-digest") > 0) {
    if (words.files.size() > 1) throw InputError("run --verify-digest: repeats one run; expected one scenario at most");
    words.run.scenarios = words.files;
    return verify_digest(words.run);
  }
  if (run.parsed()) {
    words.run.scenarios = need_files(words, "run");
    words.run.overrides = overrides_of(words);
    if (words.run.trace) words.run.overrides.push_back({"record.trace", "true"});
    understand_seeds(words, words.run);
    run_scenarios(words.run);
  } else if (check.parsed()) {
    check_scenarios(need_files(words, "check"), overrides_of(words));
  } else if (describe_command.parsed()) {
    const auto scenario = scenario::read_scenario(need_files(words, "describe").front(), overrides_of(words));
    std::cout << scenario::describe(scenario);
    std::cerr << consensus_text(scenario);  // beside what may be read as JSON
  } else if (reproduce_command.parsed()) {
    reproduce(words.reproduce);
  } else if (sweep_command.parsed()) {
    if (words.sweep.file.empty()) throw InputError("sweep: no sweep file given; see ddlsim sweep --help");
    words.sweep.overrides = overrides_of(words);
    return sweep(words.sweep);
  } else if (emulate_command.parsed()) {
    words.emulate.overrides = overrides_of(words);
    understand_seeds(words, words.emulate);
    emulate_scenario(words.emulate);
  } else if (compare_command.parsed()) {
    if (words.compare.folders.empty()) throw InputError("compare: no results given; see ddlsim compare --help");
    compare_results(words.compare);
  } else if (plot_command.parsed()) {
    if (words.plot.results.empty()) throw InputError("plot: no results given; see ddlsim plot --help");
    plot(words.plot);
  } else if (report_command.parsed()) {
    if (words.report.results.empty()) throw InputError("report: no results given; see ddlsim report --help");
    report(words.report);
  } else if (model_command.parsed()) {
    words.model.overrides = overrides_of(words);
    show_model(words.model);
  } else if (list.parsed()) {
    list_catalogue(words.kind);
  } else if (schema.parsed()) {
    print_schema(words.kind);
  } else if (bench_command.parsed()) {
    bench(words.bench);
  }
  return kDone;
}

}  // namespace ddl::cli
