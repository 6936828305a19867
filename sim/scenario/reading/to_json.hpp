// Settings as JSON, from which the reader makes the same settings again. Keys are in the order of fields(); absent
// values (none, an empty list or text) are omitted. For the .cpp files of the writer and the schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/scenario/forms.hpp"

namespace ddl::scenario {

using OrderedJson = nlohmann::ordered_json;

OrderedJson written(const FieldValue& value);

OrderedJson to_json_value(ModelChoice& value);
OrderedJson to_json_value(HostChoice& value);
OrderedJson to_json_value(PlatformSpec& value);
OrderedJson to_json_value(Scenario& value);
template <class T>
OrderedJson to_json_value(T& value) {
  return written(field_value(value));
}

// Whether a setting is left out.
bool absent(const OrderedJson& json);

}  // namespace ddl::scenario
