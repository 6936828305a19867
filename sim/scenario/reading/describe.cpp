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

std::string describe_run(const Scenario& scenario) {
  Scenario copy = scenario;
  copy.expect.clear();
  return describe(copy);
}

}  // namespace ddl::scenario
