// The page: what to use, how sure that is, and what would change it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/counted.hpp"
#include "sim/advise/advise.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr const char* not_raced_title = "Not raced, for lack of budget";
constexpr const char* page_file = "advice.md";
constexpr const char* data_file = "advice.json";
constexpr const char* scenario_file = "recommended.json";

// Figures of a candidate over the seeds that it raced with.
struct Figures {
  std::size_t runs = 0, failed = 0;
  std::vector<double> times, bytes, at_end;  // of those that reached the shown target; of all runs
  bool all_reach() const { return runs > 0 && times.size() == runs; }
};

Figures figures_of(const Advised& advised) {
  Figures figures;
  for (std::size_t seed = 0; seed < advised.trials.size(); ++seed) {
    const auto& trial = advised.trials[seed];
    if (!trial) continue;
    ++figures.runs;
    if (!trial->failure.empty()) {
      ++figures.failed;
      continue;
    }
    figures.at_end.push_back(trial->at_end);
    if (const auto& there = advised.reached[seed]) {
      figures.times.push_back(there->time_s);
      figures.bytes.push_back(there->bytes);
    }
  }
  return figures;
}

// By seeds that both raced with: the mean time of one worker over that of the candidate; none unless all of these runs
// get to the shown target.
std::optional<double> speed_up(const Advised& one, const Advised& advised) {
  double of_one = 0, of_it = 0;
  for (std::size_t seed = 0; seed < advised.trials.size(); ++seed) {
    if (!one.trials[seed] || !advised.trials[seed]) continue;
    if (!one.reached[seed] || !advised.reached[seed]) return std::nullopt;
    of_one += one.reached[seed]->time_s, of_it += advised.reached[seed]->time_s;
  }
  return of_it > 0 ? std::optional(of_one / of_it) : std::nullopt;
}

std::string with_interval(const std::vector<double>& values, results::Interval range, const auto& shown) {
  const auto mean = results::estimate(values);
  if (!mean) return "-";
  const auto interval = results::interval_of(*mean, range.low, range.high);
  if (!interval) return shown(mean->mean);
  return fmt::format("{} ({} .. {})", shown(mean->mean), shown(interval->low), shown(interval->high));
}

constexpr results::Interval positive = {0, INFINITY}, all_values = {-INFINITY, INFINITY};

std::string value_text(double value) { return fmt::format("{:.3f}", value); }

std::string at_end_title(const Goal& goal) { return fmt::format("{} at the end", goal.metric.word); }
std::string at_end_text(const Figures& figures, const Goal& goal) {
  return with_interval(figures.at_end, {0, goal.metric.most}, value_text);
}

std::string time_text(const Figures& figures) {
  if (!figures.all_reach()) return fmt::format("in {} of {} runs", figures.times.size(), figures.runs);
  return with_interval(figures.times, positive, results::readable_seconds);
}

std::string name_of(const Advice& advice, std::size_t advised) {
  return advice.candidates[advice.advised[advised].candidate].name;
}

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p); }

std::string verdict_of(const Advice& advice, std::size_t i) {
  const Race::Entrant& entrant = advice.race.entrants[i];
  if (figures_of(advice.advised[i]).failed > 0) return "failed";
  if (advice.race.looked_after == 0) return "not judged";
  if (entrant.dropped_after) return fmt::format("worse, {}", p_text(entrant.p.value_or(0)));
  if (advice.race.leader == i) return "leads";
  return entrant.p ? "not told apart" : "not judged";
}

// By how much its score is behind the leader's, by seed, at the last look that it was in; empty: there was none.
std::vector<double> behind_leader(const Advice& advice, std::size_t i) {
  const Race::Entrant& entrant = advice.race.entrants[i];
  std::vector<double> differences;
  if (!entrant.p) return differences;
  const Race::Entrant& leader = advice.race.entrants[*advice.race.leader];
  const std::size_t seeds = entrant.dropped_after.value_or(advice.race.looked_after);
  for (std::size_t seed = 0; seed < seeds; ++seed) differences.push_back(*entrant.scores[seed] - *leader.scores[seed]);
  return differences;
}

// Without "-0.000".
std::string difference_text(double share) { return value_text(std::round(1e3 * share) / 1e3 + 0.0); }

// What the corrected test leaves open may be a large difference: it stands here.
std::vector<Row> not_told_apart_table(const Advice& advice, const Goal& goal) {
  std::vector<Row> rows = {{"not told apart", "behind the leader by", "p uncorrected", "p corrected"}};
  for (const std::size_t i : advice.race.left) {
    const std::vector<double> behind = behind_leader(advice, i);
    const auto alone = results::paired_p(behind);
    if (!alone) continue;
    const std::string by = goal.target ? with_interval(behind, all_values, results::readable_seconds)
                                       : with_interval(behind, all_values, difference_text);
    const double corrected = *advice.race.entrants[i].p;
    rows.push_back({name_of(advice, i), by, fmt::format("{:.2g}", *alone), fmt::format("{:.2g}", corrected)});
  }
  return rows;
}

std::vector<Row> ranking_table(const Advice& advice, const Goal& goal) {
  const std::string target = advice.shown_target ? fmt::format("{:g}", *advice.shown_target) : "";
  std::vector<Row> rows = {{"system", "rate", at_end_title(goal), "seeds", "against the leader"}};
  if (!target.empty()) {
    rows[0].insert(rows[0].begin() + 2, {"time to " + target, "bytes to " + target, "speed-up over one worker"});
  }
  for (const std::size_t i : advice.ranking) {
    const Advised& advised = advice.advised[i];
    const Figures figures = figures_of(advised);
    Row row = {name_of(advice, i), advised.rate ? fmt::format("{:.3g}", *advised.rate) : "as given"};
    if (!target.empty()) {
      const auto bytes = results::estimate(figures.bytes);
      const auto ratio = speed_up(advice.advised.front(), advised);
      row.push_back(time_text(figures));
      row.push_back(figures.all_reach() ? results::readable_bytes(bytes->mean) : "-");
      row.push_back(ratio ? fmt::format("{:.2f}x", *ratio) : "-");
    }
    row.push_back(at_end_text(figures, goal));
    row.push_back(std::to_string(figures.runs));
    row.push_back(verdict_of(advice, i));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string score_text(double score, const Goal& goal, double length_s) {
  if (!goal.target) return value_text(goal.metric.value_of(score));
  return score > length_s ? "not reached" : results::readable_seconds(score);
}

std::optional<double> mean_score(const std::vector<std::optional<double>>& scores) {
  double sum = 0;
  for (const auto& score : scores) {
    if (!score) return std::nullopt;
    sum += *score;
  }
  return scores.empty() ? std::nullopt : std::optional(sum / static_cast<double>(scores.size()));
}

std::string condition_verdict(const Advice& advice, const Condition& condition) {
  if (!condition.best) return "not run";
  const std::string best = name_of(advice, advice.contenders[*condition.best]);
  if (advice.contenders[*condition.best] == *advice.recommended) return "the same answer";
  if (!condition.p) return best + " is ahead";
  const bool beyond = *condition.p < results::significance;
  return beyond ? "another answer: " + best + ", " + p_text(*condition.p) : best + " is ahead, within noise";
}

std::vector<Row> conditions_table(const Advice& advice, const Goal& goal, double length_s) {
  std::vector<Row> rows = {{"condition"}};
  for (const std::size_t i : advice.contenders) rows[0].push_back(name_of(advice, i));
  rows[0].emplace_back("answer");
  rows.push_back({"as given"});
  for (std::size_t i = 0; i < advice.contenders.size(); ++i) {
    const auto& trials = advice.advised[advice.contenders[i]].trials;
    std::vector<std::optional<double>> scores;
    for (std::size_t seed = 0; seed < advice.conditions.front().scores[i].size(); ++seed) {
      scores.push_back(trials[seed] ? std::optional(trials[seed]->score) : std::nullopt);
    }
    const auto mean = mean_score(scores);
    rows[1].push_back(mean ? score_text(*mean, goal, length_s) : "-");
  }
  rows[1].emplace_back("");
  for (const Condition& condition : advice.conditions) {
    Row row = {condition.name};
    for (const auto& scores : condition.scores) {
      const auto mean = mean_score(scores);
      row.push_back(mean ? score_text(*mean, goal, length_s) : "-");
    }
    row.push_back(condition_verdict(advice, condition));
    rows.push_back(std::move(row));
  }
  return rows;
}

// "1 whole run", "3 whole runs", "one run of 1/4 of the time".
std::string runs_text(const Standing& standing) {
  if (standing.length == 1) return counted(standing.runs, "whole run");
  return fmt::format("one run of 1/{:.0f} of the time", 1 / standing.length);
}

// Those that have not had the first look of the race, while there was something left to run: the best first.
std::vector<std::size_t> not_raced(const Advice& advice) {
  std::vector<std::size_t> list;
  for (const std::size_t i : advice.standing) {
    const Race::Entrant& entrant = advice.race.entrants[i];
    if (entrant.waits && !entrant.dropped_after) list.push_back(i);
  }
  return list;
}

std::vector<Row> not_raced_table(const Advice& advice, const Goal& goal) {
  std::vector<Row> rows = {{"system", "rate", at_end_title(goal), "of"}};
  for (const std::size_t i : not_raced(advice)) {
    const Advised& advised = advice.advised[i];
    const Standing& standing = advised.standing;
    if (standing.length == 0) {
      rows.push_back({name_of(advice, i), "-", "-", "no run"});
      continue;
    }
    rows.push_back({name_of(advice, i), advised.rate ? fmt::format("{:.3g}", *advised.rate) : "as given",
                    value_text(standing.at_end), runs_text(standing)});
  }
  return rows;
}

std::string names_text(const Advice& advice, const std::vector<std::size_t>& advised) {
  Row names;
  for (const std::size_t i : advised) names.push_back(name_of(advice, i));
  return fmt::format("{}", fmt::join(names, ", "));
}

// " The budget had no room for 2 more systems in the race: ..."; empty if none waits.
std::string no_room_text(const Advice& advice) {
  const std::size_t waiting = not_raced(advice).size();
  if (waiting == 0) return "";
  return fmt::format(" The budget had no room for {} in the race: shorter or fewer runs put {} behind.",
                     counted(static_cast<std::int64_t>(waiting), "more system"), waiting == 1 ? "it" : "them");
}

std::string how_sure_without_race(const Advice& advice) {
  const Race& race = advice.race;
  const bool few = race.entrants.front().scores.size() < race_looks[0];
  const std::string needs = "Not sure: a test needs three seeds or more (--seeds 1..3)";
  const std::string more = " More budget continues from here.";
  if (few && race.leader && race.is_even()) {
    return needs + ". Named is the best mean of those that ran." + no_room_text(advice) +
           (race.open.empty() ? "" : more);
  }
  const std::string why = few ? needs + ", and no two systems have had all of those that were asked for"
                              : "Not sure: no two systems have the three seeds yet that a test needs";
  if (!advice.recommended) return why + "." + more;
  const Standing* standing = advice.advised[*advice.recommended].standing_after(advice.compared_length);
  return why +
         fmt::format(". Named is the best of {} after {}.", counted(advice.with_length(standing->length), "system"),
                     runs_text(*standing)) +
         more;
}

std::string how_sure(const Advice& advice) {
  const Race& race = advice.race;
  if (race.looked_after == 0) return how_sure_without_race(advice);
  const std::size_t waiting = not_raced(advice).size();
  const std::size_t dropped = race.entrants.size() - race.left.size() - waiting;
  const std::string raced = waiting > 0 ? " that raced" : "";
  std::string text;
  if (race.left.size() == 1) {
    text = fmt::format(
        "{}: after {} seeds {} worse beyond chance (paired t-tests at 5 %, corrected for their number and "
        "for the looks).",
        waiting > 0 ? "Sure of those that raced" : "Sure", race.looked_after,
        dropped == 1 ? "the other is" : fmt::format("all {} others are", dropped));
  } else {
    std::vector<std::size_t> near;
    for (const std::size_t i : race.left) {
      if (i != *race.leader) near.push_back(i);
    }
    text = fmt::format("Not quite sure: after {} seeds {} {} not told apart from {}", race.looked_after,
                       names_text(advice, near), near.size() == 1 ? "is" : "are", name_of(advice, *race.leader));
    text += dropped > 0 ? fmt::format("; {} worse beyond chance.",
                                      dropped == 1 ? fmt::format("the other{} is", raced)
                                                   : fmt::format("the other {}{} are", dropped, raced))
                        : ".";
    const bool more =
        std::ranges::any_of(race.open, [&race](const Race::Open& open) { return !race.entrants[open.entrant].waits; });
    if (more) text += " More seeds may tell them apart; more budget continues from here.";
  }
  text += no_room_text(advice);
  if (*advice.recommended != *race.leader) text += " One worker alone needs no network, and is named for that.";
  return text;
}

std::string recommendation(const Advice& advice, const Goal& goal) {
  if (!advice.recommended) return "No answer yet: no run has ended.";
  const Advised& best = advice.advised[*advice.recommended];
  const Figures figures = figures_of(best);
  std::string text = "Use " + name_of(advice, *advice.recommended);
  if (*advice.recommended == 0) text += ", one worker alone with all the data";
  if (best.rate) text += fmt::format(", with learning rate {:.3g}", *best.rate);
  if (figures.runs == 0) {
    return text + fmt::format("; {} of {} {:.3f}.", at_end_title(goal), runs_text(best.standing), best.standing.at_end);
  }
  if (advice.shown_target && figures.all_reach()) {
    text += fmt::format(": {} {:g} after {}", goal.metric.word, *advice.shown_target, time_text(figures));
  } else if (advice.shown_target) {
    text += fmt::format(": {} {:g} in {} of {} runs", goal.metric.word, *advice.shown_target, figures.times.size(),
                        figures.runs);
  }
  return text + "; " + at_end_title(goal) + " " + at_end_text(figures, goal) + ".";
}

std::string what_is_asked(Adviser& adviser) {
  const Goal& goal = adviser.request().goal;
  const std::string what = goal.target
                               ? fmt::format("which system is the first at {} {:g}", goal.metric.word, *goal.target)
                               : fmt::format("which system ends with the best {}", goal.metric.word);
  const auto& systems = adviser.request().systems;
  const std::string among = systems.empty() ? "" : fmt::format(" (--systems {})", fmt::join(systems, ","));
  return fmt::format("Question: {} on {}{}?", what, adviser.question().file, among);
}

// What the answer depends on, and which target the ranking is about.
Row setting(const Adviser& adviser, const Advice& advice) {
  Row lines = adviser.setting();
  const Goal& goal = adviser.request().goal;
  if (!goal.target && advice.shown_target) {
    lines.push_back(
        fmt::format("Times and bytes are to {} {:g}: without --target, what one worker alone has at the end, "
                    "{} a point.",
                    goal.metric.word, *advice.shown_target, goal.metric.less_is_better ? "plus" : "less"));
  }
  return lines;
}

// What the budget, or Ctrl-C, cut off.
Row cut_off(const Advice& advice) {
  Row lines;
  if (advice.open_probes > 0) lines.push_back(fmt::format("Probes not made: {}.", counted(advice.open_probes, "run")));
  if (advice.open_tuning > 0) {
    std::size_t made = 0, planned = 0;
    for (const Advised& advised : advice.advised) {
      planned += advised.tuning_runs;
      for (const auto& tried : advised.tuning.tried) made += tried.scores.size();
    }
    lines.push_back(made == 0
                        ? fmt::format("Tuning: none of {} runs was made; rates are the scenario's own.", planned)
                        : fmt::format("Tuning: {} of {} runs were made; rates are the best of these.", made, planned));
  }
  if (advice.open_race > 0)
    lines.push_back(fmt::format("Race, not made: the next {}.", counted(advice.open_race, "run")));
  if (advice.open_conditions > 0) {
    lines.push_back(fmt::format("Other conditions, not made: {}.", counted(advice.open_conditions, "run")));
  }
  if (!lines.empty()) lines.emplace_back("The same command goes on from there.");
  return lines;
}

Row method(Adviser& adviser, const Advice& advice) {
  const auto& tuning = adviser.tuning_seeds();
  Row lines = adviser.question().notes;
  lines.emplace_back(
      "Systems are ordered first by short probe runs (1/16, then 1/4 of the time), then by complete runs.");
  lines.push_back(fmt::format(
      "Learning rates: {}{} runs for each system, seeds {}..{}, by successive halving about the scenario's own.",
      advice.open_tuning > 0 ? "at most " : "", advice.advised.front().tuning_runs, tuning.front(), tuning.back()));
  std::vector<std::size_t> edges;
  for (const std::size_t i : advice.standing) {
    if (advice.advised[i].tuning.at_edge) edges.push_back(i);
  }
  if (!edges.empty()) {
    lines.push_back("Best rate at the edge of those tried: " + names_text(advice, edges) +
                    "; one beyond may be better. ddlsim tune goes further.");
  }
  lines.push_back(fmt::format("Race: seeds {}..{}, looked at after 3, 5, 8 and 12.", adviser.request().seeds.front(),
                              adviser.request().seeds.back()));
  if (advice.shown_target) lines.emplace_back("Speed-up is over the seeds that both raced with.");
  if (not_told_apart_table(advice, adviser.request().goal).size() > 1) {
    lines.emplace_back(
        "Not told apart is not equal: of few seeds even a large difference may be chance. How far a system is behind "
        "the leader is a mean over seeds; its interval and uncorrected p are for that one comparison; the verdict "
        "uses p corrected for all comparisons and for the four looks.");
  }
  lines.emplace_back("Other conditions: the first three seeds, the same rates; links are all changed alike.");
  lines.push_back(fmt::format(
      "The {} at the end is the mean over workers and over the last fifth of the evaluations; intervals are 95 %.",
      adviser.request().goal.metric.word));
  return lines;
}

// Names and why, those with the same reason together.
std::vector<std::pair<std::string, std::string>> left_out(const Advice& advice) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Candidate& candidate : advice.candidates) {
    if (candidate.excluded.empty()) continue;
    // "\"ps_sync\" needs a server" is said of several.
    const std::string own = scenario::in_quotes(candidate.name.substr(0, candidate.name.find(' '))) + " ";
    const std::string why =
        candidate.excluded.starts_with(own) ? candidate.excluded.substr(own.size()) : candidate.excluded;
    const auto same = std::ranges::find(rows, why, [](const auto& row) { return row.second; });
    if (same == rows.end()) {
      rows.emplace_back(candidate.name, why);
    } else {
      same->first += ", " + candidate.name;
    }
  }
  return rows;
}

double length_of(Adviser& adviser, const Advice& advice) {
  return adviser.scenario_of(advice.advised.front()).stop.time->value;
}

std::string markdown_of(const std::vector<Row>& rows) { return results::markdown_text(results::Table::of(rows)); }

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json estimate_json(const std::vector<double>& values, results::Interval range) {
  const auto mean = results::estimate(values);
  const auto interval = mean ? results::interval_of(*mean, range.low, range.high) : std::nullopt;
  return {{"count", values.size()},
          {"mean", mean ? number(mean->mean) : Json()},
          {"low", interval ? number(interval->low) : Json()},
          {"high", interval ? number(interval->high) : Json()}};
}

Json system_json(Adviser& adviser, const Advice& advice, std::size_t i) {
  const Goal& goal = adviser.request().goal;
  const Advised& advised = advice.advised[i];
  const Race::Entrant& entrant = advice.race.entrants[i];
  const Figures figures = figures_of(advised);
  Json scores = Json::object();
  for (std::size_t seed = 0; seed < entrant.scores.size(); ++seed) {
    if (entrant.scores[seed]) scores[std::to_string(adviser.request().seeds[seed])] = number(entrant.scores[seed]);
  }
  return {{"system", name_of(advice, i)},
          {"algorithm", Json::parse(scenario::describe_run(adviser.scenario_of(advised)))["algorithm"]},
          {"learning_rate", number(advised.rate)},
          {"learning_rate_at_edge", advised.tuning.at_edge},
          {"scores", scores},
          {"time_to_target_s", estimate_json(figures.times, positive)},
          {"bytes_to_target", estimate_json(figures.bytes, positive)},
          {"speed_up_over_one_worker", number(speed_up(advice.advised.front(), advised))},
          {fmt::format("{}_at_end", goal.metric.word), estimate_json(figures.at_end, {0, goal.metric.most})},
          {"runs", figures.runs},
          {"failed", figures.failed},
          {"dropped_after_seeds", entrant.dropped_after ? Json(*entrant.dropped_after) : Json()},
          {"behind_leader", estimate_json(behind_leader(advice, i), all_values)},
          {"p_against_leader", number(entrant.p)}};
}

Json conditions_json(const Advice& advice) {
  Json list = Json::array();
  for (const Condition& condition : advice.conditions) {
    Json scores = Json::object();
    for (std::size_t i = 0; i < condition.scores.size(); ++i) {
      Json of_system = Json::array();
      for (const auto& score : condition.scores[i]) of_system.push_back(number(score));
      scores[name_of(advice, advice.contenders[i])] = of_system;
    }
    list.push_back({{"condition", condition.name},
                    {"scores", scores},
                    {"best", condition.best ? Json(name_of(advice, advice.contenders[*condition.best])) : Json()},
                    {"p_against_recommended", number(condition.p)}});
  }
  return list;
}

Json not_raced_json(const Advice& advice, const Goal& goal) {
  Json list = Json::array();
  for (const std::size_t i : not_raced(advice)) {
    const Standing& standing = advice.advised[i].standing;
    list.push_back(
        {{"system", name_of(advice, i)},
         {"learning_rate", number(advice.advised[i].rate)},
         {"learning_rate_at_edge", advice.advised[i].tuning.at_edge},
         {"length", standing.length},
         {"runs", standing.runs},
         {fmt::format("{}_at_end", goal.metric.word), standing.runs > 0 ? number(standing.at_end) : Json()}});
  }
  return list;
}

}  // namespace

std::string advice_answer(Adviser& adviser) {
  const Advice advice = adviser.advice();
  return recommendation(advice, adviser.request().goal) + " " + how_sure(advice);
}

std::string advice_text(Adviser& adviser, std::size_t width) {
  const Advice advice = adviser.advice();
  const auto hanging = [width](const char* start, const std::string& line) {
    return results::hanging(start, line, width);
  };
  const auto table = [width](const std::vector<Row>& rows) {
    return results::terminal_text(results::Table::of(rows), width);
  };
  std::string text = hanging("", what_is_asked(adviser));
  for (const std::string& line : setting(adviser, advice)) text += hanging("  ", line);
  text += "\n" + hanging("", recommendation(advice, adviser.request().goal)) + hanging("", how_sure(advice)) + "\n";
  if (!advice.ranking.empty()) text += table(ranking_table(advice, adviser.request().goal)) + "\n";
  if (const auto rows = not_told_apart_table(advice, adviser.request().goal); rows.size() > 1) {
    text += table(rows) + "\n";
  }
  if (const auto rows = not_raced_table(advice, adviser.request().goal); rows.size() > 1) {
    text += std::string(not_raced_title) + "\n" + table(rows) + "\n";
  }
  if (!advice.conditions.empty()) {
    text += "What would change the answer\n" +
            table(conditions_table(advice, adviser.request().goal, length_of(adviser, advice))) + "\n";
  }
  if (const auto rows = left_out(advice); !rows.empty()) {
    text += "Not run\n";
    for (const auto& [names, why] : rows) text += results::rewrapped("  " + names + ": " + why + "\n", width);
    text += "\n";
  }
  if (const Row lines = cut_off(advice); !lines.empty()) {
    text += "Cut off\n";
    for (const std::string& line : lines) text += hanging("  ", line);
    text += "\n";
  }
  text += "How\n";
  for (const std::string& line : method(adviser, advice)) text += hanging("  ", line);
  return text;
}

std::string advice_markdown(Adviser& adviser) {
  const Advice advice = adviser.advice();
  std::string text = "# Which system suits " + adviser.question().name + "?\n\n" + what_is_asked(adviser) + "\n\n";
  for (const std::string& line : setting(adviser, advice)) text += "- " + line + "\n";
  text += "\n**" + recommendation(advice, adviser.request().goal) + "** " + how_sure(advice) + "\n";
  if (!advice.ranking.empty()) text += "\n## Ranking\n\n" + markdown_of(ranking_table(advice, adviser.request().goal));
  if (const auto rows = not_told_apart_table(advice, adviser.request().goal); rows.size() > 1) {
    text += "\n" + markdown_of(rows);
  }
  if (const auto rows = not_raced_table(advice, adviser.request().goal); rows.size() > 1) {
    text += fmt::format("\n## {}\n\n", not_raced_title) + markdown_of(rows);
  }
  if (!advice.conditions.empty()) {
    text += "\n## What would change the answer\n\n" +
            markdown_of(conditions_table(advice, adviser.request().goal, length_of(adviser, advice)));
  }
  const auto list = [&text](const char* title, const Row& lines) {
    if (lines.empty()) return;
    text += "\n## " + std::string(title) + "\n\n";
    for (const std::string& line : lines) text += "- " + line + "\n";
  };
  Row excluded;
  for (const auto& [name, why] : left_out(advice)) excluded.push_back(name + ": " + why);
  list("Not run", excluded);
  list("Cut off", cut_off(advice));
  list("How", method(adviser, advice));
  return text;
}

std::string advice_json(Adviser& adviser) {
  const Advice advice = adviser.advice();
  const Goal& goal = adviser.request().goal;
  Json systems = Json::array(), excluded = Json::array(), left = Json::array();
  for (const std::size_t i : advice.ranking) systems.push_back(system_json(adviser, advice, i));
  for (const Candidate& candidate : advice.candidates) {
    if (!candidate.excluded.empty()) excluded.push_back({{"system", candidate.name}, {"why", candidate.excluded}});
  }
  for (const std::size_t i : advice.race.left) left.push_back(name_of(advice, i));
  const Json json = {{"question", adviser.question().file},
                     {"goal", goal.target ? fmt::format("time to {}", goal.metric.word) : at_end_title(goal)},
                     {"setting", setting(adviser, advice)},
                     {"target", number(advice.shown_target)},
                     {"recommended", advice.recommended ? Json(name_of(advice, *advice.recommended)) : Json()},
                     {"how_sure", how_sure(advice)},
                     {"not_told_apart", left},
                     {"systems", systems},
                     {"not_raced", not_raced_json(advice, goal)},
                     {"other_conditions", conditions_json(advice)},
                     {"not_run", excluded},
                     {"cut_off",
                      {{"probes", advice.open_probes},
                       {"tuning", advice.open_tuning > 0},
                       {"race_runs", advice.open_race},
                       {"other_condition_runs", advice.open_conditions}}},
                     {"tuning_seeds", adviser.tuning_seeds()},
                     {"race_seeds", adviser.request().seeds}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_advice(Adviser& adviser) {
  results::write_whole((adviser.folder() / page_file).string(), advice_markdown(adviser));
  results::write_whole((adviser.folder() / data_file).string(), advice_json(adviser));
  const Advice advice = adviser.advice();
  if (!advice.recommended) return;
  scenario::Scenario best = adviser.scenario_of(advice.advised[*advice.recommended]);
  best.name = adviser.question().name + "_recommended";
  best.seed = adviser.request().seeds.front();
  write_scenario(std::move(best), adviser.folder() / scenario_file);
}

}  // namespace ddl::advise
