#include "sim/scenario/data_problem.hpp"

namespace ddl::scenario {

DataProblem problem_of_data(const InputError& error) {
  if (const auto* of_key = dynamic_cast<const data::KeyError*>(&error))
    return {"$.data." + of_key->key, of_key->problem};
  return {"$.data.path", error.what()};
}

}  // namespace ddl::scenario
