#include "sim/platform/rehearse.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <sstream>

#include "core/base/check.hpp"
#include "sim/scenario/words.hpp"

namespace ddl {
namespace {

constexpr int threw_exit_code = 41;  // one that neither SimGrid nor the sanitizers use
constexpr char text_mark = '\x02';   // before the child's answer, which follows what SimGrid may have said

// A crash here is an answer, not something to report, to write a core of, or to hand to the parent's handlers.
void crash_quietly() {
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void perform(const std::function<std::size_t()>& work, int out) {
  crash_quietly();
  dup2(out, STDERR_FILENO);
  int exit_code = threw_exit_code;
  std::string text(1, text_mark);
  try {
    text += std::to_string(work());
    exit_code = 0;
  } catch (const std::exception& error) {
    text += error.what();
  } catch (...) {
    text += "unknown error";
  }
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(STDERR_FILENO, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  _exit(exit_code);
}

std::string read_all(int in) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// The first line that says something: before it there may be empty ones, behind it come stacks.
std::string last_words(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.rfind("==", 0) != 0) return on_one_line(line);
  }
  return "SimGrid crashes while reading it; is there a zone without hosts or routes?";
}

// SimGrid's "Parse error at FILE:7: what" as "line 7: what", without lists that follow on further lines.
std::string complaint(const std::string& subject, std::string text) {
  const bool more = text.find('\n') != std::string::npos;
  text = text.substr(0, text.find('\n'));
  if (more && text.ends_with(':')) text = text.substr(0, text.rfind(". "));
  for (const std::string& prefix : {"Parse error at " + subject + ":", subject + ": "}) {
    if (text.rfind(prefix, 0) == 0) {
      text = (prefix.front() == 'P' ? "line " : "") + text.substr(prefix.size());
      break;
    }
  }
  return subject + ": " + on_one_line(text);
}

}  // namespace

std::size_t rehearse(const std::string& subject, const std::function<std::size_t()>& work) {
  std::array<int, 2> ends;
  check(pipe(ends.data()) == 0, "a pipe to the rehearsal");
  const pid_t child = fork();
  check(child >= 0, "a process for the rehearsal");
  if (child == 0) {
    close(ends[0]);
    perform(work, ends[1]);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::size_t mark = text.rfind(text_mark);
  const bool answered = WIFEXITED(status) && mark != std::string::npos;
  if (answered && WEXITSTATUS(status) == 0) return std::stoul(text.substr(mark + 1));
  if (answered && WEXITSTATUS(status) == threw_exit_code) throw InputError(complaint(subject, text.substr(mark + 1)));
  throw InputError(complaint(subject, last_words(text)));
}

}  // namespace ddl
