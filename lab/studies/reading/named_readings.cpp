#include "lab/studies/reading/named_readings.hpp"

#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "lab/studies/figures.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

int count_or(const JsonAt& json, const char* key, int otherwise) {
  const std::optional<JsonAt> found = json.find(key);
  return found ? found->whole() : otherwise;
}

// A number of summary.json, in such units, or how often it goes into another.
Reading measure_of(const JsonAt& json) {
  const std::string key = json.at("key").text();
  const std::optional<JsonAt> unit = json.find("unit"), out_of = json.find("out_of");
  const double divisor = unit ? unit->number() : 1;
  const std::optional<double> dividend = out_of ? std::optional(out_of->number()) : std::nullopt;
  return [=](const results::FinishedRun& run) -> std::optional<double> {
    const std::optional<double> value = run.measure(key);
    if (!value) return std::nullopt;
    return dividend ? *dividend / *value : *value / divisor;
  };
}

struct NamedReading {
  const char* name;
  std::vector<std::string> settings;
  Reading (*make)(const JsonAt& json);
};

const std::vector<NamedReading>& named_readings() {
  static const std::vector<NamedReading> all = {
      {"measure", {"key", "unit", "out_of"}, measure_of},
      {"final_accuracy",
       {"evaluations"},
       [](const JsonAt& json) {
         return final_accuracy_percent(static_cast<std::size_t>(count_or(json, "evaluations", 1)));
       }},
      {"answers", {"host"}, [](const JsonAt& json) { return answers_percent(json.at("host").text()); }}};
  return all;
}

template <class Named>
const Named& named(const std::vector<Named>& all, const JsonAt& name) {
  std::vector<std::string> names;
  for (const Named& one : all) {
    if (one.name == name.text()) return one;
    names.emplace_back(one.name);
  }
  name.refuse(scenario::in_quotes(name.text()) + " is unknown; " +
              scenario::nearest_or(name.text(), names, "expected " + scenario::listed(names)));
}

struct NamedCount {
  const char* name;
  double (*of)(const nn::LayerRow& total);
};

}  // namespace

Reading reading_of(const JsonAt& figure) {
  const NamedReading& reading = named(named_readings(), figure.at("read"));
  std::vector<std::string> keys = reading.settings;
  keys.insert(keys.end(), {"at", "read"});
  figure.expect_keys(keys);
  return reading.make(figure);
}

double count_of(const JsonAt& figure, const std::string& network, const std::vector<JsonAt>& input) {
  static const std::vector<NamedCount> counts = {
      {"weights", [](const nn::LayerRow& total) { return static_cast<double>(total.weights); }},
      {"non_zeros", [](const nn::LayerRow& total) { return static_cast<double>(total.non_zeros()); }},
      {"operations", [](const nn::LayerRow& total) { return total.operations; }}};
  figure.expect_keys({"at", "count", "unit"});
  const Shape shape{input.at(0).whole(), input.at(1).whole(), input.at(2).whole()};
  const nn::Model model({.name = network, .layers = {}}, shape, 10);
  const std::optional<JsonAt> unit = figure.find("unit");
  return named(counts, figure.at("count")).of(nn::total_of(nn::layer_table(model))) / (unit ? unit->number() : 1);
}

}  // namespace ddl::studies
