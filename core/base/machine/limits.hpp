// Refusals of the system, and the limit of this process (ulimit) that may be why.
#pragma once

#include <stdexcept>
#include <string>

namespace ddl {

// There is no more memory, processor time, file, process or room in a file for this program. Exit code 1.
struct OutOfResources : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True for errors of the system, by errno, that mean a shortage: the machine or a limit has no more to give.
bool is_of_resources(int error);
// The text of an errno: "Too many open files (ulimit -n allows 64 files)".
std::string error_text(int error);

// Throws OutOfResources where a limit may be why, else InputError: "WHAT: error_text".
[[noreturn]] void fail_with(const std::string& what, int error);

// Called where something was caught: throws what the standard library has thrown for such a reason as one of ours, and
// whatever else it was.
[[noreturn]] void rethrow_as_ours();

// "out of memory (ulimit -v allows 160,000 kB); expected ..."
std::string out_of_memory();

// Seconds of processor time that this process and each that it starts may take; infinite where there is no limit.
double most_processor_seconds();
std::string out_of_processor_time();

}  // namespace ddl
