#include "sim/cli/report_error.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {

void print_error(const std::string& text) {
  std::istringstream lines(text);
  const std::string name = Terminal(STDERR_FILENO).bad("ddlsim:");
  for (std::string line; std::getline(lines, line);) std::cerr << name << " " << scenario::on_one_line(line) << "\n";
}

void print_note(const std::string& text) { print_error("note: " + text); }

int report_error(const std::exception_ptr& error) {
  try {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      rethrow_as_ours();
    }
  } catch (const scenario::ScenarioErrors& errors) {
    for (const std::string& line : errors.lines) print_error(line);
    return kBadInput;
  } catch (const InputError& problem) {
    print_error(problem.what());
    return kBadInput;
  } catch (const process::RunFailed& problem) {
    print_error(problem.what());
    return kRunFailed;
  } catch (const process::Interrupted& problem) {
    const std::string what = problem.what();
    print_error(what.starts_with("interrupted:") ? what : "interrupted");
    return kInterrupted;
  } catch (const OutOfResources& problem) {
    print_error(problem.what());
    return kInternalError;
  } catch (const std::exception& problem) {
    print_error(std::string("internal error: ") + problem.what());
    return kInternalError;
  } catch (...) {
    print_error("internal error of an unknown kind");
    return kInternalError;
  }
}

}  // namespace ddl::cli
