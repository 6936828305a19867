#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/layer_table.hpp"
#include "core/nn/published_models.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

// A model and the samples it reads.
struct Subject {
  std::string title;
  nn::ModelSpec spec;
  Shape input;
  int classes = 10;
  std::optional<double> wire_bytes;  // as a scenario says
};

bool is_scenario(const std::string& word) {
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word);
}

template <class Enum>
Enum value_named(const std::string& word, const char* option) {
  for (const auto& entry : enum_names(Enum{})) {
    if (entry.name == word) return entry.value;
  }
  const auto names = scenario::names_of<Enum>();
  throw InputError(fmt::format("model {}: {} is unknown; {}", option, scenario::in_quotes(word),
                               scenario::nearest_or(word, names, "expected one of " + scenario::listed(names))));
}

Subject subject_of_scenario(const Registry& systems, const ModelSettings& settings) {
  if (!settings.data.empty()) {
    throw InputError("model --data: is for named models; expected --set data.source=" + settings.data);
  }
  const scenario::Scenario scenario = scenario::read_scenario(systems, settings.model, settings.overrides);
  if (scenario.model.none()) throw InputError(settings.model + ": $.model: \"none\" has no layers; expected a model");
  if (scenario.program) {
    throw InputError(settings.model +
                     ": $.model: is a program's, whose layers ddlsim does not see; expected a network");
  }
  const data::DataShape data = data_shape_of(scenario);
  const auto bytes = scenario.wire.model_bytes;
  return {scenario.model.name == "layers" ? scenario.name : scenario.model.name, scenario.model, data.shape,
          data.classes, bytes ? std::optional(bytes->value) : std::nullopt};
}

Subject named_subject(const ModelSettings& settings) {
  if (!settings.overrides.empty()) {
    throw InputError("model --set: is for scenarios; expected a scenario file instead of " +
                     scenario::in_quotes(settings.model));
  }
  std::vector<std::string> names;
  for (const nn::NamedModel& named : nn::named_models()) {
    names.emplace_back(named.name);
    if (settings.model != named.name) continue;
    Subject subject{settings.model, {settings.model, {}}, named.input, named.classes, std::nullopt};
    if (!settings.data.empty()) {
      const auto source = value_named<data::DataSource>(settings.data, "--data");
      if (data::is_own(source)) {
        throw InputError("model --data: the shape of " + settings.data +
                         " is in the files; expected a scenario with them, instead of " + settings.model);
      }
      const data::DataShape data = data::data_shape(source);
      subject.input = data.shape;
      subject.classes = data.classes;
    }
    return subject;
  }
  throw InputError(
      "model: " + scenario::in_quotes(settings.model) + " is unknown; " +
      scenario::nearest_or(settings.model, names, "expected a scenario or one of " + scenario::listed(names)));
}

Subject subject_of(const Registry& systems, const ModelSettings& settings) {
  if (settings.model.empty()) throw InputError("model: no model named; see ddlsim model --help");
  Subject subject = is_scenario(settings.model) ? subject_of_scenario(systems, settings) : named_subject(settings);
  if (nn::gpt_of(subject.spec) && (!settings.mask.empty() || settings.groups)) {
    throw InputError("model: " + subject.title + " has no masks and groups; expected neither --mask nor --groups");
  }
  const auto replace = [&](std::vector<nn::LayerSpec> layers, const std::string& what) {
    subject.spec = {"layers", std::move(layers)};
    subject.title += ", " + what;
  };
  if (!settings.mask.empty()) {
    const nn::Mask mask = value_named<nn::Mask>(settings.mask, "--mask");
    replace(nn::with_mask(nn::layers_of(subject.spec, subject.classes), mask), "mask " + settings.mask);
  }
  if (settings.groups) {
    replace(nn::with_groups(nn::layers_of(subject.spec, subject.classes), *settings.groups),
            fmt::format("groups {}", *settings.groups));
  }
  return subject;
}

std::string text_of(Shape shape) { return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width); }
std::string text_of(std::size_t count) { return results::readable_count(static_cast<double>(count)); }

std::vector<std::string> cells_of(const nn::LayerRow& row) {
  const double share = row.whole == 0 ? 1 : static_cast<double>(row.non_zeros()) / static_cast<double>(row.whole);
  return {row.name,
          text_of(row.input),
          text_of(row.output),
          text_of(row.whole),
          text_of(row.non_zeros()),
          row.whole == 0 ? "" : results::readable_share(share),
          results::readable_count(row.operations),
          text_of(4 * row.non_zeros())};
}

results::Table table_of(const std::vector<nn::LayerRow>& rows) {
  std::vector<std::vector<std::string>> lines = {
      {"layer", "input", "output", "parameters", "non-zero", "share", "operations", "bytes"}};
  for (const nn::LayerRow& row : rows) lines.push_back(cells_of(row));
  lines.push_back(cells_of(nn::total_of(rows)));
  return results::Table::of(lines);
}

std::string model_text(const Subject& subject, const std::vector<nn::LayerRow>& rows, std::size_t width) {
  const nn::LayerRow total = nn::total_of(rows);
  std::string text = fmt::format("{}: {} in, {} classes\n\n{}\n", subject.title, text_of(subject.input),
                                 subject.classes, results::terminal_text(table_of(rows), width));
  text += fmt::format("weights alone: {}, non-zero {}\n", text_of(total.whole_weights()), text_of(total.weights));
  const std::string operations = total.operations < 1e4 ? results::readable_count(total.operations)
                                                        : fmt::format("{:.2f} million", total.operations / 1e6);
  text += results::hanging(
      "operations: ", operations + " a sample, forward (multiply-adds, and 2 a value of batch_norm)", width);
  if (subject.wire_bytes) {
    text += fmt::format("travels as {} (wire.model_bytes)\n", results::readable_bytes(*subject.wire_bytes));
  }
  return text;
}

using Json = nlohmann::ordered_json;

Json json_of(Shape shape) { return {shape.channels, shape.height, shape.width}; }

Json json_of(const nn::LayerRow& row) {
  return {{"name", row.name},
          {"kind", row.kind},
          {"input", json_of(row.input)},
          {"output", json_of(row.output)},
          {"parameters", row.whole},
          {"non_zeros", row.non_zeros()},
          {"weights", row.whole_weights()},
          {"non_zero_weights", row.weights},
          {"operations", std::llround(row.operations)},
          {"wire_bytes", 4 * row.non_zeros()}};
}

std::string model_json(Subject subject, const std::vector<nn::LayerRow>& rows) {
  Json json{{"name", subject.title}, {"input", json_of(subject.input)}, {"classes", subject.classes}};
  json["layers"] = Json::array();
  for (const nn::LayerRow& row : rows) json["layers"].push_back(json_of(row));
  json["total"] = json_of(nn::total_of(rows));
  for (const char* of_a_layer : {"name", "kind"}) json["total"].erase(of_a_layer);
  if (subject.wire_bytes) json["model_bytes"] = *subject.wire_bytes;
  std::optional<scenario::ProgramSpec> none;
  scenario::ModelChoice model{subject.spec, none};
  json["model"] = scenario::to_json_value(model);
  return scenario::layout(json);
}

}  // namespace

void show_model(const Registry& systems, const ModelSettings& settings) {
  const Subject subject = subject_of(systems, settings);
  try {
    const std::vector<nn::LayerRow> rows = nn::layer_table(nn::Model(subject.spec, subject.input, subject.classes));
    std::cout << (settings.json ? model_json(subject, rows)
                                : model_text(subject, rows, Terminal(STDOUT_FILENO).columns()));
  } catch (const nn::ModelError& error) {
    throw InputError("model: " + subject.title + ": " + error.what());
  }
}

}  // namespace ddl::cli
