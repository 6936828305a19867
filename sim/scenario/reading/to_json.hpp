// Settings as JSON, from which the reader makes the same settings again. Keys are in the order of fields(); absent
// values (none, an empty list or text) are omitted. For the .cpp files of the writer and the schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/scenario/forms.hpp"

namespace ddl::scenario {

using OrderedJson = nlohmann::ordered_json;

// settings: numbers in SI base units, bandwidths in bit/s; without what is no setting (see Rule).
enum class Form { scenario, settings };

OrderedJson written(const FieldValue& value, Form form = Form::scenario);

OrderedJson to_json_value(ModelChoice& value, Form form = Form::scenario);
OrderedJson to_json_value(PlatformSpec& value, Form form = Form::scenario);
OrderedJson to_json_value(Scenario& value, Form form = Form::scenario);
template <class T>
OrderedJson to_json_value(T& value, Form form = Form::scenario) {
  return written(field_value(value), form);
}

// The JSON Schema of an object with the settings that `fields` shows.
OrderedJson schema_of(const std::function<void(FieldVisitor&)>& fields);

// Whether a setting is left out.
bool absent(const OrderedJson& json);

}  // namespace ddl::scenario
