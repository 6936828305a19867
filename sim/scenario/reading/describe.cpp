#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::scenario {

std::string describe(const Scenario& scenario) {
  Scenario copy = scenario;  // fields() is also used for reading, so it takes no const reference
  return layout(to_json_value(copy));
}

}  // namespace ddl::scenario
