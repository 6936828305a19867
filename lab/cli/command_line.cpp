#include "sim/cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include "core/base/check.hpp"
#include "lab/cli/commands.hpp"

namespace ddl::cli {

int run_laboratory(const Registry& systems, std::vector<std::string> words) {
  CLI::App app{"The laboratory of ddlsim: how its simulation is checked. ddlsim takes these words, too.", "ddlsim"};
  set_up(app);
  app.footer("Example:\n  ddlsim laws");
  const std::vector<Command> commands = {add_emulate(app, systems), add_bench(app, systems), add_laws(app, systems)};
  if (words.empty()) throw InputError("nothing to do; expected a command, or see ddlsim-lab --help");
  return run_one_of(commands, app, std::move(words));
}

}  // namespace ddl::cli
