// Smoke scenarios against their last accepted results (tests/goldens/data/NAME.txt). Steps, messages, bytes, simulated
// time and the digest of everything learned must be the same to the digit, on every machine: math is portable. Another
// version of SimGrid may round otherwise: there, the time must only agree to 1e-8. The final loss and accuracy are
// there for readers, and may differ by rounding.
//   golden NAME      runs scenarios/smoke/NAME.json; status 1 if it gives something else
//   golden           checks that each scenario has its file, and each file its scenario
// With DDLSIM_ACCEPT in the environment the present results are accepted instead (see tests/renew).
#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/results/writing/result_files.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/accepted.hpp"
#include "tests/support/run.hpp"

namespace ddl {
namespace {

namespace fs = std::filesystem;

const fs::path root = DDLSIM_SOURCE_DIR;
const fs::path scenarios = root / "scenarios/smoke";

constexpr std::string_view accepted_with = "3.32";  // version of SimGrid
constexpr double other_rounding = 1e-8;             // relative

struct Golden {
  std::string exact;
  double simulated_s = 0, final_loss = 0, final_accuracy = 0;
};

bool has_accepting_simgrid() { return accepted_with == DDLSIM_SIMGRID_VERSION; }

Golden golden_of(const run::RunResult& result) {
  Golden golden;
  golden.simulated_s = result.simulated_s;
  golden.exact = fmt::format(
      "simulated_s {}\nsteps {}\nmessages {}\nbytes_sent {}\nbytes_delivered {}\nstopped_by {}\ndigest {}\n",
      result.simulated_s, fmt::join(result.steps, " "), result.messages_sent, result.bytes_sent, result.bytes_delivered,
      result.stopped_by, results::digest_of(result));
  for (const run::CurveRow& row : result.curve) {
    if (row.worker == "mean") golden.final_loss = *row.test_loss, golden.final_accuracy = *row.test_accuracy;
  }
  return golden;
}

std::string text_of(const Golden& golden) {
  return fmt::format("{}final_loss {:.4f}\nfinal_accuracy {:.4f}\n", golden.exact, golden.final_loss,
                     golden.final_accuracy);
}

Golden parsed(const std::string& text) {
  Golden golden;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("simulated_s ")) golden.simulated_s = std::stod(line.substr(12));
    if (line.starts_with("final_loss ")) {
      golden.final_loss = std::stod(line.substr(11));
    } else if (line.starts_with("final_accuracy ")) {
      golden.final_accuracy = std::stod(line.substr(15));
    } else {
      golden.exact += line + "\n";
    }
  }
  return golden;
}

// Without the line that SimGrid's rounding changes.
std::string without_rounding(const std::string& exact) {
  std::istringstream lines(exact);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("simulated_s ")) text += line + "\n";
  }
  return text;
}

bool is_same(const Golden& then, const Golden& now) {
  if (has_accepting_simgrid()) return now.exact == then.exact;
  return without_rounding(now.exact) == without_rounding(then.exact) &&
         std::fabs(now.simulated_s - then.simulated_s) <= other_rounding * then.simulated_s;
}

// The difference between `now` and `then`, in lines; empty without one.
std::string difference(const Golden& then, const Golden& now) {
  std::string text;
  if (!is_same(then, now)) text += "was\n" + then.exact + "and is\n" + now.exact;
  const auto compare = [&](const char* what, double was, double is, double tolerance) {
    if (!(std::fabs(is - was) <= tolerance)) text += fmt::format("{} was {} and is {}\n", what, was, is);
  };
  compare("final_loss", then.final_loss, now.final_loss, 0.02 * (1 + std::fabs(then.final_loss)));
  compare("final_accuracy", then.final_accuracy, now.final_accuracy, 0.02);
  return text;
}

// Tests one scenario; reports errors on stderr.
bool holds(const std::string& name) {
  scenario::Scenario scenario = scenario::read_scenario(systems::built_in(), (scenarios / (name + ".json")).string());
  scenario.math.mode = nn::MathMode::portable;  // on processors, too, where another mode is the default
  const Golden now = golden_of(run::run(scenario));
  const std::string file = "tests/goldens/data/" + name + ".txt";
  if (accepting() && !has_accepting_simgrid()) {
    std::cerr << "goldens are accepted with SimGrid " << accepted_with << ", not " << DDLSIM_SIMGRID_VERSION << "\n";
    return false;
  }
  if (accepting()) return is_accepted(file, text_of(now));
  std::ifstream stream(root / file);
  if (!stream) {
    std::cerr << "no golden: accept one by tests/renew " << name << "\n";
    return false;
  }
  std::stringstream text;
  text << stream.rdbuf();
  const std::string differs = difference(parsed(text.str()), now);
  if (!differs.empty()) {
    std::cerr << name << " " << differs << "if that is right: tests/renew " << name
              << ", and say in the commit why results moved\n";
  }
  return differs.empty();
}

std::set<std::string> names_in(const fs::path& folder, const char* extension) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  }
  return names;
}

bool belong_together() {
  const std::set<std::string> run = names_in(scenarios, ".json"), kept = names_in(root / "tests/goldens/data", ".txt");
  for (const std::string& name : run) {
    if (!kept.contains(name)) std::cerr << "scenarios/smoke/" << name << ".json has no golden\n";
  }
  for (const std::string& name : kept) {
    if (!run.contains(name)) std::cerr << "tests/goldens/data/" << name << ".txt has no scenario\n";
  }
  return run == kept && !run.empty();
}

}  // namespace
}  // namespace ddl

int main(int argc, char** argv) {
  try {
    return (argc == 2 ? ddl::holds(argv[1]) : ddl::belong_together()) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
