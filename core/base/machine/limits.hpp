// Refusals of the system, and the limits of this process (ulimit) that may cause them.
#pragma once

#include <stdexcept>
#include <string>

namespace ddl {

// No memory, processor time, file, process or file space is left for this program. Exit code 1.
struct OutOfResources : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True for errors of the system, by errno, that mean a shortage: the machine or a limit has no more to give.
bool is_of_resources(int error);
// The text of an errno: "Too many open files (ulimit -n allows 64 files)".
std::string error_text(int error);

// Throws OutOfResources if a limit may be the cause, else InputError: "WHAT: error_text".
[[noreturn]] void fail_with(const std::string& what, int error);

// Call it in a catch clause: rethrows the standard library's errors of this kind as ours, and any other error
// unchanged.
[[noreturn]] void rethrow_as_ours();

// "out of memory (ulimit -v allows 160,000 kB); expected ..."
std::string out_of_memory();

// Seconds of processor time that this process and each of its children may take; infinite without a limit.
double most_processor_seconds();
std::string out_of_processor_time();

}  // namespace ddl
