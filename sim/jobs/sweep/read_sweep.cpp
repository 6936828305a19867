#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "sim/jobs/seeds.hpp"
#include "sim/jobs/sweep/sweep.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace {

using Json = nlohmann::ordered_json;  // axes come in the file's order

// Values of scalars and their findings are those of scenarios, whose reader knows no order.
nlohmann::json unordered(const Json& json) { return nlohmann::json::parse(json.dump()); }
std::string shown(const Json& json) { return ddl::scenario::shown(unordered(json)); }

std::string such_as(std::string_view key) {
  const auto row = std::ranges::find_if(sweep_keys(), [&](const SweepKey& known) { return known.key == key; });
  return std::string(", such as ") + row->example;
}

class SweepReader {
 public:
  SweepReader(const Json& json, Sweep& sweep, scenario::Findings& findings)
      : json_(json), sweep_(sweep), findings_(findings), root_{findings, "$"} {}

  void read() {
    read_word("name", sweep_.name);
    read_word("description", sweep_.description);
    read_set();
    read_axes();
    read_seeds();
    read_tuning();
    check_keys();
  }

 private:
  // Null if it is not there; known afterwards.
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }

  void read_word(const char* key, std::string& value) {
    if (const Json* json = find(key)) scenario::read_text(unordered(*json), value, root_.at(key));
  }

  // What a sweep itself decides cannot be set in its scenarios.
  bool may_set(const std::string& path, const scenario::Place& place) {
    const std::string plain = path.starts_with("$.") ? path.substr(2) : path;
    if (plain == "seed") place.error("is the sweep's to set; expected them in \"seeds\"");
    if (plain == "name") place.error("is the sweep's to set: its runs are named after what is varied");
    if (const auto [first, fresh] = paths_.insert(plain); !fresh) {
      place.error("is set twice; expected each path once in \"vary\" and \"zip\"");
    }
    return plain != "seed" && plain != "name";
  }

  void read_set() {
    const Json* set = find("set");
    if (set == nullptr) return;
    const scenario::Place place = root_.at("set");
    if (!set->is_object()) return place.error(shown(*set) + " is not an object; expected paths and values");
    for (const auto& [path, value] : set->items()) {
      if (may_set(path, place.at(path))) sweep_.set.push_back({path, value.dump()});
    }
    paths_.clear();  // an axis may come after
  }

  void read_axes() {
    if (const Json* vary = find("vary")) {
      const scenario::Place place = root_.at("vary");
      if (!vary->is_object()) {
        place.error(shown(*vary) + " is not an object; expected paths and lists of values" + such_as("vary"));
      } else {
        for (const auto& [path, values] : vary->items()) read_axis(Json::object({{path, values}}), place);
      }
    }
    const Json* zip = find("zip");
    if (zip == nullptr) return;
    const scenario::Place place = root_.at("zip");
    if (!zip->is_array())
      return place.error(shown(*zip) + " is not a list; expected objects of lists that go in step" + such_as("zip"));
    for (std::size_t i = 0; i < zip->size(); ++i) {
      const Json& object = (*zip)[i];
      if (!object.is_object() || object.empty()) {
        place.at(i).error(shown(object) + " holds no lists; expected an object of lists that go in step" +
                          such_as("zip"));
      } else {
        read_axis(object, place.at(i));
      }
    }
  }

  void read_axis(const Json& lists, const scenario::Place& place) {
    SweepAxis axis;
    for (const auto& [path, values] : lists.items()) {
      const scenario::Place here = place.at(path);
      if (!may_set(path, here)) continue;
      if (!values.is_array()) {
        here.error(shown(values) + " is not a list; expected a list of values");
      } else if (values.empty()) {
        here.error("is an empty list; expected at least one value");
      } else if (!axis.values.empty() && values.size() != axis.values.size()) {
        here.error(fmt::format("has {}, {} has {}; expected as many, to go in step", counted(values.size(), "value"),
                               scenario::in_quotes(axis.paths.front()), axis.values.size()));
      } else {
        axis.values.resize(values.size());
        axis.paths.push_back(path);
        for (std::size_t i = 0; i < values.size(); ++i) axis.values[i].push_back(values[i].dump());
      }
    }
    std::set<std::vector<std::string>> seen;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      if (seen.insert(axis.values[i]).second) continue;
      const scenario::Place list = place.at(axis.paths.front());
      list.at(i).error("repeats an earlier value; expected each once; replications are \"seeds\"");
    }
    if (!axis.paths.empty()) sweep_.axes.push_back(std::move(axis));
  }

  void read_seeds() {
    const Json* seeds = find("seeds");
    if (seeds == nullptr) return;
    const scenario::Place place = root_.at("seeds");
    if (seeds->is_string()) {
      try {
        sweep_.seeds = seeds_of(seeds->get<std::string>());
      } catch (const InputError& error) {
        place.error(error.what());
      }
      return;
    }
    if (!seeds->is_array() || seeds->empty()) {
      return place.error(shown(*seeds) +
                         " is wrong; expected a range or a list of seeds, such as \"1..5\" or [1, 2, 3]");
    }
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < seeds->size(); ++i) {
      std::uint64_t seed = 0;
      const std::vector<std::string> before = findings_.lines();
      scenario::read_unsigned(unordered((*seeds)[i]), seed, Rule{}, place.at(i));
      if (findings_.lines().size() != before.size()) continue;
      if (!seen.insert(seed).second)
        place.at(i).error(std::to_string(seed) + " is given twice; expected each seed once");
      sweep_.seeds.push_back(seed);
    }
  }

  void read_tuning() {
    const Json* tune = find("tune");
    if (tune == nullptr) return;
    const scenario::Place place = root_.at("tune");
    if (!tune->is_object()) return place.error(shown(*tune) + " is not an object; expected over, target or seeds");
    SweepTuning tuning;
    for (const auto& [key, value] : tune->items()) {
      const scenario::Place here = place.at(key);
      if (key == "over") {
        read_tuned(value, tuning, here);
      } else if (key == "target") {
        scenario::read_number(unordered(value), tuning.target.emplace(), Rule{.above = 0}, here);
      } else if (key == "seeds") {
        scenario::read_unsigned(unordered(value), tuning.seeds, Rule{.at_least = 1, .at_most = 64}, here);
      } else {
        here.error("is an unknown key; " +
                   scenario::nearest_or(key, {"over", "target", "seeds"}, "known keys are over, target, seeds"));
      }
    }
    sweep_.tune = std::move(tuning);
  }

  void read_tuned(const Json& over, SweepTuning& tuning, const scenario::Place& place) {
    if (!over.is_object()) return place.error(shown(over) + " is not an object; expected paths and lists of values");
    for (const auto& [path, values] : over.items()) {
      const scenario::Place here = place.at(path);
      const bool varied = std::ranges::any_of(
          sweep_.axes, [&](const SweepAxis& axis) { return std::ranges::count(axis.paths, path) > 0; });
      if (varied) here.error("is varied; expected a path that is not");
      if (!values.is_array()) {
        here.error(shown(values) + " is not a list; expected a list of values");
        continue;
      }
      std::vector<std::string> texts;
      for (const Json& value : values) texts.push_back(value.dump());
      if (texts.empty() && path != "training.optimizer.learning_rate") {
        here.error("is an empty list; expected at least one value");
      }
      tuning.over.emplace_back(path, std::move(texts));
    }
  }

  void check_keys() {
    known_.emplace_back("base");
    for (const auto& [key, value] : json_.items()) {
      if (key == "$schema" || std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      root_.at(key).error("is an unknown key; " +
                          scenario::nearest_or(key, known_, "known keys are " + scenario::listed(known_)));
    }
  }

  const Json& json_;
  Sweep& sweep_;
  scenario::Findings& findings_;
  const scenario::Place root_;
  std::vector<std::string> known_;
  std::set<std::string> paths_;
};

void read_base(const Json& json, Sweep& sweep, scenario::Findings& findings) {
  const scenario::Place place{findings, "$.base"};
  const auto base = json.find("base");
  if (base == json.end()) return place.error("is missing; expected a scenario's file, or a scenario in braces");
  if (base->is_object()) {
    sweep.base_file = sweep.file;
    sweep.base = base->dump();
    return;
  }
  if (!base->is_string())
    return place.error(shown(*base) + " is neither; expected a scenario's file, or one in braces");
  const std::filesystem::path folder = std::filesystem::path(sweep.file).parent_path();
  sweep.base_file = (folder / base->get<std::string>()).string();
  try {
    sweep.base = scenario::scenario_text(sweep.base_file);
  } catch (const scenario::ScenarioErrors& errors) {
    for (const std::string& line : errors.lines) place.error(line);
  }
}

std::size_t runs_of(const Sweep& sweep) {
  std::size_t runs = std::max<std::size_t>(1, sweep.seeds.size());
  for (const SweepAxis& axis : sweep.axes) {
    if (runs > most_sweep_runs) break;
    runs *= axis.values.size();
  }
  return runs;
}

}  // namespace

Sweep parse_sweep(const std::string& text, const std::string& file, const std::vector<scenario::Override>& overrides) {
  Sweep sweep;
  sweep.file = file;
  scenario::Findings findings(file);
  nlohmann::json strict;
  if (!scenario::parse_json(text, findings, strict) || !findings.empty())
    throw scenario::ScenarioErrors(findings.lines());
  const Json json = Json::parse(text, nullptr, true, true);
  if (!json.is_object()) {
    findings.add("$", shown(json) + " is not an object; expected a sweep in braces");
    throw scenario::ScenarioErrors(findings.lines());
  }
  if (json.contains("platform") && json.contains("algorithm") && !json.contains("base")) {
    findings.add("$.platform",
                 "is a scenario's; expected a sweep with \"base\" and \"vary\"; ddlsim run runs scenarios");
    throw scenario::ScenarioErrors(findings.lines());
  }
  SweepReader(json, sweep, findings).read();
  read_base(json, sweep, findings);
  if (sweep.name.empty()) sweep.name = scenario::name_of_file(file, "sweep");
  scenario::Scenario named;
  named.name = sweep.name;
  scenario::check_name(named, findings);
  if (findings.empty() && runs_of(sweep) > most_sweep_runs) {
    findings.add("$", fmt::format("has more than {} runs; expected fewer", most_sweep_runs));
  }
  if (!findings.empty()) throw scenario::ScenarioErrors(findings.lines());
  sweep.set.insert(sweep.set.end(), overrides.begin(), overrides.end());
  return sweep;
}

Sweep read_sweep(const std::string& file, const std::vector<scenario::Override>& overrides) {
  return parse_sweep(scenario::scenario_text(file, "a sweep"), file, overrides);
}

}  // namespace ddl::jobs
