#include "sim/cli/checking/forecast_json.hpp"

#include <string>

#include "core/base/fields.hpp"

namespace ddl::cli {
namespace {

nlohmann::ordered_json bounds_json(const network::Bounds& bounds) {
  return {{"step_s", bounds.step_s},
          {"bottleneck",
           bounds.bottleneck.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(bounds.bottleneck)},
          {"network_s", bounds.network_s},
          {"compute_s", bounds.compute_s},
          {"bytes_per_step", bounds.bytes_per_step},
          {"bottleneck_bytes_per_step", bounds.bottleneck_bytes_per_step},
          {"network_bound", bounds.network_bound}};
}

nlohmann::ordered_json expected_json(const std::optional<run::ExpectedStep>& step) {
  if (!step || !step->layers_known) return nullptr;
  nlohmann::ordered_json json{
      {"step_s", step->step.seconds}, {"steps_simulated", step->steps}, {"compute_share", step->step.compute_share}};
  if (step->rest) {
    json["latency_share"] = step->rest->latency;
    json["bandwidth_share"] = step->rest->bandwidth;
    json["waiting_share"] = step->rest->waiting;
  }
  return json;
}

nlohmann::ordered_json sites_json(const std::vector<run::SiteForecast>& sites) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const run::SiteForecast& site : sites) {
    json.push_back({{"name", site.name}, {"workers", site.workers}, {"servers", site.servers}});
  }
  return json;
}

nlohmann::ordered_json connections_json(const run::Forecast& forecast) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const network::SiteConnection& it : forecast.connections) {
    json.push_back({{"from", it.from},
                    {"to", it.to},
                    {"binds", name_of(it.binding)},
                    {"window_bytes", it.window_bytes},
                    {"bytes_per_s", it.bytes_per_s},
                    {"message_bytes", forecast.message_bytes},
                    {"message_s", it.message_s}});
  }
  return json;
}

nlohmann::ordered_json data_json(const std::optional<run::DataForecast>& data) {
  if (!data) return nullptr;
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < data->classes.names.size(); ++i) {
    classes.push_back({{"name", data->classes.names[i]}, {"samples", data->classes.samples[i]}});
  }
  return {{"train", data->train}, {"test", data->test}, {"classes", std::move(classes)}};
}

}  // namespace

nlohmann::ordered_json forecast_json(const scenario::Scenario& scenario, run::Forecast forecast,
                                     const std::optional<run::ExpectedStep>& expected, run::Programs programs) {
  if (expected) expect_steps(forecast, scenario, *expected);
  nlohmann::ordered_json json{{"name", scenario.name},
                              {"algorithm", scenario.algorithm->facts().name},
                              {"bounds", bounds_json(forecast.bounds)},
                              {"expected", expected_json(expected)},
                              {"model_bytes", forecast.model_bytes},
                              {"parameters", forecast.shape.parameters},
                              {"data", data_json(forecast.data)},
                              {"workers", forecast.workers},
                              {"gradient_s", forecast.compute_s},
                              {"steps", forecast.steps},
                              {"sites", sites_json(forecast.sites)},
                              {"connections", connections_json(forecast)},
                              {"network",
                               {{"model", name_of(forecast.network.model)},
                                {"carried_by", name_of(forecast.network.carried_by)},
                                {"why", forecast.network.why}}},
                              {"consensus", nullptr},
                              {"notes", forecast.system_notes},
                              {"platform_notes", forecast.platform_notes},
                              {"host_notes", forecast.host_notes},
                              {"cost_core_s", forecast.cost.core_s()},
                              {"evaluation_core_s", forecast.cost.evaluation_s},
                              {"result_bytes", forecast.result.all()}};
  // Neither size nor cost is known while the program has not been started.
  const bool size_known = forecast.model_bytes > 0;
  if (!size_known) json["bounds"] = json["expected"] = json["model_bytes"] = json["parameters"] = nullptr;
  if (scenario.program && programs == run::Programs::are_left_alone)
    json["cost_core_s"] = json["evaluation_core_s"] = nullptr;
  if (forecast.consensus) {
    json["consensus"] = {{"factor", forecast.consensus->factor}, {"period", forecast.consensus->period}};
  }
  return json;
}

}  // namespace ddl::cli
