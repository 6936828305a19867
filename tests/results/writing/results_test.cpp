#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/process/child.hpp"
#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/run_json.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK(what.find('\n') == std::string::npos);
    return what;
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

run::RunResult other_result() {
  run::RunResult result = example_result();
  result.curve.back().test_accuracy = 0.71;
  return result;
}

std::string place_for(const std::string& out, const scenario::Scenario& scenario, bool force) {
  const auto place = result_folder(out, scenario);
  check_place(place, scenario, force ? Replace::any_scenario : Replace::same_scenario);
  return place.string();
}

const std::set<std::string> usual_files = {"run.json",     "summary.json", "timing.json", "curve.csv",
                                           "platform.xml", "pairs.csv",    "traffic.csv", "iterations.csv"};

}  // namespace

TEST_CASE("a result is a folder <out>/<name>/<seed> with every file of the contract and nothing beside it") {
  const TemporaryFolder temporary;
  const std::string out = (temporary.path() / "deep" / "out").string();
  const std::string folder = write_results(out, example_scenario(), example_result(), false);
  CHECK(folder == out + "/example/7");
  CHECK(names_in(folder) == usual_files);
  CHECK(names_in(fs::path(folder).parent_path()) == std::set<std::string>{"7"});
  CHECK(text_of(fs::path(folder) / "curve.csv") == curve_csv(example_result()));
  CHECK(text_of(fs::path(folder) / "iterations.csv") == iterations_csv(example_result()));
  CHECK(text_of(fs::path(folder) / "traffic.csv") == traffic_csv(example_result()));
  CHECK(text_of(fs::path(folder) / "pairs.csv") == pairs_csv(example_result()));
  CHECK(text_of(fs::path(folder) / "summary.json") == summary_json(example_scenario(), example_result()));
}

TEST_CASE("run.json holds the resolved scenario, where the result comes from, and its digest") {
  const TemporaryFolder temporary;
  const fs::path folder = write_results(temporary.path().string(), example_scenario(), example_result(), false);
  const auto run = nlohmann::json::parse(text_of(folder / "run.json"));
  CHECK(run["schema_version"] == 2);
  CHECK(run["scenario"] == nlohmann::json::parse(scenario::describe(example_scenario())));
  CHECK(run["provenance"]["program"] == "ddlsim");
  CHECK(run["provenance"]["math_mode"] == "portable");
  CHECK(contains(text_of(fs::path(DDLSIM_SOURCE_DIR) / "CMakeLists.txt"),
                 "project(ddlsim VERSION " + run["provenance"]["version"].get<std::string>() + " "));
  CHECK(run["digest"] == digest_of(example_result()));
}

TEST_CASE("timing.json holds what the run cost the machine") {
  const TemporaryFolder temporary;
  const fs::path folder = write_results(temporary.path().string(), example_scenario(), example_result(), false);
  const auto timing = nlohmann::json::parse(text_of(folder / "timing.json"));
  CHECK(timing["wall_seconds"] == 2);
  CHECK(timing["cpu_seconds"] == 3);
  CHECK(timing["peak_memory_bytes"] == 4096);
  CHECK(timing["events"] == 200);
  CHECK(timing["events_per_s"] == 100);
  CHECK(timing["math_seconds"] == 1.5);
  CHECK(timing["math_share"] == 0.5);
  CHECK(timing["evaluation_seconds"] == 0.6);
  CHECK(timing["evaluation_share"] == doctest::Approx(0.4));
}

TEST_CASE("timing.json names the kernels that ran") {
  for (const auto mode : {nn::MathMode::portable, nn::MathMode::native}) {
    scenario::Scenario scenario = example_scenario();
    scenario.math.mode = mode;
    const auto timing = nlohmann::json::parse(timing_json(scenario, example_result(), "results/example/1"));
    CHECK(timing["math_kernels"] == nn::math_kernels(mode));
    CHECK(timing["math_kernels"].get<std::string>().starts_with("OpenBLAS ") == (mode == nn::MathMode::native));
  }
}

TEST_CASE("all but timing.json is the same to the byte wherever and however fast the run was") {
  const TemporaryFolder temporary;
  run::RunResult slower = example_result();
  slower.wall_s = slower.cpu_s = slower.math_s = 77;
  slower.peak_memory_bytes = 1;
  scenario::Scenario moved = example_scenario();
  moved.file = "/elsewhere";
  const fs::path one = write_results((temporary.path() / "one").string(), example_scenario(), example_result(), false);
  const fs::path two = write_results((temporary.path() / "two").string(), moved, slower, false);
  for (const std::string& name : usual_files) {
    CAPTURE(name);
    CHECK((text_of(one / name) == text_of(two / name)) == (name != "timing.json"));
  }
}

TEST_CASE("steps are not written when the scenario does not want them") {
  const TemporaryFolder temporary;
  scenario::Scenario scenario = example_scenario();
  scenario.record.iterations = false;
  CHECK_FALSE(
      names_in(write_results(temporary.path().string(), scenario, example_result(), false)).contains("iterations.csv"));
}

TEST_CASE("weights are safetensors files that can be read back by hand") {
  const TemporaryFolder temporary;
  scenario::Scenario scenario = example_scenario();
  scenario.record.weights = true;
  run::RunResult result = example_result();
  result.nodes[1] = "rack/w1";
  const fs::path folder = write_results(temporary.path().string(), scenario, result, false);
  CHECK(fs::exists(folder / "weights-rack%2Fw1.safetensors"));
  const std::string file = text_of(folder / "weights-w0.safetensors");
  std::size_t header_size = 0;
  for (int byte = 7; byte >= 0; --byte) header_size = header_size * 256 + static_cast<unsigned char>(file.at(byte));
  CHECK((8 + header_size) % 8 == 0);
  REQUIRE(file.size() == 8 + header_size + 3 * 4);
  CHECK(nlohmann::json::parse(file.substr(8, header_size)).dump() ==
        R"({"parameters":{"data_offsets":[0,12],"dtype":"F32","shape":[3]}})");
  std::vector<float> values;
  for (std::size_t at = 8 + header_size; at < file.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 4; byte-- > 0;) bits = bits * 256 + static_cast<unsigned char>(file[at + byte]);
    values.push_back(std::bit_cast<float>(bits));
  }
  CHECK(values == std::vector<float>{1, -2, 0.5});
}

TEST_CASE("servers' weights go into one file of their own, and a timing-only run writes none") {
  const TemporaryFolder temporary;
  scenario::Scenario scenario = example_scenario();
  scenario.record.weights = true;
  run::RunResult result = example_result();
  result.weights = {{1, 2, 3}};
  result.weights_at_servers = true;
  std::set<std::string> expected = usual_files;
  expected.insert("weights-server.safetensors");
  CHECK(names_in(write_results((temporary.path() / "a").string(), scenario, result, false)) == expected);
  CHECK(names_in(write_results((temporary.path() / "b").string(), scenario, timing_only_result(), false)) ==
        usual_files);
}

TEST_CASE("a finished result of the same scenario is replaced, whatever the layout of its run.json") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  const fs::path folder = write_results(out, example_scenario(), example_result(), false);
  put(folder / "run.json", nlohmann::json::parse(text_of(folder / "run.json")).dump());  // other order, one line
  put(folder / "weights-w9.safetensors", "of an earlier run");
  CHECK(write_results(out, example_scenario(), other_result(), false) == folder);
  CHECK(text_of(folder / "curve.csv") == curve_csv(other_result()));
  CHECK(names_in(folder) == usual_files);
  CHECK(names_in(folder.parent_path()) == std::set<std::string>{"7"});
}

TEST_CASE("a description is no difference between scenarios") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  scenario::Scenario scenario = example_scenario();
  const fs::path folder = write_results(out, scenario, example_result(), false);
  scenario.description = "another";
  CHECK(place_for(out, scenario, false) == folder);
  CHECK(compare_with_earlier(Identities().of(scenario), text_of(folder / "run.json")).is_same());
  scenario.training.batch_size = 33;
  CHECK_FALSE(compare_with_earlier(Identities().of(scenario), text_of(folder / "run.json")).is_same());
}

TEST_CASE("results of native math count where the same kernels would run, those of portable math everywhere") {
  const auto counts = [](const scenario::Scenario& here, const std::string& mode, const std::string& kernels) {
    auto run = nlohmann::json::parse(run_json(Identities().of(here), "0"));
    if (mode.empty()) {
      run["provenance"].erase("math_mode");
    } else {
      run["provenance"]["math_mode"] = mode;
    }
    if (!kernels.empty()) run["provenance"]["math_kernels"] = kernels;
    return compare_with_earlier(Identities().of(here), run.dump()).is_same();
  };
  scenario::Scenario native = example_scenario(), portable = example_scenario();
  native.math.mode = nn::MathMode::native;
  portable.math.mode = nn::MathMode::portable;
  CHECK(counts(native, "native", ""));
  CHECK_FALSE(counts(native, "native", "OpenBLAS 0.3.21 Nehalem_"));
  CHECK_FALSE(counts(native, "portable", ""));
  CHECK_FALSE(counts(native, "", ""));
  CHECK(counts(portable, "portable", ""));
  CHECK(counts(portable, "portable", "own"));
  CHECK_FALSE(counts(portable, "native", ""));
  native.model.name = "none";  // no math at all
  CHECK(counts(native, "native", "OpenBLAS 0.3.21 Nehalem_"));
}

TEST_CASE("other files that a user has put beside a result outlive its replacement") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  const fs::path folder = write_results(out, example_scenario(), example_result(), false);
  put(folder / "plot.svg", "<svg/>");
  fs::create_directory(folder / "notes");
  put(folder / "notes" / "a.txt", "seen");
  write_results(out, example_scenario(), other_result(), false);
  CHECK(text_of(folder / "plot.svg") == "<svg/>");
  CHECK(text_of(folder / "notes" / "a.txt") == "seen");
  CHECK(text_of(folder / "curve.csv") == curve_csv(other_result()));
}

TEST_CASE("a result of another scenario is kept unless forced, and the error says what differs") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  const fs::path folder = write_results(out, example_scenario(), example_result(), false);
  scenario::Scenario other = example_scenario();
  other.training.batch_size = 33;
  other.stop.time = Seconds{11};
  for (const auto& error : {error_of([&] { place_for(out, other, false); }),
                            error_of([&] { write_results(out, other, other_result(), false); })}) {
    CHECK(contains(error, folder.string() + ": "));
    CHECK(contains(error, "(stop, training differ)"));
    CHECK(contains(error, "--force"));
    CHECK(contains(error, "--out"));
  }
  CHECK(text_of(folder / "curve.csv") == curve_csv(example_result()));
  CHECK(place_for(out, other, true) == folder);
  CHECK(text_of(folder / "curve.csv") == curve_csv(example_result()));
  write_results(out, other, other_result(), true);
  CHECK(text_of(folder / "curve.csv") == curve_csv(other_result()));
}

TEST_CASE("a folder that is no result is never touched, forced or not") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  const fs::path folder = temporary.path() / "example" / "7";
  fs::create_directories(folder);
  for (const char* run : {"", "not JSON", "[1, 2]", R"({"name": "of something else"})"}) {
    CAPTURE(run);
    put(folder / "thesis.tex", "years of work");
    if (*run != '\0') put(folder / "run.json", run);
    const auto before = names_in(folder);
    for (const bool force : {false, true}) {
      CHECK(contains(error_of([&] { place_for(out, example_scenario(), force); }), "holds no result of ddlsim"));
      CHECK(contains(error_of([&] { write_results(out, example_scenario(), example_result(), force); }),
                     "holds no result of ddlsim"));
    }
    CHECK(names_in(folder) == before);
    CHECK(text_of(folder / "thesis.tex") == "years of work");
  }
}

TEST_CASE("an empty folder in the result's place is no obstacle") {
  const TemporaryFolder temporary;
  fs::create_directories(temporary.path() / "example" / "7");
  CHECK(names_in(write_results(temporary.path().string(), example_scenario(), example_result(), false)) == usual_files);
}

TEST_CASE("asking for the result's folder tries it and leaves no trace") {
  const TemporaryFolder temporary;
  CHECK(place_for((temporary.path() / "a" / "b").string(), example_scenario(), false) ==
        (temporary.path() / "a" / "b" / "example" / "7").string());
  CHECK(names_in(temporary.path()).empty());
}

TEST_CASE("a file in place of any folder of the result is a clear error and stays") {
  const TemporaryFolder temporary;
  const fs::path out = temporary.path() / "out";
  const auto fails_at = [&](const fs::path& file, const char* why) {
    put(file, "a file");
    for (const bool force : {false, true}) {
      const std::string error = error_of([&] { place_for(out.string(), example_scenario(), force); });
      CHECK(contains(error, file.string()));
      CHECK(contains(error, why));
      CHECK(error_of([&] { write_results(out.string(), example_scenario(), example_result(), force); }) == error);
    }
    CHECK(text_of(file) == "a file");
    fs::remove(file);
  };
  fails_at(out, "Not a directory");
  fs::create_directory(out);
  fails_at(out / "example", "Not a directory");
  fs::create_directory(out / "example");
  fails_at(out / "example" / "7", "is not a folder");
}

TEST_CASE("a place where nothing can be made is a clear error, before and after the run") {
  for (const auto& error : {error_of([] { place_for("/proc/results", example_scenario(), false); }), error_of([] {
                              write_results("/proc/results", example_scenario(), example_result(), false);
                            })}) {
    CHECK(contains(error, "/proc/results: cannot be made: "));
  }
}

TEST_CASE("a scenario's name cannot lead out of the results' folder") {
  const TemporaryFolder temporary;
  for (const char* name : {"", ".", "..", "../x", "a/b", ".hidden"}) {
    CAPTURE(name);
    scenario::Scenario scenario = example_scenario();
    scenario.name = name;
    CHECK(contains(error_of([&] { place_for(temporary.path().string(), scenario, true); }), "name"));
  }
}

std::string limit_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const OutOfResources& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("when a file cannot be finished the older result is still there, whole, and nothing else") {
  const TemporaryFolder temporary;
  const std::string out = temporary.path().string();
  const fs::path folder = write_results(out, example_scenario(), example_result(), false);
  const std::string before = text_of(folder / "summary.json");
  // A limit on the size of files stands in for a full disk: writes fail in the same place.
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &usual) == 0);
  const auto usual_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{500, usual.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  const std::string replaced = limit_of([&] { write_results(out, example_scenario(), other_result(), false); });
  const std::string fresh = limit_of([&] { write_results(out + "/new", example_scenario(), other_result(), false); });
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, usual_handler);
  CHECK(contains(replaced, folder.string() + "/"));
  CHECK(contains(replaced, "cannot be written: File too large"));
  CHECK(contains(fresh, "cannot be written: File too large (ulimit -f allows 0 kB)"));
  CHECK(text_of(folder / "summary.json") == before);
  CHECK(names_in(folder) == usual_files);
  CHECK(names_in(folder.parent_path()) == std::set<std::string>{"7"});
  CHECK(names_in(temporary.path()) == std::set<std::string>{"example"});
}

TEST_CASE("a folder is replaced in one step or, where the file system cannot, by moving the old one aside") {
  const TemporaryFolder temporary;
  const fs::path target = temporary.path() / "7";
  for (const bool exchange : {true, false}) {
    fs::create_directory(target);
    put(target / "old.csv", "old");
    put(target / "kept.txt", "kept");
    StagedFolder folder(target);
    folder.make();
    folder.write("new.csv", {"ne", "w"});
    CHECK(names_in(target) == std::set<std::string>{"kept.txt", "old.csv"});
    folder.publish([](const std::string& name) { return name.ends_with(".csv"); }, exchange);
    CHECK(names_in(target) == std::set<std::string>{"kept.txt", "new.csv"});
    CHECK(text_of(target / "new.csv") == "new");
    fs::remove_all(target);
  }
  CHECK(names_in(temporary.path()).empty());
}

TEST_CASE("Ctrl-C waits until a folder is in its place") {
  const TemporaryFolder temporary;
  const fs::path target = temporary.path() / "7";
  fs::create_directory(target);
  put(target / "old.csv", "old");
  const auto usual = std::signal(SIGINT, SIG_DFL);
  bool waited = false;
  {
    StagedFolder folder(target);
    folder.make();
    folder.write("new.csv", {"new"});
    folder.publish([&](const std::string&) {
      std::raise(SIGINT);  // would end the process here
      sigset_t waiting;
      sigpending(&waiting);
      waited = sigismember(&waiting, SIGINT) == 1;
      std::signal(SIGINT, SIG_IGN);  // also drops the pending one
      return true;
    });
  }
  std::signal(SIGINT, usual);
  CHECK(waited);
  CHECK(names_in(target) == std::set<std::string>{"new.csv"});
}

TEST_CASE("two programs that publish at one place at once do not fail for each other's sake") {
  const TemporaryFolder temporary;
  const fs::path target = temporary.path() / "7";
  for (int round = 0; round < 200; ++round) {
    std::array<std::string, 2> failures;
    {
      StagedFolder first(target);
      first.make();
      first.write("new.csv", {"new"});
      StagedFolder second(target);
      second.make();
      second.write("new.csv", {"new"});
      std::barrier both_ready(2);
      const auto publish = [&both_ready](StagedFolder& folder, std::string& failure) {
        both_ready.arrive_and_wait();
        const auto all = [](const std::string&) { return true; };
        try {
          try {
            folder.publish(all);
          } catch (const TargetAppeared&) {
            folder.publish(all);
          }
        } catch (const std::exception& error) {
          failure = error.what();
        }
      };
      std::jthread other(publish, std::ref(second), std::ref(failures[1]));
      publish(first, failures[0]);
    }
    REQUIRE(failures[0] == "");
    REQUIRE(failures[1] == "");
    REQUIRE(names_in(temporary.path()) == std::set<std::string>{"7"});
    REQUIRE(text_of(target / "new.csv") == "new");
    fs::remove_all(target);
  }
}

TEST_CASE("a folder staged by another process is published by whoever named it, or goes") {
  const TemporaryFolder temporary;
  const fs::path target = temporary.path() / "deep" / "7";
  for (const bool published : {false, true}) {
    StagedFolder folder(target);
    CHECK(names_in(temporary.path()).empty());
    process::in_child([&] {
      folder.make();
      folder.write("new.csv", {"new"});
      return std::string("done");
    });
    CHECK(names_in(temporary.path() / "deep").size() == 1);
    CHECK_FALSE(fs::exists(target));
    if (published) folder.publish([](const std::string&) { return true; });
    CHECK(fs::exists(target) == published);
    if (published) CHECK(text_of(target / "new.csv") == "new");
  }
  CHECK(names_in(temporary.path() / "deep") == std::set<std::string>{"7"});
}

TEST_CASE("leftovers of a process that ended go, although nothing has waited for that process") {
  const TemporaryFolder temporary;
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT) == 0);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string before = std::string(".7.partial-") + host.data() + "-";
  fs::create_directory(temporary.path() / (before + std::to_string(ended) + "-0"));
  const std::string running = before + std::to_string(getppid()) + "-0";
  fs::create_directory(temporary.path() / running);
  StagedFolder folder(temporary.path() / "7");
  folder.make();
  folder.write("new.csv", {"new"});
  folder.publish([](const std::string&) { return true; });
  CHECK(names_in(temporary.path()) == std::set<std::string>{"7", running});
  waitpid(ended, nullptr, 0);
}

}  // namespace ddl::results
