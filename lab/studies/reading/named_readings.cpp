#include "lab/studies/reading/named_readings.hpp"

#include <limits>

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

double number_or(const JsonAt& json, const char* key, double otherwise) {
  const std::optional<JsonAt> found = json.find(key);
  return found ? found->number() : otherwise;
}

// A number of summary.json, in such units, or how often it goes into another.
Reading measure_of(const JsonAt& json) {
  const std::string key = json.at("key").text();
  const double unit = number_or(json, "unit", 1);
  const std::optional<JsonAt> out_of = json.find("out_of");
  const std::optional<double> whole = out_of ? std::optional(out_of->number()) : std::nullopt;
  return [=](const results::FinishedRun& run) -> std::optional<double> {
    const std::optional<double> value = run.measure(key);
    if (!value) return std::nullopt;
    return whole ? *whole / (*value / unit) : *value / unit;
  };
}

Reading minibatches_of(const JsonAt& json) {
  const JsonAt value = json.at("value");
  const double until = number_or(json, "until", 1);
  const int steps = json.at("steps").whole();
  if (value.text() == "train_loss") return of_minibatches(&run::IterationRow::train_loss, until, steps);
  if (value.text() == "train_accuracy") return of_minibatches(&run::IterationRow::train_accuracy, until, steps, 100);
  value.refuse(scenario::in_quotes(value.text()) + " is unknown; expected train_loss or train_accuracy");
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
      {"seconds_to", {"accuracy"}, [](const JsonAt& json) { return seconds_to(json.at("accuracy").number()); }},
      {"steps_to", {"accuracy"}, [](const JsonAt& json) { return steps_to(json.at("accuracy").number()); }},
      {"seconds_per_cycle", {}, [](const JsonAt&) { return seconds_per_cycle(); }},
      {"fluctuation", {}, [](const JsonAt&) { return fluctuation_percent(); }},
      {"seconds_of_step", {"percent"}, [](const JsonAt& json) { return seconds_of_step(json.at("percent").number()); }},
      {"percent_of_steps",
       {"from_s", "below_s"},
       [](const JsonAt& json) {
         return percent_of_steps(json.at("from_s").number(),
                                 number_or(json, "below_s", std::numeric_limits<double>::infinity()));
       }},
      {"minibatches", {"value", "until", "steps"}, minibatches_of},
      {"points_learnt_late", {}, [](const JsonAt&) { return points_learnt_late(); }},
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
  keys.insert(keys.end(), {"at", "read", "published"});
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
  return named(counts, figure.at("count")).of(nn::total_of(nn::layer_table(model))) / number_or(figure, "unit", 1);
}

}  // namespace ddl::studies
