// The same scenario gives the same bytes, whatever is around it; and --verify-digest tells.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/cli/workplace.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::cli::same_bytes_test {
namespace {

namespace fs = std::filesystem;

// All files of results below `folder` but timing.json, by name, one after the other.
std::string all_bytes(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename() != "timing.json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string bytes;
  for (const fs::path& file : files) bytes += fs::relative(file, folder).string() + "\n" + text_of(file);
  return bytes;
}

void replace_in(const fs::path& file, const std::string& old_text, const std::string& new_text) {
  std::string text = text_of(file);
  const std::size_t at = text.find(old_text);
  REQUIRE(at != std::string::npos);
  std::ofstream(file, std::ios::binary) << text.replace(at, old_text.size(), new_text);
}

}  // namespace

TEST_CASE(
    "every smoke scenario gives the same bytes with any threads, addresses, allocation, folder, locale and zone") {
  const Workplace place;
  const std::string smoke = "'" DDLSIM_SOURCE_DIR "'/scenarios/smoke/*.json --quiet --set record.weights=true";
  REQUIRE(place.call(smoke + " --threads 1 --out first").code == 0);
  const std::string expected = all_bytes(place.at("first"));
  REQUIRE(expected.find("weights-w0.safetensors") != std::string::npos);

  const auto same = [&](const std::string& options, const std::string& before) {
    CAPTURE(before);
    const Reply answer = place.call(smoke + options + " --out '" + place.at("again").string() + "'", before);
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    CHECK(all_bytes(place.at("again")) == expected);
    fs::remove_all(place.at("again"));
  };
  const bool fixed_addresses = place.shell("setarch -R true").code == 0;  // not everywhere allowed
  same(" --threads 2", fixed_addresses ? "setarch -R" : "");
  same(" --threads 5", "env MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 GLIBC_TUNABLES=glibc.malloc.tcache_count=0");
  std::string locale = "LC_ALL=C.UTF-8";
  const std::string german = "LOCPATH='" + place.at("locales").string() + "' LC_ALL=de_DE.UTF-8";
  if (place.shell("mkdir locales && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8").code == 0) {
    REQUIRE(place.shell(german + " locale decimal_point").out == ",\n");
    locale = german;
  }
  same(" --threads 1", "mkdir -p 'a b/\u00fc'; cd 'a b/\u00fc'; env TZ=Asia/Kathmandu " + locale);
}

TEST_CASE("a run that is killed leaves nothing, and repeated gives the bytes of an undisturbed one") {
  const Workplace place;
  const std::string long_run = "good.json --quiet --set name=good --set stop.iterations=30000 --out ";
  REQUIRE(place.call(long_run + "undisturbed").code == 0);
  int kills = 0;
  for (double delay_s = 0.01; kills < 100; delay_s *= 1.7) {
    const Reply answer = place.call(long_run + "killed", "timeout -s KILL " + std::to_string(delay_s));
    if (answer.code == 0) break;
    CHECK(answer.code == 137);
    ++kills;
    if (fs::exists(place.at("killed/good/1"))) break;  // killed, but with its result there
  }
  CHECK(kills > 0);
  CHECK(all_bytes(place.at("killed/good/1")) == all_bytes(place.at("undisturbed/good/1")));
  // As left by a process that was killed while it wrote: no process has this number.
  const std::string left_over = "killed/good/.1.partial-$(hostname)-4194305-0";
  REQUIRE(place.shell("mkdir -p " + left_over + " && touch " + left_over + "/curve.csv").code == 0);
  const std::string others = "killed/good/.1.partial-$(hostname)-7-4194305-0 killed/good/.1.partial-$(hostname)-1-0";
  REQUIRE(place.shell("mkdir " + others + " && touch " + left_over + "/notes").code == 0);
  REQUIRE(place.call(long_run + "killed --force").code == 0);
  // Of a machine whose name goes on, of a process that lives, and a file of the user's.
  CHECK(place.shell("rmdir " + others + " && rm " + left_over + "/notes && rmdir " + left_over).code == 0);
  CHECK(all_bytes(place.at("killed")) == all_bytes(place.at("undisturbed")));
}

TEST_CASE("a busy machine gives the same bytes") {
  const Workplace place;
  const std::string run = "'" DDLSIM_SOURCE_DIR "/scenarios/smoke/ako_rotate.json' --quiet --threads 5 --out ";
  REQUIRE(place.call(run + "quiet").code == 0);
  const std::string load = "timeout 5 yes >/dev/null & ";
  REQUIRE(place.call(run + "busy", load + load + load + load + load).code == 0);
  CHECK(all_bytes(place.at("quiet")) == all_bytes(place.at("busy")));
}

TEST_CASE("a result is verified from its run.json, and nothing is written") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  const std::string before = all_bytes(place.at("."));
  const Reply answer = place.call("run --verify-digest results/good/1 --threads 2");
  CHECK(answer.code == 0);
  CHECK(answer.err == "");
  CHECK(answer.out.starts_with("results/good/1: the same, digest "));
  CHECK(all_bytes(place.at(".")) == before);
}

TEST_CASE("a result that is not the same is told by table, row and column, with exit code 1") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  replace_in(place.at("results/good/1/iterations.csv"), "w0,0,0,0.1,", "w0,0,0,0.2,");
  const Reply answer = place.call("run --verify-digest results/good/1");
  CHECK(answer.code == 1);
  CHECK(answer.out == "");
  CHECK(answer.err.starts_with("ddlsim: results/good/1: is not the same: "));
  CHECK(answer.err.find("iterations.csv, row 1 (w0,0), column compute_s: 0.2 there, 0.1 here") != std::string::npos);
}

TEST_CASE(
    "times of another SimGrid, which differ in their last digits, are verified, and greater differences are told") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  replace_in(place.at("results/good/1/iterations.csv"), "w0,0,0,0.1,", "w0,0,0,0.1000000000000014,");
  CHECK(place.call("run --verify-digest results/good/1").out.starts_with("results/good/1: the same, digest "));
  replace_in(place.at("results/good/1/iterations.csv"), "w0,0,0,0.1000000000000014,", "w0,0,0,0.10000001,");
  const Reply answer = place.call("run --verify-digest results/good/1");
  CHECK(answer.code == 1);
  CHECK(answer.err.find("column compute_s: 0.10000001 there, 0.1 here") != std::string::npos);
}

// As a program wrote it whose digest was over times, too.
TEST_CASE("of an older result's digest nothing is claimed, and all else is verified") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  const std::string folder = "results/good/1";
  REQUIRE(place
              .shell("cd " + folder +
                     " && sed -i 's/\"digest\": \".*\"/\"digest\": \"0123456789abcdef\"/' run.json summary.json && "
                     "sed -i 's/\"schema_version\": 2/\"schema_version\": 1/' run.json")
              .code == 0);
  CHECK(place.call("compare " + folder).code == 0);
  const Reply same = place.call("run --verify-digest " + folder);
  CHECK(same.code == 0);
  CHECK(same.err == "");
  CHECK(same.out == folder +
                        ": the same, but for its digest, which schema_version 1 made of times, too: final weights "
                        "are not compared\n");
  replace_in(place.at(folder + "/pairs.csv"), "w0,w1,", "w0,w1,1");
  const Reply other = place.call("run --verify-digest " + folder);
  CHECK(other.code == 1);
  CHECK(other.err.find("digests of schema_version 1 are not compared; the first difference is in pairs.csv, row 1") !=
        std::string::npos);
}

TEST_CASE("a summary that was edited is told by its line, beside a digest that is the same") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  replace_in(place.at("results/good/1/summary.json"), "\"stopped_by\": \"", "\"stopped_by\": \"a hand's ");
  const Reply answer = place.call("run --verify-digest results/good/1");
  CHECK(answer.code == 1);
  CHECK(answer.err.find(" is, but not all that was written; the first difference is in summary.json, line ") !=
        std::string::npos);
  CHECK(answer.err.find(": \"stopped_by\": \"a hand's ") != std::string::npos);
}

TEST_CASE("traces and final weights that were edited are told, too") {
  const Workplace place;
  place.write("learning.json", R"({"platform": {"workers": 2, "bandwidth": "40Mbps"}, "algorithm": "ako",
      "data": {"train": 200, "test": 50}, "model": "softmax", "compute": {"seconds_per_batch": "100ms"},
      "stop": {"iterations": 3}, "record": {"weights": true, "trace": true}})");
  for (const std::string file : {"trace.json", "links.csv", "weights-w1.safetensors"}) {
    CAPTURE(file);
    REQUIRE(place.call("learning.json --quiet").code == 0);
    CHECK(place.call("run --verify-digest results/learning/1").code == 0);
    REQUIRE(place.shell("tr 1 2 <results/learning/1/" + file + " >t; mv t results/learning/1/" + file).code == 0);
    const Reply answer = place.call("run --verify-digest results/learning/1");
    CHECK(answer.code == 1);
    CHECK(answer.err.find("the first difference is in " + file) != std::string::npos);
  }
}

TEST_CASE("what cannot be verified is one clear line with exit code 2") {
  const Workplace place;
  const Reply nothing = place.call("run --verify-digest nowhere");
  CHECK(nothing.code == 2);
  CHECK(nothing.err.starts_with("ddlsim: nowhere/run.json: "));
  CHECK(place.call("run --verify-digest nowhere --seed 2").code == 2);
  CHECK(place.call("run --verify-digest nowhere good.json good.json").code == 2);
  for (const std::string ignored : {"--trace", "--out elsewhere"}) {
    CAPTURE(ignored);
    const Reply refused = place.call("run --verify-digest nowhere " + ignored);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("excludes") != std::string::npos);
  }
  // Synthetic data lie nowhere, and so nobody is told to say where.
  REQUIRE(place.call("good.json --quiet").code == 0);
  const Reply synthetic = place.call("run --verify-digest results/good/1 --set data.path=.");
  CHECK(synthetic.code == 2);
  CHECK(synthetic.err.find("synthetic data come from no folder") != std::string::npos);
  CHECK(synthetic.err.find("FOLDER") == std::string::npos);
}

TEST_CASE("a result beside its scenarios is repeated from anywhere, another with its scenario") {
  const Workplace place;
  REQUIRE(
      place.shell("mkdir scenarios platforms elsewhere && cp '" DDLSIM_SOURCE_DIR "/platforms/het_wan.xml' platforms")
          .code == 0);
  write_mnist(place.at("mnist"), 1);
  place.write("scenarios/digits.json", R"({ "platform": { "file": "../platforms/het_wan.xml", "workers": 2 },
      "data": { "source": "mnist", "path": "../mnist" }, "model": "softmax", "training": { "batch_size": 4 },
      "compute": { "seconds_per_batch": "100ms" }, "algorithm": "gossip", "evaluate": { "every_iterations": 2 },
      "stop": { "iterations": 4 } })");
  REQUIRE(place.call("scenarios/digits.json --quiet").code == 0);
  CHECK(place.call("run --verify-digest results/digits/1").code == 0);
  CHECK(place.call("run --verify-digest ../results/digits/1", "cd elsewhere;").code == 0);
  REQUIRE(place.shell("mv platforms elsewhere").code == 0);  // the result has it, but not the data
  CHECK(place.call("run --verify-digest results/digits/1").code == 0);
  REQUIRE(place.shell("mv scenarios mnist elsewhere").code == 0);
  const Reply lost = place.call("run --verify-digest results/digits/1");
  CHECK(lost.code == 2);
  CHECK(lost.err.find("paths start where the scenario lay") != std::string::npos);
  CHECK(place.call("run nofile.json --verify-digest results/digits/1").err ==
        "ddlsim: nofile.json: is no file; expected the scenario that was run\n");
  const Reply astray = place.call("run good.json --verify-digest results/digits/1");
  CHECK(astray.code == 2);
  CHECK(astray.err.starts_with("ddlsim: results/digits/1/run.json: $.data.path"));
  CHECK(astray.err.find("; paths were to start in .\n") != std::string::npos);
  CHECK(place.call("run elsewhere/scenarios/digits.json --verify-digest results/digits/1").code == 0);
  CHECK(place.call("run --verify-digest results/digits/1 --set data.path=elsewhere/mnist").code == 0);
  CHECK(place.call("run --verify-digest results/digits/1 --set 'data.path=\"elsewhere/mnist\"'").code == 0);
  const Reply number = place.call("run --verify-digest results/digits/1 --set data.path=5");
  CHECK(number.code == 2);
  CHECK(number.err ==
        "ddlsim: run --verify-digest: --set data.path: \"5\" is no text; expected the folder where the same data lie "
        "now\n");
  const Reply other = place.call("run --verify-digest results/digits/1 --set stop.iterations=5");
  CHECK(other.code == 2);
  CHECK(other.err.starts_with("ddlsim: run --verify-digest: --set stop.iterations: would make it another run; "));
}

TEST_CASE("a result whose data have a path of their own is repeated where nothing moved, or all of it together") {
  const Workplace place;
  REQUIRE(place.shell("mkdir -p work/mine other").code == 0);
  write_mnist(place.at("work/mine/mnist"), 1);
  place.write("work/mine/digits.json", R"({ "platform": { "workers": 2, "bandwidth": "40Mbps" },
      "data": { "source": "mnist", "path": "mnist" }, "model": "softmax", "training": { "batch_size": 4 },
      "compute": { "seconds_per_batch": "100ms" }, "algorithm": "gossip", "stop": { "iterations": 2 } })");
  REQUIRE(place.call("mine/digits.json --quiet", "cd work;").code == 0);
  CHECK(place.call("run --verify-digest results/digits/1", "cd work;").code == 0);
  CHECK(place.call("run --verify-digest ../work/results/digits/1", "cd other;").code == 0);
  REQUIRE(place.shell("mv work moved").code == 0);
  CHECK(place.call("run --verify-digest moved/results/digits/1").code == 0);
  REQUIRE(place.shell("mv moved/results/digits/1 other/result").code == 0);
  CHECK(place.call("run --verify-digest other/result").code == 2);
  CHECK(place.call("run --verify-digest other/result --set data.path=moved/mine/mnist").code == 0);
}

TEST_CASE("data to which a file has come since the run are not the run's") {
  const Workplace place;
  const auto batch = [&](const std::string& name, int first) {
    std::ofstream file(place.at("cifar/" + name), std::ios::binary);
    for (int i = 0; i < 20; ++i) file << static_cast<char>((first + i) % 10) << std::string(3072, static_cast<char>(i));
  };
  std::filesystem::create_directory(place.at("cifar"));
  batch("data_batch_1.bin", 0);
  batch("test_batch.bin", 3);
  place.write("colours.json", R"({ "platform": { "workers": 2, "bandwidth": "40Mbps" },
      "data": { "source": "cifar-10", "path": "cifar" }, "model": "softmax", "training": { "batch_size": 4 },
      "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ako", "stop": { "iterations": 2 } })");
  REQUIRE(place.call("colours.json --quiet").code == 0);
  REQUIRE(place.call("run --quiet --verify-digest results/colours/1").code == 0);
  batch("data_batch_2.bin", 5);
  const Reply more = place.call("run --quiet --verify-digest results/colours/1");
  CHECK(more.code == 2);
  CHECK_MESSAGE(more.err.ends_with("cifar: data_batch_2.bin was not there for the run; expected the same data\n"),
                more.err);
}

}  // namespace ddl::cli::same_bytes_test
