#include <unistd.h>

#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/jobs/batch/batch.hpp"
#include "sim/jobs/jobs.hpp"

namespace ddl::cli {

int batch(const Registry& systems, const BatchSettings& settings) {
  const int at_once = settings.jobs > 0 ? settings.jobs : jobs::usable_cores();
  const jobs::BatchOptions options{at_once, settings.trusted, settings.finished_only};
  const jobs::BatchOutcome outcome = jobs::run_batch(systems, options, STDIN_FILENO, [](const std::string& line) {
    if (!(std::cout << line << std::endl)) throw InputError("the standard output cannot be written to");
  });
  if (outcome.failed > 0) return kRunFailed;
  return outcome.refused > 0 ? kBadInput : kDone;
}

}  // namespace ddl::cli
