#include "sim/platform/probe.hpp"

#include <sys/resource.h>

#include <csignal>
#include <exception>
#include <new>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/child_process.hpp"
#include "sim/process/failures.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

// A crash in this process is an expected answer: no report, no core file, no handlers of the parent.
void crash_quietly() {
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Without each " (0x...)".
std::string without_addresses(std::string text) {
  for (std::size_t at = 0; (at = text.find(" (0x", at)) != std::string::npos;) {
    const std::size_t digits = at + 4, end = text.find_first_not_of("0123456789abcdef", digits);
    if (end != std::string::npos && end > digits && text[end] == ')') {
      text.erase(at, end + 1 - at);
    } else {
      at = digits;
    }
  }
  return text;
}

// The child's open file by its name for users.
std::string with_subject(std::string text, const std::string& subject) {
  for (std::size_t at = 0; (at = text.find(open_files, at)) != std::string::npos; at += subject.size()) {
    const std::size_t end = text.find_first_not_of("0123456789", at + std::string_view(open_files).size());
    text.replace(at, std::min(end, text.size()) - at, subject);
  }
  return text;
}

// SimGrid's "Parse error at FILE:7: what" as "line 7: what", without lists that follow on further lines.
std::string error_text(const std::string& subject, std::string text) {
  text = without_addresses(with_subject(std::move(text), subject));
  const bool more = text.find('\n') != std::string::npos;
  text = text.substr(0, text.find('\n'));
  if (more && text.ends_with(':')) text = text.substr(0, text.rfind(". "));
  for (const std::string& prefix : {"Parse error at " + subject + ":", subject + ": "}) {
    if (text.rfind(prefix, 0) == 0) {
      text = (prefix.front() == 'P' ? "line " : "") + text.substr(prefix.size());
      break;
    }
  }
  return subject + ": " + scenario::on_one_line(text);
}

}  // namespace

void probe(const std::string& subject, const std::function<void()>& work) {
  const auto nothing_or_error = [&] {
    try {
      work();
      return std::string();
    } catch (const InternalError&) {
      throw;
    } catch (const OutOfResources&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw InputError(error_text(subject, error.what()));
    }
  };
  process::ChildProcess child(nothing_or_error, crash_quietly);
  while (child.listen()) {
  }
  try {
    child.answer();
  } catch (const process::ChildDied& death) {
    const char* const silent = "SimGrid crashes while reading it; is there a zone without hosts or routes?";
    throw InputError(error_text(subject, death.words.empty() ? silent : death.words));
  }
}

}  // namespace ddl::platform
