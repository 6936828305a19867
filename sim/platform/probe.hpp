// Runs in a child process what may kill the process.
#pragma once

#include <functional>
#include <string>

namespace ddl::platform {

constexpr const char* open_files = "/proc/self/fd/";

// Runs `work` in a forked child. What it throws, and what SimGrid prints before it aborts or crashes, becomes an
// InputError of one line that starts with `subject`, by which it also names an open file of the child.
void probe(const std::string& subject, const std::function<void()>& work);

}  // namespace ddl::platform
