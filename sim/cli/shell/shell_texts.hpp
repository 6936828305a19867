// Completions for shells, and the manual page. They are made from the commands and options themselves, so that they
// are never out of date.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ddl::cli {

// Values that an option or a positional argument takes.
struct Expected {
  std::string name;                // "DIR"
  std::vector<std::string> words;  // these alone
  enum Files { none, any, folders } files = none;
  bool scenarios = false, paths = false;  // and shipped scenarios; keys that can be set
};
// Words that are completed although no option lists them.
struct Completed {
  std::vector<std::string> scenarios, paths;
};
Expected expected_of(const CLI::Option& option);

// Names the words that an option takes; they check nothing, and no help shows them.
void set_words(CLI::Option& option, const std::string& name, const std::vector<std::string>& words);

// Scripts that complete commands, options and their values, for bash 4 and zsh 5.
std::string bash_completion(const CLI::App& app, const Completed& known);
std::string zsh_completion(const CLI::App& app, const Completed& known);

// A manual page in section 1 (the macros of man(7)).
std::string manual_page(const CLI::App& app, const std::string& version);

// Commands, and options that help shows.
std::vector<const CLI::App*> all_commands(const CLI::App& app);
std::vector<const CLI::Option*> shown_options(const CLI::App& command);
const CLI::Option* positional_of(const CLI::App& command);  // none: nullptr

}  // namespace ddl::cli
