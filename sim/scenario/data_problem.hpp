// Where in a scenario that is which is wrong with its data.
#pragma once

#include <string>
#include <utility>

#include "core/data/key_error.hpp"

namespace ddl::scenario {

struct DataProblem {
  std::string path, what;  // "$.data.train", "3 training samples for 4 workers; expected ..."
};

// An error in a file has the path of the key that names the file.
DataProblem problem_of_data(const InputError& error);

// Returns what `work` returns; errors in data become InputErrors that start with the path.
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
