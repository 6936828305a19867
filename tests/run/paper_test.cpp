// The scenarios of publications: each is documented, loads, and takes a few steps.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "sim/scenario/reading/read.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/support/cifar_files.hpp"
#include "tests/support/mnist_files.hpp"
#include "tests/support/run.hpp"

namespace ddl::paper_test {
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(DDLSIM_SOURCE_DIR) / "scenarios" / "paper";

std::vector<fs::path> paper_scenarios() {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.insert(entry.path());
  return {files.begin(), files.end()};
}

// The learning and the exchange, without place, length and measurement.
std::string what_is_done(scenario::Scenario scenario) {
  const scenario::Scenario blank;
  scenario.name = scenario.description = scenario.file = "";
  scenario.platform = blank.platform;
  scenario.stop = blank.stop;
  scenario.evaluate = blank.evaluate;
  scenario.record = blank.record;
  scenario.wire = blank.wire;
  return scenario::describe(scenario);
}

}  // namespace

TEST_CASE("every scenario of a publication says what was published, and what it trains takes two steps") {
  const data::ScratchFolder cifar, mnist;
  write_cifar(cifar, 16);
  write_mnist(mnist.path(), 1);
  std::set<std::string> done;
  for (const fs::path& file : paper_scenarios()) {
    INFO(file.filename().string());
    const std::string text = scenario::scenario_text(file.string());
    CHECK(text.starts_with("// "));
    std::vector<scenario::Override> smaller = {{"stop.iterations", "2"}, {"training.batch_size", "2"}};
    const bool of_digits = text.find(R"("source": "mnist")") != std::string::npos;
    if (text.find(R"("path")") != std::string::npos) {
      smaller.push_back({"data.path", of_digits ? mnist.path() : cifar.path()});
    }
    scenario::Scenario scenario = scenario::read_scenario(systems::built_in(), file.string(), smaller);
    CHECK(scenario.name == file.stem().string());
    CHECK_FALSE(scenario.description.empty());
    scenario.data.train = 16;
    scenario.data.test = 4;
    // Scenarios that differ only in network and length are run once; shipped scenarios run on each of these networks.
    if (!done.insert(what_is_done(scenario)).second) continue;
    scenario.stop = {.iterations = 2};  // four samples may well reach an accuracy by chance
    // Sixteen replicas of a large network take too long for a test.
    auto* hosts = std::get_if<scenario::GeneratedPlatform>(&scenario.platform.hosts);
    if (hosts != nullptr && scenario.compute.slowdown.empty()) hosts->workers = std::min(hosts->workers, 2);
    const run::RunResult result = run::run(scenario);
    CHECK(result.divergence == std::nullopt);
    for (const std::int64_t steps : result.steps) CHECK(steps == 2);
  }
}

}  // namespace ddl::paper_test
