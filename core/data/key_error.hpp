// What is wrong with data: one of the keys that ask for them, or a file.
#pragma once

#include <string>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::data {

// A key of DataSpec. What is wrong with a file is an InputError of no other type, whose text starts with its name.
struct KeyError : InputError {
  KeyError(std::string its_key, std::string its_problem)
      : InputError("data." + its_key + ": " + its_problem), key(std::move(its_key)), problem(std::move(its_problem)) {}
  std::string key, problem;
};

}  // namespace ddl::data
