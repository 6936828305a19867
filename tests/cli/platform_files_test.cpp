// A platform file belongs to the results that were made on it, and a scenario takes of it what it needs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/workplace.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::cli::platform_files_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string data = DDLSIM_SOURCE_DIR "/tests/platform/data/";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Two hosts 1 MB/s apart, and a scenario on them.
const std::string pair_xml = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="w0" speed="1Gf"/>
    <host id="w1" speed="1Gf"/>
    <link id="l" bandwidth="1MBps" latency="0ms" sharing_policy="FATPIPE"/>
    <route src="w0" dst="w1"><link_ctn id="l"/></route>
  </zone>
</platform>
)";
std::string slower_xml() { return replaced(pair_xml, "1MBps", "0.5MBps"); }

std::string scenario_on(const std::string& platform, const std::string& algorithm = "ako") {
  return R"({ "platform": )" + platform + R"(, "model": "none", "wire": { "model_bytes": "1MB" },
              "compute": { "seconds_per_batch": "100ms", "jitter": 0 }, "algorithm": ")" +
         algorithm + R"(", "stop": { "iterations": 5 } })";
}
const std::string on_pair = scenario_on(R"({ "file": "pair.xml", "network": { "model": "CM02" } })");

json json_of(const fs::path& file) { return json::parse(text_of(file)); }
double seconds_of(const Workplace& place, const std::string& result) {
  return json_of(place.at(result + "/summary.json"))["simulated_seconds"];
}

}  // namespace

TEST_CASE("a result has its platform's text and digest, and is another one on another platform") {
  const Workplace place;
  place.write("pair.xml", pair_xml);
  place.write("run.json", on_pair);
  REQUIRE(place.call("run.json --quiet").code == 0);
  CHECK(text_of(place.at("results/run/1/platform.xml")) == pair_xml);
  const json before = json_of(place.at("results/run/1/run.json"));
  CHECK(before["platform_digest"].get<std::string>().size() == 16);

  REQUIRE(place.call("run.json --quiet").code == 0);  // the same one may be replaced
  place.write("pair.xml", slower_xml());
  const Reply refused = place.call("run.json --quiet");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("holds the result of another scenario (platform differs)") != std::string::npos);
  REQUIRE(place.call("run.json --quiet --force").code == 0);
  CHECK(json_of(place.at("results/run/1/run.json"))["platform_digest"] != before["platform_digest"]);
  CHECK(text_of(place.at("results/run/1/platform.xml")) == slower_xml());
}

TEST_CASE("a platform file that lies elsewhere is the same platform") {
  const Workplace place;
  place.write("pair.xml", pair_xml);
  place.write("run.json", on_pair);
  REQUIRE(place.call("run.json --quiet").code == 0);
  fs::create_directory(place.at("moved"));
  fs::rename(place.at("pair.xml"), place.at("moved/other.xml"));
  CHECK(place.call("run.json --quiet").code == 2);
  CHECK(place.call("run.json --quiet --set name=run --set platform.file=moved/other.xml").code == 0);
}

TEST_CASE("a sweep makes again what ran on a platform file that was edited since, and nothing else") {
  const Workplace place;
  place.write("pair.xml", pair_xml);
  place.write("run.json", on_pair);
  place.write("sweep.json", R"({ "base": "run.json", "vary": { "stop.iterations": [5, 10] } })");
  REQUIRE(place.call("sweep sweep.json").code == 0);
  const std::string one = "results/sweep/iterations=5/1";
  const double before_s = seconds_of(place, one);
  CHECK(place.call("sweep sweep.json").err.find("2 kept from before") != std::string::npos);

  place.write("pair.xml", slower_xml());
  const Reply again = place.call("sweep sweep.json");
  REQUIRE(again.code == 0);
  CHECK(again.err.find("kept from before") == std::string::npos);
  CHECK(seconds_of(place, one) > 1.5 * before_s);  // 1 MB at half of the bandwidth

  place.write("elsewhere.xml", slower_xml());
  CHECK(place.call("sweep sweep.json --set platform.file=elsewhere.xml").err.find("2 kept from before") !=
        std::string::npos);
}

TEST_CASE("a result can be repeated wherever it lies, without the platform file it was made on") {
  const Workplace place;
  place.write("pair.xml", pair_xml);
  place.write("run.json", on_pair);
  REQUIRE(place.call("run.json --quiet").code == 0);
  fs::create_directories(place.at("far/away"));
  fs::rename(place.at("results/run/1"), place.at("far/away/result"));
  fs::remove(place.at("pair.xml"));
  const Reply same = place.call("run --quiet --verify-digest far/away/result");
  CHECK_MESSAGE(same.code == 0, same.err);

  std::ofstream(place.at("far/away/result/platform.xml")) << slower_xml();
  const Reply other = place.call("run --quiet --verify-digest far/away/result");
  CHECK(other.code == 2);
  CHECK(other.err.find("platform.xml: is not the platform of the run") != std::string::npos);
}

TEST_CASE("data are compared by their content, too") {
  const Workplace place;
  write_mnist(place.at("mnist"), 1);
  place.write("run.json", R"({ "platform": { "workers": 2, "bandwidth": "40Mbps" }, "algorithm": "ako",
      "data": { "source": "mnist", "path": "mnist" }, "model": "softmax", "training": { "batch_size": 4 },
      "compute": { "seconds_per_batch": "100ms" }, "evaluate": { "every_iterations": 2 }, "stop": { "iterations": 4 } })");
  place.write("sweep.json", R"({ "base": "run.json" })");
  REQUIRE(place.call("run.json --quiet").code == 0);
  REQUIRE(place.call("sweep sweep.json").code == 0);
  const json digests = json_of(place.at("results/run/1/run.json"))["data_digests"];
  CHECK(digests.size() == 4);

  fs::rename(place.at("mnist"), place.at("moved"));
  CHECK(place.call("run.json --quiet --set data.path=moved").code == 0);
  CHECK(place.call("sweep sweep.json --set data.path=moved").err.find("1 kept from before") != std::string::npos);

  write_mnist(place.at("mnist"), 2);
  const Reply refused = place.call("run.json --quiet");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("(data differs)") != std::string::npos);
  CHECK(place.call("sweep sweep.json").err.find("kept from before") == std::string::npos);
  CHECK(json_of(place.at("results/sweep/base/1/run.json"))["data_digests"] != digests);

  write_mnist(place.at("moved"), 3);
  const Reply other = place.call("run --quiet --verify-digest results/run/1");
  CHECK(other.code == 2);
  CHECK(other.err.find("train-images-idx3-ubyte is not what it was for the run") != std::string::npos);
}

TEST_CASE("check refuses, in the words of run, what the data's files do not allow") {
  const Workplace place;
  write_mnist(place.at("mnist"), 1);  // 30 samples, which the scenario does not say
  place.write("run.json", R"({ "platform": { "workers": 4, "bandwidth": "40Mbps" }, "algorithm": "ako",
      "data": { "source": "mnist", "path": "mnist" }, "model": "softmax", "training": { "batch_size": 8 },
      "compute": { "seconds_per_batch": "100ms" }, "stop": { "iterations": 1 } })");
  const struct {
    const char *settings, *error;
  } cases[] = {
      {"--set data.partition=dealt",
       "$.data.partition: \"dealt\" has 3 minibatches of 8 samples for 4 workers; expected at least one for each"},
      {"--set platform.workers=31", "$.data.train: 30 training samples for 31 workers; expected at least one for each"},
      {"--set evaluate.samples=31", "$.evaluate.samples: 31 is too large; expected at most the 30 test samples"},
  };
  for (const auto& [settings, error] : cases) {
    CAPTURE(settings);
    for (const char* command : {"check ", "run --quiet "}) {
      const Reply answer = place.call(command + std::string("run.json ") + settings);
      CHECK(answer.code == 2);
      CHECK(answer.err == std::string("ddlsim: run.json: ") + error + "\n");
    }
  }
  CHECK(place.call("check run.json --set data.partition=dealt --set training.batch_size=7").code == 0);
  CHECK(place.call("run run.json --quiet --set data.partition=full --set platform.workers=31").code == 0);
}

TEST_CASE("hosts are not called like the words that result files have in the place of their names") {
  const Workplace place;
  const std::string learning =
      R"({ "platform": { "file": "pair.xml", "network": { "model": "CM02" } }, "model": "softmax",
      "data": { "train": 60, "test": 20 }, "training": { "batch_size": 4 }, "compute": { "seconds_per_batch": "1s" },
      "algorithm": "ring_allreduce", "stop": { "iterations": 2 } })";
  place.write("run.json", learning);
  const std::string long_name(228, 'x');  // weights-, .safetensors: 248
  const struct {
    std::string name, settings, meaning;
  } cases[] = {
      {"mean", "", "called like the rows for all workers in curve.csv; expected another name"},
      {"averaged_model", "", "called like the rows for all workers in curve.csv; expected another name"},
      {"server", "--set record.weights=true", "called like a file of weights that are no single worker's"},
      {"model", "--set record.weights=true", "called like a file of weights that are no single worker's"},
      {"all workers", "--set record.trace=true", "called like a process of trace.json that is no node's"},
      {long_name, "--set record.initial_weights=true --set training.init=independent",
       "would have a file of weights with a name of 256 bytes; expected at most 255"},
  };
  for (const auto& [name, settings, meaning] : cases) {
    CAPTURE(name);
    std::string xml = replaced(pair_xml, "id=\"w1\"", "id=\"" + name + "\"");
    place.write("pair.xml", replaced(xml, "dst=\"w1\"", "dst=\"" + name + "\""));
    for (const char* command : {"check ", "run --quiet "}) {
      const Reply answer = place.call(command + std::string("run.json ") + settings);
      CHECK(answer.code == 2);
      CHECK_MESSAGE(answer.err.starts_with("ddlsim: run.json: $.platform.file: host \"" + name.substr(0, 20)),
                    answer.err);
      CHECK_MESSAGE(answer.err.find(meaning) != std::string::npos, answer.err);
      CHECK(std::ranges::count(answer.err, '\n') == 1);
    }
    CHECK_FALSE(fs::exists(place.at("results")));
    // Where no file has the word, it is a name as any other.
    const std::string harmless = settings.empty() ? "--set platform.workers='[\"w0\"]' --set algorithm=single" : "";
    CHECK(place.call("run run.json --quiet --force " + harmless).code == 0);
    fs::remove_all(place.at("results"));
  }
}

TEST_CASE("files of weights have a name for each host, whatever letters it has") {
  const Workplace place;
  std::string xml = pair_xml;
  for (const char* attribute : {"id", "src"})
    xml = replaced(xml, attribute + std::string("=\"w0\""), attribute + std::string("=\"a/b\""));
  for (const char* attribute : {"id", "dst"})
    xml = replaced(xml, attribute + std::string("=\"w1\""), attribute + std::string("=\"a%2Fb\""));
  place.write("pair.xml", xml);
  place.write("run.json", R"({ "platform": { "file": "pair.xml", "network": { "model": "CM02" } }, "model": "softmax",
      "data": { "train": 60, "test": 20 }, "training": { "batch_size": 4 }, "compute": { "seconds_per_batch": "1s" },
      "algorithm": "gossip", "record": { "weights": true }, "stop": { "iterations": 2 } })");
  REQUIRE(place.call("run.json --quiet").code == 0);
  CHECK(fs::exists(place.at("results/run/1/weights-a%2Fb.safetensors")));
  CHECK(fs::exists(place.at("results/run/1/weights-a%252Fb.safetensors")));
}

TEST_CASE("a worker with one sample learns nothing behind a batch normalisation of single values, which is said") {
  const Workplace place;
  place.write("run.json", R"({ "platform": { "workers": 4, "bandwidth": "40Mbps" }, "algorithm": "ring_allreduce",
      "model": { "layers": ["flatten", { "type": "dense", "units": 4 }, "batch_norm", { "type": "dense", "units": 10 }] },
      "data": { "train": 7, "test": 10 }, "training": { "batch_size": 2 },
      "compute": { "seconds_per_batch": "100ms" }, "stop": { "iterations": 1 } })");
  for (const char* command : {"check ", "run --quiet "}) {
    const Reply answer = place.call(command + std::string("run.json"));
    CHECK(answer.code == 2);
    CHECK(
        answer.err ==
        "ddlsim: run.json: $.data.partition: worker 3 has one sample, and \"batch_norm1\" cannot learn from one value "
        "per channel; expected at least 2 samples for each worker\n");
    CHECK(place.call(command + std::string("run.json --set data.train=8")).code == 0);
    CHECK(place.call(command + std::string("run.json --set data.partition=full")).code == 0);
  }
}

TEST_CASE("factors scale every link of a platform file, and of a generated one") {
  const Workplace place;
  place.write("pair.xml", pair_xml);
  place.write("run.json", on_pair);
  // Each step computes 0.1 s and sends 1 MB while the next one computes: one message a second at 1 MB/s.
  REQUIRE(place.call("run.json --quiet").code == 0);
  REQUIRE(place.call("run.json --quiet --set name=half --set platform.bandwidth_factor=0.5").code == 0);
  const double whole_s = seconds_of(place, "results/run/1"), half_s = seconds_of(place, "results/half/1");
  place.write("pair.xml", slower_xml());
  REQUIRE(place.call("run.json --quiet --set name=slower").code == 0);
  CHECK(half_s == seconds_of(place, "results/slower/1"));
  CHECK(half_s > 1.5 * whole_s);

  const Reply given = place.call("check run.json --set platform.bandwidth=5Mbps");
  CHECK(given.code == 2);
  CHECK(given.err ==
        "ddlsim: run.json: $.platform.bandwidth: cannot be set beside platform.file; expected \"bandwidth_factor\", "
        "which scales its links\n");

  const std::string star = R"("workers": 2, "network": { "model": "CM02" })";
  place.write("scaled.json", scenario_on(R"({ "bandwidth": "16Mbps", "latency": "10ms", "bandwidth_factor": 0.5,
                                              "latency_factor": 3, )" +
                                         star + "}"));
  place.write("given.json", scenario_on(R"({ "bandwidth": "8Mbps", "latency": "30ms", )" + star + "}"));
  REQUIRE(place.call("scaled.json given.json --quiet").code == 0);
  CHECK(seconds_of(place, "results/scaled/1") == seconds_of(place, "results/given/1"));
}

TEST_CASE("a number of workers takes the first hosts, and those left out change nothing") {
  const Workplace place;
  const auto star = [](int hosts) {
    std::string text = replaced(pair_xml.substr(0, pair_xml.find("    <host")), "Full", "Floyd");
    for (int i = 0; i < hosts; ++i) text += "    <host id=\"w" + std::to_string(i) + "\" speed=\"1Gf\"/>\n";
    text += "    <router id=\"switch\"/>\n";
    for (int i = 0; i < hosts; ++i) {
      const std::string name = "w" + std::to_string(i);
      text += "    <link id=\"" + name + "\" bandwidth=\"" + std::to_string(1 + i % 3) +
              "MBps\" latency=\"1ms\" sharing_policy=\"SPLITDUPLEX\"/>\n";
    }
    for (int i = 0; i < hosts; ++i) {
      const std::string name = "w" + std::to_string(i);
      text +=
          "    <route src=\"" + name + "\" dst=\"switch\"><link_ctn id=\"" + name + "\" direction=\"UP\"/></route>\n";
    }
    return text + "  </zone>\n</platform>\n";
  };
  place.write("few.xml", star(3));
  place.write("many.xml", star(12));
  place.write("few.json", scenario_on(R"({ "file": "few.xml" })", "gossip"));
  place.write("many.json", scenario_on(R"({ "file": "many.xml", "workers": 3 })", "gossip"));
  REQUIRE(place.call("few.json many.json --quiet").code == 0);
  CHECK(text_of(place.at("results/few/1/traffic.csv")) == text_of(place.at("results/many/1/traffic.csv")));
  CHECK(text_of(place.at("results/few/1/iterations.csv")) == text_of(place.at("results/many/1/iterations.csv")));
  place.write("sweep.json", R"({ "base": "many.json", "vary": { "platform.workers": [2, 12],
                                 "platform.bandwidth_factor": [0.5, 2] } })");
  CHECK(place.call("sweep sweep.json --quiet").code == 0);
}

TEST_CASE("routes are needed between those hosts alone that send each other messages") {
  const Workplace place;
  const auto write = [&](const std::string& file, const std::string& workers) {
    const std::string platform =
        R"({ "file": ")" + data + file + R"(", "workers": )" + workers + R"(, "servers": ["hub"] })";
    place.write("server.json", scenario_on(platform, "ps_sync"));
    place.write("all.json", scenario_on(platform, "ring_allreduce"));
  };
  const auto check_refused = [&](const std::string& scenario) {
    for (const std::string command : {"check", "run --force"}) {  // on another platform than the result there
      const Reply refused = place.call(command + " " + scenario);
      CHECK(refused.code == 2);
      CHECK_MESSAGE(refused.err.find("has no route from \"") != std::string::npos, refused.err);
      CHECK_MESSAGE(refused.err.ends_with("between which this system sends messages\n"), refused.err);
    }
  };
  write("hub_full.xml", R"(["a", "b"])");
  const Reply runs = place.call("server.json --quiet");
  CHECK_MESSAGE(runs.code == 0, runs.err);
  check_refused("all.json");
  write("island_floyd.xml", R"(["a", "island"])");
  check_refused("server.json");
  write("island_floyd.xml", R"(["a"])");
  CHECK(place.call("server.json --quiet --force").code == 0);
}

TEST_CASE("check asks for the routes of exchanges that no step waits for") {
  const Workplace place;
  place.write("half.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
    <link id="l" bandwidth="1MBps" latency="1ms"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
)");
  place.write("run.json", scenario_on(R"({ "file": "half.xml" })", "ad_psgd"));
  for (const std::string command : {"check", "run --quiet"}) {
    const Reply refused = place.call(command + " run.json --set algorithm.gossip_rate=continuous");
    CHECK(refused.code == 2);
    CHECK_MESSAGE(refused.err.find("has no route from \"b\" to \"c\"") != std::string::npos, refused.err);
  }
}

TEST_CASE("check asks for all routes of 300 workers that all talk to all, whatever servers there are") {
  const Workplace place;
  std::string hosts;
  for (int host = 0; host <= 300; ++host) hosts += fmt::format("<host id=\"w{}\" speed=\"1Gf\"/>\n", host);
  place.write("islands.xml", fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">{}<link id="l" bandwidth="1MBps" latency="1ms"/>
<route src="w0" dst="w1"><link_ctn id="l"/></route></zone></platform>
)",
                                         hosts));
  place.write("run.json", scenario_on(R"({ "file": "islands.xml", "servers": ["w300"] })"));
  const Reply refused = place.call("check run.json --set algorithm.overflow=merge");
  CHECK(refused.code == 2);
  CHECK_MESSAGE(refused.err.find("has no route from \"w0\" to \"w2\"") != std::string::npos, refused.err);
}

// Peers drawn at random with a time-out have no lower bound, so that the run meets what is missing, at its first
// message.
TEST_CASE(
    "a route that is not there, or Wi-Fi, is one line where a run meets it first, and nothing where nothing is sent") {
  for (const auto& [file, what] : std::map<std::string, std::string>{{"hub_full.xml", "has no route from \""},
                                                                     {"wifi.xml", "takes the Wi-Fi link air"}}) {
    CAPTURE(file);
    const Workplace place;
    const auto write = [&](const std::string& algorithm) {
      place.write("run.json", scenario_on(R"({ "file": ")" + data + file + R"(", "workers": ["a", "b"] })", algorithm));
    };
    const auto check_refused = [&](const std::string& command) {
      const Reply refused = place.call(command + " run.json");
      CHECK(refused.code == 2);
      CHECK_MESSAGE(refused.err.find(what) != std::string::npos, refused.err);
      CHECK(std::ranges::count(refused.err, '\n') == 1);
    };
    write("ako");
    check_refused("check");
    check_refused("run --quiet");
    write("gossip");
    check_refused("run --quiet --set algorithm.timeout=1s");
    for (const char* silent : {"single", "alone"}) {
      write(silent);
      CHECK(place.call("check run.json").code == 0);
      CHECK(place.call("run.json --quiet --force").code == 0);
    }
  }
}

TEST_CASE("what cannot be scaled is told of in one line") {
  const Workplace place;
  const auto refused = [&](const std::string& file, const std::string& factor, const std::string& what) {
    place.write("run.json",
                scenario_on(R"({ "file": ")" + data + file + R"(", "workers": 2, ")" + factor + R"(": 2 })"));
    const Reply answer = place.call("check run.json");
    CHECK(answer.code == 2);
    CHECK_MESSAGE(answer.err.find(what) != std::string::npos, answer.err);
  };
  refused("wifi.xml", "bandwidth_factor", "the way from a to b takes the Wi-Fi link air");
  refused("vivaldi.xml", "latency_factor", "is not that of links; expected no latency_factor");
}

namespace {

// Two hosts whose links in both directions are the file's own, as it writes them: 1 MB/s out of each host.
std::string two_hosts(const std::string& config, const std::string& w0, const std::string& w1) {
  return fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">{}
  <zone id="z" routing="Full">
    <host id="w0" {}/><host id="w1" {}/>
    <link id="w0_UP" bandwidth="1MBps" latency="1ms"/><link id="w0_DOWN" bandwidth="2MBps" latency="1ms"/>
    <link id="w1_UP" bandwidth="1MBps" latency="1ms"/><link id="w1_DOWN" bandwidth="4MBps" latency="1ms"/>
    <route src="w0" dst="w1" symmetrical="NO"><link_ctn id="w0_UP"/><link_ctn id="w1_DOWN"/></route>
    <route src="w1" dst="w0" symmetrical="NO"><link_ctn id="w1_UP"/><link_ctn id="w0_DOWN"/></route>
  </zone>
</platform>
)",
                     config, w0, w1);
}
const std::string ring_of_two =
    scenario_on(R"({ "file": "two.xml", "network": { "model": "CM02" } })", "ring_allreduce");
// Five steps of 100 ms and two halves of 1 MB, one after the other, at 1 MB/s over 2 ms.
constexpr double ring_s = 5 * (0.1 + 2 * (0.5 + 0.002));

// When the last step ended; the group's farewells follow.
double last_end_s(const Workplace& place, const std::string& result) {
  std::istringstream rows(text_of(place.at(result + "/iterations.csv")));
  std::string row;
  std::getline(rows, row);
  double last_s = 0;
  while (std::getline(rows, row)) {
    std::istringstream line(row);
    std::string field;
    for (int column = 0; column < 6; ++column) std::getline(line, field, ',');
    last_s = std::max(last_s, std::stod(field));
  }
  return last_s;
}

std::string on_one_blank(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    const bool blank = letter == ' ' || letter == '\n';
    if (!blank) result += letter;
    if (blank && !result.ends_with(' ')) result += ' ';
  }
  return result;
}

}  // namespace

TEST_CASE("a profile that a host's name hides from a search is refused, and nothing is written") {
  const Workplace place;
  place.write("st.txt", "0.0 1\n3.0 0\n9 1\n");
  place.write("run.json", scenario_on(R"({ "file": "p.xml", "workers": 1, "servers": ["w0"] })", "ps_sync"));
  for (const char* hidden : {R"(<host id="rack1>w1" speed="1Gf" state_file="st.txt"/>)",
                             R"(<host id="rack1>w1" speed="1Gf" speed_file='st.txt'/>)",
                             "<host speed=\"1Gf\" id='\"/>'\n state_file\n=\n\"absent>.txt\"/>"}) {
    place.write("p.xml", replaced(replaced(pair_xml, R"(<host id="w1" speed="1Gf"/>)", hidden),
                                  "<route src=\"w0\" dst=\"w1\"><link_ctn id=\"l\"/></route>", ""));
    const Reply refused = place.call("run run.json --quiet");
    CHECK(refused.code == 2);
    CHECK_MESSAGE(refused.err.find("profiles in platform files are not played") != std::string::npos, refused.err);
    CHECK(std::ranges::count(refused.err, '\n') == 1);
    CHECK(!fs::exists(place.at("results")));
  }
}

TEST_CASE("settings that change no time change none, and check names them") {
  const Workplace place;
  place.write("run.json", ring_of_two);
  place.write("two.xml", two_hosts(R"(<config id="General"><prop id="contexts/stack-size" value="16"/>
    <prop id="contexts/guard-size" value="0"/><prop id="smpi/host-speed" value="1Gf"/><prop id="tracing" value="yes"/>
    <prop id="tracing/filename" value="two.xml"/><prop id="host/model" value="ptask_L07"/>
    <prop id="maxmin/precision" value="1e6"/><prop id="network/model" value="SMPI"/></config>)",
                                   R"(speed="1Gf")", R"(speed="1Gf")"));
  const std::string before = text_of(place.at("two.xml"));
  const Reply run = place.call("run run.json --quiet");
  CHECK_MESSAGE(run.code == 0, run.err);
  CHECK(last_end_s(place, "results/run/1") == doctest::Approx(ring_s).epsilon(1e-9));
  CHECK(text_of(place.at("two.xml")) == before);  // no trace is written
  CHECK(text_of(place.at("results/run/1/platform.xml")) == before);
  const std::string said = on_one_blank(place.call("check run.json").out);
  for (const char* name : {"contexts/stack-size", "contexts/guard-size", "smpi/host-speed", "tracing",
                           "tracing/filename", "host/model", "maxmin/precision", "network/model"}) {
    CHECK_MESSAGE(said.find(fmt::format("<config>: \"{}\" is passed over", name)) != std::string::npos, said);
  }
  place.write("two.xml", two_hosts("", R"(speed="1Gf")", R"(speed="1Gf")"));
  CHECK(place.call("check run.json").out.find("passed over") == std::string::npos);
}

TEST_CASE("links that a file calls w0_UP and w0_DOWN are called so wherever links are named") {
  const Workplace place;
  place.write("run.json", ring_of_two);
  place.write("two.xml", two_hosts("", R"(speed="1Gf")", R"(speed="1Gf")"));
  // At half of 1 MB/s each half of the model takes a second, and w0 sends ten of them without a pause: what it waits
  // for comes sooner.
  const std::string slower = R"('faults=[{"type":"link_degraded","link":"w0_UP","until":"100s","bandwidth":0.5}]')";
  const Reply run = place.call("run run.json --quiet --set name=slower --set " + slower);
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(last_end_s(place, "results/slower/1") == doctest::Approx(0.1 + 10 * (1 + 0.002)).epsilon(1e-9));
  const std::string traffic = text_of(place.at("results/slower/1/traffic.csv"));
  for (const char* name : {"w0_UP", "w0_DOWN", "w1_UP", "w1_DOWN"}) {
    CHECK_MESSAGE(traffic.find(fmt::format("{},both,", name)) != std::string::npos, traffic);
  }
  CHECK(place.call("check run.json").out.find("_UP") != std::string::npos);  // the bottleneck
  const std::string profile =
      R"('platform.profiles=[{"quantity":"bandwidth","link":"w0_UP","points":[{"at":"0s","value":"4Mbps"}]}]')";
  REQUIRE(place.call("run run.json --quiet --set name=profile --set " + profile).code == 0);
  CHECK(last_end_s(place, "results/profile/1") == last_end_s(place, "results/slower/1"));
  const Reply refused = place.call("check run.json --set " + replaced(slower, "w0_UP", "w0"));
  CHECK(refused.code == 2);
  CHECK_MESSAGE(refused.err.find("there is no link \"w0\"") != std::string::npos, refused.err);
}

TEST_CASE("check says which speeds and cores change nothing, and they do change nothing") {
  const Workplace place;
  place.write("run.json", scenario_on(R"({ "file": "two.xml" })", "alone"));
  const auto said = [&](const std::string& set) {
    const Reply checked = place.call("check run.json " + set);
    REQUIRE_MESSAGE(checked.code == 0, checked.err);
    return on_one_blank(checked.out);
  };
  const auto steps = [&](const std::string& set) {  // of w0 and w1 in 8 s of 1 s each
    const Reply run = place.call(
        "run run.json --quiet --force --set name=steps --set compute.seconds_per_batch=1s --set stop.iterations=null "
        "--set stop.time=8s " +
        set);
    REQUIRE_MESSAGE(run.code == 0, run.err);
    const std::string rows = text_of(place.at("results/steps/1/iterations.csv"));
    std::map<std::string, int> counts;
    for (std::size_t at = rows.find('\n'); at + 1 < rows.size(); at = rows.find('\n', at + 1)) {
      ++counts[rows.substr(at + 1, 2)];
    }
    return counts;
  };
  const std::string speeds = "the hosts' speeds change nothing", cores = "it takes one core; more, as w1 has";
  place.write("two.xml", two_hosts("", R"(speed="1Gf")", R"(speed="1Gf")"));
  CHECK(said("").find(speeds) == std::string::npos);
  CHECK(said("").find("core; ") == std::string::npos);
  place.write("two.xml", two_hosts("", R"(speed="1Gf")", R"(speed="4Gf" core="4")"));
  CHECK_MESSAGE(said("").find(speeds) != std::string::npos, said(""));
  CHECK_MESSAGE(said("").find(cores) != std::string::npos, said(""));
  CHECK(said("").find("speed profile") == std::string::npos);
  CHECK(steps("") == std::map<std::string, int>{{"w0", 8}, {"w1", 8}});
  // At half of its speed w1 takes twice as long: its speed counts there.
  const std::string half =
      R"(--set 'platform.profiles=[{"quantity":"speed","host":"w1","points":[{"at":"0s","value":"2Gf"}]}]')";
  CHECK_MESSAGE(said(half).find("a speed profile counts by its ratio") != std::string::npos, said(half));
  CHECK(steps(half) == std::map<std::string, int>{{"w0", 8}, {"w1", 4}});
  const std::string given = R"(--set 'platform={"workers":2,"bandwidth":"8Mbps","speed":["10Gf","40Gf"]}')";
  CHECK_MESSAGE(said(given).find(speeds) != std::string::npos, said(given));
  CHECK(steps(given) == std::map<std::string, int>{{"w0", 8}, {"w1", 8}});
  CHECK(said(R"(--set 'platform={"workers":2,"bandwidth":"8Mbps"}')").find(speeds) == std::string::npos);
}

}  // namespace ddl::cli::platform_files_test
