// Outcomes of work without a result, other than wrong input and broken invariants (core/base/check.hpp).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::process {

// The run could not finish; the text says which node waits for which. Exit code 3.
struct RunFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Ctrl-C, termination or a closed terminal. Exit code 130.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A child process ended without an answer.
struct ChildDied : InternalError {
  ChildDied(const std::string& how, std::string last_words) : InternalError(how), words(std::move(last_words)) {}
  std::string words;  // last words of a library that ended it
};

}  // namespace ddl::process
