// Checks of what is expected of a scenario's runs.
#include <fmt/format.h>

#include <filesystem>

#include "core/base/counted.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/units.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr const char* kinds = "accuracy, loss, time, bytes and better_than";

double number_in(double value) { return value; }
template <class Quantity>
double number_in(const Quantity& quantity) {
  return quantity.value;
}

template <class Value>
void check_band(const std::vector<Value>& band, const char* key, const Place& place) {
  if (band.empty()) return;
  if (band.size() != 2) {
    place.at(key).error(fmt::format("has {}; expected two, the least and the most", counted(band.size(), "value")));
  } else if (number_in(band[0]) > number_in(band[1])) {
    place.at(key).error("is empty; expected the least before the most");
  }
}

void check_other_file(const Scenario& scenario, const std::string& file, const Place& place) {
  std::error_code unreadable;
  const std::string path = resolve_path(scenario, file);
  if (!std::filesystem::exists(path, unreadable)) {
    place.error(in_quotes(path) + " does not exist; expected another scenario's file");
  } else if (std::filesystem::equivalent(path, scenario.file, unreadable)) {
    place.error(in_quotes(path) + " is this scenario; expected another one");
  }
}

bool is_scored(const Expectation& expectation) {
  return !expectation.accuracy.empty() || !expectation.loss.empty() || !expectation.better_than.empty();
}

void check_form(const Expectation& expectation, const Place& place) {
  const int given = int{!expectation.accuracy.empty()} + int{!expectation.loss.empty()} +
                    int{!expectation.time.empty()} + int{!expectation.bytes.empty()} +
                    int{!expectation.better_than.empty()};
  if (given != 1) {
    return place.error(fmt::format("has {} of {}; expected exactly one", given == 0 ? "none" : "several", kinds));
  }
  check_band(expectation.accuracy, "accuracy", place);
  check_band(expectation.loss, "loss", place);
  check_band(expectation.time, "time", place);
  check_band(expectation.bytes, "bytes", place);
}

void check_for_run(const Scenario& scenario, const Expectation& expectation, const Place& place) {
  if (!expectation.better_than.empty()) check_other_file(scenario, expectation.better_than, place.at("better_than"));
  if (expectation.at && scenario.stop.time && expectation.at->value > scenario.stop.time->value) {
    place.at("at").error("is after the run's end, stop.time " +
                         write_quantity(scenario.stop.time->value, Dimension::time) + "; expected an earlier time");
  }
  if (scenario.model.none() && is_scored(expectation)) {
    place.error("needs a model, but model \"none\" learns nothing; expected time or bytes");
  }
  if (scenario.model.none() && expectation.target) {
    place.at("target").error("needs a model, but model \"none\" learns nothing; expected no such key");
  }
  const Metric& metric = scenario.evaluate.judged_by();
  const auto within_metric = [&](const std::optional<double>& value, const char* key) {
    if (!value || *value <= metric.most) return;
    place.at(key).error(fmt::format("{} is more than any {}; expected at most {}", *value, metric.word, metric.most));
  };
  within_metric(expectation.target, "target");
  within_metric(expectation.by, "by");
}

}  // namespace

void check_expectations(const Scenario& scenario, Findings& findings) {
  const Place list{findings, "$.expect"};
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    const Place place = list.at(i);
    if (findings.clean(place.path)) check_form(scenario.expect[i], place);
  }
}

void check_judgeable(const Scenario& scenario, Findings& findings) {
  const Place list{findings, "$.expect"};
  if (scenario.expect.empty()) list.error("is missing; expected a list of what its runs must show");
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) check_for_run(scenario, scenario.expect[i], list.at(i));
}

}  // namespace ddl::scenario
