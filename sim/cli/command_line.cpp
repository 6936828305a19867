#include "sim/cli/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>

#include "core/base/check.hpp"
#include "core/nn/kernels/tile.hpp"
#include "sim/cli/analysis.hpp"
#include "sim/cli/laboratory.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/help.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/process/limit_signals.hpp"
#include "sim/scenario/plugins.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

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
  for (const char* option : {"help", "--help", "-h", "--version"}) {
    if (first == option) return;
  }
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  commands.insert(commands.end(), laboratory_words().begin(), laboratory_words().end());
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) return;
  const bool looks_like_command = !first.starts_with('-') && first.find_first_of("./") == std::string::npos;
  if (looks_like_command && !std::filesystem::exists(first)) {
    const std::vector<std::string> shipped = scenario_names();
    if (std::ranges::count(shipped, first) == 0) {
      const std::string expected = "commands are " + scenario::listed(commands);
      commands.insert(commands.end(), shipped.begin(), shipped.end());
      throw InputError(scenario::in_quotes(first) + " is neither a command nor a file; " +
                       scenario::nearest_or(first, commands, expected));
    }
  }
  words.insert(words.begin(), "run");
}

constexpr const char* plugins_variable = "DDLSIM_PLUGINS";

// A list with colons; behind a backslash stands a letter of a path, such as a colon.
std::vector<std::string> paths_in(std::string_view list) {
  std::vector<std::string> paths(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ':') {
      paths.emplace_back();
    } else {
      if (list[i] == '\\' && i + 1 < list.size()) ++i;
      paths.back() += list[i];
    }
  }
  std::erase(paths, "");
  return paths;
}
std::string list_of(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) {
    if (!list.empty()) list += ':';
    for (const char letter : path) {
      if (letter == ':' || letter == '\\') list += '\\';
      list += letter;
    }
  }
  return list;
}

// Whatever is opened later would be taken for a standard stream that is closed, and a result be written into by what is
// printed. What stands in for one cannot be used either.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));  // the lowest number is free
  }
}

// Takes --load LIB out of the words, of whichever command, and opens these libraries and those of the variable, where
// programs that this one starts find all of them.
void load_plugins(Registry& systems, std::vector<std::string>& words) {
  const char* named = std::getenv(plugins_variable);
  std::vector<std::string> libraries = paths_in(named != nullptr ? named : "");
  std::vector<std::string> others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    constexpr std::string_view option = "--load", with_value = "--load=";
    if (words[i] == option) {
      if (++i == words.size()) throw InputError("--load: names no library; expected --load LIB.so");
      libraries.push_back(words[i]);
    } else if (words[i].starts_with(with_value)) {
      libraries.push_back(words[i].substr(with_value.size()));
    } else {
      others.push_back(words[i]);
    }
  }
  words = std::move(others);
  for (std::string& library : libraries) {
    scenario::open_plugin(systems, library);
    library = std::filesystem::absolute(library).string();
  }
  if (!libraries.empty()) setenv(plugins_variable, list_of(libraries).c_str(), 1);
}

}  // namespace

void set_up(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", version_text(), "Print the version");
  app.require_subcommand(1);
}

int run_one_of(const std::vector<Command>& commands, CLI::App& app, std::vector<std::string> words) {
  nn::check_kernel_choice();
  if (words.front() == "help") words.front() = "--help";
  try {
    std::reverse(words.begin(), words.end());  // CLI11 reads them from the back
    app.parse(words);
  } catch (const CLI::Success& answer) {
    return app.exit(answer, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    print_error(error_text(app, error));
    return kBadInput;
  }
  const auto parsed = std::ranges::find_if(commands, [](const Command& command) { return command.options->parsed(); });
  check(parsed != commands.end(), "one command is always required");
  return parsed->act();
}

int run_program(int argc, char** argv, Registry systems,
                int (*command_line)(const Registry&, std::vector<std::string>)) {
  fill_closed_streams();
  process::heed_limits();
  int code = kInternalError;
  try {
    std::vector<std::string> words{argv + 1, argv + argc};
    load_plugins(systems, words);
    code = command_line(systems, std::move(words));
  } catch (...) {
    code = report_error(std::current_exception());
  }
  // Output that could not be delivered, to a full disk for instance, is no success.
  if (!std::cout.flush() && code == kDone) {
    std::fputs("ddlsim: standard output: cannot be written\n", stderr);
    code = kInternalError;
  }
  return code;
}

int run_command_line(const Registry& systems, std::vector<std::string> arguments) {
  CLI::App app{"Simulates distributed deep learning: real training on a simulated cluster.", "ddlsim"};
  set_up(app);
  app.footer(
      "Any command: --load LIB.so    training systems of one's own, as if built in\n"
      "\n"
      "Laboratory: emulate, reproduce, bench, laws: how the simulation itself is checked\n"
      "\n"
      "Examples:\n"
      "  ddlsim scenarios/het_wan_ako_p3.json         run a scenario\n"
      "  ddlsim check scenarios/het_wan_ako_p3.json   lower bounds, without running\n"
      "  ddlsim new ako -o mine.json                  a scenario to start from\n"
      "  ddlsim describe algorithm.ako                what keys mean\n"
      "Options of a run: ddlsim run --help\n"
      "\n"
      "Exit codes:\n"
      "  0    done\n"
      "  1    a limit of the machine, internal error, or a repeated run that differs\n"
      "  2    bad command line, scenario, data or platform; nothing was written\n"
      "  3    a run could not finish, such as a deadlock of the simulated system\n"
      "  4    an expectation does not hold\n"
      "  130  interrupted");
  std::vector<Command> commands;
  const auto add = [&](std::vector<Command> added) { std::ranges::move(added, std::back_inserter(commands)); };
  add(add_scenario_commands(app, systems));
  add(add_analysis_commands(app, true));
  commands.push_back(add_expect(app, systems));
  add(add_analysis_commands(app, false));
  add(add_other_commands(app, systems));

  if (arguments.empty()) throw InputError("nothing to do; expected ddlsim SCENARIO.json, or see ddlsim --help");
  if (is_of_analysis(arguments.front())) hand_to_analysis(arguments);
  if (std::ranges::count(laboratory_words(), arguments.front()) > 0) hand_to_laboratory(arguments);
  put_run_first(arguments, app);
  return run_one_of(commands, app, std::move(arguments));
}

}  // namespace ddl::cli
