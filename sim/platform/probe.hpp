// Trying out in a child process what may kill the process that does it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ddl::platform {

// Does `work` in a forked child and hands back the number it found. What it throws there, and what SimGrid says before
// it aborts or crashes there, becomes an InputError of one line that starts with `subject`.
std::size_t probe(const std::string& subject, const std::function<std::size_t()>& work);

}  // namespace ddl::platform
