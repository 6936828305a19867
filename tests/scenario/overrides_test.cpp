#include <doctest/doctest.h>

#include "core/systems/ako/ako.hpp"
#include "core/systems/servers/ps_async.hpp"
#include "tests/scenario/texts.hpp"

namespace ddl::scenario {
namespace {

std::string only_error(const std::string& text, const Override& change) {
  const auto lines = errors_of(text, {change});
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " lines";
}

TEST_CASE("an override replaces one value: numbers, text, lists, elements of lists") {
  const Scenario scenario = parse(styles()[1], {{"platform.workers", "8"},
                                                {"platform.bandwidth[1]", "30Mbps"},
                                                {"platform.speed", "10Gf"},
                                                {"data.partition", "\"by_label\""},
                                                {"data.alpha", "0.5"},
                                                {"evaluate.target_accuracy", "[0.3]"},
                                                {"seed", "7"},
                                                {"$.record.weights", "false"}});
  const auto& hosts = std::get<GeneratedPlatform>(scenario.platform.hosts);
  CHECK(hosts.workers == 8);
  CHECK(hosts.bandwidth == std::vector<BytesPerSecond>{{5e6}, {3.75e6}, {1.25e6}});
  CHECK(hosts.speed == std::vector<FlopsPerSecond>{{10e9}});
  CHECK(scenario.data.partition == data::PartitionKind::by_label);
  CHECK(scenario.evaluate.target_accuracy == std::vector<double>{0.3});
  CHECK(scenario.seed == 7);
  CHECK_FALSE(scenario.record.weights);
}

TEST_CASE("an element of a list is named by its index in brackets or behind a dot") {
  for (const char* path : {"platform.bandwidth[1]", "platform.bandwidth.1"}) {
    const Scenario scenario = parse(styles()[1], {{path, "30Mbps"}});
    CHECK(std::get<GeneratedPlatform>(scenario.platform.hosts).bandwidth ==
          std::vector<BytesPerSecond>{{5e6}, {3.75e6}, {1.25e6}});
  }
  // In an object it is a key, and beyond the list's end nothing.
  CHECK(parse(kSmall, {{"compute.slowdown", R"({"w1": 2})"}, {"compute.slowdown.w1", "3"}}).compute.slowdown ==
        std::map<std::string, double>{{"w1", 3}});
  CHECK(only_error(styles()[1], {"platform.bandwidth.7", "30Mbps"}).find("there is no [7]; the list has 3 elements") !=
        std::string::npos);
}

TEST_CASE("an override makes what is not there, and later ones win") {
  const Scenario scenario = parse(kSmall, {{"training.batch_size", "16"}, {"training.batch_size", "64"}});
  CHECK(scenario.training.batch_size == 64);
}

TEST_CASE("a block is set before its keys, in whatever order they are given") {
  const Scenario scenario = parse(kSmall, {{"algorithm.partitions", "4"}, {"algorithm", "ako"}});
  CHECK(scenario.algorithm.get_if<systems::AkoParams>()->partitions.form == decltype(systems::Partitions::form)(4));
  CHECK(only_error(kSmall, {"algorithm", R"({"name": "gossip", "partitions": 4})"}) ==
        errors_of(kSmall, {{"algorithm.partitions", "4"}, {"algorithm", "gossip"}}).front());
}

TEST_CASE("an override reaches into a name that stands for an object") {
  CHECK(parse(kSmall, {{"algorithm.partitions", "4"}}).algorithm.get_if<systems::AkoParams>()->partitions.form ==
        decltype(systems::Partitions::form)(4));
  const Scenario adam = parse(
      styles()[3], {{"training.optimizer.learning_rate", "0.01"}, {"training.optimizer.schedule.type", "cosine"}});
  const auto& params = std::get<nn::AdamParams>(adam.training.optimizer);
  CHECK(params.learning_rate == 0.01);
  CHECK(std::holds_alternative<nn::CosineRate>(params.schedule));
  CHECK(std::get<nn::SgdParams>(parse(kSmall, {{"training.optimizer.learning_rate", "0.5"}}).training.optimizer)
            .learning_rate == 0.5);
}

TEST_CASE("an override by null takes a key away") {
  const Scenario scenario = parse(styles()[1], {{"evaluate.every", "null"}, {"evaluate.every_iterations", "5"}});
  CHECK_FALSE(scenario.evaluate.every);
  CHECK(scenario.evaluate.every_iterations == 5);
}

TEST_CASE("another algorithm with the old one's keys is an unknown key") {
  const std::string text = R"({ "platform": { "servers": 1, "bandwidth": "1Mbps" }, "stop": { "time": "1s" },
                                "algorithm": { "name": "ako", "partitions": 2 } })";
  CHECK(only_error(text, {"algorithm.name", "ps_async"}) ==
        "s.json: $.algorithm.partitions: is an unknown key; known keys are name, update_time, codec, overlap, "
        "staleness_aware");
  CHECK(parse(text, {{"algorithm", "ps_async"}}).algorithm.get_if<systems::PsAsyncParams>() != nullptr);
}

TEST_CASE("an override to a path that leads nowhere is an error of the override") {
  for (const char* path : {"", ".", "a..b", "a.", ".a", "a[", "a[]", "a[x]", "a[-1]", "a]", "a[0]b", "[0]"}) {
    CAPTURE(path);
    CHECK(only_error(kSmall, {path, "1"}).starts_with("--set " + std::string(path) + ": "));
  }
  CHECK(only_error(kSmall, {"platform.workers.more", "1"}) ==
        "--set platform.workers.more: 4 has no key \"more\"; expected an object there");
  CHECK(only_error(kSmall, {"platform.bandwidth[0]", "1bps"}) ==
        "--set platform.bandwidth[0]: there is no list for [0]; expected one in the scenario");
  CHECK(errors_of(styles()[1], {{"platform.bandwidth[3]", "1bps"}}).front() ==
        "--set platform.bandwidth[3]: there is no [3]; the list has 3 elements");
}

TEST_CASE("an override's path that is not UTF-8 is an error of the override") {
  CHECK(only_error(kSmall, {"compute.slowdown.\xff", "2"}).find("is not a path; expected one such as") !=
        std::string::npos);
}

TEST_CASE("a wrong value or an unknown key from an override is an error at its path") {
  CHECK(only_error(kSmall, {"platform.bandwidth", "40"}) ==
        "s.json: $.platform.bandwidth: 40 has no unit; write for example \"40Mbps\"");
  CHECK(only_error(kSmall, {"platform.worker", "2"}) ==
        "s.json: $.platform.worker: is an unknown key; did you mean \"workers\"?");
  CHECK(only_error(kSmall, {"name", "\xff"}) == "--set name: its value is not UTF-8 text; expected JSON or text");
}

}  // namespace
}  // namespace ddl::scenario
