// ddlsim: a discrete-event simulator of distributed deep learning.
#include "core/systems/table.hpp"
#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  return ddl::cli::run_program(argc, argv, ddl::systems::built_in(), ddl::cli::run_command_line);
}
