#include "sim/advise/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "core/base/check.hpp"
#include "sim/results/reading/statistics.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_seeds = 12;
constexpr double one_point = 0.01;
constexpr const char *schedule_path = "training.optimizer.schedule", *network_path = "platform.network.model";

// Settings one by one in short runs, of which a quarter is left for complete ones; two more; the better half of all
// again.
constexpr int quick_rates = 3, quick_spare = 2;
constexpr std::size_t quick_seeds = 2;
const std::vector<Rung> quick_rungs = {{1.0 / 8, 1}, {1, 1}, {1, quick_seeds}};

// A point short of where the baseline ends, in whole points.
std::optional<double> nearly_of(const Contender& baseline, const scenario::Metric& metric) {
  const double end = baseline.mean_at_end();
  if (!std::isfinite(end)) return std::nullopt;
  if (metric.less_is_better) return std::ceil(100 * (end + one_point) - 1e-9) / 100;
  const double points = std::floor(100 * (end - one_point) + 1e-9);
  return points > 0 ? std::optional(points / 100) : std::nullopt;
}

// The schedule as given, and the other one of constant and cosine.
SearchSpace::Axis schedules_of(const scenario::Scenario& scenario) {
  const auto own = nlohmann::json::parse(scenario::describe_run(scenario))["training"]["optimizer"]["schedule"];
  const char* other = own["type"] == "cosine" ? R"({"type": "constant"})" : R"({"type": "cosine"})";
  return {schedule_path, {own.dump(), other}};
}

// What a contender sends in a run, mean over its race.
double bytes_of(const Contender& contender) {
  std::vector<double> bytes;
  for (const TrialResult* trial : contender.finished()) {
    if (!trial->curve.empty()) bytes.push_back(trial->curve.back().bytes_sent);
  }
  return contender.sends() ? mean_of(bytes) : 0;
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

// Of several conditions one may have another answer by chance.
void correct(std::vector<Condition>& conditions) {
  std::vector<double> p;
  for (const Condition& condition : conditions) {
    if (condition.p) p.push_back(*condition.p);
  }
  p = results::holm(p);
  auto corrected = p.begin();
  for (Condition& condition : conditions) {
    if (condition.p) condition.p = *corrected++;
  }
}

void choose(Advice& advice) {
  const Race& race = advice.race;
  if (race.looked_after > 0) {
    advice.best = race.leader;
    if (race.looked_after < race_looks[0] && advice.contenders.size() > 1) return;
    // Here without the corrections of the race, which would let pass what is worse by this comparison alone.
    std::vector<std::size_t> left = race.left;
    std::erase_if(left, [&](std::size_t i) {
      const auto behind =
          differences_of(race.entrants[i].scores, race.entrants[*race.leader].scores, race.looked_after);
      return i != *race.leader && results::paired_p(behind).value_or(1) < results::significance;
    });
    std::ranges::sort(left);  // of those that send nothing the baseline comes first
    advice.safe = *std::ranges::min_element(left, {}, [&](std::size_t i) { return bytes_of(advice.contenders[i]); });
    return;
  }
  for (auto rung = quick_rungs.rbegin(); rung != quick_rungs.rend() && !advice.best; ++rung) {
    if (advice.count_after(rung->length) < std::min<std::size_t>(2, advice.contenders.size())) continue;
    advice.guessed_after = rung->length;
    const auto score = [&](const Contender& one) { return mean_of(one.after(rung->length)); };
    const auto best = std::ranges::min_element(advice.contenders, {}, score);
    advice.best = static_cast<std::size_t>(best - advice.contenders.begin());
  }
}

}  // namespace

std::vector<double> Contender::after(double length) const {
  const Halving::Tried* best = search.best_after(length);
  return best == nullptr ? std::vector<double>() : best->scores.at(length);
}

std::vector<const TrialResult*> Contender::finished() const {
  std::vector<const TrialResult*> list = trials;
  std::erase_if(list, [](const TrialResult* trial) { return trial == nullptr || !trial->failure.empty(); });
  return list;
}

double Contender::mean_at_end() const {
  std::vector<double> values;
  for (const TrialResult* trial : finished()) values.push_back(trial->at_end);
  return mean_of(values);
}

std::size_t Advice::count_after(double length) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      contenders, [&](const Contender& one) { return std::isfinite(mean_of(one.after(length))); }));
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
  const scenario::Scenario own = scenario::parse_scenario(systems, question_.text, question_.file, question_.set);
  setting_ = setting_of(own);
  // One model for all: other latencies may have another by default.
  if (own.platform.network.model == scenario::NetworkModel::automatic && !setting_.network_model.empty()) {
    question_.set.push_back({network_path, fmt::format("\"{}\"", setting_.network_model)});
  }
  race_base_ = {question_.text, question_.file, question_.set, question_.name, folder() / "runs"};
  conditions_ = conditions_of(own, setting_.check_with_packets);
  bandwidths_ = other_bandwidths(own);
  Base tuning_base = race_base_;
  tuning_base.folder = folder() / "tuning";
  tuning_base.set.push_back({"expect", "[]"});  // which may be of a later time than a short run's end
  // Tuning may stop where the question is answered.
  const Goal& goal = request_.goal;
  if (goal.target) {
    tuning_base.set.push_back({fmt::format("stop.{}", goal.metric.word), fmt::format("{}", *goal.target)});
  }
  SearchSpace space = space_of(own, {}, quick_seeds);
  space.rates = quick_rates, space.spare = quick_spare, space.rungs = quick_rungs, space.one_by_one = true;
  for (Candidate& candidate : candidates_of(question_, goal, request_.systems, at_once)) {
    if (!candidate.excluded.empty()) {
      left_out_.push_back(std::move(candidate));
      continue;
    }
    space.axes = {{"algorithm", {}}, schedules_of(own)};
    for (const Variant& variant : candidate.variants) space.axes.front().values.push_back(variant.algorithm);
    contenders_.push_back({std::move(candidate), {tuning_base, {}, space}, runs_of(space)});
  }
  if (contenders_.empty()) {
    throw InputError(
        fmt::format("{}: no candidate can be run: {}", question_.file, fmt::join(why_excluded(left_out_), "; ")));
  }
}

std::vector<std::uint64_t> Adviser::tuning_seeds() const { return advise::tuning_seeds(quick_seeds); }

fs::path Adviser::folder() const { return fs::path(request_.out) / question_.name; }

Trial Adviser::race_trial(const Contender& contender, std::size_t seed) {
  return {trials_.point(race_base_, contender.changes), request_.seeds.at(seed)};
}

Trial Adviser::condition_trial(const Contender& contender, const OtherCondition& condition, std::size_t seed) {
  if (condition.changes.empty() || !(contender.sends() || condition.for_all)) return race_trial(contender, seed);
  Base base = race_base_;
  base.folder = folder() / "conditions";
  return {trials_.point(base, joined(contender.changes, condition.changes)), request_.seeds.at(seed)};
}

Contender Adviser::contender(Contender contender) {
  const Scheme& scheme = contender.scheme;
  contender.search = search_of(trials_, scheme);
  const Halving::Tried* best = contender.search.best();
  const SearchSetting setting = best == nullptr ? SearchSetting{{0, 0}} : best->setting;
  const std::string& label = contender.candidate.variants[setting.values[0]].label;
  contender.name = contender.candidate.system + (label.empty() ? "" : " " + label);
  contender.changes = overrides_of(scheme.space, setting);
  if (best != nullptr) {
    contender.rate = rate_of(scheme.space, setting);
    contender.schedule = nlohmann::json::parse(scheme.space.axes[1].values[setting.values[1]])["type"];
  }
  return contender;
}

void Adviser::add_tuning(Advice& advice) {
  std::vector<Scheme> schemes;
  for (const Contender& contender : contenders_) {
    advice.contenders.push_back(this->contender(contender));
    advice.turns.push_back(schemes.size());
    schemes.push_back(contender.scheme);
  }
  std::ranges::stable_sort(advice.turns, {}, [&](std::size_t i) {
    const Contender& one = advice.contenders[i];
    const double length = one.search.length();
    return std::tuple(i != 0 || !advice.has_baseline(), -length, mean_of(one.after(length)));
  });
  advice.open_tuning = open_runs(trials_, schemes, advice.turns);
}

void Adviser::add_race(Advice& advice) {
  std::vector<Scores> scores;
  for (Contender& contender : advice.contenders) {
    Scores& own = scores.emplace_back();
    for (std::size_t seed = 0; seed < request_.seeds.size(); ++seed) {
      const TrialResult* known = trials_.known(race_trial(contender, seed));
      contender.trials.push_back(known);
      // Traffic need not tell of all that travels.
      const bool sent = known != nullptr && !known->curve.empty() && known->curve.back().bytes_sent > 0;
      contender.candidate.sends = contender.candidate.sends || sent;
      own.push_back(known == nullptr ? std::nullopt : std::optional(known->score));
    }
  }
  advice.race = race(scores);
  for (const Race::Open& open : advice.race.open) {
    advice.open_race.push_back({race_trial(advice.contenders[open.entrant], open.seed), open.entrant});
  }
  const Goal& goal = request_.goal;
  advice.shown_target = goal.target ? goal.target : nearly_of(advice.contenders.front(), goal.metric);
}

Condition Adviser::condition_of(const Advice& advice, const OtherCondition& other,
                                const std::vector<std::size_t>& among) {
  Condition condition{&other};
  for (const std::size_t i : among) {
    for (std::size_t seed = 0; seed < results::least_seeds; ++seed) {
      const Trial trial = condition_trial(advice.contenders[i], other, seed);
      const TrialResult* known = trials_.known(trial);
      condition.scores[i].push_back(known == nullptr ? std::nullopt : std::optional(known->score));
      if (known == nullptr) condition.open.push_back({trial, i});
    }
  }
  if (!condition.open.empty()) return condition;
  condition.best = *std::ranges::min_element(among, {}, [&](std::size_t i) { return mean_of(condition.scores[i]); });
  const auto own = condition.scores.find(*advice.best);
  if (own != condition.scores.end() && own->first != *condition.best) {
    condition.p =
        results::paired_p(differences_of(own->second, condition.scores[*condition.best], results::least_seeds));
  }
  return condition;
}

void Adviser::add_conditions(Advice& advice) {
  if (advice.race.looked_after < race_looks[0] || !advice.safe) return;
  const auto add = [&](std::size_t i) {
    if (std::ranges::count(advice.again, i) == 0 && !advice.race.entrants[i].waits) advice.again.push_back(i);
  };
  add(*advice.best);
  add(*advice.safe);
  const auto sender = std::ranges::find_if(advice.ranking, [&](auto i) { return advice.contenders[i].sends(); });
  if (sender != advice.ranking.end()) add(*sender);
  if (advice.has_baseline()) add(0);
  for (const OtherCondition& other : conditions_) {
    advice.conditions.push_back(condition_of(advice, other, advice.again));
  }
  add_break_even(advice);
  correct(advice.conditions);
}

std::optional<BreakEven> break_even_of(std::map<double, double> lead) {
  std::erase_if(lead, [](const auto& one) { return std::isnan(one.second); });
  if (lead.empty()) return std::nullopt;
  BreakEven found{0, std::nullopt, lead.begin()->first, lead.rbegin()->first, lead.begin()->second > 0};
  for (auto high = std::next(lead.begin()); high != lead.end() && !found.share; ++high) {
    const auto low = std::prev(high);
    if (low->second > 0 || high->second <= 0) continue;
    const double step = high->second - low->second, way = std::isfinite(step) ? -low->second / step : 0.5;
    found.share = low->first * std::pow(high->first / low->first, way);
  }
  return found;
}

// From the bandwidth as given ever less while the best that sends is ahead of the baseline, or ever more until it is.
void Adviser::add_break_even(Advice& advice) {
  const auto sender = std::ranges::find_if(advice.again, [&](auto i) { return advice.contenders[i].sends(); });
  if (sender == advice.again.end() || !advice.has_baseline() || advice.race.entrants[0].waits) return;
  const std::vector<std::size_t> two = {0, *sender};
  std::map<double, double> lead;  // of the sender, by bandwidth
  const auto add = [&](const Condition& condition) {
    if (!condition.scores.contains(0) || !condition.scores.contains(*sender)) return false;
    const auto one = mean_of(condition.scores.at(0)), other = mean_of(condition.scores.at(*sender));
    if (!condition.open.empty() || !one || !other) return false;
    lead[condition.what->bandwidth] = *one - *other;
    return true;
  };
  for (const Condition& condition : advice.conditions) {
    const bool of_bandwidth = condition.what->changes.empty() || condition.what->bandwidth != 1;
    if (of_bandwidth && !add(condition)) return;
  }
  for (const OtherCondition& other : bandwidths_) {
    const bool less = other.bandwidth < 1;
    const bool ahead = (less ? lead.begin() : std::prev(lead.end()))->second > 0;
    if (less != ahead) continue;  // it is between those tried already
    Condition condition = condition_of(advice, other, two);
    const bool known = add(condition);
    advice.conditions.push_back(std::move(condition));
    if (!known) return;
  }
  advice.break_even = break_even_of(lead);
  if (advice.break_even) advice.break_even->sender = *sender;
}

Advice Adviser::advice() {
  Advice advice;
  add_tuning(advice);
  add_race(advice);
  rank(advice);
  choose(advice);
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

std::optional<Usage> Adviser::usage_of(const Contender& contender) {
  for (std::size_t seed = 0; seed < contender.trials.size(); ++seed) {
    const TrialResult* trial = contender.trials[seed];
    if (trial != nullptr && trial->failure.empty()) return usage_in(trials_.folder_of(race_trial(contender, seed)));
  }
  return std::nullopt;
}

}  // namespace ddl::advise
