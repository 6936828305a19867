// Transcripts of `ddlsim sweep`: interrupted, killed, short of space, it goes on where it was.
#include <map>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::sweep_command_test {
namespace {

namespace fs = std::filesystem;

// Twelve runs of some tens of milliseconds.
constexpr const char* grid = R"({ "base": "good.json", "set": { "stop.iterations": 2000 },
    "vary": { "platform.bandwidth": ["40Mbps", "80Mbps"], "platform.workers": [2, 3] }, "seeds": [1, 2, 3] })";

// Every file and folder below, hidden ones too, with its bytes; but for what may differ between two runs.
std::map<std::string, std::string> bytes_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "timing.json") continue;
    files[fs::relative(entry.path(), folder).string()] = entry.is_regular_file() ? text_of(entry.path()) : "";
  }
  return files;
}

}  // namespace

TEST_CASE("a sweep that is killed again and again comes to the bytes of an unbroken one") {
  const Workplace place;
  place.write("grid.json", grid);
  REQUIRE(place.call("sweep grid.json --out unbroken --quiet").code == 0);
  const std::string killed = "'" DDLSIM_BINARY "' sweep grid.json --out killed --quiet --jobs 2";
  int kills = 0;
  for (double delay_s = 0.03; kills < 100; delay_s += 0.04) {
    const Reply answer = place.shell("timeout -s KILL " + std::to_string(delay_s) + " " + killed);
    if (answer.code == 0) break;
    CHECK(answer.code == 137);
    ++kills;
  }
  CHECK(kills > 0);
  REQUIRE(place.shell(killed).code == 0);
  CHECK(bytes_below(place.at("killed")) == bytes_below(place.at("unbroken")));
}

TEST_CASE("Ctrl-C ends a sweep with exit code 130, keeps what is finished, and leaves nothing half-written") {
  const Workplace place;
  place.write("grid.json", grid);
  const Reply answer = place.shell(
      interrupted_once("results/grid/*/*/run.json", "sweep grid.json --set stop.iterations=20000 --quiet --jobs 1"));
  CHECK(answer.code == 130);
  CHECK(answer.err.starts_with("ddlsim: interrupted: "));
  CHECK(answer.err.find(" runs are finished and kept; the same command goes on from there\n") != std::string::npos);
  CHECK(answer.out == "");
  CHECK_FALSE(fs::exists(place.at("results/grid/sweep.csv")));
  std::size_t finished = 0;
  for (const auto& [name, bytes] : bytes_below(place.at("results/grid"))) {
    CHECK(name.find("partial") == std::string::npos);
    finished += name.ends_with("run.json");
  }
  CHECK(finished > 0);
  CHECK(finished < 12);
}

TEST_CASE("a full disk ends a sweep with a line that says so, and with more space it goes on to the same bytes") {
  const Workplace place;
  place.write("grid.json", grid);
  REQUIRE(place.call("sweep grid.json --out unbroken --quiet").code == 0);
  place.write("full.sh",
              "mount -t tmpfs -o size=600k none disk || exit 77\n"
              "'" DDLSIM_BINARY
              "' sweep grid.json --out disk --quiet 2>full.err; echo $? >full.code\n"
              "mount -o remount,size=20m disk && '" DDLSIM_BINARY
              "' sweep grid.json --out disk 2>more.err && cp -r disk copied\n");
  fs::create_directories(place.at("disk"));
  const Reply answer = place.shell("unshare -rm sh full.sh");
  if (answer.code == 77 || answer.err.find("unshare") != std::string::npos) {
    MESSAGE("[skipped] no mount of one's own here: " << answer.err);
    return;
  }
  REQUIRE(answer.code == 0);
  CHECK(text_of(place.at("full.code")) == "2\n");
  const std::string error = text_of(place.at("full.err"));
  CHECK(error.find("No space left on device; the finished runs are kept\n") != std::string::npos);
  CHECK(error.find("kept from before") == std::string::npos);
  CHECK(text_of(place.at("more.err")).find(" kept from before") != std::string::npos);
  CHECK(bytes_below(place.at("copied")) == bytes_below(place.at("unbroken")));
}

TEST_CASE("two programs do not work in one sweep's folder at the same time") {
  const Workplace place;
  place.write("grid.json", grid);
  // Long enough for the second to come while the first is at work.
  const std::string call = "'" DDLSIM_BINARY "' sweep grid.json --quiet --jobs 1 --set stop.iterations=30000";
  const Reply answer = place.shell(call + " & until [ -e results/grid/sweep.json ]; do sleep 0.01; done\n" + call +
                                   "; code=$?; wait; exit $code");
  CHECK(answer.code == 2);
  CHECK(answer.err == "ddlsim: results/grid: another program is at work in it; expected to be alone\n");
  CHECK(fs::exists(place.at("results/grid/sweep.csv")));
}

TEST_CASE("a dry run lists the runs and an estimate, and writes nothing") {
  const Workplace place;
  place.write("grid.json", grid);
  const Reply answer = place.call("sweep grid.json --dry-run");
  CHECK(answer.code == 0);
  CHECK(answer.err == "");
  CHECK(answer.out.find("  bandwidth=40Mbps_workers=3/2\n") != std::string::npos);
  CHECK(answer.out.find("12 runs in results/grid, 0 finished; the other 12 take roughly ") != std::string::npos);
  CHECK_FALSE(fs::exists(place.at("results")));
  REQUIRE(place.call("sweep grid.json --quiet").code == 0);
  CHECK(place.call("sweep grid.json --dry-run").out.find("12 runs in results/grid, 12 finished\n") !=
        std::string::npos);
}

TEST_CASE("a sweep says how many results of other settings it replaces") {
  const Workplace place;
  place.write("grid.json", grid);
  CHECK(place.call("sweep grid.json").out.find("replaced") == std::string::npos);
  const std::string slower = " --set compute.seconds_per_batch=1s";
  CHECK(place.call("sweep grid.json --dry-run" + slower).out.find("; 12 outdated results will be replaced\n") !=
        std::string::npos);
  CHECK(place.call("sweep grid.json" + slower).out.find("\nreplaced: 12 outdated results\n") != std::string::npos);
  CHECK(place.call("sweep grid.json" + slower).out.find("replaced") == std::string::npos);
}

TEST_CASE("on Slurm, a dry run shows the script that would be submitted, quoted for the shell") {
  const Workplace place;
  place.write("it's.json", grid);
  const Reply answer =
      place.call("sweep \"it's.json\" --engine slurm --jobs 3 --set stop.iterations=10 --set name=x --dry-run");
  CHECK(answer.code == 0);
  CHECK(answer.out.find("#!/bin/sh\n#SBATCH --job-name=ddlsim-") != std::string::npos);
  CHECK(answer.out.find("#SBATCH --array=0-11%3\n") != std::string::npos);
  CHECK(answer.out.find("exec '" DDLSIM_BINARY "' sweep '" + place.at("it'\\''s.json").string() + "' --out '") !=
        std::string::npos);
  CHECK(answer.out.find(" --set 'stop.iterations=10' --set 'name=x' --task \"$SLURM_ARRAY_TASK_ID\"\n") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(place.at("results")));
}

TEST_CASE("without Slurm, --engine slurm is refused and writes nothing") {
  const Workplace place;
  place.write("grid.json", grid);
  const Reply answer = place.shell("PATH=/nonexistent '" DDLSIM_BINARY "' sweep grid.json --engine slurm");
  CHECK(answer.code == 2);
  CHECK(answer.err == "ddlsim: --engine slurm: there is no sbatch here; expected Slurm's commands\n");
  CHECK_FALSE(fs::exists(place.at("results")));
}

TEST_CASE("a task of an array refuses a sweep that is not the one submitted") {
  const Workplace place;
  place.write("grid.json", grid);
  fs::create_directories(place.at("results/grid/.slurm"));
  place.write("results/grid/sweep.json", "{}");
  place.write("results/grid/.slurm/tasks", "0123456789abcdef\n0\n");
  const Reply answer = place.call("sweep grid.json --task 0");
  CHECK(answer.code == 2);
  CHECK(answer.err ==
        "ddlsim: results/grid/.slurm/tasks: is of another sweep; was the sweep's file changed meanwhile?\n");
  CHECK_FALSE(fs::exists(place.at("results/grid/bandwidth=40Mbps_workers=2")));
}

TEST_CASE("a sweep without a file, or with a broken one, is refused before anything is written") {
  const Workplace place;
  CHECK(place.call("sweep").err == "ddlsim: sweep: no sweep file given; see ddlsim sweep --help\n");
  CHECK(place.call("sweep absent.json").err == "ddlsim: absent.json: no such file; expected a sweep\n");
  place.write("bad.json", R"({ "base": "good.json", "vary": { "stop.iterations": 3 }, "seed": [1] })");
  const Reply answer = place.call("sweep bad.json");
  CHECK(answer.code == 2);
  CHECK(answer.out == "");
  CHECK(answer.err ==
        "ddlsim: bad.json: $.vary[\"stop.iterations\"]: 3 is not a list; expected a list of values\n"
        "ddlsim: bad.json: $.seed: is an unknown key; did you mean \"seeds\"?\n");
  CHECK_FALSE(fs::exists(place.at("results")));
}

}  // namespace ddl::cli::sweep_command_test
