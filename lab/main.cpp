// ddlsim-lab: how the simulation of ddlsim is checked. `ddlsim` hands the laboratory's words to it.
#include "core/systems/table.hpp"
#include "lab/cli/commands.hpp"
#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  return ddl::cli::run_program(argc, argv, ddl::systems::built_in(), ddl::cli::run_laboratory);
}
