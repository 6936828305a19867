// What an advice says: what to use, how sure that is, and what would change it. All is described once, as lines and
// tables, for a terminal, as Markdown and as JSON.
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
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

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

// "1 whole run", "3 whole runs", "one run of 1/4 of the time".
std::string runs_text(const Standing& standing) {
  if (standing.length == 1) return counted(static_cast<std::int64_t>(standing.runs), "whole run");
  return fmt::format("one run of 1/{:.0f} of the time", 1 / standing.length);
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

// Of a contender, over the seeds that it raced with.
struct Figures {
  std::size_t runs = 0, failed = 0;
  std::vector<std::optional<Reached>> reached;  // the shown target, by seed
  results::Cell time, bytes, at_end;            // of those that reached it; of all runs
};

Figures figures_of(const Account& of, std::size_t i) {
  Figures figures;
  std::vector<double> times, bytes, at_end;
  for (const TrialResult* trial : of.advice.contenders[i].trials) {
    figures.reached.emplace_back();
    figures.runs += trial == nullptr ? 0 : 1;
    figures.failed += trial == nullptr || trial->failure.empty() ? 0 : 1;
    if (trial == nullptr || !trial->failure.empty()) continue;
    at_end.push_back(trial->at_end);
    if (!of.advice.shown_target) continue;
    const auto there = figures.reached.back() = trial->reached(of.goal.metric, *of.advice.shown_target);
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

// By seeds that both raced with: the mean time of one worker over that of the contender; none unless all of these runs
// get to the shown target.
std::optional<double> speed_up(const Account& of, std::size_t i) {
  const Contender &first = of.advice.contenders[0], &contender = of.advice.contenders[i];
  const auto one = figures_of(of, 0).reached, other = figures_of(of, i).reached;
  double of_one = 0, of_other = 0;
  for (std::size_t seed = 0; seed < other.size(); ++seed) {
    if (first.trials[seed] == nullptr || contender.trials[seed] == nullptr) continue;
    if (!one[seed] || !other[seed]) return std::nullopt;
    of_one += one[seed]->time_s, of_other += other[seed]->time_s;
  }
  return of_other > 0 ? std::optional(of_one / of_other) : std::nullopt;
}

std::string verdict_of(const Account& of, std::size_t i) {
  const Race::Entrant& entrant = of.race().entrants[i];
  if (figures_of(of, i).failed > 0) return "failed";
  if (entrant.dropped_after) return "worse, " + p_text(entrant.p.value_or(0));
  if (of.race().leader == i) return "leads";
  return entrant.p ? "not told apart, " + p_text(*entrant.p) : "not judged";
}

// By how much its score is behind the leader's, at the last look that it was in.
results::Cell behind_leader(const Account& of, std::size_t i) {
  const Race::Entrant& entrant = of.race().entrants[i];
  std::vector<double> differences;
  if (entrant.p) {
    differences = differences_of(entrant.scores, of.race().entrants[*of.race().leader].scores,
                                 entrant.dropped_after.value_or(of.race().looked_after));
  }
  return estimated(differences, {-INFINITY, INFINITY},
                   [&](double score) { return of.goal.target ? results::readable_seconds(score) : value_text(score); });
}

results::Cell rate_of(const Account& of, std::size_t i) {
  const auto& rate = of.advice.contenders[i].rate;
  return {rate ? fmt::format("{:.3g}", *rate) : "as given", rate};
}

results::Table ranking_table(const Account& of) {
  const auto if_target = [&](const std::string& title) {
    return of.advice.shown_target ? fmt::format(fmt::runtime(title), *of.advice.shown_target) : "";
  };
  results::Table table;
  table.columns = {{"system", "system"},
                   {"learning_rate", "rate"},
                   {"time_to_target_s", if_target("time to {:g}"), results::Kind::text, true},
                   {"bytes_to_target", if_target("bytes to {:g}"), results::Kind::text, true},
                   {"speed_up_over_one_worker", if_target("speed-up over one worker")},
                   {fmt::format("{}_at_end", of.goal.metric.word), of.at_end(), results::Kind::text, true},
                   {"behind_leader", "behind the leader by", results::Kind::text, true},
                   {"", "seeds"},
                   {"verdict", "against the leader"},
                   {"algorithm", ""},
                   {"learning_rate_at_edge", ""},
                   {"scores", ""},
                   {"runs", ""},
                   {"failed", ""},
                   {"dropped_after_seeds", ""},
                   {"p_against_leader", ""}};
  for (const std::size_t i : of.advice.ranking) {
    const Figures own = figures_of(of, i);
    const auto ratio = speed_up(of, i);
    const Contender& contender = of.advice.contenders[i];
    const Race::Entrant& entrant = of.race().entrants[i];
    Json scores = Json::object();
    for (std::size_t seed = 0; seed < entrant.scores.size(); ++seed) {
      const auto& score = entrant.scores[seed];
      if (score) scores[std::to_string(of.adviser.request().seeds[seed])] = number(score);
    }
    table.rows.push_back({of.name(i),
                          rate_of(of, i),
                          own.time,
                          own.bytes,
                          {ratio ? fmt::format("{:.2f}x", *ratio) : "-", ratio},
                          own.at_end,
                          behind_leader(of, i),
                          std::to_string(own.runs),
                          verdict_of(of, i),
                          data(Json::parse(scenario::describe_run(of.adviser.scenario_of(contender)))["algorithm"]),
                          data(contender.search.at_edge),
                          data(scores),
                          data(own.runs),
                          data(own.failed),
                          data(entrant.dropped_after ? Json(*entrant.dropped_after) : Json()),
                          data(number(entrant.p))});
  }
  return table;
}

// Those that have not had the first look of the race, while there was something left to run: the best first.
std::vector<std::size_t> not_raced(const Account& of) {
  std::vector<std::size_t> list;
  std::ranges::copy_if(of.advice.turns, std::back_inserter(list), [&](auto i) { return of.race().entrants[i].waits; });
  return list;
}

results::Table not_raced_table(const Account& of) {
  results::Table table;
  table.columns = {{"system", "system"},
                   {"learning_rate", "rate"},
                   {fmt::format("{}_at_end", of.goal.metric.word), of.at_end()},
                   {"", "of"},
                   {"length", ""},
                   {"runs", ""},
                   {"learning_rate_at_edge", ""}};
  for (const std::size_t i : not_raced(of)) {
    const Standing last = of.advice.contenders[i].last();
    const auto at_end = last.runs == 0 ? std::nullopt : std::optional(last.at_end);
    table.rows.push_back({of.name(i),
                          rate_of(of, i),
                          {at_end ? value_text(*at_end) : "-", at_end},
                          last.runs == 0 ? "no run" : runs_text(last),
                          {"", last.length},
                          data(last.runs),
                          data(of.advice.contenders[i].search.at_edge)});
  }
  return table;
}

std::string score_text(const Account& of, const Scores& scores) {
  const auto mean = mean_of(scores);
  if (!mean || std::ranges::any_of(scores, [](auto& score) { return !score; })) return "-";
  if (!of.goal.target) return value_text(of.goal.metric.value_of(*mean));
  const double length_s = of.adviser.scenario_of(of.advice.contenders.front()).stop.time->value;
  return *mean > length_s ? "not reached" : results::readable_seconds(*mean);
}

std::string condition_verdict(const Account& of, const Condition& condition) {
  if (!condition.best) return "not run";
  const std::string& best = of.name(*condition.best);
  if (condition.best == of.advice.recommended) return "the same answer";
  if (!condition.p) return best + " is ahead";
  const bool beyond = *condition.p < results::significance;
  return beyond ? "another answer: " + best + ", " + p_text(*condition.p) : best + " is ahead, within noise";
}

results::Table conditions_table(const Account& of) {
  results::Table table;
  table.columns = {{"condition", "condition"}};
  for (const std::size_t i : of.advice.again) table.columns.push_back({"", of.name(i)});
  for (const auto& [key, title] :
       {std::pair("", "answer"), {"scores", ""}, {"best", ""}, {"p_against_recommended", ""}}) {
    table.columns.push_back({key, title});
  }
  for (const Condition& condition : of.advice.conditions) {
    results::TableLine line = {condition.name};
    Json scores = Json::object();
    for (const std::size_t i : of.advice.again) {
      line.emplace_back(score_text(of, condition.scores.at(i)));
      for (const auto& score : condition.scores.at(i)) scores[of.name(i)].push_back(number(score));
    }
    line.emplace_back(table.rows.empty() ? "" : condition_verdict(of, condition));
    line.insert(line.end(), {data(scores), data(condition.best ? Json(of.name(*condition.best)) : Json()),
                             data(number(condition.p))});
    table.rows.push_back(std::move(line));
  }
  return table;
}

std::string answer_of(const Account& of) {
  const Advice& advice = of.advice;
  const bool any = std::ranges::any_of(advice.contenders, [](const Contender& one) { return !one.standings.empty(); });
  if (!advice.recommended) return any ? "No answer yet: too few have run." : "No answer yet: no run has ended.";
  const std::size_t best = *advice.recommended;
  const bool guess = advice.guessed_after > 0 && advice.contenders.size() > 1;
  std::string text = (guess ? "Only a guess: " : "Use ") + of.name(best);
  if (best == 0) text += ", one worker alone with all the data";
  if (advice.contenders[best].rate) text += ", at a learning rate of " + rate_of(of, best).text;
  if (const Standing* standing = advice.contenders[best].after(advice.guessed_after)) {
    return text + fmt::format("; {} of {} {:.3f}.", of.at_end(), runs_text(*standing), standing->at_end);
  }
  const Figures own = figures_of(of, best);
  if (advice.shown_target) {
    const bool all_reach = own.time.count == own.runs;
    text += fmt::format(": {} {:g} {}{}", of.goal.metric.word, *advice.shown_target, all_reach ? "after " : "",
                        own.time.text);
  }
  return text + fmt::format("; {} {}.", of.at_end(), own.at_end.text);
}

std::string certainty_without_test(const Account& of) {
  const Advice& advice = of.advice;
  std::string needs = " A test needs three seeds of two systems.";
  if (of.adviser.request().seeds.size() < race_looks[0]) needs = " A test needs three seeds or more (--seeds 1..3).";
  if (of.race().leader) return "Not sure: named is the best mean." + needs;
  needs += " More budget continues from here.";
  if (advice.recommended) {
    return fmt::format("Nothing has raced yet: it is the best of {} systems after {}.{}",
                       advice.count_after(advice.guessed_after),
                       runs_text(*advice.contenders[*advice.recommended].after(advice.guessed_after)), needs);
  }
  const std::size_t out = of.adviser.left_out().size(), all = out + advice.contenders.size();
  const std::string bounds = fmt::format("; the platform and lower bounds leave out {} of {} candidates", out, all);
  return "Nothing has been compared yet" + (out > 0 ? bounds : "") + "." + needs;
}

std::string certainty_of(const Account& of) {
  const Race& race = of.race();
  if (of.advice.contenders.size() == 1 && of.advice.recommended) {
    return "Nothing else can run here, or be the best by its lower bound.";
  }
  const std::size_t waiting = not_raced(of).size(), dropped = race.entrants.size() - race.left.size() - waiting;
  const auto are_worse = [&](const char* all, const std::string& which) {
    return dropped == 1 ? fmt::format("the other{} is worse beyond chance", which)
                        : fmt::format("{} {}{} are worse beyond chance", all, dropped, which);
  };
  std::string text;
  if (race.looked_after < race_looks[0]) {
    text = certainty_without_test(of);
  } else if (race.left.size() == 1) {
    text =
        fmt::format("{}: after {} seeds {} (paired t-tests at 5 %, corrected for their number and for the looks).",
                    waiting > 0 ? "Sure of those that raced" : "Sure", race.looked_after, are_worse("all", " others"));
  } else {
    std::vector<std::size_t> near = race.left;
    std::erase(near, *race.leader);
    text = fmt::format("Not quite sure: after {} seeds {} {} not told apart from {}", race.looked_after, of.names(near),
                       near.size() == 1 ? "is" : "are", of.name(*race.leader));
    if (dropped > 0) text += "; " + are_worse("the other", waiting > 0 ? " that raced" : "");
    text += ".";
    const bool more =
        std::ranges::any_of(race.open, [&](const auto& open) { return !race.entrants[open.entrant].waits; });
    if (more) text += " More seeds may tell them apart; more budget continues from here.";
  }
  if (waiting > 0 && race.leader) {
    text += fmt::format(" The budget had no room for {} in the race: shorter or fewer runs put {} behind.",
                        counted(static_cast<std::int64_t>(waiting), "more system"), waiting == 1 ? "it" : "them");
  }
  if (race.leader && of.advice.recommended != race.leader) {
    text += " One worker alone needs no network, and is named for that.";
  }
  return text;
}

std::string question_of(const Account& of) {
  const std::string what = of.goal.target ? fmt::format("is the first at {} {:g}", of.goal.metric.word, *of.goal.target)
                                          : fmt::format("ends with the best {}", of.goal.metric.word);
  const auto& systems = of.adviser.request().systems;
  const std::string among = systems.empty() ? "" : fmt::format(" (--systems {})", fmt::join(systems, ","));
  return fmt::format("Question: which system {} on {}{}?", what, of.adviser.question().file, among);
}

// What the answer depends on, and which target the ranking is about.
Lines setting_of(const Account& of) {
  Lines lines = of.adviser.setting();
  if (of.goal.target || !of.advice.shown_target) return lines;
  lines.push_back(
      fmt::format("Times and bytes are to {} {:g}: without --target, what one worker alone has at the end, {} a point.",
                  of.goal.metric.word, *of.advice.shown_target, of.goal.metric.less_is_better ? "plus" : "less"));
  return lines;
}

// Names and why, those with the same reason together.
Lines left_out(const Account& of) {
  std::map<std::string, std::string> names;  // by reason
  for (const Candidate& candidate : of.adviser.left_out()) {
    // "\"ps_sync\" needs a server" is said of several.
    const std::string own = scenario::in_quotes(candidate.name.substr(0, candidate.name.find(' '))) + " ";
    const std::string& why = candidate.excluded;
    std::string& some = names[why.starts_with(own) ? why.substr(own.size()) : why];
    some += (some.empty() ? "" : ", ") + candidate.name;
  }
  Lines lines;
  for (const auto& [why, some] : names) lines.push_back(some + ": " + why);
  return lines;
}

// What the budget, or Ctrl-C, cut off.
Lines cut_off(const Account& of) {
  Lines lines;
  std::size_t made = 0, planned = 0;
  for (const Contender& one : of.advice.contenders) made += one.search.runs(), planned += one.planned_runs;
  if (!of.advice.open_tuning.empty()) {
    lines.push_back(made == 0
                        ? fmt::format("Tuning: none of {} runs was made; rates are the scenario's own.", planned)
                        : fmt::format("Tuning: {} of {} runs were made; rates are the best of these.", made, planned));
  }
  const std::size_t race = of.advice.open_race.size(), others = of.advice.open_conditions();
  if (race > 0) lines.push_back(fmt::format("Race, not made: the next {}.", counted_runs(race)));
  if (others > 0) lines.push_back(fmt::format("Other conditions, not made: {}.", counted_runs(others)));
  if (!lines.empty()) lines.emplace_back("The same command goes on from there.");
  return lines;
}

Lines method(const Account& of) {
  Lines lines = of.adviser.question().notes;
  lines.push_back(fmt::format(
      "Learning rates: {}{} for each system, seeds {}..{}, by successive halving: first in 1/16 and 1/4 of the time, "
      "which decides whose turn is first, then in whole runs.",
      of.advice.open_tuning.empty() ? "" : "at most ", counted_runs(of.advice.contenders.front().planned_runs),
      of.adviser.tuning_seeds().front(), of.adviser.tuning_seeds().back()));
  std::vector<std::size_t> edges;
  std::ranges::copy_if(of.advice.turns, std::back_inserter(edges),
                       [&](std::size_t i) { return of.advice.contenders[i].search.at_edge; });
  if (!edges.empty()) {
    lines.push_back("Best rate at the edge of those tried: " + of.names(edges) +
                    "; one beyond may be better. ddlsim tune goes further.");
  }
  lines.push_back(fmt::format("Race: seeds {}..{}, looked at after 3, 5, 8 and 12.", of.adviser.request().seeds.front(),
                              of.adviser.request().seeds.back()));
  if (of.advice.shown_target) lines.emplace_back("Speed-up is over the seeds that both raced with.");
  if (of.race().left.size() > 1) {
    lines.emplace_back(
        "Not told apart is not equal: of few seeds even a large difference may be chance. How far a system is behind "
        "the leader is a mean over seeds, its interval that of this one comparison; p is corrected for all comparisons "
        "and for the four looks.");
  }
  lines.emplace_back("Other conditions: the first three seeds, the same rates; links are all changed alike.");
  lines.push_back(fmt::format(
      "The {} at the end is the mean over workers and over the last fifth of the evaluations; intervals are 95 %.",
      of.goal.metric.word));
  return lines;
}

std::vector<Section> sections_of(const Account& of) {
  return {{"Ranking", ranking_table(of)},
          {"Not raced, for lack of budget", not_raced_table(of)},
          {"What would change the answer", conditions_table(of)},
          {"Not run", {}, left_out(of)},
          {"Cut off", {}, cut_off(of)},
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

Json json_of(const Account& of) {
  Json not_run = Json::array(), left = Json::array(), others = rows_json(conditions_table(of));
  if (!others.empty()) others.erase(0);  // as given
  for (const Candidate& candidate : of.adviser.left_out()) {
    not_run.push_back({{"system", candidate.name}, {"why", candidate.excluded}});
  }
  for (const std::size_t i : of.race().left) left.push_back(of.name(i));
  const auto short_runs = std::ranges::count_if(of.advice.open_tuning, [](const auto& run) { return run.length < 1; });
  return {{"question", of.adviser.question().file},
          {"goal", of.goal.target ? fmt::format("time to {}", of.goal.metric.word) : of.at_end()},
          {"setting", setting_of(of)},
          {"target", number(of.advice.shown_target)},
          {"recommended", of.advice.recommended ? Json(of.name(*of.advice.recommended)) : Json()},
          {"how_sure", certainty_of(of)},
          {"not_told_apart", left},
          {"systems", rows_json(ranking_table(of))},
          {"not_raced", rows_json(not_raced_table(of))},
          {"other_conditions", others},
          {"not_run", not_run},
          {"cut_off",
           {{"probes", short_runs},
            {"tuning", !of.advice.open_tuning.empty()},
            {"race_runs", of.advice.open_race.size()},
            {"other_condition_runs", of.advice.open_conditions()}}},
          {"tuning_seeds", of.adviser.tuning_seeds()},
          {"race_seeds", of.adviser.request().seeds}};
}

}  // namespace

std::string advice_answer(Adviser& adviser) {
  const Account of{adviser};
  return answer_of(of) + " " + certainty_of(of);
}

std::string advice_text(Adviser& adviser, std::size_t width) {
  const Account of{adviser};
  std::string text = results::hanging("", question_of(of), width);
  for (const std::string& line : setting_of(of)) text += results::hanging("  ", line, width);
  text += "\n" + results::hanging("", answer_of(of), width) + results::hanging("", certainty_of(of), width);
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
  text += "\n**" + answer_of(of) + "** " + certainty_of(of) + "\n";
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
  if (!advice.recommended) return;
  scenario::Scenario best = adviser.scenario_of(advice.contenders[*advice.recommended]);
  best.name = adviser.question().name + "_recommended";
  best.seed = adviser.request().seeds.front();
  write_scenario(std::move(best), adviser.folder() / "recommended.json");
}

}  // namespace ddl::advise
