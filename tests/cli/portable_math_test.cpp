// Portable math gives the same bits whatever kernels the CPU, or a library, would choose.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/workplace.hpp"
#include "tests/support/sanitized.hpp"

namespace ddl::cli::portable_math_test {
namespace {

// Convolutions, dense layers and Adam, of sizes that OpenBLAS would take on in native mode.
constexpr const char* kScenario = R"({
  "platform": { "workers": 2, "bandwidth": "1Gbps" }, "data": { "train": 300, "test": 60 },
  "model": { "layers": [ { "type": "conv", "filters": 20, "kernel": 5 }, "relu", { "type": "max_pool" },
                         { "type": "conv", "filters": 33, "kernel": 3 }, "tanh",
                         { "type": "conv", "filters": 32, "kernel": 3 }, { "type": "conv", "filters": 40, "kernel": 3 },
                         { "type": "flatten" },
                         { "type": "dense", "units": 70 }, "relu", { "type": "dropout" },
                         { "type": "dense", "units": 10 } ] },
  "training": { "batch_size": 20, "optimizer": "adam" }, "compute": { "seconds_per_batch": "100ms" },
  "algorithm": "ako", "stop": { "iterations": 2 } })";

std::string digest_of(const Workplace& place, const std::string& before, const std::string& mode) {
  const Reply answer =
      place.call("run learn.json --json --force --threads 1 --set name=learn --set math.mode=" + mode, before);
  CAPTURE(before);
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  return nlohmann::json::parse(answer.out)["digest"];
}

}  // namespace

TEST_CASE("portable math gives the same digest whatever kernels are forced") {
  const Workplace place;
  place.write("learn.json", kScenario);
  const std::string expected = digest_of(place, "", "portable");
  for (const char* kernels : {"AVX2", "plain"}) {
    if (place.call("list models", std::string("DDLSIM_KERNELS=") + kernels).code != 0) continue;
    CHECK(digest_of(place, std::string("DDLSIM_KERNELS=") + kernels, "portable") == expected);
  }
  for (const char* type : {"Prescott", "Sandybridge", "Haswell", "Zen"}) {
    CHECK(digest_of(place, std::string("OPENBLAS_CORETYPE=") + type, "portable") == expected);
  }
}

TEST_CASE("native math follows the kernels OpenBLAS is told to use") {
  const Workplace place;
  place.write("learn.json", kScenario);
  // Without fused multiply-adds, every long sum is rounded otherwise.
  CHECK(digest_of(place, "OPENBLAS_CORETYPE=Prescott", "native") !=
        digest_of(place, "OPENBLAS_CORETYPE=Haswell", "native"));
}

TEST_CASE("a sweep makes again what native math computed with other kernels, and nothing that portable math did") {
  const Workplace place;
  place.write("learn.json",
              R"({ "platform": { "workers": 2, "bandwidth": "1Gbps" }, "data": { "train": 40, "test": 20 },
      "model": "softmax", "training": { "batch_size": 4 }, "compute": { "seconds_per_batch": "100ms" },
      "algorithm": "ako", "stop": { "iterations": 2 } })");
  place.write("sweep.json", R"({ "base": "learn.json", "vary": { "math.mode": ["native", "portable"] } })");
  const auto kept = [&](const std::string& type) -> std::string {
    const Reply answer = place.call("sweep sweep.json", "OPENBLAS_CORETYPE=" + type);
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    const std::size_t at = answer.err.find(" kept from before");
    return at == std::string::npos ? "0" : answer.err.substr(at - 1, 1);
  };
  CHECK(kept("Haswell") == "0");
  CHECK(kept("Haswell") == "2");
  CHECK(kept("Prescott") == "1");
  CHECK(kept("Prescott") == "2");
  const std::string folder = "results/sweep/mode=native/1";
  REQUIRE(place.shell("sed -i 's/\"digest\": \"/&0/' " + folder + "/run.json " + folder + "/summary.json").code == 0);
  const Reply other = place.call("run --verify-digest " + folder, "OPENBLAS_CORETYPE=Haswell");
  CHECK(other.code == 1);
  CHECK_MESSAGE(other.err.find("; its math was native, OpenBLAS ") != std::string::npos, other.err);
}

TEST_CASE("native math is the choice where there are no kernels for the CPU, and portable math elsewhere") {
  const Workplace place;
  place.write("learn.json", kScenario);
  const auto ran = [&] {
    std::ifstream run(place.at("results/learn/1/run.json"));
    return nlohmann::json::parse(run)["provenance"];
  };
  CHECK(digest_of(place, "DDLSIM_KERNELS=plain", "auto") == digest_of(place, "", "native"));
  digest_of(place, "DDLSIM_KERNELS=plain", "auto");
  CHECK(ran()["math_mode"] == "native");
  CHECK(ran()["math_kernels"].get<std::string>().starts_with("OpenBLAS "));
  if (place.call("list models", "DDLSIM_KERNELS=AVX2").code != 0) return;
  CHECK(digest_of(place, "", "auto") == digest_of(place, "", "portable"));
  digest_of(place, "", "auto");
  CHECK(ran()["math_mode"] == "portable");
}

TEST_CASE("native math gives the same digest with any number of threads") {
  const Workplace place;
  place.write("learn.json", kScenario);
  const auto with = [&](const std::string& threads, const std::string& before) -> std::string {
    const Reply answer =
        place.call("run learn.json --json --force --set math.mode=native --threads " + threads, before);
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    return nlohmann::json::parse(answer.out)["digest"];
  };
  const std::string expected = with("1", "");
  CHECK(with("3", "") == expected);
  CHECK(with("2", "OPENBLAS_NUM_THREADS=4") == expected);
}

TEST_CASE("portable math gives the same digest on an emulated older CPU") {
  const Workplace place;
  place.write("learn.json", kScenario);
  const std::string haswell = "qemu-x86_64 -cpu Haswell";
  if (std::system((haswell + " /bin/true >/dev/null 2>&1").c_str()) != 0) {
    std::printf("[skipped] there is no qemu-x86_64 (package qemu-user)\n");
    return;
  }
  if (sanitized) {
    std::printf("[skipped] qemu would have to hold a sanitizer's memory\n");
    return;
  }
  CHECK(digest_of(place, haswell, "portable") == digest_of(place, "", "portable"));
}

TEST_CASE("kernels that this CPU does not have are refused") {
  const Reply answer = Workplace().call("list models", "DDLSIM_KERNELS=SSE9");
  CHECK(answer.code == 2);
  CHECK(answer.err.starts_with("ddlsim: DDLSIM_KERNELS: names no kernels of this CPU; expected one of "));
}

TEST_CASE("bench says which kernels it chose and what share of the best product each model reaches") {
  const Reply answer = Workplace().call("bench --json --seconds 1");
  REQUIRE_MESSAGE(answer.code == 0, answer.err);
  const auto json = nlohmann::json::parse(answer.out);
  double best = 0;
  for (const auto& kernel : json["kernels"]) best = std::max(best, kernel["gflops"].get<double>());
  CHECK(json["peak_gflops"] == best);
  CHECK(json["chosen_kernels"] == json["kernels"][0]["name"]);
  CHECK(json["steps"].size() >= 4);
  for (const auto& step : json["steps"]) {
    CHECK(step["share_of_peak"].get<double>() == doctest::Approx(step["gflops"].get<double>() / best));
    CHECK(step["eval_images_per_s"] > step["train_images_per_s"]);
  }
  CHECK(json["look_ahead"][0]["threads"] == 1);
  CHECK(json["look_ahead"][0]["speed_up"] == 1);
}

}  // namespace ddl::cli::portable_math_test
