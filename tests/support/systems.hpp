// Training systems by their properties, as JSON, so that a law holds for each system of the table, also for future
// ones.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "core/systems/table.hpp"

namespace ddl {

inline std::set<std::string> keys_of(const System& system) {
  struct Keys final : FieldVisitor {
    void visit(const char* key, const FieldValue&, const Rule&) override { found.insert(key); }
    std::set<std::string> found;
  } keys;
  system.clone()->visit_fields(keys);
  return keys.found;
}

// Names of systems that run on this many workers and servers with their defaults, each worker for itself or with the
// others. Excludes systems whose hosts hold parts of one model, or members of one ensemble, and those that let workers
// idle.
inline std::vector<std::string> names_of_systems(int workers, int servers) {
  std::vector<std::string> names;
  for (const auto& system : systems::built_in()) {
    const bool some_idle = system->facts().one_trains && workers > 1;
    if (system->facts().is_model_parallel() || some_idle ||
        !systems::setting_errors(*system, {workers, servers}).empty())
      continue;
    names.emplace_back(system->facts().name);
  }
  return names;
}
// Those of them that have all of some keys, or that lack one.
inline std::vector<std::string> names_of_systems(int workers, int servers, const std::set<std::string>& keys,
                                                 bool have_them = true) {
  std::vector<std::string> names = names_of_systems(workers, servers);
  std::erase_if(names, [&](const std::string& name) {
    const Registry all = systems::built_in();
    const auto system = std::ranges::find_if(all, [&](const auto& of) { return of->facts().name == name; });
    return std::ranges::includes(keys_of(**system), keys) != have_them;
  });
  check(!names.empty(), "some system has the keys that a law asks for");
  return names;
}

inline bool needs_all_hosts(const std::string& name) {
  const Registry all = systems::built_in();
  return (*std::ranges::find_if(all, [&](const auto& of) { return of->facts().name == name; }))->needs_all_hosts();
}

inline std::string quoted(const std::string& name) { return "\"" + name + "\""; }
inline std::string with_policy(const std::string& name, const std::string& on_failure) {
  return fmt::format(R"({{"name": "{}", "on_failure": "{}"}})", name, on_failure);
}

// Systems that must react to others' crashes: each with every policy it has except time-outs, or with its defaults.
// `more` are further settings of some.
inline std::vector<std::string> systems_in_faults(int workers, int servers, const std::vector<std::string>& more) {
  std::vector<std::string> systems = more;
  for (const std::string& name : names_of_systems(workers, servers, {"on_failure"}, false)) {
    if (!needs_all_hosts(name)) systems.push_back(quoted(name));
  }
  for (const std::string& name : names_of_systems(workers, servers, {"on_failure"})) {
    for (const char* policy : {"go_on", "wait"}) systems.push_back(with_policy(name, policy));
  }
  return systems;
}

}  // namespace ddl
