#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::scenario {

std::string describe(const Scenario& scenario) {
  Scenario copy = scenario;  // fields() is also used for reading, so it takes no const reference
  return layout(to_json_value(copy));
}

std::string describe(const Expectation& expectation) {
  Expectation copy = expectation;
  std::string text;
  bool indent = false;  // between a line's break, which no value holds, and its first letter
  for (const char letter : layout(to_json_value(copy))) {
    if (letter == '\n') text += ' ';
    if (letter != '\n' && !(indent && letter == ' ')) text += letter;
    indent = letter == '\n' || (indent && letter == ' ');
  }
  text.pop_back();
  return text;
}

namespace {

// Objects become paths; a list stays one value.
void flatten(const OrderedJson& json, const std::string& path, OrderedJson& flat) {
  for (const auto& [key, value] : json.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      flatten(value, here, flat);
    } else {
      flat[here] = value;
    }
  }
}

}  // namespace

std::string settings_of(const Scenario& effective) {
  Scenario copy = effective;
  OrderedJson settings = to_json_value(copy, Form::settings), flat = OrderedJson::object();
  if (copy.model.none() || copy.program) settings.erase("math");  // none of ours
  flatten(settings, "", flat);
  return flat.dump();
}

std::string describe_run(const Scenario& scenario) {
  Scenario copy = scenario;
  copy.expect.clear();
  return describe(copy);
}

}  // namespace ddl::scenario
