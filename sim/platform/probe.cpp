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

// With `instead` for each `begin`, digits, `end`.
std::string replaced(std::string text, std::string_view begin, std::string_view digits, std::string_view end,
                     const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    const std::size_t behind = std::min(text.find_first_not_of(digits, at + begin.size()), text.size());
    const bool is_one = text.compare(behind, end.size(), end) == 0;
    if (is_one) text.replace(at, behind + end.size() - at, instead);
    at += is_one ? instead.size() : begin.size();
  }
  return text;
}

// SimGrid's "Parse error at FILE:7: what" as "line 7: what", without lists that follow on further lines.
std::string error_text(const std::string& subject, std::string text) {
  text =
      replaced(std::move(text), open_files, "0123456789", "", subject);   // the child's open file by its name for users
  text = replaced(std::move(text), " (0x", "0123456789abcdef", ")", "");  // addresses
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
