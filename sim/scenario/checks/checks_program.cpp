// Checks of a model that another program computes: what then only that program can do.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {

void check_program(const Scenario& scenario, Findings& findings) {
  if (!scenario.program || !findings.clean("$.model")) return;
  const auto complain = [&](bool wrong, const char* path, const std::string& what) {
    if (wrong && findings.clean(path)) findings.add(path, what);
  };
  std::error_code unreadable;
  const std::string folder = program_folder(scenario);
  complain(!std::filesystem::is_directory(folder, unreadable), "$.model.folder",
           in_quotes(folder) + " is no folder; expected that in which the program is started");
  const SystemFacts& system = scenario.algorithm->facts();
  complain(system.is_model_parallel(), "$.algorithm.name",
           fmt::format("\"{}\" {}, which a program's cannot be; expected a system whose workers compute gradients of "
                       "minibatches, or a model of ddlsim's own",
                       system.name, system.one_model ? "splits the model by its layers" : "asks a model for classes"));
}

}  // namespace ddl::scenario
