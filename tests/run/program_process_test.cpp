// Programs that are asked: the timing of their answers must not show.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/systems/table.hpp"
#include "sim/external/model.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run::program_process_test {

namespace {

// Interrupts whatever waits, every millisecond.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // without SA_RESTART
    sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Interruptions() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  struct sigaction before_ {};
};

scenario::Scenario asking(const std::string& shell) {
  scenario::Scenario scenario = scenario::parse_scenario(
      systems::built_in(), R"({ "platform": { "workers": 2, "bandwidth": "1Mbps" }, "model": { "command": ["sh"] },
      "compute": { "seconds_per_batch": "1s" }, "algorithm": "ako", "stop": { "iterations": 1 } })",
      "s.json");
  scenario.program->command = {"sh", "-c", shell};
  scenario.program->timeout.value = 20;
  return scenario;
}

}  // namespace

TEST_CASE("a line that is no answer is refused in one printable line") {
  const auto said = [](const std::string& line) {
    try {
      external::hello_in(line, false);
    } catch (const external::WrongAnswer& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string hello = R"({"protocol":1,"tensors":[["w",[2]]],"train":4,"test":1})";
  CHECK(said(hello) == "");
  CHECK(said(hello + std::string(1, '\0') + "more") ==
        R"(answered "{"protocol":1,"tensors":[["w",[2]]],"train":4,"test":1}?more"; expected a JSON object)");
  CHECK(said("\x1b[2J\xff") == "answered \"?[2J?\"; expected a JSON object");
  CHECK(said(R"({"protocol":1,"tensors":[["__metadata__",[2]]],"train":4,"test":1})").starts_with("names a tensor"));
}

TEST_CASE("a signal while a program starts does not hide that it cannot be started") {
  const Interruptions interruptions;
  for (int i = 0; i < 30; ++i) {
    CHECK_THROWS_WITH_AS(external::Process({"/no/such/program"}, "", 0), "cannot be started: No such file or directory",
                         external::ProcessFailed);
  }
}

TEST_CASE("the memory shared with a program is none of its standard streams, though ours are closed") {
  const scenario::Scenario scenario = asking(R"(
      echo '{"protocol":1,"tensors":[["w",[1]]],"train":4,"test":1}'
      read -r hello
      read -r initial
      printf '\0\0\200\077' | dd of=/proc/self/fd/3 bs=1 seek=4 conv=notrunc 2>/dev/null
      echo '{"did":"initial","values":1}')");
  std::vector<float> start = {0};
  const int input = dup(STDIN_FILENO), output = dup(STDOUT_FILENO);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  try {
    external::Model(scenario, 1).initialize(1, start);
  } catch (const std::exception&) {
  }
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  close(input);
  close(output);
  CHECK(start[0] == 1);
}

TEST_CASE(
    "evaluations at weights that are not finite are the same before and after it is known which scores there are") {
  const scenario::Scenario scenario = asking(R"(
      echo '{"protocol":1,"tensors":[["w",[1]]],"train":4,"test":1}'
      read -r hello
      while read -r line; do echo '{"did":"evaluate","loss":1.5}'; done)");
  external::Model model(scenario, 1);
  const std::vector<float> fine = {0}, wrong = {std::numeric_limits<float>::quiet_NaN()};
  CHECK_FALSE(model.evaluate(0, wrong));
  const std::optional<external::Evaluation> told = model.evaluate(0, fine);
  REQUIRE(told);
  CHECK(told->loss == 1.5);
  CHECK_FALSE(told->accuracy);
  CHECK_FALSE(model.evaluate(0, wrong));
}

}  // namespace ddl::run::program_process_test
