// What an advice says: what to use, how sure that is, why, and what would change it. All is described once, as lines
// and tables, for a terminal, as Markdown and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "core/base/counted.hpp"
#include "sim/advise/advise.hpp"
#include "sim/advise/findings.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::advise {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

constexpr const char *best_file = "best.json", *safe_file = "safe.json";

struct Section {
  std::string title;
  results::Table table = {};  // columns without a title are for programs, those without a key for people
  Lines lines = {};
  bool empty() const { return lines.empty() && table.rows.empty(); }
};

struct Account {
  Adviser& adviser;
  Advice advice = adviser.advice();
  const Goal& goal = adviser.request().goal;

  const Race& race() const { return advice.race; }
  const std::string& name(std::size_t i) const { return advice.contenders[i].name; }
  std::string names(const std::vector<std::size_t>& some) const {
    return fmt::format("{}", fmt::join(some | std::views::transform([&](std::size_t i) { return name(i); }), ", "));
  }
  std::string at_end() const { return fmt::format("{} at the end", goal.metric.word); }
};

// Without "-0.000".
std::string value_text(double value) { return fmt::format("{:.3f}", std::round(1e3 * value) / 1e3 + 0.0); }

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p); }

std::string counted_runs(std::size_t runs) { return counted(static_cast<std::int64_t>(runs), "run"); }

// "1 whole run", "3 whole runs", "one run of 1/8 of the time".
std::string runs_text(const Contender& contender, double length) {
  if (length == 1) return counted(static_cast<std::int64_t>(contender.after(1).size()), "whole run");
  return length == 0 ? "no run" : fmt::format("one run of 1/{:.0f} of the time", 1 / length);
}

// A mean with its interval, which cannot be outside of `range`.
results::Cell estimated(const std::vector<double>& values, results::Interval range, const auto& shown) {
  results::Cell cell("-", std::nullopt);
  const auto mean = results::estimate(values);
  if (!mean) return cell;
  cell.number = mean->mean;
  cell.count = mean->count;
  cell.interval = results::interval_of(*mean, range.low, range.high);
  cell.text = shown(mean->mean);
  if (cell.interval) cell.text += fmt::format(" ({} .. {})", shown(cell.interval->low), shown(cell.interval->high));
  return cell;
}

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

// For programs alone.
results::Cell data(const Json& json) {
  results::Cell cell;
  cell.data = json.dump();
  return cell;
}

results::Cell yes_or_no(bool value) {
  results::Cell cell = data(value);
  cell.text = value ? "yes" : "no";
  return cell;
}

// Of a contender, over the seeds that it raced with.
struct Figures {
  std::size_t runs = 0, failed = 0;
  results::Cell time, bytes, at_end;  // of those that reached the shown target; of all runs
};

Figures figures_of(const Account& of, std::size_t i) {
  Figures figures;
  std::vector<double> times, bytes, at_end;
  const Contender& contender = of.advice.contenders[i];
  figures.runs = contender.trials.size() - static_cast<std::size_t>(std::ranges::count(contender.trials, nullptr));
  figures.failed = figures.runs - contender.finished().size();
  for (const TrialResult* trial : contender.finished()) {
    at_end.push_back(trial->at_end);
    if (!of.advice.shown_target) continue;
    const auto there = trial->reached(of.goal.metric, *of.advice.shown_target);
    if (there) times.push_back(there->time_s), bytes.push_back(there->bytes);
  }
  constexpr results::Interval positive = {0, INFINITY};
  figures.time = estimated(times, positive, results::readable_seconds);
  figures.bytes = estimated(bytes, positive, results::readable_bytes);
  figures.at_end = estimated(at_end, {0, of.goal.metric.most}, value_text);
  const bool all_reach = figures.runs > 0 && times.size() == figures.runs;
  figures.bytes.text = all_reach ? results::readable_bytes(*figures.bytes.number) : "-";
  if (!all_reach) figures.time.text = fmt::format("in {} of {} runs", times.size(), figures.runs);
  return figures;
}

// Those that have not had the first look of the race, while there was something left to run: the best first.
std::vector<std::size_t> not_raced(const Account& of) {
  std::vector<std::size_t> list;
  std::ranges::copy_if(of.advice.turns, std::back_inserter(list), [&](auto i) { return of.race().entrants[i].waits; });
  return list;
}

// A score as the goal's metric has it.
std::string score_text(const Account& of, double score, double length = 1) {
  if (!std::isfinite(score)) return "-";
  if (!of.goal.target) return value_text(of.goal.metric.value_of(score));
  const double length_s = length * of.adviser.scenario_of(of.advice.contenders.front()).stop.time->value;
  return score > length_s ? "not reached" : results::readable_seconds(score);
}

std::string verdict_of(const Account& of, std::size_t i) {
  const Race::Entrant& entrant = of.race().entrants[i];
  if (entrant.failed()) return "failed";
  const auto after = [&](std::size_t seeds) {
    return fmt::format(" after {} seeds, {}", seeds, p_text(entrant.p.value_or(0)));
  };
  if (entrant.dropped_after) return "worse" + after(*entrant.dropped_after);
  if (of.race().leader == i) return "leads";
  return entrant.p ? "not told apart" + after(of.race().looked_after) : "not judged";
}

// By how much its score is behind that of the leader of the last look that it was in.
results::Cell behind_leader(const Account& of, std::size_t i) {
  const Race::Entrant& entrant = of.race().entrants[i];
  std::vector<double> differences;
  if (entrant.behind) {
    differences = differences_of(entrant.scores, of.race().entrants[*entrant.behind].scores,
                                 entrant.dropped_after.value_or(of.race().looked_after));
  }
  return estimated(differences, {-INFINITY, INFINITY},
                   [&](double score) { return of.goal.target ? results::readable_seconds(score) : value_text(score); });
}

results::Cell rate_of(const Account& of, std::size_t i) {
  const auto& rate = of.advice.contenders[i].rate;
  const bool falls = of.advice.contenders[i].schedule == "cosine";
  return {rate ? fmt::format("{:.3g}{}", *rate, falls ? ", cosine" : "") : "as given", rate};
}

results::Table ranking_table(const Account& of) {
  const auto if_target = [&](const std::string& title) {
    return of.advice.shown_target ? fmt::format(fmt::runtime(title), *of.advice.shown_target) : "";
  };
  results::Table table;
  table.columns = {{"system", "system"},
                   {"learning_rate", "rate"},
                   {"time_to_target_s", if_target("time to {:g}"), true},
                   {"bytes_to_target", if_target("bytes to {:g}"), true},
                   {"needs_all_data_in_one_place", "data in one place"},
                   {fmt::format("{}_at_end", of.goal.metric.word), of.at_end(), true},
                   {"behind_leader", "behind the leader by", true},
                   {"verdict", "against the leader"},
                   {"algorithm", ""},
                   {"schedule", ""},
                   {"learning_rate_at_edge", ""},
                   {"scores", ""},
                   {"runs", ""},
                   {"failed", ""},
                   {"dropped_after_seeds", ""},
                   {"p_against_leader", ""}};
  for (const std::size_t i : of.advice.ranking) {
    const Figures own = figures_of(of, i);
    const Contender& contender = of.advice.contenders[i];
    const Race::Entrant& entrant = of.race().entrants[i];
    Json scores = Json::object();
    for (std::size_t seed = 0; seed < entrant.scores.size(); ++seed) {
      const auto& score = entrant.scores[seed];
      if (score) scores[std::to_string(of.adviser.request().seeds[seed])] = number(score);
    }
    table.rows.push_back(
        {of.name(i), rate_of(of, i), own.time, own.bytes, yes_or_no(contender.candidate.needs_all_data), own.at_end,
         behind_leader(of, i), verdict_of(of, i),
         data(Json::parse(scenario::describe_run(of.adviser.scenario_of(contender)))["algorithm"]), contender.schedule,
         data(contender.search.at_edge), data(scores), data(own.runs), data(own.failed),
         data(entrant.dropped_after ? Json(*entrant.dropped_after) : Json()), data(number(entrant.p))});
  }
  return table;
}

std::string scores_text(const Account& of, const Scores& scores) {
  if (std::ranges::any_of(scores, [](auto& score) { return !score; })) return "-";
  return score_text(of, mean_of(scores).value_or(INFINITY));
}

std::string condition_verdict(const Account& of, const Condition& condition) {
  if (!condition.best) return "not run";
  const std::string& best = of.name(*condition.best);
  if (condition.best == of.advice.best) return "the same answer";
  if (!condition.p) return best + " is ahead";
  const bool beyond = *condition.p < results::significance;
  return beyond ? "another answer: " + best + ", " + p_text(*condition.p) : best + " is ahead, within noise";
}

results::Table conditions_table(const Account& of) {
  results::Table table;
  table.columns = {{"condition", "condition"}};
  for (const std::size_t i : of.advice.again) table.columns.push_back({"", of.name(i)});
  for (const auto& [key, title] :
       {std::pair("", "answer"), {"key", ""}, {"scores", ""}, {"best", ""}, {"p_against_best", ""}}) {
    table.columns.push_back({key, title});
  }
  for (const Condition& condition : of.advice.conditions) {
    results::TableLine line = {condition.what->name};
    Json scores = Json::object();
    for (const std::size_t i : of.advice.again) {
      const auto found = condition.scores.find(i);
      line.emplace_back(found == condition.scores.end() ? "" : scores_text(of, found->second));
      if (found == condition.scores.end()) continue;
      for (const auto& score : found->second) scores[of.name(i)].push_back(number(score));
    }
    line.emplace_back(table.rows.empty() ? "" : condition_verdict(of, condition));
    line.insert(line.end(),
                {data(condition.what->changes.empty() ? "" : condition.what->changes.front().path), data(scores),
                 data(condition.best ? Json(of.name(*condition.best)) : Json()), data(number(condition.p))});
    table.rows.push_back(std::move(line));
  }
  return table;
}

// A contender, its settings, and what it comes to.
std::string figures_text(const Account& of, std::size_t i) {
  const Advice& advice = of.advice;
  std::string text = i == 0 && advice.has_baseline() ? baseline_text(advice.contenders[0].candidate) : of.name(i);
  if (advice.contenders[i].rate) text += ", at a learning rate of " + rate_of(of, i).text;
  if (advice.guessed_after > 0) {
    const double score = mean_of(advice.contenders[i].after(advice.guessed_after));
    return text + fmt::format("; {}, by {}: {}.", of.goal.target ? "to the target" : of.at_end(),
                              runs_text(advice.contenders[i], advice.guessed_after),
                              score_text(of, score, advice.guessed_after));
  }
  const Figures own = figures_of(of, i);
  if (advice.shown_target) {
    const bool all_reach = own.time.count == own.runs;
    text += fmt::format(": {} {:g} {}{}", of.goal.metric.word, *advice.shown_target, all_reach ? "after " : "",
                        own.time.text);
  }
  return text + fmt::format("; {} {}.", of.at_end(), own.at_end.text);
}

std::string data_text(const Contender& contender) {
  return contender.candidate.needs_all_data ? " All data must be in one place." : " Data stay where they are.";
}

// The best estimate, and the safe choice beside it.
Lines answer_of(const Account& of) {
  const Advice& advice = of.advice;
  const bool any = std::ranges::any_of(advice.contenders, [](const Contender& one) { return one.search.runs() > 0; });
  if (!advice.best) return {any ? "No answer yet: too few have run." : "No answer yet: no run has ended."};
  const bool guess = advice.guessed_after > 0 && advice.contenders.size() > 1;
  Lines lines = {(guess ? "Only a guess: " : "Best estimate: ") + figures_text(of, *advice.best) +
                 data_text(advice.contenders[*advice.best])};
  if (!advice.safe) return lines;
  if (advice.safe == advice.best) return lines.emplace_back("Safe choice: the same."), lines;
  lines.push_back("Safe choice: " + figures_text(of, *advice.safe) + data_text(advice.contenders[*advice.safe]));
  const results::Cell behind = behind_leader(of, *advice.safe);
  lines.push_back(
      fmt::format("The difference may be chance: {} in the mean, with its interval; the safe choice sends "
                  "less.",
                  behind.text));
  return lines;
}

std::string certainty_without_test(const Account& of) {
  const Advice& advice = of.advice;
  const std::size_t out = of.adviser.left_out().size(), all = out + advice.contenders.size();
  std::string text = "Not sure: named is the best mean.";
  if (!of.race().leader && advice.best) {
    text = fmt::format("Nothing has raced yet: it is the best of {} systems after {}.",
                       advice.count_after(advice.guessed_after),
                       runs_text(advice.contenders[*advice.best], advice.guessed_after));
  } else if (!of.race().leader) {
    text = "Nothing has been compared yet";
    text += out > 0 ? fmt::format("; the platform and lower bounds leave out {} of {} candidates.", out, all) : ".";
  }
  const bool few = of.adviser.request().seeds.size() < race_looks[0];
  text += few ? " A test needs three seeds or more (--seeds 1..3)." : " A test needs three seeds of two systems.";
  return text + (of.race().leader ? "" : " More budget continues from here.");
}

std::string certainty_of(const Account& of) {
  const Race& race = of.race();
  if (of.advice.contenders.size() == 1 && of.advice.best) {
    return "Nothing else can run here, or be the best by its lower bound.";
  }
  const std::size_t waiting = not_raced(of).size();
  const auto failed = std::ranges::count_if(race.entrants, &Race::Entrant::failed);
  const auto worse = static_cast<std::int64_t>(race.entrants.size() - race.left.size() - waiting) - failed;
  std::string text;
  if (race.looked_after < race_looks[0]) {
    text = certainty_without_test(of);
  } else {
    std::vector<std::size_t> near = race.left;
    std::erase(near, *race.leader);
    Lines found;
    if (!near.empty()) found.push_back(of.names(near) + " not told apart from " + of.name(*race.leader));
    if (worse > 0) {
      found.push_back(counted(worse, "other") +
                      " worse beyond chance (paired t-tests at 5 %, corrected for their number and the looks)");
    }
    if (failed > 0) found.push_back(counted(failed, "other") + " failed");
    const auto untuned = std::ranges::count_if(
        of.advice.ranking, [&](std::size_t i) { return !of.advice.contenders[i].search.open.empty(); });
    const char* sure = untuned > 0 || !near.empty() ? "Not quite sure"
                       : waiting > 0                ? "Sure of those that raced,"
                                                    : "Sure";
    text = fmt::format("{} after {} seeds: {}.", sure, race.looked_after, fmt::join(found, "; "));
    if (untuned > 0) {
      text += fmt::format(" {} of the {} that raced {} not tuned to the end, and may be better.", untuned,
                          of.advice.ranking.size(), untuned == 1 ? "is" : "are");
    }
  }
  if (waiting > 0 && race.leader) {
    text += fmt::format(" The budget had no room for {} in the race.",
                        counted(static_cast<std::int64_t>(waiting), "more system"));
  }
  return text;
}

std::string question_of(const Account& of) {
  const std::string what = of.goal.target ? fmt::format("is the first at {} {:g}", of.goal.metric.word, *of.goal.target)
                                          : fmt::format("ends with the best {}", of.goal.metric.word);
  const auto& [only, without] = of.adviser.request().systems;
  std::string among = only.empty() ? "" : fmt::format(" (--systems {})", fmt::join(only, ","));
  if (!without.empty()) among += fmt::format(" (--exclude {})", fmt::join(without, " --exclude "));
  return fmt::format("Question: which system {} on {}{}?", what, of.adviser.question().file, among);
}

// What the answer depends on, and which target the ranking is about.
Lines setting_of(const Account& of) {
  Lines lines = of.adviser.setting();
  if (of.goal.target || !of.advice.shown_target) return lines;
  lines.push_back(fmt::format("Times and bytes are to {} {:g}: without --target, what {} has at the end, {} a point.",
                              of.goal.metric.word, *of.advice.shown_target, of.name(0),
                              of.goal.metric.less_is_better ? "plus" : "less"));
  return lines;
}

// The best first, those with runs as long together.
Lines not_raced_lines(const Account& of) {
  Lines lines;
  std::map<double, std::string> some;  // by length
  for (const std::size_t i : not_raced(of)) {
    const Contender& contender = of.advice.contenders[i];
    const double length = contender.search.length();
    const bool fresh = some.try_emplace(-length, "").second;
    const std::string score = length > 0 ? " " + score_text(of, mean_of(contender.after(length)), length) : "";
    some[-length] += (fresh ? runs_text(contender, length) + ": " : ", ") + of.name(i) + score;
  }
  for (const auto& [length, text] : some) lines.push_back(text);
  return lines;
}

// How much of what was planned is done, and what the budget, or Ctrl-C, cut off.
Lines done(const Account& of) {
  std::size_t made = 0, planned = 0, again = 0;
  for (const Contender& one : of.advice.contenders) made += one.search.runs(), planned += one.planned_runs;
  for (const Condition& condition : of.advice.conditions) {
    for (const auto& [i, scores] : condition.scores) again += scores.size();
  }
  const std::size_t waiting = not_raced(of).size(), all = of.advice.contenders.size();
  const std::size_t open = of.advice.open_conditions();
  const bool cut = !of.advice.open_tuning.empty() || !of.advice.open_race.empty() || open > 0;
  return {
      fmt::format("Of the plan: {} of {} tuning runs; {} of {} systems raced, {} more of the race; {} of {} runs "
                  "under other conditions.{}",
                  made, planned, all - waiting, all,
                  of.advice.open_race.empty() ? "no runs" : counted_runs(of.advice.open_race.size()), again - open,
                  again, cut ? " The same command goes on from there." : "")};
}

Lines method(const Account& of) {
  Lines lines = done(of);
  const Lines& notes = of.adviser.question().notes;
  lines.insert(lines.end(), notes.begin(), notes.end());
  lines.push_back(fmt::format(
      "Tuned: rate, schedule (constant or cosine), codec, local steps and what else a system has, seeds {}..{}, by "
      "successive halving: first in 1/8 of the time, which decides whose turn is first and what has whole runs, then "
      "in these.",
      of.adviser.tuning_seeds().front(), of.adviser.tuning_seeds().back()));
  const std::vector<std::uint64_t>& seeds = of.adviser.request().seeds;
  lines.push_back(fmt::format("Race: seeds {}..{}, looked at after {} of them.", seeds.front(), seeds.back(),
                              fmt::join(looks_of(seeds.size()), ", ")));
  if (of.race().left.size() > 1) {
    lines.emplace_back(
        "Not told apart is not equal: of few seeds even a large difference may be chance. How far a system is behind "
        "the leader of the look that it left at is a mean over the seeds of the verdict, its interval that of this one "
        "comparison; p is corrected for all comparisons and looks.");
  }
  lines.emplace_back("Other conditions: the first three seeds, the same settings; links are all changed alike.");
  lines.push_back(fmt::format(
      "The {} at the end is the mean over workers and over the last fifth of the evaluations; intervals are 95 %.",
      of.goal.metric.word));
  return lines;
}

std::vector<Section> sections_of(const Account& of) {
  return {{"Warnings", {}, warnings_of(of.adviser, of.advice)},
          {"Ranking", ranking_table(of)},
          {"Not raced, for lack of budget", {}, not_raced_lines(of)},
          {"What would change the answer", conditions_table(of)},
          {"Not run", {}, why_excluded(of.adviser.left_out())},
          {"How", {}, method(of)}};
}

results::Table for_people(const results::Table& table) {
  results::Table shown;
  shown.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title.empty()) continue;
    shown.columns.push_back(table.columns[i]);
    for (std::size_t row = 0; row < table.rows.size(); ++row) shown.rows[row].push_back(table.rows[row][i]);
  }
  return shown;
}

// A table as a list of objects, one a row.
Json rows_json(const results::Table& table) {
  Json list = Json::array();
  for (const results::TableLine& line : table.rows) {
    Json& object = list.emplace_back(Json::object());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const results::Column& column = table.columns[i];
      if (column.key.empty()) continue;
      object[column.key] = line[i].data ? Json::parse(*line[i].data) : results::json_value(column, line[i]);
    }
  }
  return list;
}

// The best or the safe choice.
Json choice_json(const Account& of, const std::optional<std::size_t>& i, const char* file) {
  if (!i) return nullptr;
  const Contender& contender = of.advice.contenders[*i];
  const Figures own = figures_of(of, *i);
  const results::Cell& cell = of.goal.target ? own.time : own.at_end;
  const auto usage = of.adviser.usage_of(contender);
  const bool known = cell.number && (!of.goal.target || own.time.count == own.runs);
  return {{"system", of.name(*i)},
          {"scenario", file},
          {of.goal.target ? "time_to_target_s" : std::string(of.goal.metric.word),
           number(known ? cell.number : std::nullopt)},
          {"interval", known && cell.interval ? Json{cell.interval->low, cell.interval->high} : Json()},
          {"needs_all_data_in_one_place", contender.candidate.needs_all_data},
          {"wan_bytes_per_hour", usage ? Json(usage->bytes_per_hour) : Json()}};
}

Json break_even_json(const Account& of, const std::optional<Usage>& usage) {
  if (!of.advice.break_even) return nullptr;
  const BreakEven& found = *of.advice.break_even;
  const bool known = found.share && usage && !usage->link.empty();
  return {{"share", number(found.share)},
          {"link", known ? Json(usage->link) : Json()},
          {"bits_per_s", known ? Json(8 * *found.share * usage->bandwidth_bytes_per_s) : Json()},
          {"system", of.name(found.sender)},
          {"as_good", of.name(0)},
          {"tried", {found.least, found.most}},
          {"ahead_at_least", found.ahead_at_least}};
}

Json why_json(const Account& of, const std::optional<std::size_t>& told, const std::optional<Usage>& usage) {
  if (!usage) return nullptr;
  return {{"system", of.name(*told)},
          {"bottleneck", usage->link},
          {"utilisation", usage->utilisation},
          {"computing", usage->computing},
          {"staleness", number(usage->staleness)}};
}

Json json_of(const Account& of) {
  Json not_run = Json::array(), left = Json::array(), others = Json::array(), sensitivity = Json::array(),
       waiting = Json::array();
  const Json rows = rows_json(conditions_table(of));
  for (std::size_t i = 1; i < rows.size(); ++i) {  // the first is as given
    (of.advice.conditions[i].what->guess.empty() ? others : sensitivity).push_back(rows[i]);
  }
  for (const Candidate& candidate : of.adviser.left_out()) {
    not_run.push_back({{"system", candidate.system}, {"why", candidate.excluded}});
  }
  for (const std::size_t i : of.race().left) left.push_back(of.name(i));
  for (const std::size_t i : not_raced(of)) waiting.push_back(of.name(i));
  const auto told = told_of(of.advice);
  const auto usage = told ? of.adviser.usage_of(of.advice.contenders[*told]) : std::nullopt;
  return {{"schema_version", 1},
          {"question", of.adviser.question().file},
          {"goal", of.goal.target ? fmt::format("time to {}", of.goal.metric.word) : of.at_end()},
          {"setting", setting_of(of)},
          {"target", number(of.advice.shown_target)},
          {"best", choice_json(of, of.advice.best, best_file)},
          {"safe", choice_json(of, of.advice.safe, safe_file)},
          {"how_sure", certainty_of(of)},
          {"why", why_json(of, told, usage)},
          {"wan_link", usage ? Json(usage->slowest) : Json()},
          {"wan_bytes_per_hour", usage ? Json(usage->bytes_per_hour) : Json()},
          {"break_even_bandwidth", break_even_json(of, usage)},
          {"sensitivity", sensitivity},
          {"warnings", warnings_of(of.adviser, of.advice)},
          {"not_told_apart", left},
          {"systems", rows_json(ranking_table(of))},
          {"not_raced", waiting},
          {"other_conditions", others},
          {"not_run", not_run},
          {"cut_off",
           {{"tuning_runs", of.advice.open_tuning.size()},
            {"race_runs", of.advice.open_race.size()},
            {"other_condition_runs", of.advice.open_conditions()}}},
          {"tuning_seeds", of.adviser.tuning_seeds()},
          {"race_seeds", of.adviser.request().seeds}};
}

// What is said first.
Lines head_of(const Account& of) {
  Lines lines = answer_of(of);
  lines.push_back(certainty_of(of));
  const Lines reasons = reasons_of(of.adviser, of.advice);
  lines.insert(lines.end(), reasons.begin(), reasons.end());
  return lines;
}

}  // namespace

std::string advice_text(Adviser& adviser, std::size_t width) {
  const Account of{adviser};
  std::string text = results::hanging("", question_of(of), width);
  for (const std::string& line : setting_of(of)) text += results::hanging("  ", line, width);
  text += "\n";
  for (const std::string& line : head_of(of)) text += results::hanging("", line, width);
  for (const Section& section : sections_of(of)) {
    if (section.empty()) continue;
    text += "\n" + section.title + "\n";
    if (!section.table.rows.empty()) text += results::terminal_text(for_people(section.table), width);
    for (const std::string& line : section.lines) text += results::rewrapped("  " + line + "\n", width);
  }
  return text;
}

std::string advice_markdown(Adviser& adviser) {
  const Account of{adviser};
  std::string text = "# Which system suits " + adviser.question().name + "?\n\n" + question_of(of) + "\n\n";
  const auto list = [&text](const Lines& lines) {
    for (const std::string& line : lines) text += "- " + line + "\n";
  };
  list(setting_of(of));
  text += "\n## Answer\n\n";
  list(head_of(of));
  for (const Section& section : sections_of(of)) {
    if (section.empty()) continue;
    text += "\n## " + section.title + "\n\n";
    if (!section.table.rows.empty()) text += results::markdown_text(for_people(section.table));
    list(section.lines);
  }
  return text;
}

std::string advice_json(Adviser& adviser) {
  return json_of({adviser}).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_advice(Adviser& adviser) {
  results::write_whole((adviser.folder() / "advice.md").string(), advice_markdown(adviser));
  results::write_whole((adviser.folder() / "advice.json").string(), advice_json(adviser));
  const Advice advice = adviser.advice();
  for (const auto& [file, chosen] : {std::pair(best_file, advice.best), {safe_file, advice.safe}}) {
    if (!chosen) {
      std::filesystem::remove(adviser.folder() / file);  // of an earlier call
      continue;
    }
    scenario::Scenario scenario = adviser.scenario_of(advice.contenders[*chosen]);
    scenario.name = adviser.question().name + "_" + std::filesystem::path(file).stem().string();
    scenario.seed = adviser.request().seeds.front();
    write_scenario(std::move(scenario), adviser.folder() / file);
  }
}

}  // namespace ddl::advise
