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
  std::string text = layout(to_json_value(copy));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string describe_run(const Scenario& scenario) {
  Scenario copy = scenario;
  copy.expect.clear();
  return describe(copy);
}

}  // namespace ddl::scenario
