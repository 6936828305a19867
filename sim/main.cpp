// ddlsim: a discrete-event simulator of distributed deep learning.
#include <cstdio>
#include <exception>
#include <iostream>

#include "sim/cli/command_line.hpp"
#include "sim/cli/report_error.hpp"

int main(int argc, char** argv) {
  int code = 1;
  try {
    code = ddl::cli::run_command_line({argv + 1, argv + argc});
  } catch (...) {
    code = ddl::cli::report_error(std::current_exception());
  }
  // Output that could not be delivered, to a full disk for instance, is no success.
  if (!std::cout.flush() && code == 0) {
    std::fputs("ddlsim: standard output: cannot be written\n", stderr);
    code = 1;
  }
  return code;
}
