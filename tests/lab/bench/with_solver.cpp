// Runs a scenario with the given solver of links, which no key of a scenario selects: prints the seconds of processor
// time, start-up included, and the number of messages sent.
//   with_solver SCENARIO simgrid|accelerator
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <string>

#include "core/systems/table.hpp"
#include "lab/runs/run.hpp"
#include "sim/scenario/reading/read.hpp"

int main(int count, char** arguments) {
  const std::string solver = count == 3 ? arguments[2] : "";
  if (solver != "simgrid" && solver != "accelerator") {
    std::fputs("with_solver: expected SCENARIO and simgrid or accelerator\n", stderr);
    return 2;
  }
  try {
    ddl::scenario::Scenario scenario = ddl::scenario::read_scenario(ddl::systems::built_in(), arguments[1]);
    scenario.platform.network.solver =
        solver == "simgrid" ? ddl::scenario::LinkSolver::simgrid : ddl::scenario::LinkSolver::accelerator;
    const ddl::run::RunResult result = ddl::run::run(scenario);
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    std::printf("%.6f %lld\n", seconds(used.ru_utime) + seconds(used.ru_stime),
                static_cast<long long>(result.messages_sent));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "with_solver: %s\n", error.what());
    return 1;
  }
}
