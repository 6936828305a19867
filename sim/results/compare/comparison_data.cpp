// For other programs: numbers in full.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/results/compare/comparison.hpp"
#include "sim/results/writing/csv.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither nan nor inf.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const RunGroup& group, const ComparedMeasure& measure) {
  const auto estimate = group.estimate_of(measure.key);
  Json json = {{"count", estimate ? estimate->count : 0}, {"mean", nullptr}, {"low", nullptr}, {"high", nullptr}};
  if (!estimate) return json;
  json["mean"] = number(estimate->mean);
  const auto interval = interval_of(*estimate, 0, most_of_measure(measure.key));
  if (!interval) return json;
  json["low"] = number(interval->low);
  json["high"] = number(interval->high);
  return json;
}

// {"time_to_accuracy_s.0.8": {"baseline": 0, "speed_up": 2.3, "beats": true}}
Json against_one_json(std::size_t index, const Comparison& comparison) {
  Json json = Json::object();
  for (const ComparedMeasure& measure : comparison.measures) {
    if (!measure.target) continue;
    const auto against = comparison.against_one(index, *measure.target);
    if (!against) continue;
    json[measure.key] = {{"baseline", *comparison.baselines[index]},
                         {"speed_up", against->speed_up ? number(*against->speed_up) : Json(nullptr)},
                         {"beats", against->beats}};
  }
  return json;
}

Json json_of(std::size_t index, const Comparison& comparison) {
  const RunGroup& group = comparison.grouped.groups[index];
  Json json = {{"scheme", group.scheme}, {"varied", Json::object()}};
  for (std::size_t i = 0; i < group.varied.size(); ++i) json["varied"][comparison.grouped.varied[i]] = group.varied[i];
  json["collapsed"] = group.collapsed();
  for (const FinishedRun& run : group.runs) {
    json["runs"].push_back({{"folder", run.folder.string()},
                            {"seed", run.seed},
                            {"stopped_by", run.stopped_by},
                            {"busiest_link", run.busiest_link}});
  }
  for (const ComparedMeasure& measure : comparison.measures) json["measures"][measure.key] = json_of(group, measure);
  if (comparison.baselines[index]) json["over_one_worker"] = against_one_json(index, comparison);
  return json;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  std::string text = "scheme";
  for (const std::string& path : comparison.grouped.varied) text += "," + csv_field(path);
  text += ",runs";
  for (const ComparedMeasure& measure : comparison.measures) {
    for (const char* column : {"", ".low", ".high", ".count"}) text += "," + csv_field(measure.key + column);
    if (measure.target && comparison.has_baselines())
      text += "," + csv_field(measure.key + ".speed_up_over_one_worker");
  }
  text += "\n";
  for (std::size_t index = 0; index < comparison.grouped.groups.size(); ++index) {
    const RunGroup& group = comparison.grouped.groups[index];
    text += csv_field(group.scheme);
    for (const std::string& value : group.varied) text += "," + csv_field(value);
    text += "," + std::to_string(group.runs.size());
    for (const ComparedMeasure& measure : comparison.measures) {
      const auto estimate = group.estimate_of(measure.key);
      const auto interval = estimate ? interval_of(*estimate, 0, most_of_measure(measure.key)) : std::nullopt;
      text += "," + (estimate ? csv_field(estimate->mean) : "");
      text += "," + (interval ? csv_field(interval->low) : "");
      text += "," + (interval ? csv_field(interval->high) : "");
      text += "," + std::to_string(estimate ? estimate->count : 0);
      if (!measure.target || !comparison.has_baselines()) continue;
      const auto against = comparison.against_one(index, *measure.target);
      text += "," + (against && against->speed_up ? csv_field(*against->speed_up) : "");
    }
    text += "\n";
  }
  return text;
}

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"groups", Json::array()}, {"pairs", Json::array()}, {"measured_and_simulated", Json::array()}};
  for (std::size_t i = 0; i < comparison.grouped.groups.size(); ++i) json["groups"].push_back(json_of(i, comparison));
  for (const Condition& condition : comparison.conditions) {
    for (const ComparedPair& pair : condition.pairs) {
      json["pairs"].push_back({{"measure", comparison.measures[pair.measure].key},
                               {"better", pair.better},
                               {"other", pair.other},
                               {"difference", number(pair.difference)},
                               {"tie", pair.is_tie()},
                               {"p", pair.p ? Json(*pair.p) : Json(nullptr)},
                               {"within_noise", pair.p ? Json(pair.within_noise()) : Json(nullptr)}});
    }
  }
  for (const Fidelity& fidelity : comparison.fidelities) {
    Json rows = Json::array();
    for (const Fidelity::Row& row : fidelity.rows) {
      const auto error = row.error();
      rows.push_back({{"quantity", row.title},
                      {"measured", number(row.measured.mean)},
                      {"simulated", number(row.simulated.mean)},
                      {"error", error ? number(*error) : Json(nullptr)}});
    }
    json["measured_and_simulated"].push_back(
        {{"measured", fidelity.measured}, {"simulated", fidelity.simulated}, {"quantities", rows}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ddl::results
