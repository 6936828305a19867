// For other programs: numbers in full.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/results/compare/comparison_table.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither nan nor inf.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

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

Json json_of(std::size_t index, const Comparison& comparison, const Table& table) {
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
  json["measures"] = Json::object();
  for (std::size_t i = table.keys; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.kind == Kind::text) {
      json["settings"][column.key] = json_value(column, table.rows[index][i]);
    } else if (column.estimated) {
      json["measures"][column.key] = json_value(column, table.rows[index][i]);
    }
  }
  if (comparison.baselines[index]) json["over_one_worker"] = against_one_json(index, comparison);
  return json;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  return csv_text(comparison_table(comparison, Readers::programs, true));
}

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"groups", Json::array()}, {"pairs", Json::array()}, {"measured_and_simulated", Json::array()}};
  const Table table = comparison_table(comparison, Readers::programs, true);
  for (std::size_t i = 0; i < table.rows.size(); ++i) json["groups"].push_back(json_of(i, comparison, table));
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
