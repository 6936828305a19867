#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/base/field_value.hpp"
#include "sim/jobs/seeds.hpp"
#include "sim/jobs/sweep/sweep.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/reader.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace {

using Json = nlohmann::ordered_json;
using scenario::Place;

using Values = std::vector<std::pair<std::string, AsWritten>>;  // by path
using Lists = SweepTuning::Lists;

struct Seeds {
  std::variant<std::vector<std::uint64_t>, std::string> are;
};
FieldValue form_of(Seeds& seeds) {
  return either(seeds.are, "is wrong", "expected a range or a list of seeds, such as \"1..5\" or [1, 2, 3]");
}

// A sweep as it is written.
struct SweepFile {
  std::string name, description;
  AsWritten base;
  Values set;
  Lists vary;
  std::vector<Lists> zip;
  Seeds seeds;
  std::optional<SweepTuning> tune;
};
template <class Visitor>
void fields(Visitor& visit, SweepFile& sweep) {
  visit("name", sweep.name, Rule{.doc = "folder of its results; default: the file's name"});
  visit("description", sweep.description, Rule{.doc = "one line for readers"});
  visit("base", sweep.base,
        Rule{.doc = "the scenario that is varied: a file, relative to this one, or in braces",
             .example = R"("mine.json")"});
  visit("set", sweep.set, Rule{.doc = "paths and values, set in every run", .example = R"({"stop.time": "60s"})"});
  visit("vary", sweep.vary,
        Rule{.doc = "paths and lists of values; every value meets every value of the others",
             .example = R"({"platform.bandwidth": ["5Mbps", "40Mbps"], "algorithm": ["ps_async", "gossip"]})"});
  visit("zip", sweep.zip,
        Rule{.doc = "objects of paths and lists of values that go in step",
             .example = R"([{"platform.workers": [2, 4], "training.batch_size": [64, 32]}])"});
  visit("seeds", sweep.seeds,
        Rule{.doc = "one run of everything for each: a range, or a list; default: the base's", .example = R"("1..5")"});
  visit("tune", sweep.tune,
        Rule{.doc = "every point is tuned first, over seeds for that alone",
             .example = R"({"over": {"training.optimizer.learning_rate": []}, "target": 0.8, "seeds": 4})"});
}

// Paths that are set, none of which a sweep decides itself.
class Paths {
 public:
  bool add(const std::string& path, const Place& place) {
    const std::string plain = path.starts_with("$.") ? path.substr(2) : path;
    if (plain == "seed") place.error("is the sweep's to set; expected them in \"seeds\"");
    if (plain == "name") place.error("is the sweep's to set: its runs are named after what is varied");
    if (!paths_.insert(plain).second) {
      place.error("is set twice; expected each path once in \"vary\" and \"zip\"");
    }
    return plain != "seed" && plain != "name";
  }

 private:
  std::set<std::string> paths_;
};

// Lists that go in step.
void add_axis(const Lists& lists, Paths& paths, const Place& place, Sweep& sweep) {
  SweepAxis axis;
  for (const auto& [path, values] : lists) {
    const Place here = place.at(path);
    if (!paths.add(path, here) || !here.findings.clean(here.path)) continue;
    if (values.empty()) {
      here.error("is an empty list; expected at least one value");
    } else if (!axis.values.empty() && values.size() != axis.values.size()) {
      here.error(fmt::format("has {}, {} has {}; expected as many, to go in step", counted(values.size(), "value"),
                             scenario::in_quotes(axis.paths.front()), axis.values.size()));
    } else {
      axis.values.resize(values.size());
      axis.paths.push_back(path);
      for (std::size_t i = 0; i < values.size(); ++i) axis.values[i].push_back(values[i].text);
    }
  }
  std::set<std::vector<std::string>> seen;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (seen.insert(axis.values[i]).second) continue;
    place.at(axis.paths.front())
        .at(i)
        .error("repeats an earlier value; expected each once; replications are \"seeds\"");
  }
  if (!axis.paths.empty()) sweep.axes.push_back(std::move(axis));
}

void add_axes(const SweepFile& file, const Place& root, Sweep& sweep) {
  Paths paths;
  for (const auto& list : file.vary) add_axis({list}, paths, root.at("vary"), sweep);
  for (std::size_t i = 0; i < file.zip.size(); ++i) {
    const Place place = root.at("zip").at(i);
    if (file.zip[i].empty() && place.findings.clean(place.path))
      place.error("holds no lists; expected paths and lists of values that go in step");
    add_axis(file.zip[i], paths, place, sweep);
  }
}

void add_seeds(const Seeds& seeds, const Place& place, Sweep& sweep) {
  const auto* list = std::get_if<std::vector<std::uint64_t>>(&seeds.are);
  try {
    sweep.seeds = list != nullptr ? *list : seeds_of(std::get<std::string>(seeds.are));
  } catch (const InputError& error) {
    place.error(error.what());
  }
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < sweep.seeds.size(); ++i) {
    if (seen.insert(sweep.seeds[i]).second) continue;
    place.at(i).error(std::to_string(sweep.seeds[i]) + " is given twice; expected each seed once");
  }
}

void check_tuning(const Sweep& sweep, const Place& place) {
  for (const auto& [path, values] : sweep.tune->over) {
    const Place here = place.at("over").at(path);
    const bool varied = std::ranges::any_of(
        sweep.axes, [&](const SweepAxis& axis) { return std::ranges::count(axis.paths, path) > 0; });
    if (varied) here.error("is varied; expected a path that is not");
    if (values.empty() && path != "training.optimizer.learning_rate" && here.findings.clean(here.path)) {
      here.error("is an empty list; expected at least one value");
    }
  }
}

void read_base(const std::string& text, const Place& place, Sweep& sweep) {
  if (text.empty()) return place.error("is missing; expected a scenario's file, or a scenario in braces");
  const Json base = Json::parse(text);
  if (base.is_object()) {
    sweep.base_file = sweep.file;
    sweep.base = text;
    return;
  }
  if (!base.is_string()) {
    return place.error(scenario::shown(base) + " is neither; expected a scenario's file, or one in braces");
  }
  const std::filesystem::path folder = std::filesystem::path(sweep.file).parent_path();
  sweep.base_file = (folder / base.get<std::string>()).string();
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

Sweep sweep_of(const SweepFile& content, const std::string& file, const Place& root) {
  Sweep sweep;
  sweep.file = file;
  sweep.name = content.name;
  sweep.description = content.description;
  Paths set;
  for (const auto& [path, value] : content.set) {
    if (set.add(path, root.at("set").at(path))) sweep.set.push_back({path, value.text});
  }
  add_axes(content, root, sweep);
  if (root.findings.clean("$.seeds")) add_seeds(content.seeds, root.at("seeds"), sweep);
  sweep.tune = content.tune;
  if (sweep.tune) check_tuning(sweep, root.at("tune"));
  read_base(content.base.text, root.at("base"), sweep);
  if (sweep.name.empty()) sweep.name = scenario::name_of_file(file, "sweep");
  scenario::Scenario named;
  named.name = sweep.name;
  scenario::check_name(named, root.findings);
  if (root.findings.empty() && runs_of(sweep) > most_sweep_runs) {
    root.error(fmt::format("has more than {} runs; expected fewer", most_sweep_runs));
  }
  return sweep;
}

}  // namespace

Sweep parse_sweep(const std::string& text, const std::string& file, const std::vector<scenario::Override>& overrides) {
  scenario::Findings findings(file);
  const Place root{findings, "$"};
  const auto throw_if_wrong = [&] {
    if (!findings.empty()) throw scenario::ScenarioErrors(findings.lines());
  };
  Json json;
  if (scenario::parse_json(text, findings, json) && !json.is_object()) {
    root.error(scenario::shown(json) + " is not an object; expected a sweep in braces");
  }
  throw_if_wrong();
  if (json.contains("platform") && json.contains("algorithm") && !json.contains("base")) {
    root.at("platform")
        .error("is a scenario's; expected a sweep with \"base\" and \"vary\"; ddlsim run runs scenarios");
  }
  throw_if_wrong();
  SweepFile content;
  scenario::read_object(
      json, [&](FieldVisitor& visit) { fields(visit, content); }, {"$schema"}, root);
  Sweep sweep = sweep_of(content, file, root);
  throw_if_wrong();
  sweep.set.insert(sweep.set.end(), overrides.begin(), overrides.end());
  return sweep;
}

Sweep read_sweep(const std::string& file, const std::vector<scenario::Override>& overrides) {
  return parse_sweep(scenario::scenario_text(file, "a sweep"), file, overrides);
}

std::string sweep_schema() {
  SweepFile blank;
  const Json sweep = scenario::schema_of([&](FieldVisitor& visit) { fields(visit, blank); });
  Json properties = {{"$schema", {{"type", "string"}, {"description", "where editors find this schema"}}}};
  properties.update(sweep["properties"]);
  properties["base"]["oneOf"] = {{{"type", "string"}}, {{"type", "object"}}};
  properties["seeds"]["oneOf"][1]["pattern"] = R"(^[0-9]+(\.\.[0-9]+)?(,[0-9]+(\.\.[0-9]+)?)*$)";
  properties["seeds"]["oneOf"][0]["uniqueItems"] = true;
  properties["vary"]["additionalProperties"].update({{"minItems", 1}, {"uniqueItems", true}});
  properties["zip"]["items"]["minProperties"] = 1;
  properties["zip"]["items"]["additionalProperties"]["minItems"] = 1;
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "ddlsim sweep"},
                 {"description", "A grid of scenarios."}};
  schema.update(sweep);
  schema["properties"] = properties;
  schema["required"] = Json::array({"base"});
  return scenario::layout(schema);
}

}  // namespace ddl::jobs
