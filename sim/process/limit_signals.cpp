#include "sim/process/limit_signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "core/base/machine/limits.hpp"
#include "sim/process/child_process.hpp"

namespace ddl::process {
namespace {

constexpr double soon_s = 0.1;  // before the system ends a process, which may notice late on a busy machine

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

// A handler, because programs that this one starts then get the default handling; SIG_IGN would be inherited.
void do_nothing(int /*signal*/) {}

// Made in advance: a handler must not allocate.
const std::string& last_line() {
  static const std::string line = "ddlsim: " + out_of_processor_time() + "\n";
  return line;
}

void end_with_a_line(int /*signal*/) {
  const std::string& line = last_line();
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  std::_Exit(1);
}

void begin_timer(double seconds) {
  timer_t timer{};
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;
  itimerspec at{};
  at.it_value.tv_sec = static_cast<time_t>(seconds);
  at.it_value.tv_nsec = static_cast<long>(1e9 * (seconds - std::floor(seconds)));
  timer_settime(timer, TIMER_ABSTIME, &at, nullptr);
}

// For exceptions that nothing can catch: in libraries as they are loaded, and in destructors.
void end_without_memory() {
  const std::exception_ptr error = std::current_exception();
  if (!error) std::abort();
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view line = "ddlsim: out of memory; see ulimit -v and -d\n";
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
    std::_Exit(1);
  } catch (...) {
    __gnu_cxx::__verbose_terminate_handler();
  }
}

void leave_last_words() {
  const std::exception_ptr error = std::current_exception();
  if (!error) std::abort();
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& last) {
    const char mark = last_words_mark;
    for (const std::string_view words :
         {std::string_view(&mark, 1), std::string_view(last.what()), std::string_view("\n")}) {
      static_cast<void>(!write(STDERR_FILENO, words.data(), words.size()));
    }
  } catch (...) {
  }
  std::abort();
}

// Called before libraries are initialised.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = [] {
  std::set_terminate(end_without_memory);
};

}  // namespace

void heed_limits() {
  set_handler(SIGXFSZ, do_nothing);
  const double most_s = most_processor_seconds();
  if (!std::isfinite(most_s)) return;
  last_line();
  set_handler(SIGXCPU, end_with_a_line);
  begin_timer(most_s - soon_s);
}

void leave_limits_to_parent() {
  set_handler(SIGXCPU, SIG_DFL);
  std::set_terminate(leave_last_words);
}

}  // namespace ddl::process
