#include "sim/results/text/keys.hpp"

#include <algorithm>
#include <set>

namespace ddl::results {

using Json = nlohmann::ordered_json;

Json count_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(value) <= exact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json object_of(const Keys& keys) {
  Json json = Json::object();
  std::set<std::string> objects;  // from keys with a dot
  for (const Key& key : keys) {
    if (key.value.is_discarded()) continue;
    const std::size_t dot = key.name.find('.');
    const std::string name = key.name.substr(0, dot), member = key.name.substr(std::min(dot, key.name.size() - 1) + 1);
    if (dot == std::string::npos || member.starts_with('<')) {
      json[name] = key.value;
    } else {
      json[name][member] = key.value;
      objects.insert(name);
    }
  }
  for (const std::string& name : objects) {
    if (std::ranges::all_of(json[name], [](const Json& member) { return member.is_null(); })) json[name] = nullptr;
  }
  return json;
}

std::string json_text(const Keys& keys) {
  return object_of(keys).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<ColumnEntry> dictionary_of(const Keys& keys) {
  std::vector<ColumnEntry> entries;
  for (const Key& key : keys) entries.push_back({key.name, key.unit, key.meaning});
  return entries;
}

}  // namespace ddl::results
