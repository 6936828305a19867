// A command: its options, and what it does once they have been read. Options that several commands have are declared
// and understood here.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::cli {

struct Command {
  CLI::App* options;
  std::function<int()> act;  // returns the exit code
};

// Values typed for the options that several commands share. Throws InputError for a value it does not understand.
struct Typed {
  std::vector<std::string> files, overrides;
  std::optional<std::string> seed, seeds;

  void add_overrides(CLI::App& command);
  void add_seeds(CLI::App& command);  // and --seed

  // The files, at least one; shipped scenarios may have been named.
  std::vector<std::string> need_files(const CLI::App& command) const;
  std::vector<scenario::Override> changes() const;
  // Values of --seed or --seeds, in their order; empty: each scenario's own.
  std::vector<std::uint64_t> chosen_seeds() const;
};

// Range of a number that an option takes. An error is "--jobs: 0 is out of range; expected 1 to 4096".
template <class Number>
CLI::Validator from_to(Number least, Number most) {
  CLI::Validator range = CLI::Range(least, most);  // names the option's type
  return range.operation([least, most](const std::string& text) {
    Number number{};
    if (!CLI::detail::lexical_cast(text, number)) {
      return fmt::format("{} is no {}number; expected {} to {}", text, std::is_integral_v<Number> ? "whole " : "",
                         least, most);
    }
    const bool inside = number >= least && number <= most;
    return inside ? std::string() : fmt::format("{} is out of range; expected {} to {}", text, least, most);
  });
}

// Throws InputError unless there is something in `words`: "compare: no results given; see ddlsim compare --help".
void need(const CLI::App& command, bool given, const char* what);

// --out, the folder that results go to.
void add_out(CLI::App& command, std::string& out, const char* what);

// Every command, in the order of the help. `systems` outlive them.
// run, check, describe, list, sweep, batch
std::vector<Command> add_scenario_commands(CLI::App& app, const Registry& systems);
// tune, advise; or compare, plot, report: their names, for help and completion alone
std::vector<Command> add_analysis_commands(CLI::App& app, bool searches);
Command add_expect(CLI::App& app, const Registry& systems);
// new; and what help does not list: model, schema, completion, manual
std::vector<Command> add_other_commands(CLI::App& app, const Registry& systems);

}  // namespace ddl::cli
