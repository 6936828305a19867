#include "sim/advise/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/counted.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::advise {
namespace {

constexpr double of_power = 0.842;  // the normal quantile of four in five
constexpr std::size_t most_told_seeds = 1000;

// What is as good as nothing where a task is learned: of an accuracy; of a loss its share.
constexpr double near_accuracy = 0.03, near_loss = 0.05;

// Over the tenth of the time before half of it; infinity where none of it was evaluated.
double mean_half_way(const Contender& contender, const scenario::Metric& metric, double length_s) {
  std::vector<double> values;
  for (const TrialResult* trial : contender.finished()) {
    for (const run::CurveRow& row : trial->curve) {
      if (row.time_s >= 0.4 * length_s && row.time_s <= 0.5 * length_s) {
        values.push_back(results::value_in(row, metric));
      }
    }
  }
  return mean_of(values);
}

std::string price_of(const Usage& usage, const std::string& with) {
  return fmt::format("{} carries {} an hour{}", usage.slowest, results::readable_bytes(usage.bytes_per_hour), with);
}

// Of the safe choice, where that is another one than was told of.
std::string safe_price(Adviser& adviser, const Advice& advice, std::size_t told) {
  if (!advice.safe || *advice.safe == told) return "";
  const Contender& safe = advice.contenders[*advice.safe];
  const auto usage = adviser.usage_of(safe);
  if (!usage || usage->slowest.empty()) return "; nothing with " + safe.name;
  return "; " + price_of(*usage, " with " + safe.name);
}

std::string break_even_text(const Advice& advice, const std::optional<Usage>& usage) {
  const BreakEven& found = *advice.break_even;
  const std::string& sender = advice.contenders[found.sender].name;
  if (found.share) {
    const bool known = usage && !usage->link.empty();
    const std::string link =
        known ? fmt::format(" ({} {})", usage->link, bandwidth_text(*found.share * usage->bandwidth_bytes_per_s)) : "";
    return fmt::format("Break-even: at {:.2g} times the bandwidth{} {} is as good as {}, below it better.",
                       *found.share, link, baseline_text(advice.contenders.front().candidate), sender);
  }
  if (found.ahead_at_least) {
    return fmt::format("Break-even: {} is ahead even with {:.2g} of the bandwidth, the least that was tried.", sender,
                       found.least);
  }
  return fmt::format("Break-even: {} is behind even with {:g} times the bandwidth, the most that was tried.", sender,
                     found.most);
}

}  // namespace

std::optional<std::size_t> seeds_to_tell(const std::vector<double>& differences, std::size_t tests) {
  const auto estimate = results::estimate(differences);
  if (!estimate || estimate->count < 2 || estimate->mean == 0 || !std::isfinite(estimate->mean)) return std::nullopt;
  const double of_error = results::normal_factor(results::significance / static_cast<double>(tests));
  const double ratio = (of_error + of_power) * estimate->deviation / estimate->mean;
  // What Student's test needs beyond a normal one (Guenther, The American Statistician 35, 1981).
  const double more = of_error * of_error / 2;
  return static_cast<std::size_t>(std::ceil(std::min(ratio * ratio, static_cast<double>(most_told_seeds)) + more));
}

std::vector<double> behind_of(const Advice& advice, std::size_t one, std::size_t other) {
  const Scores &own = advice.race.entrants[one].scores, &others = advice.race.entrants[other].scores;
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < own.size(); ++seed) {
    if (own[seed] && others[seed]) differences.push_back(*own[seed] - *others[seed]);
  }
  return differences;
}

bool is_saturated(const Advice& advice, const scenario::Metric& metric, double length_s) {
  if (!advice.has_baseline() || !advice.best || advice.race.entrants[0].waits) return false;
  const Contender& one = advice.contenders.front();
  const double end = one.mean_at_end(), best = advice.contenders[*advice.best].mean_at_end();
  const double near = metric.less_is_better ? near_loss * end : near_accuracy;
  const double half_way = mean_half_way(one, metric, length_s);
  if (!std::isfinite(end) || !std::isfinite(best) || !std::isfinite(half_way)) return false;  // not known
  return metric.behind(end, best) < near && metric.behind(half_way, end) < near;
}

std::optional<std::size_t> told_of(const Advice& advice) {
  for (const std::size_t i : advice.again) {
    if (advice.contenders[i].sends()) return i;
  }
  return std::nullopt;
}

std::vector<std::string> reasons_of(Adviser& adviser, const Advice& advice) {
  std::vector<std::string> lines;
  const auto told = told_of(advice);
  const auto usage = told ? adviser.usage_of(advice.contenders[*told]) : std::nullopt;
  if (usage && !usage->link.empty()) {
    const std::string old =
        usage->staleness ? fmt::format("; gradients are {:.2g} updates old", *usage->staleness) : std::string();
    lines.push_back(
        fmt::format("Why: with {} the bottleneck, link {}, is busy {} of the time and workers compute {}{}.",
                    advice.contenders[*told].name, usage->link, results::readable_share(usage->utilisation),
                    results::readable_share(usage->computing), old));
    lines.push_back("Price: " + price_of(*usage, "") + safe_price(adviser, advice, *told) + ", both ways.");
  }
  if (advice.break_even) lines.push_back(break_even_text(advice, usage));
  return lines;
}

std::vector<std::string> warnings_of(Adviser& adviser, const Advice& advice) {
  std::vector<std::string> lines;
  const scenario::Metric& metric = adviser.request().goal.metric;
  const Contender& one = advice.contenders.front();
  const double length_s = adviser.scenario_of(one).stop.time->value;
  if (is_saturated(advice, metric, length_s)) {
    std::string text = baseline_text(advice.contenders.front().candidate);
    text.front() = static_cast<char>(std::toupper(text.front()));
    lines.push_back(fmt::format(
        "{} all but saturates this task: it ends at {:.3f}, {:.3f} half-way, and the best at "
        "{:.3f}. A network can add little here; a harder task or less time would tell.",
        text, one.mean_at_end(), mean_half_way(one, metric, length_s), advice.contenders[*advice.best].mean_at_end()));
  }
  std::vector<std::string> edges;
  for (const std::size_t i : advice.again.empty() ? advice.turns : advice.again) {
    if (advice.contenders[i].search.at_edge) edges.push_back(advice.contenders[i].name);
  }
  if (!edges.empty()) {
    lines.push_back(
        fmt::format("Best rate at the edge of those tried: {}; one beyond may be better. ddlsim tune goes "
                    "further.",
                    fmt::join(edges, ", ")));
  }
  if (advice.safe && advice.race.left.size() > 1) {
    const std::size_t other = advice.safe != advice.best ? *advice.safe : advice.race.left[1];
    const std::vector<double> behind = behind_of(advice, other, *advice.best);
    const std::size_t looks = looks_of(adviser.request().seeds.size()).size();
    const auto seeds = seeds_to_tell(behind, looks * (advice.race.left.size() - 1));
    const std::string count = !seeds || *seeds > most_told_seeds
                                  ? fmt::format("more than {}", most_told_seeds)
                                  : fmt::format("about {}", std::max(*seeds, behind.size() + 1));
    lines.push_back(fmt::format("Too few seeds: it would take {} to tell {} and {} apart; both have {}.", count,
                                advice.contenders[*advice.best].name, advice.contenders[other].name, behind.size()));
  }
  return lines;
}

}  // namespace ddl::advise
