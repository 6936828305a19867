#include "sim/scenario/reading/read.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/rng.hpp"
#include "core/systems/ako/ako.hpp"
#include "core/systems/neighbours/ad_psgd.hpp"
#include "core/systems/servers/ps_async.hpp"
#include "sim/scenario/profiles.hpp"
#include "tests/scenario/texts.hpp"
#include "tests/support/files.hpp"

namespace ddl::scenario {
namespace {

std::string first_line(const std::string& file) {
  try {
    read_scenario(systems::built_in(), file);
  } catch (const ScenarioErrors& errors) {
    return errors.lines.size() == 1 ? errors.lines.front() : "several lines";
  }
  return "no error";
}

// round_trip_test.cpp tests what describe() makes of it.
TEST_CASE("a scenario means what it says: base units, and the kinds that words stand for") {
  const Scenario scenario = parse(styles()[1]);
  CHECK(scenario.seed == 18446744073709551615u);
  const auto& hosts = std::get<GeneratedPlatform>(scenario.platform.hosts);
  CHECK(hosts.topology == Topology::star);
  CHECK(hosts.bandwidth == std::vector<BytesPerSecond>{{5e6}, {2.5e6}, {1.25e6}});
  CHECK(hosts.latency.value == 0.02);
  CHECK(hosts.speed == std::vector<FlopsPerSecond>{{50e9}, {25e9}});
  CHECK(scenario.platform.network.model == NetworkModel::TCP);
  CHECK(scenario.data.partition == data::PartitionKind::dirichlet);
  CHECK(scenario.data.augment == data::Augment::crop_flip);
  const auto& momentum = std::get<nn::MomentumParams>(scenario.training.optimizer);
  CHECK(momentum.momentum == 0.8);
  CHECK(std::get<nn::StepRate>(momentum.schedule).at == std::vector<std::int64_t>{100, 200});
  CHECK(scenario.training.gradient_scale == GradientScale::sum);
  CHECK(scenario.training.init == InitialWeights::independent);
  CHECK(scenario.compute.slowdown == std::map<std::string, double>{{"ps0", 2}, {"w2", 10}});
  CHECK(scenario.wire.model_bytes->value == 17053736);
  CHECK(scenario.algorithm.get_if<systems::PsAsyncParams>()->update_time.value == 0.001);
  CHECK(scenario.evaluate.every->value == 5);
  CHECK_FALSE(scenario.evaluate.every_iterations);
}

TEST_CASE("bare names, counts and single values stand for their long forms") {
  CHECK(parse(kSmall).algorithm.get_if<systems::AkoParams>() != nullptr);
  const Scenario layers = parse(styles()[3]);
  CHECK(std::get<nn::AdamParams>(layers.training.optimizer).learning_rate == 0.001);
  REQUIRE(layers.model.layers.size() == 8);
  CHECK(std::holds_alternative<nn::ReluSpec>(layers.model.layers[1]));
  CHECK(std::get<nn::DenseSpec>(layers.model.layers[5]).units == 16);
  CHECK(parse(styles()[2]).algorithm.get_if<systems::AkoParams>()->partitions.form ==
        decltype(systems::Partitions::form)(std::vector<int>{4, 4, 2, 2}));
  CHECK(std::get<FilePlatform>(parse(styles()[5]).platform.hosts).workers == std::vector<std::string>{"w0", "w1"});
  CHECK(std::get<FilePlatform>(parse(styles()[6]).platform.hosts).first_workers == 2);
  CHECK(parse(styles()[6]).algorithm.get_if<systems::AkoParams>()->partitions.automatic());
  CHECK(parse(styles()[7]).algorithm.get_if<systems::AkoParams>()->partitions.form ==
        decltype(systems::Partitions::form)(3));
  CHECK(parse(styles()[8]).stop.iterations == 10);
  CHECK(parse(styles()[10]).algorithm.get_if<systems::AdPsgdParams>()->gossip_rate.continuous());
  CHECK(parse(styles()[11]).algorithm.get_if<systems::AdPsgdParams>()->gossip_rate.every() == 4);
}

TEST_CASE("without evaluation times a real model is evaluated fifty times until the stop, or every ten steps") {
  CHECK(parse(styles()[6]).evaluate.every->value == 72);  // an hour over fifty
  CHECK_FALSE(parse(styles()[6]).evaluate.every_iterations);
  CHECK(parse(kSmall).evaluate.every_iterations == 10);
  CHECK_FALSE(parse(kSmall).evaluate.every);
  CHECK_FALSE(parse(styles()[2]).evaluate.every);  // timing only
  CHECK_FALSE(parse(styles()[2]).evaluate.every_iterations);
}

TEST_CASE("a scenario without a name is called like its file, and its paths start at the file's folder") {
  const Scenario scenario = parse_scenario(systems::built_in(), kSmall, "some/where/het_wan.json");
  CHECK(scenario.name == "het_wan");
  CHECK(resolve_path(scenario, "../platforms/a.xml") == "some/where/../platforms/a.xml");
  CHECK(resolve_path(scenario, "/a.xml") == "/a.xml");
  CHECK(resolve_path(parse_scenario(systems::built_in(), kSmall, "a.json"), "a.xml") == "a.xml");
}

TEST_CASE("comments may stand anywhere") {
  const std::string text = std::string("// before\n{ // a star\n") + (kSmall + 1) + " // after";
  CHECK(std::get<GeneratedPlatform>(parse(text).platform.hosts).workers == 4);
  CHECK(parse("/* all of it */" + std::string(kSmall)).name == "sample");
}

TEST_CASE("all errors of a file are reported together") {
  const auto lines = errors_of(R"({ "platform": { "bandwidth": 40, "latency": "1MB" }, "algorithm": "akoo", "bogus": 1,
                                    "training": { "batch_size": 0 } })");
  CHECK(lines.size() == 6);  // two of the platform, algorithm, bogus, batch_size, no stop condition
}

TEST_CASE("the first fifty of very many errors are shown, and how many more there are") {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\": 1,";
  const auto lines =
      errors_of(text + R"("platform": { "bandwidth": "1bps" }, "algorithm": "ako", "stop": {"time": "1s"}})");
  REQUIRE(lines.size() == 51);
  CHECK(lines.back() == "s.json: 950 more errors");
}

TEST_CASE("a scenario cut off at any byte is refused with one line that says where") {
  for (const std::string& text : styles()) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      const auto lines = errors_of(text.substr(0, length));
      REQUIRE(lines.size() == 1);
      const bool says_where =
          lines[0].find("line ") != std::string::npos || lines[0] == "s.json: $: is empty; expected a JSON object";
      REQUIRE_MESSAGE(says_where, lines[0]);
      REQUIRE(lines[0].find("; expected ") != std::string::npos);
    }
  }
}

TEST_CASE("no change of a byte makes reading crash, and every error is one printable line") {
  const std::string text = styles()[1];
  Stream random = stream(1, "bytes", "damage");
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (std::uint64_t n = random.below(4) + 1; n > 0; --n) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    for (const std::string& line : errors_of(damaged)) {
      for (const char letter : line) REQUIRE(static_cast<unsigned char>(letter) >= 0x20);
      REQUIRE(line.starts_with("s.json: "));
    }
  }
}

TEST_CASE("deep nesting is refused, not followed") {
  const std::string deep(1000000, '[');
  CHECK(errors_of(deep) == std::vector<std::string>{"s.json: $: is nested deeper than 64 levels; expected a scenario"});
  CHECK(errors_of(R"({"a":)" + deep).size() == 1);
}

TEST_CASE("a list of packets is bandwidth over windows of 100 ms, and repeats after its last packet") {
  const TemporaryFolder folder;
  const auto profiled = [&](const std::string& packets, const char* more = "") {
    folder.write("link.trace", packets);
    return folder.write("packets.json",
                        R"({"platform": {"workers": 2, "bandwidth": "1Mbps", "profiles": [{"quantity": "bandwidth",
                            "link": "w0", "file": "link.trace")" +
                            std::string(more) + R"(}]}, "algorithm": "alone", "stop": {"iterations": 1}})");
  };
  const std::string place = "$.platform.profiles[0].file: \"" + folder.file("link.trace") + "\": ";
  // Three packets in the first 100 ms, two of them in one millisecond; none in the next; and one each in the last, of
  // 100 ms and of 50 ms, the second at its end. 1,500 bytes in 100 ms are 15 kB/s.
  const Scenario scenario = read_scenario(systems::built_in(), profiled("0\n40\n40\r\n200\n350\n"));
  const auto& profile = std::get<BandwidthProfile>(scenario.platform.profiles[0]);
  CHECK(profile.file.empty());
  REQUIRE(profile.repeat_every);
  CHECK(profile.repeat_every->value == doctest::Approx(0.35));
  const std::vector<std::pair<double, double>> expected = {{0, 45e3}, {0.1, 0}, {0.2, 15e3}, {0.3, 30e3}};
  REQUIRE(profile.points.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(profile.points[i].at.value == doctest::Approx(expected[i].first));
    CHECK(profile.points[i].value.value == doctest::Approx(expected[i].second));
  }
  // A packet a millisecond is 12 Mbit/s, except that one moves from the first window to the last.
  std::string steady;
  for (int stamp = 1; stamp <= 1000; ++stamp) steady += std::to_string(stamp) + "\n";
  const Scenario constant = read_scenario(systems::built_in(), profiled(steady));
  const auto& points = std::get<BandwidthProfile>(constant.platform.profiles[0]).points;
  REQUIRE(points.size() == 3);
  CHECK(points[0].value.value == doctest::Approx(99 * 15e3));
  CHECK(points[1].value.value == doctest::Approx(100 * 15e3));
  CHECK(points[2].value.value == doctest::Approx(101 * 15e3));
  CHECK(describe(parse_scenario(systems::built_in(), describe(scenario), scenario.file)) == describe(scenario));

  const auto said = [&](const std::string& file) { return first_line(file).substr(file.size() + 2); };
  const std::string expects = " is no packet; expected whole milliseconds, in order, up to 2000000";
  CHECK(said(profiled("5\n3\n")) == place + "line 2: \"3\"" + expects);
  CHECK(said(profiled("5\n\n7.5\n")) == place + "line 3: \"7.5\"" + expects);
  CHECK(said(profiled("5\n6x\n")) == place + "line 2: \"6x\"" + expects);
  CHECK(said(profiled("5\n2000001\n")) == place + "line 2: \"2000001\"" + expects);
  CHECK(said(profiled("0\n")) == place + "ends in its first instant; expected packets over some milliseconds");
  CHECK(said(profiled("5\n", R"(, "repeat_every": "1s")")) ==
        place + "is a list of packets, which repeats by itself; expected no repeat_every");
}

TEST_CASE("files that cannot be scenarios are refused with one line") {
  const TemporaryFolder folder;
  const std::string absent = folder.file("absent.json");
  CHECK(first_line(absent) == absent + ": no such file; expected a scenario");
  CHECK(first_line(folder.path().string()) == folder.path().string() + ": is a folder; expected a scenario");
  const std::string empty = folder.write("empty.json", "");
  CHECK(first_line(empty) == empty + ": $: is empty; expected a JSON object");
  const std::string blank = folder.write("blank.json", " \n\t");
  CHECK(first_line(blank) == blank + ": $: is empty; expected a JSON object");
  const std::string big = folder.write("big.json", std::string((4 << 20) + 1, ' '));
  CHECK(first_line(big) == big + ": is larger than 4 MiB; expected a scenario");
  CHECK(first_line("/dev/zero") == "/dev/zero: is larger than 4 MiB; expected a scenario");
  const std::string zero = folder.write("zero.json", std::string("{}\0{}", 5));
  CHECK(first_line(zero) == zero + ": $: holds a zero byte; expected JSON text");
  const std::string good = folder.write("good.json", kSmall);
  CHECK(read_scenario(systems::built_in(), good).name == "good");
  CHECK(first_line(good + "/more.json").find("cannot be read") != std::string::npos);
}

}  // namespace
}  // namespace ddl::scenario
