// A file that is an object (summary.json, run.json, timing.json) as a list of its keys with their values. A new key is
// a line there; the file and its dictionary follow.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/writing/table_text.hpp"

namespace ddl::results {

struct Key {
  // "samples"; "final_loss.min", a member of an object, which is null when all its members are;
  // "idle_fraction.<worker>" and "bytes_to_accuracy.<target>", an object with a member for each.
  std::string name, unit, meaning;
  nlohmann::ordered_json value;  // the object as a whole where it has a member for each
  bool is_compared = true;       // whether finished runs are compared by it, if it is a number
};
using Keys = std::vector<Key>;

// The value of a key that this file does without.
inline nlohmann::ordered_json left_out() { return nlohmann::ordered_json::value_t::discarded; }

// Null for nothing.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

// A count kept as a double, such as bytes and samples: written without ".0" if it is whole.
nlohmann::ordered_json count_number(double value);

nlohmann::ordered_json object_of(const Keys& keys);
// The object as a file's text.
std::string json_text(const Keys& keys);
std::vector<ColumnEntry> dictionary_of(const Keys& keys);

}  // namespace ddl::results
