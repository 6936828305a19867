// Every smoke scenario against what it gave when it was last accepted (tests/goldens/data/<name>.txt). Steps,
// messages, bytes, simulated time and the digest of all that was learned must be the same to the digit, on every
// machine: math is portable. To accept new ones: DDLSIM_ACCEPT=1 ctest -R golden, then read the diff and say in the
// commit why results moved.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/results/writing/results.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::golden_test {

namespace {

const std::filesystem::path root = DDLSIM_SOURCE_DIR;

struct Golden {
  std::string exact;
  double final_loss = 0, final_accuracy = 0;
};

Golden golden_of(const experiment::RunResult& result) {
  Golden golden;
  golden.exact = fmt::format(
      "simulated_s {}\nsteps {}\nmessages {}\nbytes_sent {}\nbytes_delivered {}\nstopped_by {}\ndigest {}\n",
      result.simulated_s, fmt::join(result.steps, " "), result.messages_sent, result.bytes_sent, result.bytes_delivered,
      result.stopped_by, results::digest_of(result));
  for (const experiment::CurveRow& row : result.curve) {
    if (row.worker == "mean") golden.final_loss = row.test_loss, golden.final_accuracy = row.test_accuracy;
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

}  // namespace

TEST_CASE("golden: every smoke scenario gives what it gave") {
  std::set<std::filesystem::path> scenarios;
  for (const auto& entry : std::filesystem::directory_iterator(root / "scenarios/smoke"))
    scenarios.insert(entry.path());
  REQUIRE(scenarios.size() >= 8);
  for (const auto& path : scenarios) {
    CAPTURE(path.stem().string());
    const Golden now = golden_of(runtime::run(scenario::read_scenario(path.string())));
    const auto file = root / "tests/goldens/data" / (path.stem().string() + ".txt");
    if (std::getenv("DDLSIM_ACCEPT") != nullptr) {
      std::ofstream(file) << text_of(now);
      continue;
    }
    std::ifstream stream(file);
    REQUIRE_MESSAGE(stream.good(), "no golden; run once with DDLSIM_ACCEPT=1");
    std::stringstream text;
    text << stream.rdbuf();
    const Golden then = parsed(text.str());
    CHECK(now.exact == then.exact);
    CHECK(now.final_loss == doctest::Approx(then.final_loss).epsilon(0.02));
    CHECK(std::fabs(now.final_accuracy - then.final_accuracy) < 0.02);
  }
}

}  // namespace ddl::golden_test
