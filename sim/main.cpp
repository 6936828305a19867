// ddlsim: a discrete-event simulator of distributed deep learning.
#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) { return ddl::cli::run_program(argc, argv, ddl::cli::run_command_line); }
