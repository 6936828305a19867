#include "sim/cli/options/command.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/jobs/seeds.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

scenario::Override override_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--set " + text + ": is no assignment; expected PATH=VALUE such as algorithm.partitions=4");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Prefixes errors about seeds with the option's name.
template <class Read>
auto of_option(const char* option, const std::string& text, Read read) {
  try {
    return read(text);
  } catch (const InputError& error) {
    throw InputError(option + std::string(": ") + error.what());
  }
}

}  // namespace

void Typed::add_overrides(CLI::App& command) {
  command.add_option("--set", overrides, "Override one key of the scenario; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

void Typed::add_seeds(CLI::App& command) {
  CLI::Option* one =
      command.add_option("--seed", seed, "Seed of all randomness, instead of the scenario's")->type_name("N");
  command.add_option("--seeds", seeds, "One run for each: a range, or a list such as 1,3,5")
      ->type_name("A..B")
      ->excludes(one);
}

std::vector<std::string> Typed::need_files(const CLI::App& command) const {
  need(command, !files.empty(), "scenario");
  std::vector<std::string> meant;
  for (const std::string& file : files) meant.push_back(need_scenario_file(file));
  return meant;
}

std::vector<scenario::Override> Typed::changes() const {
  std::vector<scenario::Override> changes;
  for (const std::string& text : overrides) changes.push_back(override_of(text));
  return changes;
}

std::vector<std::uint64_t> Typed::chosen_seeds() const {
  if (seed) return {of_option("--seed", *seed, jobs::seed_of)};
  if (seeds) return of_option("--seeds", *seeds, jobs::seeds_of);
  return {};
}

void add_out(CLI::App& command, std::string& out, const char* what) {
  command.add_option("--out", out, what)->type_name("DIR")->capture_default_str();
}

void need(const CLI::App& command, bool given, const char* what) {
  if (given) return;
  throw InputError(command.get_name() + ": no " + what + " given; see ddlsim " + command.get_name() + " --help");
}

}  // namespace ddl::cli
