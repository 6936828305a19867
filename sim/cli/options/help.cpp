#include "sim/cli/options/help.hpp"

#include <unistd.h>

#include <sstream>

#include "sim/cli/terminal.hpp"
#include "sim/results/text/layout.hpp"

namespace ddl::cli {
namespace {

constexpr std::size_t name_columns = 26;

std::string hanging(const std::string& start, const std::string& text) {
  return results::hanging(start, text, Terminal(STDOUT_FILENO).columns());
}

// "  --out DIR=results     Results go to DIR/<name>/<seed>/"
std::string entry(const std::string& name, const std::string& what) {
  const std::string start = "  " + name + " ";
  const std::size_t used = results::columns_of(start);
  if (used <= name_columns) return hanging(start + std::string(name_columns - used, ' '), what);
  return start.substr(0, start.size() - 1) + "\n" + hanging(std::string(name_columns, ' '), what);
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

// The name of its value and its default. What it checks and excludes is told when it matters.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  const std::string type = option->get_type_name();
  std::string text = " " + type.substr(0, type.find(':'));
  if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* command) const {
  return hanging("", command->get_description());
}

// Commands that it shows, which are further in, stay on one line.
std::string HelpFormatter::make_footer(const CLI::App* command) const {
  std::istringstream lines(Formatter::make_footer(command));
  const std::size_t width = Terminal(STDOUT_FILENO).columns();
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.starts_with(' ') || results::columns_of(line) <= width ? line + "\n" : results::rewrapped(line, width);
  }
  return text;
}

}  // namespace ddl::cli
