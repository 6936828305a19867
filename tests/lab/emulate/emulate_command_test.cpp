// The command as users call it.
#include <nlohmann/json.hpp>

#include "tests/cli/workplace.hpp"
#include "tests/lab/stage_needed.hpp"

namespace ddl::emulate {
namespace {

// Running programs with `word` in their command line.
std::string running(const cli::Workplace& place, const std::string& word) {
  return place
      .shell("for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -F '" + word +
             "' | grep -v grep; done; true")
      .out;
}

}  // namespace

TEST_CASE("a measured result has its own place and is compared with the simulated one") {
  if (!stage_is_allowed()) return;
  const cli::Workplace place;
  REQUIRE(place.call("run good.json --quiet --set algorithm.overflow=block").code == 0);
  const cli::Reply answer = place.call("emulate good.json --quiet --repetitions 2 --set algorithm.overflow=block");
  CHECK(answer.err == "");
  REQUIRE(answer.code == 0);
  const auto run = nlohmann::json::parse(text_of(place.at("results/good-measured/1/run.json")));
  CHECK(run["measured"]["congestion_control"] == "cubic");
  CHECK(std::filesystem::exists(place.at("results/good-measured/1-2/summary.json")));
  const auto simulated = nlohmann::json::parse(text_of(place.at("results/good_overflow=block/1/run.json")));
  CHECK_FALSE(simulated.contains("measured"));

  const cli::Reply text = place.call("compare results");
  CHECK(text.out.find("Simulated against measured: ") != std::string::npos);
  const auto json = nlohmann::json::parse(place.call("compare results --json").out);
  REQUIRE(json["measured_and_simulated"].size() == 1);
  for (const auto& row : json["measured_and_simulated"][0]["quantities"]) {
    if (row["quantity"] == "bytes sent") CHECK(row["error"] == 0.0);
  }
  const cli::Reply seeds = place.call("emulate good.json --quiet --seeds 2..3 --queue 64kB");
  CHECK(seeds.code == 0);
  CHECK(std::filesystem::exists(place.at("results/good-measured/2/summary.json")));
  CHECK(std::filesystem::exists(place.at("results/good-measured/3/summary.json")));
  const cli::Reply again = place.call("run --verify-digest results/good-measured/1");
  CHECK(again.code == 2);
  CHECK(again.err.find("was measured in real time") != std::string::npos);
}

TEST_CASE("options of links are read strictly") {
  const cli::Workplace place;
  const auto refused = [&](const std::string& options) {
    const cli::Reply answer = place.call("emulate good.json " + options);
    CHECK(answer.code == 2);
    return answer.err;
  };
  CHECK(refused("--queue 0.05").find("--queue 0.05") != std::string::npos);
  CHECK(refused("--queue 0s").find("is out of range; expected 1ms to 10s") != std::string::npos);
  CHECK(refused("--jitter 5kB").find("--jitter 5kB") != std::string::npos);
  CHECK(refused("--loss 0.6") != "");
  CHECK(refused("--links wishful") != "");
}

TEST_CASE("interrupted, an emulation leaves no result, no process and the machine's links as they were") {
  if (!stage_is_allowed()) return;
  const cli::Workplace place;
  const std::string links = place.shell("ip -o link").out;
  for (const auto& [signal, code] : {std::pair{"INT", "130"}, {"TERM", "130"}, {"KILL", "137"}}) {
    CAPTURE(signal);
    // A shell's background jobs ignore interrupts; env makes them heard again.
    const cli::Reply answer =
        place.shell("env --default-signal=INT '" DDLSIM_BINARY
                    "' emulate good.json --out marked --set stop.iterations=100000 & sleep 2; kill -" +
                    std::string(signal) + " $!; wait $!; echo code $?; sleep 0.5");
    CHECK(answer.out == "code " + std::string(code) + "\n");
    CHECK_FALSE(std::filesystem::exists(place.at("marked")));
    CHECK(running(place, "--out marked") == "");
    CHECK(place.shell("ip -o link").out == links);
  }
}

TEST_CASE("without the right to make namespaces there is one clear line") {
  if (!stage_is_allowed()) return;
  const cli::Workplace place;
  place.shell("chmod -R a+rwx ..");
  const cli::Reply answer =
      place.call("emulate good.json", "setpriv --bounding-set=-all --inh-caps=-all --no-new-privs");
  CHECK(answer.code == 2);
  CHECK(answer.err.find("network namespaces cannot be made here") != std::string::npos);
  CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
  const cli::Reply lost = place.call("emulate good.json", "env PATH=/nonexistent");
  CHECK(lost.code == 2);
  CHECK(lost.err.find("iproute2") != std::string::npos);
}

}  // namespace ddl::emulate
