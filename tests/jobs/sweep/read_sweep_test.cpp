// Sweep files: their products, and one line with its path for every error.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "sim/jobs/sweep/plan.hpp"
#include "tests/jobs/sweep/sweep_files.hpp"
#include "tests/support/accepted.hpp"
#include "tests/support/examples.hpp"

namespace ddl::jobs {
namespace {

std::vector<std::string> names_of(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (std::size_t run = 0; run < plan.runs(); ++run) names.push_back(plan.name_of(run));
  return names;
}

std::vector<std::string> errors_of(const std::string& text) {
  try {
    plan_sweep(systems::built_in(), parse_sweep(text, "s.json"));
  } catch (const scenario::ScenarioErrors& errors) {
    return errors.lines;
  }
  return {};
}

const std::string with_base = "{\"base\": " + tiny_base + ", ";

}  // namespace

TEST_CASE("every value meets every value of the other axes, the last varies fastest") {
  const SweepPlan plan = plan_sweep(
      systems::built_in(),
      sweep_of(R"("vary": {"stop.iterations": [3, 4], "platform.bandwidth": ["8Mbps", "1Mbps"]}, "seeds": [7, 5])"));
  CHECK(plan.columns == std::vector<std::string>{"stop.iterations", "platform.bandwidth"});
  CHECK(names_of(plan) == std::vector<std::string>{"iterations=3_bandwidth=8Mbps/7", "iterations=3_bandwidth=8Mbps/5",
                                                   "iterations=3_bandwidth=1Mbps/7", "iterations=3_bandwidth=1Mbps/5",
                                                   "iterations=4_bandwidth=8Mbps/7", "iterations=4_bandwidth=8Mbps/5",
                                                   "iterations=4_bandwidth=1Mbps/7", "iterations=4_bandwidth=1Mbps/5"});
  CHECK(sweep_of(R"("seeds": "3..5,9")").seeds == std::vector<std::uint64_t>{3, 4, 5, 9});
  const scenario::Scenario& last = plan.point_of(7).scenario;
  CHECK(*last.stop.iterations == 4);
  CHECK(std::get<scenario::GeneratedPlatform>(last.platform.hosts).bandwidth[0].value == 125000);
  CHECK(plan.seed_of(7) == 5);
  CHECK(last.name == "iterations=4_bandwidth=1Mbps");
}

TEST_CASE("zipped lists go in step, and whole algorithm blocks are named as they are written") {
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep_of(R"("set": {"platform.workers": 4},
      "zip": [{"algorithm": ["ps_async", {"name": "ako", "partitions": 2}, {"name": "ako", "partitions": "auto"}],
               "platform.servers": [1, 0, 0]}])"));
  REQUIRE(plan.points.size() == 3);
  CHECK(plan.points[0].values == std::vector<std::string>{"ps_async", "1"});
  CHECK(plan.points[1].values == std::vector<std::string>{"ako,partitions=2", "0"});
  CHECK(plan.points[2].values == std::vector<std::string>{"ako,partitions=auto", "0"});
  CHECK(plan.points[1].name == "ako,partitions=2_servers=0");
}

TEST_CASE("names of points are folders' names, short and different") {
  const auto plan = [&](const std::string& values) {
    return plan_sweep(systems::built_in(),
                      sweep_of("\"set\": {\"platform\": {\"file\": \"" DDLSIM_SOURCE_DIR
                               "/platforms/uniform_lan.xml\", \"servers\": [\"ps0\"]}}, \"vary\": {\"description\": [" +
                               values + "]}"));
  };
  const SweepPlan same = plan(R"("a/b", "a b", "..")");
  CHECK(same.points[0].name == "description=a-b");
  CHECK(same.points[1].name.starts_with("description=a-b-"));
  CHECK(same.points[1].name.size() == same.points[0].name.size() + 9);
  const std::string long_text(300, 'x');
  const SweepPlan longer = plan("\"" + long_text + "1\", \"" + long_text + "2\"");
  CHECK(longer.points[0].name.size() == 100);
  CHECK(longer.points[0].name != longer.points[1].name);
}

TEST_CASE("a scenario that is changed by hand is named after what changes its results") {
  CHECK(changed_name("x", {}) == "x");
  CHECK(changed_name("x", {{"seed", "3"}, {"record.trace", "true"}, {"data.path", "/some/folder"}}) == "x");
  CHECK(changed_name("x", {{"data.path", "/some/folder"}, {"data.train", "100"}}) == "x_train=100");
  CHECK(changed_name("x", {{"data.train", "100"}, {"name", "y"}}) == "x");  // the reader has set it
}

TEST_CASE("an error is reported once, with its path and the first run that has it") {
  for (const Example& example : examples_in("tests/jobs/sweep/broken.txt")) {
    CAPTURE(example.place);
    const std::vector<std::string> errors = errors_of(with_base + example.given + "}");
    REQUIRE(errors.size() == 1);
    CHECK_MESSAGE(is_like(errors[0], "s.json: " + example.expected.at(0)), errors[0]);
  }
  CHECK(errors_of("{}") ==
        std::vector<std::string>{"s.json: $.base: is missing; expected a scenario's file, or a scenario in braces"});
  CHECK(errors_of(R"({"base": "absent.json"})") ==
        std::vector<std::string>{"s.json: $.base: absent.json: no such file; expected a scenario"});
  CHECK(errors_of(R"({"base": null})") ==
        std::vector<std::string>{"s.json: $.base: null is neither; expected a scenario's file, or one in braces"});
  CHECK(errors_of("[]").size() == 1);
  CHECK(errors_of("{\"base\": 3, \"base\": 4}").size() == 1);
}

TEST_CASE("a sweep has an end") {
  std::string list = "0";
  for (int i = 1; i < 400; ++i) list += "," + std::to_string(i);
  const std::string text =
      with_base + R"("vary": {"platform.latency": [)" + list + R"(], "stop.iterations": [)" + list + "]}}";
  CHECK(errors_of(text) == std::vector<std::string>{"s.json: $: has more than 100000 runs; expected fewer"});
}

TEST_CASE("the shipped study has every scheme at every bandwidth and worker count") {
  const SweepPlan plan = plan_sweep(
      systems::built_in(), read_sweep(std::string(DDLSIM_SOURCE_DIR) + "/scenarios/study/bandwidth_workers.json"));
  std::map<std::string, std::size_t> schemes;
  for (const SweepPoint& point : plan.points) ++schemes[point.values[2]];
  std::vector<std::string> names;
  for (const auto& [scheme, count] : schemes) {
    names.push_back(scheme);
    CHECK(count * schemes.size() == plan.points.size());
  }
  CHECK(names == std::vector<std::string>{"ad_psgd,topology=ring", "ako,partitions=1,overflow=merge",
                                          "ako,partitions=3,overflow=merge", "d_psgd,topology=ring",
                                          "diloco,sync_every=16", "gossip", "local_sgd,local_steps=16",
                                          "local_sgd,local_steps=64", "ps_async", "ring_allreduce", "single"});
  CHECK(plan.points.front().values[0] == "0.1");
  CHECK(plan.points.back().values[0] == "20");
  CHECK(plan.points.front().values[1] == "2");
  CHECK(plan.points.back().values[1] == "32");
  CHECK(plan.seeds.size() == 5);
}

TEST_CASE("the published schema of sweeps is the program's, and has the reader's keys") {
  const bool same = is_accepted("scenarios/sweep.schema.json", sweep_schema());
  CHECK_MESSAGE(same, "update it: tests/renew, or ddlsim schema sweep > scenarios/sweep.schema.json");
  const auto schema = nlohmann::json::parse(sweep_schema());
  CHECK(schema["properties"].size() == 9);
  nlohmann::json all = nlohmann::json::parse(with_base + R"("$schema": "x", "name": "n", "description": "d",
      "set": {"stop.iterations": 4}, "vary": {"platform.workers": [1]}, "zip": [{"platform.bandwidth": ["1Mbps"]}],
      "seeds": [1], "tune": {"over": {"training.optimizer.learning_rate": []}, "target": 0.5, "seeds": 2}})");
  for (const auto& [key, property] : schema["properties"].items()) CHECK(all.contains(key));
  CHECK(errors_of(all.dump()).empty());
  const auto& zip = schema["properties"]["zip"]["items"];
  CHECK(zip["minProperties"] == 1);
  CHECK(zip["additionalProperties"]["minItems"] == 1);
  CHECK(schema["properties"]["vary"]["additionalProperties"]["uniqueItems"] == true);
  CHECK(schema["properties"]["seeds"]["oneOf"][0]["uniqueItems"] == true);
}

}  // namespace ddl::jobs
