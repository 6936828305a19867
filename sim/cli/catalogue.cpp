// The catalogue of `ddlsim list`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/check.hpp"
#include "core/codec/codec_params.hpp"
#include "core/data/dataset.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/pairs.hpp"
#include "core/nn/model.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/jobs/sweep/sweep.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name, what;
};

std::vector<Entry> algorithms(const Registry& systems) {
  std::vector<Entry> entries;
  for (const auto& system : systems) {
    const SystemFacts& row = system->facts();
    entries.push_back(
        {row.name, fmt::format("{} [{}]{}", row.what, row.paper, row.needs_servers ? ", needs servers" : "")});
    for (const Preset& preset : row.presets) {
      entries.push_back(
          {fmt::format("- {}", preset.name), fmt::format("{} with {} [{}]", row.name, preset.settings, preset.paper)});
    }
  }
  return entries;
}

std::vector<Entry> models(const Registry&) {
  std::vector<Entry> entries;
  for (const nn::NamedModel& named : nn::named_models()) {
    const nn::Model model({.name = named.name, .layers = {}}, named.input, named.classes);

    entries.push_back(
        {named.name,
         fmt::format("{} [{}x{}x{}: {} parameters, {} non-zero, {:.2f} M operations per sample]", named.what,
                     named.input.channels, named.input.height, named.input.width, model.whole_parameter_count(),
                     model.parameter_count(), model.forward_multiply_adds() / 1e6)});
  }
  entries.push_back({"none", "no mathematics, timing only: needs wire.model_bytes and compute.seconds_per_batch"});
  return entries;
}

template <class Enum>
std::vector<Entry> values_of() {
  std::vector<Entry> entries;
  for (const auto& value : enum_names(Enum{})) entries.push_back({std::string(value.name), value.what});
  return entries;
}

std::vector<Entry> data_sets(const Registry&) {
  std::vector<Entry> entries;
  for (const auto& source : data::enum_names(data::DataSource{})) {
    if (data::is_own(source.value)) {
      entries.push_back({std::string(source.name), source.what});
      continue;
    }
    const data::DataShape data = data::data_shape(source.value);
    entries.push_back(
        {std::string(source.name),
         fmt::format("{} x {} x {} values, {} classes, {}", data.shape.channels, data.shape.height, data.shape.width,
                     data.classes, source.value == data::DataSource::synthetic ? "generated" : "files in data.path")});
  }
  return entries;
}

std::vector<Entry> graphs(const Registry&) {
  std::vector<Entry> entries = values_of<graph::GraphKind>();
  std::ranges::copy(values_of<graph::PairGraph>(), std::back_inserter(entries));
  entries.push_back(
      {"edges", "one's own: {\"edges\": \"graph.csv\"} or [[\"w0\", \"w1\"], ...]; a list of graphs: one a round"});
  return entries;
}

template <class... Alternatives>
std::vector<Entry> alternatives_of(const std::variant<Alternatives...>&) {
  return {{Alternatives::tag, Alternatives::what}...};
}

std::vector<Entry> templates_of_new(const Registry&) {
  std::vector<Entry> entries;
  for (const auto& [name, what] : template_list()) entries.push_back({name, what});
  return entries;
}

// Sweeps are listed separately from scenarios.
bool is_in_study(const fs::path& path) { return path.parent_path().filename() == "study"; }

std::vector<Entry> sweeps(const Registry&) {
  std::vector<Entry> entries;
  for (const fs::path& path : shipped_files("scenarios", ".json")) {
    if (!is_in_study(path)) continue;
    try {
      entries.push_back({scenario_name(path), jobs::read_sweep(path.string()).description});
    } catch (const scenario::ScenarioErrors&) {
      entries.push_back({scenario_name(path), "is not right: see ddlsim sweep --dry-run"});
    }
  }
  return entries;
}

std::vector<Entry> scenarios(const Registry& systems) {
  std::vector<Entry> entries;
  for (const fs::path& path : shipped_files("scenarios", ".json")) {
    if (is_in_study(path)) continue;
    try {
      entries.push_back({scenario_name(path), scenario::read_scenario(systems, path.string()).description});
    } catch (const scenario::ScenarioErrors& errors) {
      const bool only_data = std::ranges::all_of(
          errors.lines, [](const std::string& line) { return line.find("$.data.path:") != std::string::npos; });
      entries.push_back({scenario_name(path),
                         only_data ? "needs a data set: --set data.path=FOLDER" : "is not right: see ddlsim check"});
    }
  }
  return entries;
}

std::vector<Entry> platforms(const Registry&) {
  std::vector<Entry> entries;
  for (const char* extension : {".xml", ".csv"}) {
    for (const fs::path& path : shipped_files("platforms", extension)) entries.push_back({path.string(), ""});
  }
  return entries;
}

struct Kind {
  const char* word;
  std::vector<Entry> (*entries)(const Registry& systems);
  int most_lines = 2;  // where all kinds share one screen
};

constexpr Kind kKinds[] = {{"algorithms", algorithms, 4},
                           {"models", models},
                           {"data", data_sets},
                           {"topologies", [](const Registry&) { return values_of<scenario::Topology>(); }},
                           {"graphs", graphs},
                           {"codecs", [](const Registry&) { return alternatives_of(codec::CodecParams()); }},
                           {"optimizers", [](const Registry&) { return alternatives_of(nn::OptimizerParams()); }},
                           {"faults", [](const Registry&) { return alternatives_of(scenario::Fault()); }},
                           {"templates", templates_of_new},
                           {"scenarios", scenarios},
                           {"sweeps", sweeps},
                           {"platforms", platforms}};

constexpr std::size_t widest_name = 20;

// Descriptions stand beside names, or below a name that is too long for that.
void print(const std::vector<Entry>& entries) {
  std::size_t width = 0;
  for (const Entry& entry : entries) {
    if (entry.name.size() <= widest_name) width = std::max(width, entry.name.size());
  }
  const std::size_t columns = Terminal(STDOUT_FILENO).columns();
  for (const Entry& entry : entries) {
    const bool beside = entry.name.size() <= width;
    const std::string start = fmt::format("{:<{}}", entry.name, beside ? width : 0);
    const std::string what = scenario::on_one_line(entry.what);
    if (what.empty()) {
      std::cout << entry.name << "\n";
    } else if (beside) {
      std::cout << results::hanging(start + "  ", what, columns);
    } else {
      std::cout << start << "\n" << results::hanging("    ", what, columns);
    }
  }
}

// The names of a kind, as many as there is room for, and how many more there are.
std::string overview(const Kind& kind, const Registry& systems, std::size_t columns) {
  std::vector<Entry> entries = kind.entries(systems);
  std::erase_if(entries, [](const Entry& entry) { return entry.name.starts_with("- "); });  // presets
  const std::string start = fmt::format("{:<12}", kind.word);
  std::string names, text;
  std::size_t named = 0;
  for (const Entry& entry : entries) {
    names += (names.empty() ? "" : ", ") + entry.name;
    const std::size_t rest = entries.size() - ++named;
    const std::string more = rest == 0 ? "" : fmt::format(", and {} more", rest);
    const std::string longer = results::hanging(start, names + more, columns);
    if (!text.empty() && std::ranges::count(longer, '\n') > kind.most_lines) break;
    text = longer;
  }
  return text;
}

const Kind& catalogue_of(const std::string& word) {
  const auto* const found = std::ranges::find(kKinds, word, &Kind::word);
  if (found != std::end(kKinds)) return *found;
  const auto words = catalogue_words();
  throw InputError("list: " + scenario::in_quotes(word) + " is unknown; " +
                   scenario::nearest_or(word, words, "expected one of " + scenario::listed(words)));
}

using Listing = nlohmann::ordered_json;

// The keys of each system, in the form of a JSON Schema's properties.
Listing keys_of_systems(const Registry& systems) {
  Listing keys;
  const Listing schema = Listing::parse(scenario::scenario_schema(systems));
  for (Listing form : schema["properties"]["algorithm"]["oneOf"]) {
    if (!form.contains("properties")) continue;  // a name alone
    const std::string name = form["properties"]["name"]["const"];
    form["properties"].erase("name");
    keys[name] = form["properties"];
  }
  return keys;
}

Listing algorithms_json(const Registry& systems) {
  const Listing keys = keys_of_systems(systems);
  Listing list = Listing::array();
  for (const auto& system : systems) {
    const SystemFacts& facts = system->facts();
    Listing presets = Listing::array();
    for (const Preset& preset : facts.presets) {
      presets.push_back(
          {{"name", preset.name}, {"settings", Listing::parse(preset.settings)}, {"paper", preset.paper}});
    }
    Listing tuned = Listing::array();
    for (const char* settings : facts.tuned) tuned.push_back(Listing::parse(settings));
    list.push_back({{"name", facts.name},
                    {"what", facts.what},
                    {"paper", facts.paper},
                    {"needs_servers", facts.needs_servers},
                    {"least_workers", facts.least_workers},
                    {"one_model", facts.one_model},
                    {"one_trains", facts.one_trains},
                    {"chooses_samples", facts.chooses_samples},
                    {"timing_independent", facts.timing_independent},
                    {"needs_all_hosts", system->needs_all_hosts()},
                    {"presets", std::move(presets)},
                    {"tuned", std::move(tuned)},
                    {"keys", keys.at(facts.name)}});
  }
  return list;
}

Listing entries_json(const Kind& kind, const Registry& systems) {
  if (kind.entries == algorithms) return algorithms_json(systems);
  Listing list = Listing::array();
  for (const Entry& entry : kind.entries(systems)) list.push_back({{"name", entry.name}, {"what", entry.what}});
  return list;
}

}  // namespace

void list_as_json(const Registry& systems, const std::string& word) {
  Listing json = Listing::object();
  for (const Kind& kind : word.empty() ? std::span<const Kind>(kKinds) : std::span(&catalogue_of(word), 1)) {
    json[kind.word] = entries_json(kind, systems);
  }
  std::cout << json.dump(2) << "\n";
}

std::vector<std::string> catalogue_words() {
  std::vector<std::string> words;
  for (const Kind& kind : kKinds) words.emplace_back(kind.word);
  return words;
}

void list_catalogue(const Registry& systems, const std::string& word) {
  if (word.empty()) {
    const std::size_t columns = Terminal(STDOUT_FILENO).columns();
    for (const Kind& kind : kKinds) {
      const std::string text = overview(kind, systems, columns), word_alone = kind.word;
      if (text.empty()) continue;  // there are none
      std::cout << Terminal(STDOUT_FILENO).bold(word_alone) << text.substr(word_alone.size());
    }
    std::cout << "ddlsim list algorithms, and so on, says what they are.\n";
    return;
  }
  print(catalogue_of(word).entries(systems));
}

void print_schema(const Registry& systems, const std::string& kind) {
  if (!kind.empty() && kind != "scenario" && kind != "sweep") {
    throw InputError("schema: " + scenario::in_quotes(kind) + " has none; see ddlsim schema --help");
  }
  std::cout << (kind == "sweep" ? jobs::sweep_schema() : scenario::scenario_schema(systems));
}

}  // namespace ddl::cli
