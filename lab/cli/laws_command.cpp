#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "core/base/check.hpp"
#include "lab/cli/commands.hpp"
#include "lab/laws/laws.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

// A system by name, in a scenario made for the laws; or that of a scenario file.
laws::Subject subject_of(const Registry& systems, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& system : systems) {
    names.emplace_back(system->facts().name);
    if (names.back() == word) return {systems, laws::scenario_for(*system), "laws.json"};
  }
  const std::string file = scenario_file(word);
  if (file.find_first_of("./") != std::string::npos) {
    laws::Subject subject(systems, scenario::scenario_text(file), file);
    if (!subject.scenario().model.none()) return subject;
    throw InputError(file + ": $.model: is \"none\"; expected one that learns, as laws ask for");
  }
  throw InputError("laws: " + scenario::in_quotes(word) + " is no training system; " +
                   scenario::nearest_or(word, names, "systems are " + scenario::listed(names)));
}

// Names of systems from loaded libraries.
std::vector<std::string> loaded(const Registry& systems) {
  std::vector<std::string> names;
  for (const auto& system : systems) {
    if (!systems.library_of(system->facts().name).empty()) names.emplace_back(system->facts().name);
  }
  return names;
}

std::string line_of(const laws::Law& law, const laws::Verdict& verdict) {
  const char* word = verdict.outcome == laws::Outcome::holds     ? "holds"
                     : verdict.outcome == laws::Outcome::fails   ? "FAILS"
                     : verdict.outcome == laws::Outcome::refused ? "REFUSED"
                                                                 : "does not apply";
  const std::string text = law.says + (verdict.why.empty() ? "" : "; " + verdict.why);
  return results::hanging(fmt::format("  {:<8}  {:<14}  ", law.name, word), text, Terminal(STDOUT_FILENO).columns());
}

int judge_all(const Registry& systems, const std::vector<std::string>& words, const std::vector<std::string>& except) {
  std::vector<laws::Subject> subjects;
  for (const std::string& word : words) subjects.push_back(subject_of(systems, word));
  int code = kDone;
  for (const laws::Subject& subject : subjects) {
    std::cout << subject.system().facts().name << "\n";
    for (const laws::Law& law : laws::all()) {
      const bool is_left_out = std::ranges::count(except, law.name) > 0;
      const laws::Verdict verdict =
          is_left_out ? laws::Verdict{laws::Outcome::does_not_apply, "--except"} : laws::judge(law, subject);
      if (verdict.outcome == laws::Outcome::fails || verdict.outcome == laws::Outcome::refused) code = kNotAsExpected;
      std::cout << line_of(law, verdict) << std::flush;
    }
  }
  return code;
}

}  // namespace

Command add_laws(CLI::App& app, const Registry& systems) {
  struct Settings {
    std::vector<std::string> words, except;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App& command = *app.add_subcommand("laws", "Judge a training system by what every system keeps to");
  command
      .add_option("system", settings->words,
                  "System of ddlsim list algorithms, or a scenario, whose system and settings are judged; default: "
                  "those of libraries that are loaded")
      ->type_name("NAME|SCENARIO.json");
  std::vector<std::string> names;
  for (const laws::Law& law : laws::all()) names.emplace_back(law.name);
  command.add_option("--except", settings->except, "A law that the system means to break, such as alone")
      ->type_name("LAW")
      ->check(CLI::IsMember(names));
  command.footer(
      "Exit code 4: a law fails, or its runs are refused.\n"
      "Example:\n  ddlsim laws --load build/libmine.so mine");
  return {&command, [settings, &command, &systems] {
            const std::vector<std::string> words = settings->words.empty() ? loaded(systems) : settings->words;
            need(command, !words.empty(), "system");
            return judge_all(systems, words, settings->except);
          }};
}

}  // namespace ddl::cli
