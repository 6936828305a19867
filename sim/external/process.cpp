#include "sim/external/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/scenario/reading/words.hpp"

extern "C" char** environ;

namespace ddl::external {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int memory_descriptor = 3;
constexpr int first_own_descriptor = 10;  // above those that the program gets
constexpr std::size_t most_of_a_line = std::size_t{1} << 28;
constexpr std::size_t most_quoted = 300;
constexpr std::chrono::seconds grace(2);

// Both ends, with numbers above a program's first descriptors.
struct Ends {
  Descriptor ours, theirs;
};
Ends pipe_to_us() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_with("no pipe", errno);
  return {out_of_the_way(ends[0]), out_of_the_way(ends[1])};
}
// A socket, because writing to a pipe without a reader would end this process; a socket can be told not to.
Ends socket_to_them() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_with("no socket", errno);
  return {out_of_the_way(ends[0]), out_of_the_way(ends[1])};
}

// The folder with the Python package `ddlsim`: beside this program in a checkout, or as installed.
std::optional<std::string> python_folder() {
  std::error_code unreadable;
  for (fs::path at = fs::read_symlink("/proc/self/exe", unreadable).parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    for (const char* below : {"python", "share/ddlsim/python"}) {
      if (fs::is_regular_file(at / below / "ddlsim" / "__init__.py", unreadable)) return (at / below).string();
    }
  }
  return std::nullopt;
}

// Our environment, plus the path of the Python package, and one thread for each numeric library unless the user says
// otherwise: there are as many processes as threads.
std::vector<std::string> surroundings() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with("PYTHONPATH=")) variables.emplace_back(*one);
  }
  const char* before = std::getenv("PYTHONPATH");
  std::string path = python_folder().value_or("");
  if (before != nullptr && *before != '\0') path += (path.empty() ? "" : ":") + std::string(before);
  if (!path.empty()) variables.push_back("PYTHONPATH=" + path);
  for (const char* threads : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (std::getenv(threads) == nullptr) variables.push_back(std::string(threads) + "=1");
  }
  return variables;
}

std::vector<char*> as_c(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Everything that starting a program needs, made before the fork: after it nothing may be allocated.
struct Launch {
  std::vector<std::string> command, variables = surroundings();
  std::vector<char*> words = as_c(command), environment = as_c(variables);
  std::string folder;
  int input = -1, output = -1, errors = -1, memory = -1, trouble = -1;
  pid_t starter = getpid();
};

[[noreturn]] void become_program(const Launch& launch) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal_number : {SIGINT, SIGHUP, SIGPIPE, SIGTERM, SIGCHLD}) signal(signal_number, SIG_DFL);
  if (launch.folder.empty() || chdir(launch.folder.c_str()) == 0) {
    dup2(launch.input, STDIN_FILENO);
    dup2(launch.output, STDOUT_FILENO);
    dup2(launch.errors, STDERR_FILENO);
    dup2(launch.memory, memory_descriptor);
    close_range(memory_descriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    execvpe(launch.words[0], launch.words.data(), launch.environment.data());
  }
  const int error = errno;
  static_cast<void>(!write(launch.trouble, &error, sizeof error));
  std::_Exit(127);
}

// Waits for the program, ends the rest of its group, and ends as the program did; on SIGTERM, or when the starting
// process is gone, ends the group at once.
[[noreturn]] void be_guard(const Launch& launch) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int ignored : {SIGINT, SIGHUP}) signal(ignored, SIG_IGN);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  signal(SIGCHLD, SIG_DFL);
  if (getppid() != launch.starter) std::_Exit(1);
  const pid_t program = fork();
  if (program == 0) become_program(launch);
  setpgid(program, program);
  close_range(0, ~0U, 0);
  int status = 0;
  for (int signal_number = 0;;) {
    sigwait(&awaited, &signal_number);
    if (signal_number == SIGTERM || program < 0) break;
    if (waitpid(program, &status, WNOHANG) == program) break;
  }
  if (program > 0) kill(-program, SIGKILL);
  if (WIFSIGNALED(status)) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    raise(WTERMSIG(status));
  }
  std::_Exit(WEXITSTATUS(status));
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

int milliseconds_until(Clock::time_point time) {
  const double left_s = std::chrono::duration<double>(time - Clock::now()).count();
  return static_cast<int>(std::clamp(std::ceil(1000 * left_s), 0.0, 1e9));
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Descriptor out_of_the_way(int descriptor) {
  const Descriptor low(descriptor);
  Descriptor high(low.number() < 0 ? -1 : fcntl(low.number(), F_DUPFD_CLOEXEC, first_own_descriptor));
  if (high.number() < 0) fail_with("no descriptor for a program", errno == EINVAL ? EMFILE : errno);
  return high;
}

Process::Process(const std::vector<std::string>& command, const std::string& folder, int memory) {
  Ends input = socket_to_them(), output = pipe_to_us(), errors = pipe_to_us(), trouble = pipe_to_us();
  const Launch launch{.command = command,
                      .folder = folder,
                      .input = input.theirs.number(),
                      .output = output.theirs.number(),
                      .errors = errors.theirs.number(),
                      .memory = memory,
                      .trouble = trouble.theirs.number()};
  guard_ = fork();
  if (guard_ < 0) fail_with("no process", errno);
  if (guard_ == 0) be_guard(launch);
  for (Ends* ends : {&input, &output, &errors, &trouble}) ends->theirs.reset();
  int error = 0;
  ssize_t told = 0;
  do told = read(trouble.ours.number(), &error, sizeof error);
  while (told < 0 && errno == EINTR);
  if (told == sizeof error) {
    wait_for_end();
    throw ProcessFailed(std::string("cannot be started: ") + std::strerror(error));
  }
  input_ = std::move(input.ours);
  output_ = std::move(output.ours);
  errors_ = std::move(errors.ours);
}

void Process::end_input() {
  if (input_.number() >= 0) input_ended_ = Clock::now();
  input_.reset();
}

Process::~Process() {
  end_input();
  if (!has_ended_by(input_ended_ + grace)) kill(guard_, SIGTERM);
  if (guard_ > 0) wait_for_end();
}

int Process::wait_for_end() {
  int status = 0;
  while (waitpid(guard_, &status, 0) < 0 && errno == EINTR) {
  }
  guard_ = 0;
  return status;
}

void Process::send(const std::string& line) {
  to_send_ += line + "\n";
  send_more();
}

std::string Process::answer(double timeout_s, int given_up) {
  const auto deadline = after(timeout_s);
  while (true) {
    if (const std::size_t end = said_.find('\n'); end != std::string::npos) {
      std::string line = said_.substr(0, end);
      said_.erase(0, end + 1);
      return line;
    }
    if (said_.size() > most_of_a_line) fail("answers without an end of the line");
    if (Clock::now() >= deadline) fail(fmt::format("did not answer within {} s", timeout_s));
    pollfd waits[] = {{to_send_.empty() ? -1 : input_.number(), POLLOUT, 0},
                      {output_.number(), POLLIN, 0},
                      {errors_.number(), POLLIN, 0},
                      {given_up, POLLIN, 0}};
    const int ready = poll(waits, std::size(waits), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) fail_with("waiting for a program", errno);
    if (ready <= 0) continue;
    if (waits[3].revents != 0) fail("is given up");
    if (waits[2].revents != 0) listen_to_errors();
    if (waits[0].revents != 0) send_more();
    if (waits[1].revents != 0) listen();
  }
}

// Sends as much as there is room for. If the program is gone, its output will tell.
void Process::send_more() {
  const ssize_t n = ::send(input_.number(), to_send_.data(), to_send_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0) to_send_.erase(0, static_cast<std::size_t>(n));
  if (n < 0 && errno != EAGAIN && errno != EINTR) to_send_.clear();
}

void Process::listen() {
  char buffer[65536];
  const ssize_t n = read(output_.number(), buffer, sizeof buffer);
  if (n > 0) said_.append(buffer, static_cast<std::size_t>(n));
  if (n == 0) fail_as_ended();
}

void Process::listen_to_errors() {
  char buffer[65536];
  const ssize_t n = read(errors_.number(), buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) return errors_.reset();
  for (const char c : std::string_view(buffer, static_cast<std::size_t>(n))) {
    if (c != '\n') {
      if (line_.size() < most_quoted) line_ += c;
    } else if (line_.find_first_not_of(" \t\r") != std::string::npos) {
      last_line_ = std::exchange(line_, "");
    } else {
      line_.clear();
    }
  }
}

std::string Process::quoting(const std::string& what) {
  listen_to_errors_until(Clock::now());
  const std::string& quoted = line_.empty() ? last_line_ : line_;
  if (quoted.empty()) return what + "; it wrote nothing to its stderr";
  return what + "; the last line of its stderr: " + scenario::on_one_line(quoted);
}

// Reads what is written by then, and at most a pipe's content more from a program that never stops writing.
void Process::listen_to_errors_until(Clock::time_point deadline) {
  constexpr int most_reads_late = 16;
  for (int late = 0; errors_.number() >= 0 && late < most_reads_late; listen_to_errors()) {
    pollfd wait = {errors_.number(), POLLIN, 0};
    if (poll(&wait, 1, milliseconds_until(deadline)) <= 0) return;
    if (Clock::now() >= deadline) ++late;
  }
}

// Its last output is still in the pipe, which ends once the guard has ended all other writers.
void Process::fail_as_ended() {
  const auto deadline = Clock::now() + grace;
  listen_to_errors_until(deadline);
  if (!has_ended_by(deadline)) fail("has closed its output");
  fail(how_it_ended(wait_for_end()));
}

bool Process::has_ended_by(Clock::time_point deadline) const {
  while (guard_ > 0) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(guard_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == guard_) {
      return true;
    }
    if (Clock::now() >= deadline) return false;
    usleep(1000);
  }
  return true;
}

}  // namespace ddl::external
