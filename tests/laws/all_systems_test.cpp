// The laws of lab/laws, for each training system by itself. A system added to the table is tested without further work
// here, with the settings of its smoke scenario, which every system has.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "core/systems/neighbours/d_psgd.hpp"
#include "core/systems/table.hpp"
#include "tests/support/keeps.hpp"

namespace ddl::all_systems_test {
namespace {

const std::filesystem::path smoke = std::filesystem::path(DDLSIM_SOURCE_DIR) / "scenarios/smoke";

// The first smoke scenario of a system, by name, in which hosts neither come nor go.
std::string scenario_of(const std::string& system) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(smoke)) files.insert(entry.path().string());
  for (const std::string& file : files) {
    const scenario::Scenario scenario = scenario::read_scenario(systems::built_in(), file);
    if (scenario.algorithm->facts().name == system && scenario.faults.empty()) return file;
  }
  return "";
}

// Calls `law` for every system with its scenario's file.
template <class Law>
void for_all_systems(Law law) {
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name, file = scenario_of(name);
    CAPTURE(name);
    REQUIRE_MESSAGE(file != "", name << " has no scenario without faults in scenarios/smoke");
    law(file);
  }
}

void check_all_keep(const char* law) {
  for_all_systems([&](const std::string& file) {
    check_keeps(law, laws::Subject(systems::built_in(), scenario::scenario_text(file), file));
  });
}

// Tells of twice as much as it sends.
struct BoastfulParams : SystemOf<BoastfulParams, systems::DPsgdParams> {
  static constexpr SystemFacts facts{.name = "boastful", .what = "averaging", .fetches_model = true};
  Traffic traffic(const Cluster& cluster) const override {
    Traffic traffic = DPsgdParams::traffic(cluster);
    for (auto& phase : traffic.phases) {
      for (Flow& flow : phase) flow.models *= 2;
    }
    return traffic;
  }
};
template <class Visitor>
void fields(Visitor&, BoastfulParams&) {}

}  // namespace

TEST_CASE("every system has a smoke scenario, and that a golden") {
  for_all_systems([](const std::string& file) {
    const std::string name = std::filesystem::path(file).stem().string();
    CHECK(std::filesystem::exists(std::filesystem::path(DDLSIM_SOURCE_DIR) / "tests/goldens/data" / (name + ".txt")));
  });
}

// A test each, so that they run side by side.
TEST_CASE("every system stops after the steps asked for") { check_all_keep("steps"); }
TEST_CASE("every system counts samples over all workers") { check_all_keep("samples"); }
TEST_CASE("every system stops when the time is over, at that time") { check_all_keep("time"); }
TEST_CASE("every system does the same again") { check_all_keep("repeats"); }
TEST_CASE("every system learns the same with one thread and with three") { check_all_keep("threads"); }
TEST_CASE("every system notices that it diverges, and ends") { check_all_keep("diverges"); }
TEST_CASE("the systems that promise equal replicas end with them, and no others do") { check_all_keep("replicas"); }
TEST_CASE("no system's mean step is shorter than its lower bound, in the long run") { check_all_keep("bound"); }
TEST_CASE("a lower bound is judged on the scenario's own network, however that is written") {
  Registry systems;
  systems.add<BoastfulParams>();
  const auto why = [&](const std::string& links) {
    std::string text = laws::scenario_for(BoastfulParams());
    const std::string usual = R"("bandwidth": ["100Mbps", "50Mbps"])";
    text.replace(text.find(usual), usual.size(), links);
    const auto law = std::ranges::find(laws::all(), std::string_view("bound"), &laws::Law::name);
    return laws::judge(*law, laws::Subject(systems, text, "laws.json")).why;
  };
  const std::string slower = why(R"("bandwidth": ["20Mbps", "10Mbps"])");
  CHECK_MESSAGE(slower.find("by traffic() at least") != std::string::npos, slower);
  CHECK(slower != why(R"("bandwidth": ["100Mbps", "50Mbps"])"));
  CHECK(slower == why(R"("bandwidth": ["100Mbps", "50Mbps"], "bandwidth_factor": 0.2)"));
}
TEST_CASE("a worker's crash, and its return, stop no system that allows them") { check_all_keep("crash"); }
TEST_CASE("timing only: a system takes the same time and sends the same messages when it learns nothing") {
  check_all_keep("timing");
}
TEST_CASE("one worker of every system is plain SGD") { check_all_keep("alone"); }
TEST_CASE("every system clips whole gradients or refuses to, whatever overlaps") { check_all_keep("clips"); }
TEST_CASE("every system learns by layers what it learns in blocks") { check_all_keep("overlap"); }
TEST_CASE("a step of every system takes what check expects, whatever overlaps") { check_all_keep("expected"); }
TEST_CASE("systems that learn the same at all times are replayed to the byte") { check_all_keep("replay"); }
TEST_CASE("each law of every system has a test here") { CHECK(laws::all().size() == 15); }

}  // namespace ddl::all_systems_test
