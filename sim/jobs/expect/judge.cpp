#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/jobs/expect/expect.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::jobs {
namespace {

namespace fs = std::filesystem;
using scenario::by_accuracy, scenario::by_loss;
using scenario::Expectation, scenario::Metric;

constexpr double rounding = 1e-9;  // in sums of times
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double least_margin = 0.03, deviations = 3, time_margin = 1.5, byte_margin = 1.25, difference_margin = 0.5;

std::string shown(Seconds time) { return scenario::write_quantity(time.value, scenario::Dimension::time); }

// The mean over workers as it was last evaluated by then, or its mean over several evaluations.
std::optional<double> score_of(const fs::path& folder, const Expectation& expectation, const Metric& metric) {
  const double until = expectation.at ? expectation.at->value : endless;
  std::vector<double> values;
  for (const run::CurveRow& row : results::read_mean_curve(folder)) {
    if (row.time_s <= until * (1 + rounding)) values.push_back(results::value_in(row, metric));
  }
  if (values.empty()) return std::nullopt;
  const auto over = std::min<std::size_t>(values.size(), static_cast<std::size_t>(expectation.over.value_or(1)));
  double sum = 0;
  for (auto value = values.end() - static_cast<std::ptrdiff_t>(over); value != values.end(); ++value) sum += *value;
  return sum / static_cast<double>(over);
}

// When a run reached a target, and what all nodes had sent by then.
std::optional<run::CurveRow> reached(const fs::path& folder, double target, const Metric& metric) {
  for (run::CurveRow& row : results::read_mean_curve(folder)) {
    if (metric.reaches(results::value_in(row, metric), target)) return std::move(row);
  }
  return std::nullopt;
}

std::optional<double> cost_of(const fs::path& folder, const Expectation& expectation, Judgement::Kind kind,
                              const Metric& metric) {
  const bool time = kind == Judgement::Kind::seconds;
  if (!expectation.target) {
    return results::read_finished(folder).measure(time ? "simulated_seconds" : "bytes_sent");
  }
  const auto row = reached(folder, *expectation.target, metric);
  return row ? std::optional(time ? row->time_s : row->bytes_sent) : std::nullopt;
}

std::string when(const Expectation& expectation) {
  std::string text = expectation.at ? " at " + shown(*expectation.at) : " at the end";
  if (expectation.over.value_or(1) > 1) text += fmt::format(", mean of {} evaluations", *expectation.over);
  return text;
}

// A band names its own metric.
const Metric& metric_of(const scenario::Scenario& scenario, const Expectation& expectation) {
  if (!expectation.accuracy.empty()) return by_accuracy;
  return expectation.loss.empty() ? scenario.evaluate.judged_by() : by_loss;
}

// The question alone, before any run is looked at.
Judgement question(const scenario::Scenario& scenario, const Expectation& expectation) {
  const std::string until =
      expectation.target ? fmt::format(" to {} {}", scenario.evaluate.judged_by().word, *expectation.target) : "";
  Judgement verdict;
  if (const auto& band = expectation.loss.empty() ? expectation.accuracy : expectation.loss; !band.empty()) {
    verdict.kind = Judgement::Kind::score;
    verdict.what = std::string(metric_of(scenario, expectation).word) + when(expectation);
    verdict.least = band[0], verdict.most = band[1];
  } else if (!expectation.time.empty()) {
    verdict.kind = Judgement::Kind::seconds;
    verdict.what = (expectation.target ? "time" : "simulated time") + until;
    verdict.least = expectation.time[0].value, verdict.most = expectation.time[1].value;
  } else if (!expectation.bytes.empty()) {
    verdict.kind = Judgement::Kind::bytes;
    verdict.what = "bytes" + until;
    verdict.least = expectation.bytes[0].value, verdict.most = expectation.bytes[1].value;
  } else {
    const fs::path rival = scenario::resolve_path(scenario, expectation.better_than);
    verdict.kind = Judgement::Kind::difference;
    verdict.what = "better than " + rival.stem().string() + when(expectation);
    verdict.least = expectation.by.value_or(0), verdict.most = endless;
  }
  return verdict;
}

// Down, or up, to a multiple of 10^-digits.
double rounded(double value, int digits, bool up) {
  const double scale = std::pow(10, std::abs(digits));
  const double steps = digits >= 0 ? value * scale : value / scale;
  const double whole = up ? std::ceil(steps - 1e-9) : std::floor(steps + 1e-9);
  return digits >= 0 ? whole / scale : whole * scale;
}

// To two digits.
double rounded_size(double value, bool up) {
  return value <= 0 ? 0 : rounded(value, 1 - static_cast<int>(std::floor(std::log10(value))), up);
}

}  // namespace

bool Judgement::fits(std::size_t seed) const {
  const std::optional<double>& value = seen.at(seed);
  if (!value || !(*value >= least && *value <= most)) return false;
  return kind != Kind::difference || *value > 0;  // a tie is not better
}

bool Judgement::holds() const {
  for (std::size_t seed = 0; seed < seen.size(); ++seed) {
    if (!fits(seed)) return false;
  }
  return true;
}

std::vector<Judgement> judge(const ExpectPlan& plan, const ExpectedScenario& expected,
                             const std::vector<std::string>& failures) {
  std::vector<Judgement> verdicts;
  const auto folder_of = [&](std::size_t job) { return plan.jobs[job].folder; };
  for (std::size_t i = 0; i < expected.scenario->expect.size(); ++i) {
    const Expectation& expectation = expected.scenario->expect[i];
    const Metric& metric = metric_of(*expected.scenario, expectation);
    Judgement verdict = question(*expected.scenario, expectation);
    for (std::size_t seed = 0; seed < expected.seeds.size(); ++seed) {
      const std::size_t job = expected.jobs[seed];
      const bool difference = verdict.kind == Judgement::Kind::difference;
      std::optional<double> value;
      if (failures[job].empty() && verdict.kind != Judgement::Kind::score && !difference) {
        value = cost_of(folder_of(job), expectation, verdict.kind, metric);
      } else if (failures[job].empty()) {
        value = score_of(folder_of(job), expectation, metric);
      }
      if (difference && value) {
        const std::size_t rival = expected.rivals[i][seed];
        const auto theirs =
            failures[rival].empty() ? score_of(folder_of(rival), expectation, metric) : std::optional<double>();
        value = theirs ? std::optional(metric.less_is_better ? *theirs - *value : *value - *theirs) : std::nullopt;
      }
      verdict.seen.push_back(value);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::optional<Expectation> widened(const Expectation& expectation, const Judgement& verdict) {
  std::vector<double> values;
  for (const auto& value : verdict.seen) {
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const auto [least, most] = std::ranges::minmax(values);
  const results::Estimate over_seeds = *results::estimate(values);
  Expectation wide = expectation;
  switch (verdict.kind) {
    case Judgement::Kind::score: {
      const bool loss = !expectation.loss.empty();
      const double whole = loss ? over_seeds.mean : by_accuracy.most;
      const double margin = std::max(least_margin * whole, deviations * over_seeds.deviation);
      std::vector<double>& band = loss ? wide.loss : wide.accuracy;
      band = {std::max(0.0, rounded(over_seeds.mean - margin, 2, false)),
              std::min(loss ? by_loss.most : by_accuracy.most, rounded(over_seeds.mean + margin, 2, true))};
      break;
    }
    case Judgement::Kind::seconds:
      wide.time = {{rounded_size(least / time_margin, false)}, {rounded_size(most * time_margin, true)}};
      break;
    case Judgement::Kind::bytes:
      wide.bytes = {{rounded_size(least / byte_margin, false)}, {rounded_size(most * byte_margin, true)}};
      break;
    case Judgement::Kind::difference:
      if (least <= 0) return std::nullopt;
      wide.by = std::max(0.001, rounded(least * difference_margin, 3, false));
      break;
  }
  return wide;
}

}  // namespace ddl::jobs
