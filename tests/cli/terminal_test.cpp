// Lines that fit a terminal, emphasis only on terminals, and names by themselves.
#include "sim/cli/terminal.hpp"

#include <sstream>

#include "sim/results/text/layout.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::terminal_test {
namespace {

// The first line that is wider than a terminal, unless its only word is.
std::string too_wide(const std::string& text, std::size_t width = results::text_columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool one_word = line.find(' ', first) == std::string::npos;
    if (results::columns_of(line) > width && !one_word) return line;
  }
  return "";
}

const char* const learner = R"({ "platform": { "workers": 3, "servers": 1, "bandwidth": "40Mbps" },
    "data": { "train": 300, "test": 100 }, "model": "softmax", "wire": { "model_bytes": "123456B" },
    "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ps_async",
    "stop": { "iterations": 12 }, "evaluate": { "every_iterations": 3, "target_accuracy": [0.2, 0.9] } })";

const char* const sweep = R"({ "base": "good.json", "vary": { "platform.bandwidth": ["5Mbps", "40Mbps"],
    "algorithm": ["ring_allreduce", { "name": "ako", "partitions": 2 }] }, "seeds": [1, 2] })";

TEST_CASE("every help fits a terminal of 80 columns") {
  const Workplace place;
  CHECK(too_wide(place.call("--help").out) == "");
  for (const char* command : {"run", "check", "describe", "sweep", "expect", "emulate", "reproduce", "new", "model",
                              "list", "schema", "bench", "laws", "completion", "manual"}) {
    const Reply answer = place.call(std::string(command) + " --help");
    CHECK(answer.code == 0);
    CHECK_MESSAGE(too_wide(answer.out) == "", command);
  }
}

TEST_CASE("tables for people fit 80 columns") {
  const Workplace place;
  place.write("learner.json", learner);
  place.write("sweep.json", sweep);
  for (const std::string arguments :
       {"list algorithms", "list models", "list faults", "list topologies", "list templates", "model resnet18-bibd",
        "check learner.json sweep.json", "check good.json --set algorithm=d_psgd --set platform.workers=6",
        "describe algorithm", "describe algorithm.ako", "describe platform", "run learner.json --seeds 1..3",
        "sweep sweep.json", "sweep sweep.json --dry-run"}) {
    const Reply answer = place.call(arguments);
    CAPTURE(arguments);
    CHECK(answer.code == 0);
    CHECK(answer.out != "");
    CHECK(too_wide(answer.out) == "");
    CHECK(too_wide(answer.err) == "");
  }
  CHECK(too_wide(place.call("list scenarios", "DDLSIM_HOME='" DDLSIM_SOURCE_DIR "'").out) == "");
}

TEST_CASE("tables and prose follow the terminal's width, tables on wide ones, too") {
  const Workplace place;
  place.write("learner.json", learner);
  place.write("sweep.json", sweep);
  for (const char* arguments : {"list algorithms", "check learner.json sweep.json", "describe algorithm.ako",
                                "model resnet18-bibd", "learner.json --force", "sweep --help"}) {
    const Reply narrow = place.call(arguments, "COLUMNS=60");
    CAPTURE(arguments);
    CHECK(narrow.code == 0);
    // Example commands stay on one line.
    CHECK(too_wide(narrow.out.substr(0, narrow.out.find("Example")), 60) == "");
  }
  for (const char* nonsense : {"COLUMNS=", "COLUMNS=0", "COLUMNS=x", "COLUMNS=60x", "COLUMNS=-5"}) {
    CHECK(place.call("list algorithms", nonsense).out == place.call("list algorithms", "env -u COLUMNS").out);
  }
  if (place.shell("command -v script && command -v stty").code != 0) return;
  const Reply real =
      place.shell("script -qec \"stty cols 60 && NO_COLOR=1 '" DDLSIM_BINARY "' list algorithms\" /dev/null");
  CHECK(real.out != "");
  CHECK(too_wide(real.out, 61) == "");  // with the carriage return
}

TEST_CASE("emphasis is for terminals alone, and NO_COLOR switches it off") {
  CHECK(Terminal(true).bold("x") == "\x1b[1mx\x1b[0m");
  CHECK(Terminal(true).titled("a\nb\n") == "\x1b[1ma\x1b[0m\nb\n");
  CHECK(Terminal(false).titled("a\nb\n") == "a\nb\n");
  const Workplace place;
  const std::string plain = place.call("list").out;
  CHECK(plain.find('\x1b') == std::string::npos);
  if (place.shell("command -v script").code != 0) return;
  const auto on_terminal = [&](const std::string& variables) {
    return place.shell(variables + " script -qec \"'" DDLSIM_BINARY "' list\" /dev/null").out;
  };
  CHECK(on_terminal("env -u NO_COLOR TERM=xterm").find("\x1b[1m") != std::string::npos);
  CHECK(on_terminal("env NO_COLOR=1 TERM=xterm").find('\x1b') == std::string::npos);
  CHECK(on_terminal("env -u NO_COLOR TERM=dumb").find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace ddl::cli::terminal_test
