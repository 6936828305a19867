// Runs in a child process what may kill the process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ddl::platform {

// Runs `work` in a forked child and returns its result. What it throws, and what SimGrid prints before it aborts or
// crashes, becomes an InputError of one line that starts with `subject`.
std::size_t probe(const std::string& subject, const std::function<std::size_t()>& work);

}  // namespace ddl::platform
