// Errors as users see them: on stderr, `ddlsim: ...`, one line each, and an exit code.
#pragma once

#include <exception>
#include <string>

namespace ddl::cli {

// Scripts depend on these.
enum ExitCode { kDone = 0, kInternalError = 1, kBadInput = 2, kRunFailed = 3, kNotAsExpected = 4, kInterrupted = 130 };

// Each line of `text` as an error line.
void print_error(const std::string& text);
// The same of what stops nothing, as `ddlsim: note: ...`.
void print_note(const std::string& text);

// Prints what `error` says and returns the exit code of its kind.
int report_error(const std::exception_ptr& error);

}  // namespace ddl::cli
