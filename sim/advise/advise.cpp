#include "sim/advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "sim/advise/stages.hpp"
#include "sim/jobs/jobs_folder.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_seeds = 12, quick_seeds = 2;
constexpr int quick_rates = 3, quick_spare = 2;
constexpr double evaluations_of_probe = 3;
constexpr double one_point = 0.01;

std::optional<double> score_in(const TrialResult* trial) {
  return trial == nullptr ? std::nullopt : std::optional(trial->score);
}

// A point short of where one worker alone ends, in whole points.
std::optional<double> nearly_of_one(const Advised& one, const scenario::Metric& metric) {
  double sum = 0;
  int runs = 0;
  for (const auto& trial : one.trials) {
    if (trial && trial->failure.empty()) sum += trial->at_end, ++runs;
  }
  if (runs == 0) return std::nullopt;
  if (metric.less_is_better) return std::ceil(100 * (sum / runs + one_point) - 1e-9) / 100;
  const double points = std::floor(100 * (sum / runs - one_point) + 1e-9);
  return points > 0 ? std::optional(points / 100) : std::nullopt;
}

// By the scores of as many seeds as all have; none where a run is missing.
std::optional<double> mean_of(const std::vector<std::optional<double>>& scores) {
  double sum = 0;
  for (const auto& score : scores) {
    if (!score) return std::nullopt;
    sum += *score;
  }
  return scores.empty() ? std::nullopt : std::optional(sum / static_cast<double>(scores.size()));
}

std::optional<double> paired_p_of(const std::vector<std::optional<double>>& a,
                                  const std::vector<std::optional<double>>& b) {
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < a.size(); ++seed) differences.push_back(*a[seed] - *b[seed]);
  if (differences.size() < results::least_seeds) return std::nullopt;
  return results::paired_p(differences);
}

// Those in the race by their mean; then those that were dropped, the last ones first; then those without a run.
void rank(Advice& advice) {
  const Race& race = advice.race;
  advice.ranking = race.left;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < race.entrants.size(); ++i) {
    if (std::ranges::count(race.left, i) == 0) out.push_back(i);
  }
  std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) {
    const Race::Entrant &one = race.entrants[a], &other = race.entrants[b];
    if (one.dropped_after != other.dropped_after) return one.dropped_after > other.dropped_after;
    if (one.waits && one.seeds() != other.seeds()) return one.seeds() > other.seeds();
    return one.mean().value_or(INFINITY) < other.mean().value_or(INFINITY);
  });
  advice.ranking.insert(advice.ranking.end(), out.begin(), out.end());
  std::erase_if(advice.ranking, [&](std::size_t i) { return race.entrants[i].seeds() == 0; });
}

void recommend(Advice& advice) {
  const Race& race = advice.race;
  if (race.looked_after > 0) {
    if (race.leader) advice.recommended = std::ranges::count(race.left, std::size_t{0}) > 0 ? 0 : *race.leader;
    return;
  }
  if (race.leader && race.is_even()) {  // fewer seeds were asked for than a look needs
    advice.recommended = race.leader;
    return;
  }
  std::vector<double> lengths(std::begin(probe_lengths), std::end(probe_lengths));
  lengths.push_back(1);
  for (const double length : lengths) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < advice.advised.size(); ++i) {
      const Standing* one = advice.advised[i].standing_after(length);
      if (one == nullptr) continue;
      if (!best || one->score < advice.advised[*best].standing_after(length)->score) best = i;
    }
    if (!best || (advice.recommended && advice.with_length(length) < 2)) continue;
    advice.recommended = best;
    advice.compared_length = length;
  }
}

}  // namespace

const Standing* Advised::standing_after(double length) const {
  const auto found = std::ranges::find(by_length, length, &Standing::length);
  return found == by_length.end() || !std::isfinite(found->score) ? nullptr : &*found;
}

std::size_t Advice::with_length(double length) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(advised, [&](const Advised& one) { return one.standing_after(length) != nullptr; }));
}

Adviser::Adviser(const Registry& systems, AdviseRequest request, int at_once)
    : request_(std::move(request)),
      question_(question_of(systems, request_.file, request_.overrides, request_.goal)),
      lab_(systems, request_.goal) {
  if (request_.seeds.empty()) {
    request_.seeds.resize(usual_seeds);
    std::iota(request_.seeds.begin(), request_.seeds.end(), std::uint64_t{1});
  }
  const std::vector<std::uint64_t> seeds = advise::tuning_seeds(quick_seeds);
  for (const std::uint64_t seed : seeds) {
    if (std::ranges::count(request_.seeds, seed) > 0) {
      throw InputError(fmt::format("--seeds: {} is a seed for tuning; expected others", seed));
    }
  }
  candidates_ = candidates_of(question_, request_.goal, request_.systems, at_once);
  // Tuning may stop where the question is answered, if it is about accuracy.
  std::vector<scenario::Override> quick = question_.set;
  const Goal& goal = request_.goal;
  if (goal.target && !goal.metric.less_is_better) quick.push_back({"stop.accuracy", fmt::format("{}", *goal.target)});
  const auto base = [&](const char* name, const std::vector<scenario::Override>& set) {
    return lab_.add({question_.text, question_.file, set, question_.name, folder() / name});
  };
  const std::size_t tuning_base = base("tuning", quick);
  quick.push_back({"expect", "[]"});  // which may be of a later time than a probe's end
  probe_base_ = base("probes", quick);
  race_base_ = base("runs", question_.set);
  const scenario::Scenario& own = lab_.scenario(lab_.point(race_base_, {}));
  setting_ = setting_of(own);
  // One model for all, though other latencies may have another by default.
  std::vector<scenario::Override> condition = question_.set;
  if (own.platform.network.model == scenario::NetworkModel::automatic && !setting_.network_model.empty()) {
    condition.push_back({"platform.network.model", fmt::format("\"{}\"", setting_.network_model)});
  }
  condition_base_ = base("conditions", condition);
  conditions_ = other_conditions(own, setting_.check_with_packets);
  SearchSpace space = space_of(own, {});
  space.rates = quick_rates, space.spare = quick_spare;
  std::vector<TunedScheme> schemes;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!candidates_[i].excluded.empty()) continue;
    run_.push_back(i);
    schemes.push_back({tuning_base, candidates_[i].changes, space});
  }
  tuning_ = std::make_unique<Tuning>(lab_, std::move(schemes), seeds);
}

Adviser::~Adviser() = default;

fs::path Adviser::folder() const { return fs::path(request_.out) / question_.name; }

LabTrial Adviser::probe_trial(std::size_t advised, double length) {
  const scenario::Scenario& own = lab_.scenario(lab_.point(race_base_, {}));
  const auto seconds = [](double value) {
    return '"' + scenario::write_quantity(value, scenario::Dimension::time) + '"';
  };
  const double length_s = length * own.stop.time->value;
  std::vector<scenario::Override> changes = candidates_[run_[advised]].changes;
  changes.push_back({"stop.time", seconds(length_s)});
  if (own.evaluate.every && own.evaluate.every->value > length_s / evaluations_of_probe) {
    changes.push_back({"evaluate.every", seconds(length_s / evaluations_of_probe)});
  }
  return {lab_.point(probe_base_, changes), tuning_->seeds().front()};
}

LabTrial Adviser::race_trial(const Advised& advised, std::size_t seed) {
  return {lab_.point(race_base_, advised.changes), request_.seeds.at(seed)};
}

LabTrial Adviser::condition_trial(const Advised& advised, std::size_t condition, std::size_t seed) {
  std::vector<scenario::Override> changes = advised.changes;
  changes.push_back(conditions_[condition].change);
  return {lab_.point(condition_base_, changes), request_.seeds.at(seed)};
}

void Adviser::add_standing(Advice& advice) {
  for (std::size_t i = 0; i < advice.advised.size(); ++i) {
    Advised& advised = advice.advised[i];
    for (const double length : probe_lengths) {
      const TrialResult* known = lab_.known(probe_trial(i, length));
      if (known != nullptr) advised.by_length.push_back({length, 1, known->score, known->at_end});
      advice.open_probes += known == nullptr ? 1 : 0;
    }
    if (advised.tuning.best) {
      const Halving::Tried& best = advised.tuning.tried[*advised.tuning.best];
      Standing standing{1, best.scores.size(), best.mean(), 0};
      for (std::size_t seed = 0; seed < best.scores.size(); ++seed) {
        const LabTrial trial = tuning_->trial_of(i, best.setting, tuning_->seeds()[seed]);
        standing.at_end += lab_.known(trial)->at_end / static_cast<double>(best.scores.size());
      }
      advised.by_length.push_back(standing);
    }
    if (!advised.by_length.empty()) advised.standing = advised.by_length.back();
    advice.standing.push_back(i);
  }
  std::ranges::stable_sort(advice.standing, [&](std::size_t a, std::size_t b) {
    const Standing &one = advice.advised[a].standing, &other = advice.advised[b].standing;
    return one.length != other.length ? one.length > other.length : one.score < other.score;
  });
}

void Adviser::add_race(Advice& advice, Open& open) {
  advice.race = race(advice.advised.size(), request_.seeds, [&](std::size_t i, std::uint64_t seed) {
    const auto number = static_cast<std::size_t>(std::ranges::find(request_.seeds, seed) - request_.seeds.begin());
    return score_in(lab_.known(race_trial(advice.advised[i], number)));
  });
  for (const Race::Open& one : advice.race.open) {
    const auto number = static_cast<std::size_t>(std::ranges::find(request_.seeds, one.seed) - request_.seeds.begin());
    open.race.push_back(race_trial(advice.advised[one.entrant], number));
  }
  for (Advised& advised : advice.advised) {
    for (std::size_t seed = 0; seed < request_.seeds.size(); ++seed) {
      const TrialResult* known = lab_.known(race_trial(advised, seed));
      advised.trials.push_back(known == nullptr ? std::nullopt : std::optional(*known));
    }
  }
  const Goal& goal = request_.goal;
  advice.shown_target = goal.target ? goal.target : nearly_of_one(advice.advised.front(), goal.metric);
  for (Advised& advised : advice.advised) {
    for (std::size_t seed = 0; seed < request_.seeds.size(); ++seed) {
      const auto& trial = advised.trials[seed];
      const bool there = advice.shown_target && trial && trial->failure.empty();
      const std::filesystem::path folder = lab_.folder_of(race_trial(advised, seed));
      advised.reached.push_back(there ? advise::reached(folder, goal.metric, *advice.shown_target) : std::nullopt);
    }
  }
}

void Adviser::add_conditions(Advice& advice, Open& open) {
  if (advice.race.looked_after == 0) return;
  std::size_t sending = 0, silent = 0;
  for (const std::size_t i : advice.ranking) {
    if (advice.race.entrants[i].waits) continue;
    std::size_t& of_kind = candidates_[advice.advised[i].candidate].sends ? sending : silent;
    if (of_kind++ < (&of_kind == &sending ? 2u : 1u)) advice.contenders.push_back(i);
  }
  const std::size_t seeds = std::min(results::least_seeds, request_.seeds.size());
  const auto place = std::ranges::find(advice.contenders, *advice.recommended);
  for (std::size_t number = 0; number < conditions_.size(); ++number) {
    Condition condition;
    condition.name = conditions_[number].name;
    for (const std::size_t i : advice.contenders) {
      const Advised& advised = advice.advised[i];
      const bool sends = candidates_[advised.candidate].sends;
      condition.scores.emplace_back();
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        const LabTrial trial = sends ? condition_trial(advised, number, seed) : race_trial(advised, seed);
        condition.scores.back().push_back(score_in(lab_.known(trial)));
        if (!condition.scores.back().back()) open.conditions.push_back(trial);
      }
    }
    std::optional<double> least;
    bool whole = true;
    for (std::size_t i = 0; i < condition.scores.size(); ++i) {
      const auto mean = mean_of(condition.scores[i]);
      whole = whole && mean.has_value();
      if (mean && (!least || *mean < *least)) least = mean, condition.best = i;
    }
    if (!whole) condition.best.reset();
    if (condition.best && place != advice.contenders.end()) {
      const auto recommended = static_cast<std::size_t>(place - advice.contenders.begin());
      if (recommended != *condition.best) {
        condition.p = paired_p_of(condition.scores[recommended], condition.scores[*condition.best]);
      }
    }
    advice.conditions.push_back(std::move(condition));
  }
}

Advice Adviser::follow(Open& open) {
  Advice advice;
  advice.candidates = candidates_;
  for (std::size_t i = 0; i < run_.size(); ++i) {
    Advised advised{run_[i], tuning_->search_of(i), 0, {}, {}, {}, tuning_->best_of(i), {}, {}};
    advised.tuning_runs = runs_of(tuning_->space_of(i), tuning_->seeds().size());
    if (advised.tuning.best) {
      advised.rate = rate_of(tuning_->space_of(i), advised.tuning.tried[*advised.tuning.best].setting);
    }
    advice.advised.push_back(std::move(advised));
  }
  advice.open_tuning = tuning_->open().size();
  add_standing(advice);
  add_race(advice, open);
  rank(advice);
  recommend(advice);
  add_conditions(advice, open);
  advice.open_race = open.race.size();
  advice.open_conditions = open.conditions.size();
  return advice;
}

Advice Adviser::advice() {
  Open open;
  return follow(open);
}

void Adviser::run(const AdviseOptions& options) {
  const jobs::JobsFolder probes(folder() / "probes", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder tuning(folder() / "tuning", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder runs(folder() / "runs", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder conditions(folder() / "conditions", jobs::JobsFolder::Use::alone, {});
  Stages(*this, options).run();
}

std::vector<std::string> Adviser::race_folders() {
  std::vector<std::string> folders;
  const Advice all = advice();
  for (const Advised& advised : all.advised) {
    for (std::size_t seed = 0; seed < advised.trials.size(); ++seed) {
      const auto& trial = advised.trials[seed];
      if (trial && trial->failure.empty()) folders.push_back(lab_.folder_of(race_trial(advised, seed)).string());
    }
  }
  return folders;
}

scenario::Scenario Adviser::scenario_of(const Advised& advised) {
  return lab_.scenario(lab_.point(race_base_, advised.changes));
}

}  // namespace ddl::advise
