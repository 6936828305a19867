#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::cli {
namespace {

using jobs::ExpectedScenario;
using jobs::Judgement;
using Json = nlohmann::ordered_json;

std::string shown(double value, Judgement::Kind kind) {
  switch (kind) {
    case Judgement::Kind::score:
      return fmt::format("{:.4g}", value);
    case Judgement::Kind::seconds:
      return results::readable_seconds(value);
    case Judgement::Kind::bytes:
      return results::readable_bytes(value);
    case Judgement::Kind::difference:
      return fmt::format("{:+.3g}", value);
  }
  return "";
}

std::string expected_text(const Judgement& verdict) {
  if (verdict.kind != Judgement::Kind::difference) {
    return shown(verdict.least, verdict.kind) + " .. " + shown(verdict.most, verdict.kind);
  }
  return verdict.least > 0 ? "by " + fmt::format("{:.3g}", verdict.least) : "by anything";
}

// "0.91 .. 0.93, 1 of 3 not reached"
std::string seen_text(const Judgement& verdict) {
  std::vector<double> values;
  for (const auto& value : verdict.seen) {
    if (value) values.push_back(*value);
  }
  if (values.empty()) return "not reached";
  const auto [least, most] = std::ranges::minmax(values);
  std::string text = shown(least, verdict.kind);
  if (const std::string last = shown(most, verdict.kind); last != text) text += " .. " + last;
  if (values.size() < verdict.seen.size()) {
    text += fmt::format(", {} of {} not reached", verdict.seen.size() - values.size(), verdict.seen.size());
  }
  return text;
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  if (seeds.size() == 1) return fmt::format("seed {}", seeds[0]);
  const bool range = std::ranges::is_sorted(seeds) && seeds.back() - seeds.front() + 1 == seeds.size();
  return range ? fmt::format("seeds {}..{}", seeds.front(), seeds.back())
               : fmt::format("seeds {}", fmt::join(seeds, ","));
}

std::string table_of(const std::vector<Judgement>& verdicts, bool only_broken, std::size_t width) {
  std::vector<std::vector<std::string>> rows = {{"expectation", "expected", "seen", "holds"}};
  for (const Judgement& verdict : verdicts) {
    if (only_broken && verdict.holds()) continue;
    std::size_t fitting = 0;
    for (std::size_t seed = 0; seed < verdict.seen.size(); ++seed) fitting += verdict.fits(seed) ? 1 : 0;
    const std::string not_all = verdict.seen.size() > 1 && fitting > 0
                                    ? fmt::format("NO, holds in {} of {}", fitting, verdict.seen.size())
                                    : "NO";
    rows.push_back({verdict.what, expected_text(verdict), seen_text(verdict), verdict.holds() ? "yes" : not_all});
  }
  return rows.size() > 1 ? results::terminal_text(results::Table::of(rows), width) : "";
}

// "yes" and "NO" at the ends of lines, in their colours.
std::string emphasised(const std::string& table, const Terminal& terminal) {
  std::istringstream lines(table);
  std::string text;
  for (std::string line; std::getline(lines, line); text += "\n") {
    const std::size_t verdict = line.rfind("  ") + 2;
    const std::string word = line.substr(std::min(verdict, line.size()));
    const bool good = word == "yes", bad = word.starts_with("NO");
    text += good || bad ? line.substr(0, verdict) + (good ? terminal.good(word) : terminal.bad(word)) : line;
  }
  return text;
}

Json json_of(const ExpectedScenario& expected, const std::vector<Judgement>& verdicts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Judgement& verdict = verdicts[i];
    Json seen = Json::array();
    for (const auto& value : verdict.seen) seen.push_back(value ? Json(*value) : Json());
    list.push_back({{"expectation", Json::parse(scenario::describe(expected.scenario->expect[i]))},
                    {"what", verdict.what},
                    {"seen", seen},
                    {"holds", verdict.holds()}});
  }
  return {{"scenario", expected.scenario->file}, {"seeds", expected.seeds}, {"expectations", list}};
}

void print_widened(const ExpectedScenario& expected, const std::vector<Judgement>& verdicts) {
  std::cout << expected.scenario->file << "\n  \"expect\": [\n";
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const scenario::Expectation& expectation = expected.scenario->expect[i];
    const auto wide = jobs::widened(expectation, verdicts[i]);
    if (!wide) {
      print_error(expected.scenario->file + ": " + verdicts[i].what + ": a run did not get there; it is left as it is");
    }
    std::cout << "    " << scenario::describe(wide.value_or(expectation)) << (i + 1 < verdicts.size() ? "," : "")
              << "\n";
  }
  std::cout << "  ]\n";
}

}  // namespace

int expect(const Registry& systems, const ExpectSettings& settings) {
  const jobs::ExpectPlan plan = jobs::plan_expectations(systems, settings.request);
  NotePrinter notes(settings.quiet);
  for (const scenario::Scenario& scenario : plan.scenarios) notes.print(scenario);
  const std::vector<std::string> failures =
      with_progress("expect", !settings.quiet && !settings.json, [&](const auto& show) {
        return jobs::run_expectations(plan, settings.jobs > 0 ? settings.jobs : jobs::usable_cores(), show);
      });
  const Terminal terminal(STDOUT_FILENO);
  std::size_t all = 0, holding = 0;
  Json json = Json::array();
  for (const ExpectedScenario& expected : plan.expected) {
    const std::vector<Judgement> verdicts = jobs::judge(plan, expected, failures);
    all += verdicts.size();
    holding += static_cast<std::size_t>(std::ranges::count_if(verdicts, &Judgement::holds));
    if (settings.json) {
      json.push_back(json_of(expected, verdicts));
    } else if (settings.widen) {
      print_widened(expected, verdicts);
    } else if (const std::string table = table_of(verdicts, settings.quiet, terminal.columns()); !table.empty()) {
      std::cout << terminal.bold(expected.scenario->file + ", " + seeds_text(expected.seeds)) << "\n"
                << emphasised(table, terminal) << "\n";
    }
  }
  if (settings.json) std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  if (!settings.json && !settings.widen && !settings.quiet) {
    std::cout << fmt::format("{} of {} expectations hold\n", holding, all);
  }
  bool failed = false;
  for (std::size_t job = 0; job < failures.size(); ++job) {
    if (failures[job].empty()) continue;
    print_error(plan.jobs[job].name + ": " + failures[job]);
    failed = true;
  }
  if (failed) return kRunFailed;
  return holding == all || settings.widen ? kDone : kNotAsExpected;
}

}  // namespace ddl::cli
