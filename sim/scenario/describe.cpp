#include "sim/scenario/json_text.hpp"
#include "sim/scenario/read.hpp"
#include "sim/scenario/to_json.hpp"

namespace ddl {

std::string describe(const Scenario& scenario) {
  Scenario copy = scenario;  // fields() serves readers too and therefore takes no constant
  return layout(to_json_value(copy));
}

}  // namespace ddl
