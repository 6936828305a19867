#include "sim/advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/check.hpp"
#include "sim/results/reading/statistics.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_seeds = 12;
constexpr double one_point = 0.01;

// Three rates in short runs, of which two are left for complete ones; two more rates; the better half of all again.
constexpr int quick_rates = 3, quick_spare = 2;
constexpr std::size_t quick_seeds = 2;
const std::vector<Rung> quick_rungs = {{1.0 / 16, 1}, {1.0 / 4, 1}, {1, 1}, {1, quick_seeds}};

// A point short of where one worker alone ends, in whole points.
std::optional<double> nearly_of_one(const Contender& one, const scenario::Metric& metric) {
  std::vector<double> at_end;
  for (const TrialResult* trial : one.trials) {
    if (trial != nullptr && trial->failure.empty()) at_end.push_back(trial->at_end);
  }
  if (at_end.empty()) return std::nullopt;
  if (metric.less_is_better) return std::ceil(100 * (mean_of(at_end) + one_point) - 1e-9) / 100;
  const double points = std::floor(100 * (mean_of(at_end) - one_point) + 1e-9);
  return points > 0 ? std::optional(points / 100) : std::nullopt;
}

// Those in the race by their mean; then those that were dropped, the last ones first; then the others that have a run.
void rank(Advice& advice) {
  const std::vector<Race::Entrant>& entrants = advice.race.entrants;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (std::ranges::count(advice.race.left, i) == 0 && entrants[i].seeds() > 0) out.push_back(i);
  }
  std::ranges::stable_sort(out, {}, [&](std::size_t i) {
    const std::size_t dropped = entrants[i].dropped_after.value_or(0);
    return std::tuple(-static_cast<int>(dropped), dropped > 0 ? 0 : -static_cast<int>(entrants[i].seeds()),
                      mean_of(entrants[i].scores));
  });
  advice.ranking = advice.race.left;
  advice.ranking.insert(advice.ranking.end(), out.begin(), out.end());
}

void recommend(Advice& advice) {
  const Race& race = advice.race;
  if (race.looked_after > 0) {
    const bool tested = race.looked_after >= race_looks[0];
    advice.recommended = tested && std::ranges::count(race.left, std::size_t{0}) > 0 ? 0 : race.leader;
    return;
  }
  for (auto rung = quick_rungs.rbegin(); rung != quick_rungs.rend() && !advice.recommended; ++rung) {
    if (advice.count_after(rung->length) < std::min<std::size_t>(2, advice.contenders.size())) continue;
    advice.guessed_after = rung->length;
    const auto score = [&](const Contender& one) {
      const Standing* standing = one.after(rung->length);
      return standing == nullptr ? INFINITY : standing->score;
    };
    const auto best = std::ranges::min_element(advice.contenders, {}, score);
    advice.recommended = static_cast<std::size_t>(best - advice.contenders.begin());
  }
}

}  // namespace

const Standing* Contender::after(double length) const {
  const auto found = standings.find(length);
  return found == standings.end() || !std::isfinite(found->second.score) ? nullptr : &found->second;
}

std::size_t Advice::count_after(double length) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(contenders, [&](const Contender& one) { return one.after(length) != nullptr; }));
}

std::size_t Advice::open_conditions() const {
  std::size_t runs = 0;
  for (const Condition& condition : conditions) runs += condition.open.size();
  return runs;
}

Adviser::Adviser(const Registry& systems, AdviseRequest request, int at_once)
    : request_(std::move(request)),
      question_(question_of(systems, request_.file, request_.overrides, request_.goal)),
      trials_(systems, request_.goal) {
  if (request_.seeds.empty()) {
    request_.seeds.resize(usual_seeds);
    std::iota(request_.seeds.begin(), request_.seeds.end(), std::uint64_t{1});
  }
  check_not_for_tuning(request_.seeds, quick_seeds, "--seeds");
  const auto base = [&](const char* name, const std::vector<scenario::Override>& more) {
    return Base{question_.text, question_.file, joined(question_.set, more), question_.name, folder() / name};
  };
  race_base_ = base("runs", {});
  const scenario::Scenario& own = trials_.scenario(trials_.point(race_base_, {}));
  setting_ = setting_of(own);
  // One model for all, though other latencies may have another by default.
  condition_base_ = base("conditions", {});
  if (own.platform.network.model == scenario::NetworkModel::automatic && !setting_.network_model.empty()) {
    condition_base_.set.push_back({"platform.network.model", fmt::format("\"{}\"", setting_.network_model)});
  }
  conditions_ = conditions_of(own, setting_.check_with_packets);
  Base tuning_base = base("tuning", {{"expect", "[]"}});  // which may be of a later time than a short run's end
  // Tuning may stop where the question is answered.
  const Goal& goal = request_.goal;
  if (goal.target) {
    tuning_base.set.push_back({fmt::format("stop.{}", goal.metric.word), fmt::format("{}", *goal.target)});
  }
  SearchSpace space = space_of(own, {}, quick_seeds);
  space.rates = quick_rates, space.spare = quick_spare, space.rungs = quick_rungs;
  for (Candidate& candidate : candidates_of(question_, goal, request_.systems, at_once)) {
    if (candidate.excluded.empty()) schemes_.push_back({tuning_base, candidate.changes, space});
    (candidate.excluded.empty() ? candidates_ : left_out_).push_back(std::move(candidate));
  }
}

std::vector<std::uint64_t> Adviser::tuning_seeds() const { return advise::tuning_seeds(quick_seeds); }

fs::path Adviser::folder() const { return fs::path(request_.out) / question_.name; }

Trial Adviser::race_trial(const Contender& contender, std::size_t seed) {
  return {trials_.point(race_base_, contender.changes), request_.seeds.at(seed)};
}

Trial Adviser::condition_trial(const Contender& contender, std::size_t condition, std::size_t seed) {
  const std::vector<scenario::Override>& changes = conditions_[condition].changes;
  if (!contender.sends || changes.empty()) return race_trial(contender, seed);
  return {trials_.point(condition_base_, joined(contender.changes, changes)), request_.seeds.at(seed)};
}

Contender Adviser::contender(std::size_t number) {
  const Scheme& scheme = schemes_[number];
  Contender contender{.name = candidates_[number].name,
                      .sends = candidates_[number].sends,
                      .search = search_of(trials_, scheme),
                      .planned_runs = runs_of(scheme.space),
                      .rate = std::nullopt,
                      .changes = {},
                      .standings = {}};
  contender.changes = best_of(scheme, contender.search);
  if (contender.search.best() != nullptr) contender.rate = rate_of(scheme.space, contender.search.best()->setting);
  for (const MadeRun& run : made_runs(trials_, scheme, contender.search)) {
    if (run.tried != contender.search.best_after(run.length)) continue;
    Standing& standing = contender.standings[run.length];
    standing.length = run.length;
    ++standing.runs;
    standing.score += run.result->score;
    standing.at_end += run.result->at_end;
  }
  for (auto& [length, standing] : contender.standings) {
    standing.score /= static_cast<double>(standing.runs);
    standing.at_end /= static_cast<double>(standing.runs);
  }
  return contender;
}

void Adviser::add_tuning(Advice& advice) {
  for (std::size_t i = 0; i < schemes_.size(); ++i) {
    advice.contenders.push_back(contender(i));
    advice.turns.push_back(i);
  }
  std::ranges::stable_sort(advice.turns, {}, [&](std::size_t i) {
    const Standing last = advice.contenders[i].last();
    return std::tuple(i != 0, -last.length, last.score);  // one worker alone is what the others are measured by
  });
  advice.open_tuning = open_runs(trials_, schemes_, advice.turns);
}

void Adviser::add_race(Advice& advice) {
  std::vector<Scores> scores;
  for (Contender& contender : advice.contenders) {
    Scores& own = scores.emplace_back();
    for (std::size_t seed = 0; seed < request_.seeds.size(); ++seed) {
      const TrialResult* known = trials_.known(race_trial(contender, seed));
      contender.trials.push_back(known);
      own.push_back(known == nullptr ? std::nullopt : std::optional(known->score));
    }
  }
  advice.race = race(scores);
  for (const Race::Open& open : advice.race.open) {
    advice.open_race.push_back({race_trial(advice.contenders[open.entrant], open.seed), open.entrant});
  }
  const Goal& goal = request_.goal;
  advice.shown_target = goal.target ? goal.target : nearly_of_one(advice.contenders.front(), goal.metric);
}

void Adviser::add_conditions(Advice& advice) {
  if (advice.race.looked_after < race_looks[0]) return;
  for (const std::size_t i : advice.ranking) {
    const bool sends = advice.contenders[i].sends;
    const auto alike =
        std::ranges::count_if(advice.again, [&](auto one) { return advice.contenders[one].sends == sends; });
    if (!advice.race.entrants[i].waits && alike < (sends ? 2 : 1)) advice.again.push_back(i);
  }
  for (std::size_t number = 0; number < conditions_.size(); ++number) {
    Condition condition{
        .name = conditions_[number].name, .scores = {}, .best = std::nullopt, .p = std::nullopt, .open = {}};
    for (const std::size_t i : advice.again) {
      for (std::size_t seed = 0; seed < results::least_seeds; ++seed) {
        const Trial trial = condition_trial(advice.contenders[i], number, seed);
        const TrialResult* known = trials_.known(trial);
        condition.scores[i].push_back(known == nullptr ? std::nullopt : std::optional(known->score));
        if (known == nullptr) condition.open.push_back({trial, i});
      }
    }
    if (condition.open.empty()) {
      const auto mean = [&](std::size_t i) { return mean_of(condition.scores[i]); };
      condition.best = *std::ranges::min_element(advice.again, {}, mean);
      const auto own = condition.scores.find(*advice.recommended);
      if (own != condition.scores.end() && own->first != *condition.best) {
        condition.p =
            results::paired_p(differences_of(own->second, condition.scores[*condition.best], results::least_seeds));
      }
    }
    advice.conditions.push_back(std::move(condition));
  }
}

Advice Adviser::advice() {
  Advice advice;
  add_tuning(advice);
  add_race(advice);
  rank(advice);
  recommend(advice);
  add_conditions(advice);
  return advice;
}

std::vector<std::string> Adviser::race_folders() {
  std::vector<std::string> folders;
  for (const Contender& contender : advice().contenders) {
    for (std::size_t seed = 0; seed < contender.trials.size(); ++seed) {
      const TrialResult* trial = contender.trials[seed];
      if (trial == nullptr || !trial->failure.empty()) continue;
      folders.push_back(trials_.folder_of(race_trial(contender, seed)).string());
    }
  }
  return folders;
}

scenario::Scenario Adviser::scenario_of(const Contender& contender) {
  return trials_.scenario(trials_.point(race_base_, contender.changes));
}

}  // namespace ddl::advise
