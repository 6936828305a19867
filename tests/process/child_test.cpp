// Ctrl-C while child processes work, and between two lists of them.
#include "sim/process/child.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>

#include "sim/process/failures.hpp"
#include "sim/process/signals_held.hpp"

namespace ddl::process {
namespace {

std::string slept() {
  sleep(60);
  return "slept";
}

void run_two(const std::function<std::string()>& work) {
  in_children(
      2, 1, [&](std::size_t) { return work; }, [](std::size_t, const ChildAnswer& answer) { answer.text(); });
}

// Restores a signal's handling when it ends.
class Handled {
 public:
  Handled(int signal, void (*handler)(int)) : signal_(signal), before_(std::signal(signal, handler)) {}
  ~Handled() { std::signal(signal_, before_); }
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;

 private:
  int signal_;
  void (*before_)(int);
};

}  // namespace

TEST_CASE("a signal between two lists of jobs waits, and interrupts the second before its first job has ended") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Handled usual(signal, SIG_DFL);
    const SignalsHeld held;
    run_two([] { return "quick"; });
    std::raise(signal);
    CHECK_THROWS_AS(run_two(slept), Interrupted);
    run_two([] { return "quick"; });  // one signal interrupts once
  }
}

TEST_CASE("a signal that comes first interrupts a single child, although its parent holds signals") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Handled usual(signal, SIG_DFL);
    const SignalsHeld held;
    std::raise(signal);
    CHECK_THROWS_AS(in_child(slept), Interrupted);
  }
}

TEST_CASE("a signal that comes too late for a single child waits for what comes next") {
  const Handled usual(SIGINT, SIG_DFL);
  const SignalsHeld held;
  CHECK(in_child([] {
          std::signal(SIGINT, SIG_IGN);  // a process that has ended ignores it, too
          kill(getppid(), SIGINT);
          return "done";
        }) == "done");
  CHECK_THROWS_AS(run_two(slept), Interrupted);
}

TEST_CASE("a signal that the program ignores interrupts nothing") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Handled ignored(signal, SIG_IGN);
    const SignalsHeld held;
    std::raise(signal);
    run_two([] { return "quick"; });
    CHECK(in_child([] { return "quick"; }) == "quick");
  }
}

}  // namespace ddl::process
