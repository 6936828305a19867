// Where in a scenario that is which is wrong with its data.
#pragma once

#include <string>
#include <utility>

#include "core/data/key_error.hpp"

namespace ddl::scenario {

struct DataProblem {
  std::string path, what;  // "$.data.train", "3 training samples for 4 workers; expected ..."
};

// Of a file, the key that names it.
DataProblem problem_of_data(const InputError& error);

// What `work` returns; what it finds wrong with data is an InputError that starts with the path.
template <class Work>
auto about_data(const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    const DataProblem problem = problem_of_data(error);
    throw InputError(problem.path + ": " + problem.what);
  }
}

}  // namespace ddl::scenario
