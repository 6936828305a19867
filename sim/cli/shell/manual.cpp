#include <fmt/format.h>

#include <sstream>

#include "sim/cli/shell/shell_texts.hpp"

namespace ddl::cli {
namespace {

// Text in which troff sees no commands.
std::string in_troff(const std::string& text) {
  std::string safe;
  bool starts_line = true;
  for (const char letter : text) {
    if (starts_line && (letter == '.' || letter == '\'')) safe += "\\&";
    starts_line = letter == '\n';
    safe += letter == '\\' ? std::string("\\e") : letter == '-' ? std::string("\\-") : std::string(1, letter);
  }
  return safe;
}

std::string bold(const std::string& text) { return "\\fB" + in_troff(text) + "\\fR"; }
std::string placeholder(const std::string& text) { return "\\fI" + in_troff(text) + "\\fR"; }

// Lines as they are.
std::string verbatim(const std::string& text) { return ".PP\n.nf\n" + in_troff(text) + "\n.fi\n"; }

std::string spelled(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + bold(name); };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  const Expected expected = expected_of(option);
  return names + (expected.name.empty() ? "" : " " + placeholder(expected.name));
}

std::string described(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += "; default: " + option.get_default_str();
  return in_troff(text) + ".\n";
}

std::string option_text(const CLI::Option& option) { return ".TP\n" + spelled(option) + "\n" + described(option); }

std::string command_text(const CLI::App& command) {
  std::string text = ".SS " + in_troff(command.get_name()) + "\n" + in_troff(command.get_description()) + ".\n";
  const CLI::Option* positional = positional_of(command);
  if (positional != nullptr) {
    text += ".TP\n" + placeholder(expected_of(*positional).name) + "\n" + described(*positional);
  }
  for (const CLI::Option* option : shown_options(command)) {
    if (option->get_name() != "--help") text += option_text(*option);
  }
  return text + (command.get_footer().empty() ? "" : verbatim(command.get_footer()));
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(".TH DDLSIM 1 \"\" \"ddlsim {}\" \"User Commands\"\n", version);
  text += ".SH NAME\nddlsim \\- simulate distributed deep learning\n";
  text += ".SH SYNOPSIS\n.B ddlsim\n[" + placeholder("COMMAND") + "] [" + placeholder("OPTIONS") + "] " +
          placeholder("FILE|DIR") + " ...\n";
  text += ".SH DESCRIPTION\n" + in_troff(app.get_description()) +
          "\nWithout a command, scenarios are run. Every "
          "command has \\fB\\-\\-help\\fR.\n";
  text += verbatim(app.get_footer());
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : all_commands(app)) text += command_text(*command);
  text += ".SH ENVIRONMENT\n.TP\n" + bold("DDLSIM_HOME") +
          "\nThe folder of shipped scenarios and platforms, instead of ./scenarios and ./platforms, or those installed "
          "in share/ddlsim.\n.TP\n" +
          bold("DDLSIM_DATA") + "\nThe folder of data sets: mnist/, fashion\\-mnist/, cifar\\-10/.\n.TP\n" +
          bold("NO_COLOR") + "\nNo emphasis on terminals.\n";
  text +=
      ".SH FILES\n.TP\n.I share/ddlsim/scenarios\nShipped scenarios, sweeps (in study/), and JSON Schemas for "
      "editors. They can be named without folder and ending: ddlsim run het_wan_ako_p3.\n.TP\n"
      ".I share/ddlsim/platforms\nThe SimGrid platforms of these scenarios.\n.TP\n"
      ".I share/doc/ddlsim\nThe documents: all keys, the columns of results, faults, network models.\n";
  return text;
}

}  // namespace ddl::cli
