// A run on a machine without room for another thread.
#include "lab/emulate/actor_threads.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "sim/process/failures.hpp"
#include "tests/support/sanitized.hpp"

namespace ddl::emulate::actor_threads_test {

TEST_CASE("an actor whose thread cannot start is no actor that others wait for") {
  if (sanitized) {
    MESSAGE("[skipped] a sanitizer needs its address space");
    return;
  }
  Monitor monitor;
  ActorThreads threads([](std::exception_ptr) {});
  rlimit usual{};
  REQUIRE(getrlimit(RLIMIT_AS, &usual) == 0);
  rlimit none = usual;
  none.rlim_cur = 1;  // leaves memory in use alone, but no thread's stack can be added
  std::string said;
  {
    const std::scoped_lock held(monitor);
    REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
    try {
      threads.start(monitor, [] {});
    } catch (const process::RunFailed& failure) {
      setrlimit(RLIMIT_AS, &usual);
      said = failure.what();
    }
    REQUIRE(setrlimit(RLIMIT_AS, &usual) == 0);
    CHECK(said.starts_with("a thread cannot be started: "));
    CHECK(monitor.is_stuck());  // no actor is at work
    monitor.end();
  }
  threads.join();
}

}  // namespace ddl::emulate::actor_threads_test
