#include "lab/studies/reading/strict_json.hpp"

#include <algorithm>
#include <limits>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {

JsonAt JsonAt::parsed(const std::string& text, const std::string& file) {
  scenario::Findings findings(file);
  nlohmann::json unordered;
  if (!scenario::parse_json(text, findings, unordered) || !findings.empty()) throw InputError(findings.lines().front());
  return {Json::parse(text, nullptr, true, true), file, "$"};
}

void JsonAt::refuse(const std::string& what) const { throw InputError(file_ + ": " + path_ + ": " + what); }

void JsonAt::expect_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : members()) {
    if (std::ranges::count(known, key) > 0) continue;
    value.refuse("is an unknown key; " + scenario::nearest_or(key, known, "known keys are " + scenario::listed(known)));
  }
}

const Json& JsonAt::object() const {
  if (!json_.is_object()) refuse(scenario::shown(json_) + " is not an object; expected keys and values");
  return json_;
}

std::vector<std::pair<std::string, JsonAt>> JsonAt::members() const {
  std::vector<std::pair<std::string, JsonAt>> all;
  for (const auto& [key, value] : object().items()) {
    all.emplace_back(key, JsonAt(value, file_, scenario::path_of(path_, key)));
  }
  return all;
}

std::optional<JsonAt> JsonAt::find(const std::string& key) const {
  const auto found = object().find(key);
  if (found == json_.end()) return std::nullopt;
  return JsonAt(*found, file_, scenario::path_of(path_, key));
}

JsonAt JsonAt::at(const std::string& key) const {
  std::optional<JsonAt> found = find(key);
  if (!found) JsonAt(nullptr, file_, scenario::path_of(path_, key)).refuse("is missing; expected a value");
  return *std::move(found);
}

std::vector<JsonAt> JsonAt::items() const {
  if (!json_.is_array()) refuse(scenario::shown(json_) + " is not a list; expected a list");
  std::vector<JsonAt> all;
  for (std::size_t i = 0; i < json_.size(); ++i) {
    all.push_back(JsonAt(json_[i], file_, path_ + "[" + std::to_string(i) + "]"));
  }
  return all;
}

std::vector<JsonAt> JsonAt::items_of(const std::string& key) const {
  const std::optional<JsonAt> found = find(key);
  return found ? found->items() : std::vector<JsonAt>();
}

std::vector<std::string> JsonAt::texts() const {
  std::vector<std::string> all;
  for (const JsonAt& item : items()) all.push_back(item.text());
  return all;
}

std::string JsonAt::text() const {
  if (!json_.is_string()) refuse(scenario::shown(json_) + " is not text; expected text");
  return json_.get<std::string>();
}

std::string JsonAt::text_or(const std::string& key, const std::string& otherwise) const {
  const std::optional<JsonAt> found = find(key);
  return found ? found->text() : otherwise;
}

double JsonAt::number() const {
  if (!json_.is_number()) refuse(scenario::shown(json_) + " is not a number; expected a number");
  return json_.get<double>();
}

int JsonAt::whole() const {
  if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() > std::numeric_limits<int>::max()) {
    refuse(scenario::shown(json_) + " is no count; expected a whole number, zero or more");
  }
  return json_.get<int>();
}

}  // namespace ddl::studies
