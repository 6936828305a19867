#include "sim/view/answer.hpp"

#include <algorithm>

#include "sim/results/reading/statistics.hpp"
#include "sim/view/targets.hpp"

namespace ddl::view {
namespace {

std::optional<results::Estimate> value_of(const results::RunGroup& group, const std::string& measure) {
  if (group.diverged() > 0 || group.count_with(measure) < group.runs.size()) return std::nullopt;
  const auto estimate = group.estimate_of(measure);
  const bool sends_nothing = measure.starts_with("bytes_to_") && estimate->mean == 0;  // it would be first everywhere
  return sends_nothing ? std::nullopt : estimate;
}

std::optional<bool> first_is_clear(const results::GroupedRuns& runs, const Ranking& ranking,
                                   const std::string& measure) {
  std::vector<double> p;
  for (std::size_t other = 1; other < ranking.order.size() && ranking.order[other].value; ++other) {
    const auto one =
        results::difference_p(runs.groups[ranking.order[0].group], runs.groups[ranking.order[other].group], measure);
    if (other == 1 && !one) return std::nullopt;
    if (one) p.push_back(*one);
  }
  if (p.empty()) return std::nullopt;
  return results::holm(p).front() < results::significance;
}

}  // namespace

Answer ranked_by(const results::GroupedRuns& runs, const std::string& measure, bool less_is_better) {
  Answer answer{measure, std::nullopt, {}};
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const std::vector<std::string>& condition = runs.groups[i].varied;
    auto place = std::ranges::find(answer.rankings, condition, &Ranking::condition);
    if (place == answer.rankings.end()) place = answer.rankings.insert(place, {condition, {}, std::nullopt});
    place->order.push_back({i, value_of(runs.groups[i], measure)});
  }
  const double sign = less_is_better ? 1 : -1;
  for (Ranking& ranking : answer.rankings) {
    std::stable_sort(ranking.order.begin(), ranking.order.end(), [&](const Ranked& a, const Ranked& b) {
      if (!a.value || !b.value) return a.value.has_value() && !b.value.has_value();
      return sign * a.value->mean < sign * b.value->mean;
    });
    if (ranking.order.front().value) ranking.clear = first_is_clear(runs, ranking, measure);
  }
  std::erase_if(answer.rankings, [](const Ranking& ranking) { return !ranking.order.front().value; });
  return answer;
}

std::vector<Answer> answers_of(const results::GroupedRuns& runs) {
  std::vector<double> targets = shared_targets(runs);
  std::ranges::sort(targets);
  std::vector<Answer> answers;
  for (const double target : targets) {
    answers.push_back(ranked_by(runs, results::time_to(target, runs.metric()), true));
    answers.back().target = target;
    if (answers.back().rankings.empty()) answers.pop_back();
  }
  answers.push_back(ranked_by(runs, results::final_of(runs.metric()), runs.metric().less_is_better));
  return answers;
}

Answer answer_of(const results::GroupedRuns& runs) {
  const std::vector<Answer> answers = answers_of(runs);
  if (answers.size() == 1) return answers.front();
  const auto telling = std::ranges::find(answers, std::optional(telling_target(runs)), &Answer::target);
  return telling == answers.end() ? answers.back() : *telling;
}

}  // namespace ddl::view
