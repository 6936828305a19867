// Checks of models that cannot be divided between workers, those that another program computes among them: what then
// only that program can do.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {

namespace {

// The reason why a model cannot be divided between workers; null if it can.
const char* whole_because(const Scenario& scenario) {
  if (scenario.program) return "a program's";
  return nn::gpt_of(scenario.model) ? "a gpt" : nullptr;
}

}  // namespace

void check_program(const Scenario& scenario, Findings& findings) {
  const char* const whole = whole_because(scenario);
  if (whole == nullptr || !findings.clean("$.model")) return;
  const auto complain = [&](bool wrong, const char* path, const std::string& what) {
    if (wrong && findings.clean(path)) findings.add(path, what);
  };
  const SystemFacts& system = scenario.algorithm->facts();
  complain(system.is_model_parallel(), "$.algorithm.name",
           fmt::format("\"{}\" {}, which {} cannot be; expected a system whose workers compute gradients of "
                       "minibatches, or {}",
                       system.name, system.one_model ? "splits the model by its layers" : "asks a model for classes",
                       whole, scenario.program ? "a model of ddlsim's own" : "another model"));
  if (!scenario.program) return;
  std::error_code unreadable;
  const std::string folder = program_folder(scenario);
  complain(!std::filesystem::is_directory(folder, unreadable), "$.model.folder",
           in_quotes(folder) + " is no folder; expected that in which the program is started");
  complain(std::holds_alternative<nn::MuonParams>(scenario.training.optimizer), "$.training.optimizer.type",
           "\"muon\" has to know which matrices are hidden, and a program does not tell; expected \"adamw\"");
}

}  // namespace ddl::scenario
