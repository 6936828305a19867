#include "sim/results/reading/shown_values.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_elements = 4;  // of a list within an object

// Keys that need no word before their value.
bool speaks_for_itself(const std::string& key) {
  return key == "type" || key == "name" || key == "quantity" || key == "host" || key == "link";
}

std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && value.size() > most_elements) {
    return words_of(value.front()) + " .. " + words_of(value.back()) + " (" + std::to_string(value.size()) + ")";
  }
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, inner] : value.items()) {
    const bool bare = value.is_array() || speaks_for_itself(key);
    text += (text.empty() ? "" : " ") + (bare ? "" : key + " ") + words_of(inner);
  }
  return text;
}

// The elements of a list of objects, in words; none of any other value.
std::vector<std::string> elements_of(const std::string& value) {
  if (!value.starts_with('[')) return {};
  const Json list = Json::parse(value, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<std::string> elements;
  for (const Json& element : list) {
    if (!element.is_object()) return {};
    elements.push_back(words_of(element));
  }
  return elements;
}

std::string first_of(const std::vector<std::string>& elements, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(count, elements.size()); ++i) text += (i == 0 ? "" : ", ") + elements[i];
  return elements.size() > count ? text + " +" + std::to_string(elements.size() - count) + " more" : text;
}

}  // namespace

std::vector<std::string> shown_values(const std::vector<std::string>& values) {
  std::map<std::string, std::vector<std::string>> elements;  // by value
  std::size_t longest = 1;
  for (const std::string& value : values) {
    const auto [place, fresh] = elements.try_emplace(value);
    if (fresh) place->second = elements_of(value);
    longest = std::max(longest, place->second.size());
  }
  std::map<std::string, std::string> texts;
  for (std::size_t count = 1; count <= longest; ++count) {
    std::set<std::string> different;
    for (const auto& [value, of_value] : elements) {
      texts[value] = value == "[]" ? "none" : of_value.empty() ? value : first_of(of_value, count);
      different.insert(texts[value]);
    }
    if (different.size() == texts.size()) break;
  }
  std::map<std::string, std::vector<std::string>> alike;  // values by text, in the order in which they come
  for (const std::string& value : values) {
    std::vector<std::string>& of_text = alike[texts[value]];
    if (std::ranges::find(of_text, value) == of_text.end()) of_text.push_back(value);
  }
  std::vector<std::string> shown;
  for (const std::string& value : values) {
    const std::vector<std::string>& of_text = alike[texts[value]];
    const auto number = std::ranges::find(of_text, value) - of_text.begin();
    shown.push_back(texts[value] + (number == 0 ? "" : " (" + std::to_string(number + 1) + ")"));
  }
  return shown;
}

}  // namespace ddl::results
