#include "sim/jobs/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/digest.hpp"

namespace ddl::jobs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_point = 100;  // as long as a scenario's name may be
constexpr std::size_t digest_letters = 8;

// One position on every axis: what is set, in order.
std::vector<scenario::Override> overrides_at(const Sweep& sweep, std::size_t point) {
  std::vector<std::size_t> positions(sweep.axes.size());
  for (std::size_t axis = sweep.axes.size(); axis-- > 0;) {
    positions[axis] = point % sweep.axes[axis].values.size();
    point /= sweep.axes[axis].values.size();
  }
  std::vector<scenario::Override> overrides;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    for (std::size_t i = 0; i < sweep.axes[axis].paths.size(); ++i) {
      overrides.push_back({sweep.axes[axis].paths[i], sweep.axes[axis].values[positions[axis]][i]});
    }
  }
  return overrides;
}

std::size_t points_of(const Sweep& sweep) {
  std::size_t points = 1;
  for (const SweepAxis& axis : sweep.axes) points *= axis.values.size();
  return points;
}

// A value without JSON's signs: ako,partitions=4 of {"name": "ako", "partitions": 4}.
std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, inner] : value.items()) {
    const bool bare = value.is_array() || key == "name" || key == "type";
    text += (text.empty() ? "" : ",") + (bare ? "" : key + "=") + plain(inner);
  }
  return text;
}

// The last word of each path, or the whole path where two share it.
std::map<std::string, std::string> short_names(const std::vector<std::string>& paths) {
  const auto last_word = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  std::map<std::string, int> uses;
  for (const std::string& path : paths) ++uses[last_word(path)];
  std::map<std::string, std::string> names;
  for (const std::string& path : paths) names[path] = uses[last_word(path)] > 1 ? path : last_word(path);
  return names;
}

// Letters that neither shells nor file systems mind.
std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char letter : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                      std::string_view("._=+,-").find(letter) != std::string_view::npos;
    name += kept ? letter : '-';
  }
  return name.starts_with('.') ? "-" + name.substr(1) : name;
}

std::string point_name(const std::vector<scenario::Override>& overrides,
                       const std::map<std::string, std::string>& names) {
  std::string name;
  for (const scenario::Override& change : overrides) {
    const Json json = Json::parse(change.value, nullptr, false);
    const std::string value = json.is_discarded() ? change.value : plain(json);  // by hand it may be a bare word
    name += (name.empty() ? "" : "_") + (change.path == "algorithm" ? value : names.at(change.path) + "=" + value);
  }
  return name.empty() ? "base" : file_name_of(name);
}

std::string digest_of(const std::vector<scenario::Override>& overrides) {
  Digest digest;
  for (const scenario::Override& change : overrides) digest.add(change.path + "=" + change.value + "\n");
  return digest.hex().substr(0, digest_letters);
}

// A name that a folder can have: one that is too long, or taken, ends with a digest.
std::string fitting(const std::string& name, const std::vector<scenario::Override>& overrides, bool taken) {
  if (name.size() <= longest_point && !taken) return name;
  std::size_t kept = std::min(name.size(), longest_point - digest_letters - 1);
  while (kept > 0 && kept < name.size() && (name[kept] & 0xc0) == 0x80)
    --kept;  // a letter of several bytes stays whole
  return name.substr(0, kept) + "-" + digest_of(overrides);
}

// Problems of a sweep's points; one that many points have is told once, with the first of them.
class Problems {
 public:
  explicit Problems(const Sweep& sweep) : sweep_(sweep) {}

  void add(const std::string& point, const scenario::ScenarioErrors& errors) {
    for (std::string line : errors.lines) {
      for (const std::string& prefix : {sweep_.base_file + ": ", std::string("--set ")}) {
        if (line.starts_with(prefix)) line = line.substr(prefix.size());
      }
      const auto [place, fresh] = index_.emplace(line, found_.size());
      if (fresh) found_.push_back({line, point, 0});
      ++found_[place->second].points;
    }
  }

  void throw_if_any(std::size_t points) const {
    std::vector<std::string> lines;
    for (const Problem& problem : found_) {
      const std::string where = problem.points == points ? "" : problem.first + ": ";
      const std::string more =
          problem.points == points || problem.points == 1 ? "" : fmt::format(" (and {} more)", problem.points - 1);
      lines.push_back(sweep_.file + ": " + where + problem.line + more);
      if (lines.size() == most_lines) break;
    }
    if (!lines.empty()) throw scenario::ScenarioErrors(lines);
  }

 private:
  static constexpr std::size_t most_lines = 50;
  struct Problem {
    std::string line, first;
    std::size_t points;
  };
  const Sweep& sweep_;
  std::vector<Problem> found_;
  std::map<std::string, std::size_t> index_;
};

// A large platform file is kept in memory once.
void share_platform(const scenario::Scenario& earlier, scenario::Scenario& scenario) {
  const auto* one = std::get_if<scenario::FilePlatform>(&earlier.platform.hosts);
  auto* other = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts);
  if (one == nullptr || other == nullptr || !one->text || !other->text) return;
  if (*one->text == *other->text) other->text = one->text;
}

std::string resolved(const Sweep& sweep, const SweepPlan& plan) {
  Json json = {{"name", sweep.name}};
  if (!sweep.description.empty()) json["description"] = sweep.description;
  json["axes"] = Json::array();
  for (const SweepAxis& axis : sweep.axes) {
    Json lists = Json::object();
    for (std::size_t i = 0; i < axis.paths.size(); ++i) {
      for (const auto& values : axis.values) lists[axis.paths[i]].push_back(Json::parse(values[i]));
    }
    json["axes"].push_back(lists);
  }
  json["seeds"] = plan.seeds;
  json["runs"] = plan.runs();
  return json.dump(2) + "\n";
}

}  // namespace

std::string SweepPlan::name_of(std::size_t run) const {
  return point_of(run).name + "/" + std::to_string(seed_of(run));
}

std::string SweepPlan::digest() const {
  Digest digest;
  digest.add(name);
  for (const SweepPoint& point : points) {
    digest.add(scenario::describe_run(point.scenario));
    const auto* platform = std::get_if<scenario::FilePlatform>(&point.scenario.platform.hosts);
    if (platform != nullptr && platform->text) digest.add(*platform->text);
  }
  for (const std::uint64_t seed : seeds) digest.add(std::to_string(seed) + ",");
  return digest.hex();
}

std::string changed_name(const std::string& name, const std::vector<scenario::Override>& changes) {
  std::vector<scenario::Override> told;
  std::vector<std::string> paths;
  for (const scenario::Override& change : changes) {
    const std::string path = change.path.starts_with("$.") ? change.path.substr(2) : change.path;
    if (path == "name") return name;
    const std::string block = path.substr(0, path.find_first_of(".["));
    if (block == "seed" || block == "description" || block == "record" || block == "expect") continue;
    // Data belong to a result by their content.
    if (path == "data.path" || path == "data.test_path" || path == "training.init.file") continue;
    told.push_back({path, change.value});
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return told.empty() ? name : fitting(name + "_" + point_name(told, short_names(paths)), told, false);
}

SweepPlan plan_sweep(const Registry& systems, const Sweep& sweep) {
  SweepPlan plan;
  plan.name = sweep.name;
  for (const SweepAxis& axis : sweep.axes)
    plan.columns.insert(plan.columns.end(), axis.paths.begin(), axis.paths.end());
  const auto names = short_names(plan.columns);
  const std::size_t points = points_of(sweep);
  std::set<std::string> taken;
  Problems problems(sweep);
  for (std::size_t number = 0; number < points; ++number) {
    const std::vector<scenario::Override> varied = overrides_at(sweep, number);
    SweepPoint point;
    point.name = fitting(point_name(varied, names), varied, false);
    if (!taken.insert(point.name).second) {
      point.name = fitting(point.name, varied, true);
      taken.insert(point.name);
    }
    for (const scenario::Override& change : varied) {
      const Json value = Json::parse(change.value);
      point.values.push_back(value.is_string() || value.is_object() ? plain(value) : change.value);
    }
    try {
      std::vector<scenario::Override> all = sweep.set;
      all.insert(all.end(), varied.begin(), varied.end());
      point.scenario = scenario::parse_scenario(systems, sweep.base, sweep.base_file, all);
      point.scenario.name = point.name;
      if (!plan.points.empty()) share_platform(plan.points.back().scenario, point.scenario);
      plan.points.push_back(std::move(point));
    } catch (const scenario::ScenarioErrors& errors) {
      problems.add(point.name, errors);
    }
  }
  problems.throw_if_any(points);
  plan.seeds = sweep.seeds.empty() ? std::vector<std::uint64_t>{plan.points.front().scenario.seed} : sweep.seeds;
  plan.text = resolved(sweep, plan);
  return plan;
}

void add_tuned(const Registry& systems, const Sweep& sweep, SweepPlan& plan, const std::string& file) {
  const Json all = Json::parse(scenario::scenario_text(file, "what tuning found"), nullptr, false);
  for (SweepPoint& point : plan.points) {
    const Json found = all.is_object() ? all.value(point.name, Json()) : Json();
    if (!found.is_object()) {
      throw scenario::ScenarioErrors({file + ": " + point.name + ": is missing; expected the settings of every point"});
    }
    std::vector<scenario::Override> changes;
    for (const auto& [path, value] : found.items()) {
      changes.push_back({path, value.dump()});
      if (&point == &plan.points.front()) plan.columns.push_back(path);
      point.values.push_back(value.is_string() || value.is_object() ? plain(value) : value.dump());
    }
    const std::string text = scenario::describe_run(point.scenario);
    point.scenario = scenario::parse_scenario(systems, text, sweep.base_file, changes);
    point.scenario.name = point.name;
  }
}

}  // namespace ddl::jobs
