// Runs that no machine would come to the end of, and places where nothing can be read or written.
#include <algorithm>
#include <vector>

#include "tests/cli/workplace.hpp"
#include "tests/support/sanitized.hpp"

namespace ddl::cli::limits_test {
namespace {

namespace fs = std::filesystem;

bool is_one_line(const std::string& text) { return text.starts_with("ddlsim: ") && text.find('\n') == text.size() - 1; }

// A picture names the command that drew it, and with it its own file.
std::string without_command(const std::string& picture) {
  const std::size_t begin = picture.find("<desc>"), end = picture.find("</desc>");
  return end == std::string::npos ? picture : picture.substr(0, begin) + picture.substr(end);
}

struct Endless {
  const char* arguments;
  const char* phrase;
};

constexpr Endless kEndless[] = {
    {"good.json --set algorithm=single --set platform.workers=1 --set compute.seconds_per_batch=1e-30s "
     "--set 'stop={\"time\": \"1s\"}'",
     "$.stop: lets each worker take about"},
    {R"(good.json --set 'stop={"time": "1e20s"}')", "$.stop: lets each worker take about"},
    {R"(good.json --set 'stop={"epochs": 1e300}')", "$.stop: lets each worker take about"},
    {"good.json --set model=softmax --set stop.iterations=5 --set evaluate.every=1ns",
     "$.evaluate.every: asks for about"},
    {"good.json --set stop.iterations=1000000000", "GiB of memory; expected at most 64 GiB"},
};

TEST_CASE("a run that would never end is refused in one line, by run and by check") {
  const Workplace place;
  for (const Endless& endless : kEndless) {
    for (const char* command : {"run ", "check "}) {
      const std::string call = std::string("timeout 60 '" DDLSIM_BINARY "' ") + command + endless.arguments;
      CAPTURE(call);
      const Reply answer = place.shell(call);
      CHECK(answer.code == 2);
      CHECK_MESSAGE(is_one_line(answer.err), answer.err);
      CHECK_MESSAGE(answer.err.find(endless.phrase) != std::string::npos, answer.err);
      CHECK_FALSE(fs::exists(place.at("results")));
    }
  }
}

TEST_CASE("a sweep given to run and a scenario given to sweep are one line each") {
  const Workplace place;
  place.write("grid.json", R"({"base": "good.json", "vary": {"platform.workers": [2, 3]}, "seeds": [1, 2]})");
  const Reply run = place.call("run grid.json");
  CHECK(run.code == 2);
  CHECK(run.err == "ddlsim: grid.json: $.base: is a sweep's; expected a scenario; ddlsim sweep runs sweeps\n");
  const Reply sweep = place.call("sweep good.json");
  CHECK(sweep.code == 2);
  CHECK(sweep.err ==
        "ddlsim: good.json: $.platform: is a scenario's; expected a sweep with \"base\" and \"vary\"; ddlsim run runs "
        "scenarios\n");
}

TEST_CASE("memory that is not there ends a run with one line") {
  if (sanitized) {
    MESSAGE("[skipped] this build needs memory beyond any limit");
    return;
  }
  const Workplace place;
  place.write("learning.json", R"({"platform": {"workers": 2, "bandwidth": "40Mbps"}, "algorithm": "ako",
                                   "stop": {"iterations": 3}, "compute": {"seconds_per_batch": "100ms"}})");
  const Reply answer =
      place.shell("ulimit -v 700000; '" DDLSIM_BINARY
                  "' learning.json --threads 1 --set platform.workers=8 --set data.train=100 --set 'model={\"layers\":"
                  "[\"flatten\", {\"type\":\"dense\",\"units\":60000}, {\"type\":\"dense\",\"units\":10}]}'");
  CHECK(answer.code == 3);
  CHECK_MESSAGE(is_one_line(answer.err), answer.err);
  CHECK_MESSAGE(answer.err.find("out of memory; expected") != std::string::npos, answer.err);
  CHECK_FALSE(fs::exists(place.at("results")));
}

TEST_CASE("a platform's numbers that no link or host can have are one line") {
  const Workplace place;
  const std::string whole = text_of(DDLSIM_SOURCE_DIR "/platforms/het_wan.xml");
  place.write("run.json",
              R"({"platform": {"file": "p.xml", "servers": ["ps0"]}, "algorithm": "ps_async", "model": "none",
                              "compute": {"seconds_per_batch": "10ms"}, "wire": {"model_bytes": "1MB"},
                              "stop": {"iterations": 2}})");
  const auto with = [&](const std::string& from, const std::string& to) {
    const std::size_t at = whole.find(from);
    REQUIRE(at != std::string::npos);
    place.write("p.xml", whole.substr(0, at) + to + whole.substr(at + from.size()));
    return place.call("run.json --quiet --force");
  };
  const std::string link = R"(<link id="w0" bandwidth="40Mbps" latency="10ms")", host = R"(<host id="w1" speed="50Gf")";
  REQUIRE(with(link, link).code == 0);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{link, R"(<link id="w0" bandwidth="0Mbps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="-5Mbps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="nanMbps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="infMbps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="1e-9bps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="1e40bps" latency="10ms")"},
                                                        {link, R"(<link id="w0" bandwidth="40Mbps" latency="1e300s")"},
                                                        {link, R"(<link id="w0" bandwidth="40Mbps" latency="-1ms")"},
                                                        {link, R"(<link id="w0" bandwidth="40Mbps" latency="nanms")"},
                                                        {host, R"(<host id="w1" speed="0f")"},
                                                        {host, R"(<host id="w1" speed="-1f")"},
                                                        {host, R"(<host id="w1" speed="inff")"}}) {
    CAPTURE(to);
    const Reply answer = with(from, to);
    CHECK(answer.code == 2);
    CHECK_MESSAGE(is_one_line(answer.err), answer.err);
    CHECK(answer.err.starts_with("ddlsim: run.json: $.platform.file: p.xml: "));
  }
  for (const char* setting : {"platform.bandwidth=1e-20Mbps", "platform.bandwidth_factor=1e-30",
                              "platform.site_bandwidth=1e-20Mbps", "platform.network.tcp_window=1e-9B"}) {
    CAPTURE(setting);
    place.write("two_sites.json", R"({"platform": {"topology": "two_sites", "workers": 2, "bandwidth": "40Mbps"},
                                      "algorithm": "ako", "model": "none", "compute": {"seconds_per_batch": "10ms"},
                                      "wire": {"model_bytes": "1MB"}, "stop": {"iterations": 2}})");
    for (const char* command : {"check", "run --force --quiet"}) {
      const Reply answer = place.call(std::string(command) + " two_sites.json --set " + setting);
      CHECK(answer.code == 2);
      CHECK_MESSAGE(is_one_line(answer.err), answer.err);
      CHECK(answer.err.starts_with("ddlsim: two_sites.json: $.platform"));
    }
  }
}

TEST_CASE("a report or picture is written to a device, and through a link, and replaces neither") {
  const Workplace place;
  place.write("learning.json", R"({"platform": {"workers": 2, "bandwidth": "40Mbps"}, "algorithm": "ako",
      "data": {"train": 200, "test": 50}, "model": "softmax", "compute": {"seconds_per_batch": "100ms"},
      "evaluate": {"every_iterations": 4}, "stop": {"iterations": 20}})");
  REQUIRE(place.call("learning.json --quiet").code == 0);
  fs::create_directory(place.at("folder"));
  for (const std::string command : {"report", "plot"}) {
    CAPTURE(command);
    if (command == "plot" && place.shell("command -v gnuplot").code != 0) continue;
    const std::string call = command + " results/learning -o ", end = command == "plot" ? ".svg" : ".html";
    REQUIRE(place.call(call + "plain" + end).code == 0);
    const std::string wanted = without_command(text_of(place.at("plain" + end)));
    CHECK(wanted.size() > 1000);
    REQUIRE(place
                .shell("touch there" + end + " && ln -s there" + end + " here" + end + " && ln -s new" + end +
                       " folder/link" + end + " && ln -s loop" + end + " loop" + end)
                .code == 0);
    for (const std::string& link : {"here" + end, "folder/link" + end}) {
      REQUIRE(place.call(call + link).code == 0);
      CHECK(fs::is_symlink(place.at(link)));
    }
    CHECK(without_command(text_of(place.at("there" + end))) == wanted);
    CHECK(without_command(text_of(place.at("folder/new" + end))) == wanted);
    const Reply loop = place.call(call + "loop" + end);
    CHECK(loop.code == 2);
    CHECK(loop.err == "ddlsim: loop" + end + ": cannot be written: Too many levels of symbolic links\n");
    CHECK(fs::is_symlink(place.at("loop" + end)));
  }
  const std::string page = text_of(place.at("plain.html"));
  REQUIRE(place.shell("mkfifo pipe").code == 0);
  REQUIRE(place.call("report results/learning -o pipe && wait", "cat pipe >read.html &").code == 0);
  CHECK(fs::is_fifo(place.at("pipe")));
  CHECK(text_of(place.at("read.html")) == page);
  CHECK(place.call("report results/learning -o /dev/stdout | cat").out == page);
  const Reply appended = place.call("report results/learning -o /dev/stdout", "echo first;");
  CHECK(appended.out == "first\n" + page);
  CHECK(appended.err.starts_with("/dev/stdout, "));
  const Reply full = place.call("report results/learning -o /dev/full");
  CHECK(full.code == 2);
  CHECK_MESSAGE(is_one_line(full.err), full.err);
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("folders with blanks and letters of other scripts are folders as any other") {
  const Workplace place;
  fs::create_directories(place.at("a b/\u00fc \u4e2d\u6587"));
  fs::copy(place.at("good.json"), place.at("a b/\u00fc \u4e2d\u6587/my run.json"));
  const Reply answer = place.call("'a b/\u00fc \u4e2d\u6587/my run.json' --quiet --out 'o \u00e4'");
  CHECK_MESSAGE(answer.code == 0, answer.err);
  CHECK(fs::exists(place.at("o \u00e4/my run/1/run.json")));
}

// Runs `commands` with file systems of its own, or says why not.
bool mounted(const Workplace& place, const std::string& commands, Reply& answer) {
  place.write("mounted.sh", commands);
  answer = place.shell("unshare -rm sh mounted.sh");
  if (answer.code != 77 && answer.err.find("unshare") == std::string::npos) return true;
  MESSAGE("[skipped] no mount of one's own here: " << answer.err);
  return false;
}

TEST_CASE("a full disk and one that cannot be written are one line, and nothing is left half-written") {
  const Workplace place;
  fs::create_directories(place.at("disk"));
  Reply full;
  if (!mounted(place,
               "mount -t tmpfs -o size=64k none disk || exit 77\n"
               "'" DDLSIM_BINARY "' good.json --quiet --set stop.iterations=3000 --out disk\n"
               "echo $? $(find disk -type f | wc -l) > said\n",
               full)) {
    return;
  }
  CHECK(text_of(place.at("said")) == "2 0\n");
  CHECK_MESSAGE(is_one_line(full.err), full.err);
  CHECK_MESSAGE(full.err.find("No space left on device") != std::string::npos, full.err);
  Reply locked;
  REQUIRE(mounted(place,
                  "mount -t tmpfs none disk && mount -o remount,ro disk || exit 77\n"
                  "'" DDLSIM_BINARY "' good.json --quiet --out disk; echo $? > said\n",
                  locked));
  CHECK(text_of(place.at("said")) == "2\n");
  CHECK_MESSAGE(is_one_line(locked.err), locked.err);
  CHECK_MESSAGE(locked.err.find("Read-only file system") != std::string::npos, locked.err);
}

TEST_CASE("a scenario that may not be read is one line") {
  const Workplace place;
  fs::permissions(place.at("good.json"), fs::perms::none);
  fs::permissions(place.at(".").parent_path().parent_path(), fs::perms::others_exec | fs::perms::owner_all);
  const Reply answer = place.shell("setpriv --reuid=65534 --clear-groups '" DDLSIM_BINARY "' good.json");
  if (answer.err.find("setpriv") != std::string::npos) {
    MESSAGE("[skipped] nobody else to be here: " << answer.err);
    return;
  }
  CHECK(answer.code == 2);
  CHECK(answer.err == "ddlsim: good.json: cannot be read (Permission denied); expected a scenario\n");
}

}  // namespace
}  // namespace ddl::cli::limits_test
