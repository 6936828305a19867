// Errors in data: in one of the keys that ask for them, or in a file.
#pragma once

#include <string>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::data {

// An error in a key of DataSpec. An error in a file is a plain InputError, whose text begins with its name.
struct KeyError : InputError {
  KeyError(std::string its_key, std::string its_problem)
      : InputError("data." + its_key + ": " + its_problem), key(std::move(its_key)), problem(std::move(its_problem)) {}
  std::string key, problem;
};

}  // namespace ddl::data
