#include "sim/scenario/reading/overrides.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;
using Step = std::variant<std::string, std::size_t>;  // a key, or an index into a list

std::optional<std::vector<Step>> steps_of(std::string_view path) {
  if (path.starts_with("$.")) path.remove_prefix(2);
  std::vector<Step> steps;
  bool key_expected = true;
  while (!path.empty() || key_expected) {
    if (key_expected) {
      const std::size_t end = std::min(path.size(), path.find_first_of(".[]"));
      if (end == 0) return std::nullopt;
      steps.emplace_back(std::string(path.substr(0, end)));
      path.remove_prefix(end);
      key_expected = false;
    } else if (path.front() == '.') {
      path.remove_prefix(1);
      key_expected = true;
    } else {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), index);
      const auto length = static_cast<std::size_t>(end - path.data());
      if (path.front() != '[' || error != std::errc() || length >= path.size() || path[length] != ']') {
        return std::nullopt;
      }
      steps.emplace_back(index);
      path.remove_prefix(length + 1);
    }
    if (steps.size() > deepest_level) return std::nullopt;
  }
  return steps;
}

// "ako" to {"name": "ako"}, where a bare name is allowed.
void spell_out(Json& value, const Step& last) {
  const auto* key = std::get_if<std::string>(&last);
  if (key == nullptr || !value.is_string()) return;
  if (*key == "algorithm") value = Json::object({{"name", value}});
  if (*key == "optimizer" || *key == "schedule") value = Json::object({{"type", value}});
}

// Error lines and result files need valid UTF-8.
bool is_utf8(const std::string& text) {
  try {
    const std::string encoded = Json(text).dump();  // dump() is strict
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// In a list, a key of digits alone is an index: faults.0 is faults[0].
std::optional<std::size_t> index_in(const std::string& key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  return error == std::errc() && end == key.data() + key.size() ? std::optional(index) : std::nullopt;
}

// The value below `parent` that `step` names, created if it is a missing key; null and a finding if impossible.
Json* below(Json& parent, const Step& step, const Override& change, Findings& findings) {
  if (const auto* digits = std::get_if<std::string>(&step); digits != nullptr && parent.is_array()) {
    if (const auto index = index_in(*digits)) return below(parent, Step(*index), change, findings);
  }
  if (const auto* key = std::get_if<std::string>(&step)) {
    if (parent.is_null()) parent = Json::object();
    if (parent.is_object()) return &parent[*key];
    findings.add_override(change.path,
                          fmt::format("{} has no key {}; expected an object there", shown(parent), in_quotes(*key)));
    return nullptr;
  }
  const std::size_t index = std::get<std::size_t>(step);
  if (parent.is_array() && index < parent.size()) return &parent[index];
  findings.add_override(
      change.path, parent.is_array() ? fmt::format("there is no [{}]; the list has {} elements", index, parent.size())
                                     : fmt::format("there is no list for [{}]; expected one in the scenario", index));
  return nullptr;
}

}  // namespace

std::optional<Json> value_of(const Override& change) {
  Findings unused("");
  Json value;
  if (parse_json(change.value, unused, value) && unused.empty()) return value;
  return is_utf8(change.value) ? std::optional<Json>(change.value) : std::nullopt;
}

void apply_override(const Override& change, Json& root, Findings& findings) {
  const auto steps = steps_of(change.path);
  if (!steps || !is_utf8(change.path)) {
    findings.add_override(change.path, "is not a path; expected one such as platform.workers or model.layers[0].units");
    return;
  }
  const auto value = value_of(change);
  if (!value) {
    findings.add_override(change.path, "its value is not UTF-8 text; expected JSON or text");
    return;
  }
  Json* here = &root;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    if (i > 0) spell_out(*here, (*steps)[i - 1]);
    if (value->is_null() && i + 1 == steps->size() && here->is_object() &&
        std::holds_alternative<std::string>((*steps)[i])) {
      here->erase(std::get<std::string>((*steps)[i]));
      return;
    }
    here = below(*here, (*steps)[i], change, findings);
    if (here == nullptr) return;
  }
  *here = *value;
}

}  // namespace ddl::scenario
