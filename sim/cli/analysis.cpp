#include "sim/cli/analysis.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "core/base/check.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/process/command.hpp"

namespace ddl::cli {
namespace {

namespace fs = std::filesystem;

struct AnalysisCommand {
  const char *name, *what;
};
constexpr AnalysisCommand kAnalysisCommands[] = {
    {"tune", "Find the best settings of each scenario, at equal cost"},
    {"advise", "Say which system suits a network: tuned, ranked, and how sure"},
    {"compare", "Results side by side, with intervals, and what is within noise"},
    {"plot", "Draw finished runs, and write the data beside the picture"},
    {"report", "Write one self-contained page about finished runs"},
    {"reproduce", "Run a published study and compare its figures with simulated ones"}};

constexpr const char* packages = "python3-numpy python3-scipy python3-pandas python3-matplotlib";
constexpr const char* has_packages =
    "import sys\n"
    "from importlib.util import find_spec\n"
    "sys.exit(sys.version_info < (3, 11) or not all(map(find_spec, ('numpy', 'scipy', 'pandas', 'matplotlib'))))";

// True if the interpreter starts and has the packages that ddlsim needs.
bool will_do(const std::string& python) try {
  return process::output_of({python, "-P", "-c", has_packages}).code == 0;
} catch (const InputError&) {
  return false;
}

std::string interpreter(const std::string& command) {
  std::vector<std::string> candidates = {"python3", "/usr/bin/python3"};
  std::string none = "no python3 (3.11 or newer)";
  if (const char* named = std::getenv("DDLSIM_PYTHON"); named != nullptr && *named != '\0') {
    candidates = {named};
    none = std::string("DDLSIM_PYTHON, ") + named + ", is no Python (3.11 or newer) that";
  }
  for (const std::string& python : candidates) {
    if (will_do(python)) return python;
  }
  throw InputError(command + ": needs Python, and " + none +
                   " has NumPy, SciPy, pandas and matplotlib; expected them: "
                   "apt-get install " +
                   packages + ", or another interpreter in DDLSIM_PYTHON");
}

// The package's folder: beside the program in a checkout, or where it is installed. Empty: it is Python's own.
std::string package_folder() {
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable).parent_path();
  const char* home = std::getenv("DDLSIM_HOME");
  for (const fs::path& folder : {home != nullptr ? fs::path(home) / "python" : fs::path(), program / "../../python",
                                 program / "../share/ddlsim/python"}) {
    if (fs::is_regular_file(folder / "ddlsim" / "__main__.py", unreadable)) return fs::canonical(folder).string();
  }
  return "";
}

}  // namespace

std::vector<Command> add_analysis_commands(CLI::App& app, bool searches) {
  std::vector<Command> commands;
  for (const auto& [name, what] : kAnalysisCommands) {
    const std::string_view word = name;
    const bool is_search = word == "tune" || word == "advise";
    if (is_search != searches) continue;
    CLI::App& command = *app.add_subcommand(name, what);
    const auto words = std::make_shared<std::vector<std::string>>();
    if (word == "reproduce") {
      command.group("");  // the help names it with the laboratory
      command.add_option("study", *words, "Study; without it, all are listed")->type_name("NAME");
    } else if (searches) {
      command.add_option("scenarios", *words, "Scenario files; of advise one, or a platform file")
          ->type_name("SCENARIO.json");
    } else {
      command.add_option("results", *words, "Result folders, or folders above them, such as a sweep's")
          ->type_name("DIR");
    }
    command.footer(std::string("Its options: ddlsim ") + name + " --help");
    // Its words are handed over before any is read.
    commands.push_back({&command, [words] { return int{kInternalError}; }});
  }
  return commands;
}

bool is_of_analysis(std::string_view word) {
  return std::ranges::find(kAnalysisCommands, word, &AnalysisCommand::name) != std::end(kAnalysisCommands);
}

void hand_to_analysis(const std::vector<std::string>& words) {
  const std::string python = interpreter(words.front());
  if (const std::string folder = package_folder(); !folder.empty()) {
    const char* others = std::getenv("PYTHONPATH");
    setenv("PYTHONPATH", (folder + (others != nullptr && *others != '\0' ? std::string(":") + others : "")).c_str(), 1);
  }
  // The package starts this program where it needs runs.
  if (std::error_code unreadable; std::getenv("DDLSIM") == nullptr) {
    setenv("DDLSIM", fs::read_symlink("/proc/self/exe", unreadable).c_str(), 1);
  }
  // -P: what lies in the current folder is not imported instead.
  std::vector<std::string> all = {python, "-P", "-m", "ddlsim"};
  all.insert(all.end(), words.begin(), words.end());
  std::cout.flush();
  process::become(all);
  throw InputError(words.front() + ": " + python + " cannot be started");
}

}  // namespace ddl::cli
