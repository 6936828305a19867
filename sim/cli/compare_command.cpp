#include <unistd.h>

#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/compare/comparison.hpp"

namespace ddl::cli {

void compare_results(const CompareSettings& settings) {
  if (settings.csv + settings.json + settings.markdown + settings.latex > 1) {
    throw InputError("compare: --csv, --json, --markdown and --latex exclude one another; expected one of them");
  }
  const results::Comparison comparison = results::compare_folders(settings.folders, !settings.each_run, settings.look);
  std::cout << (settings.csv        ? results::comparison_csv(comparison)
                : settings.json     ? results::comparison_json(comparison)
                : settings.markdown ? results::comparison_markdown(comparison)
                : settings.latex    ? results::comparison_latex(comparison)
                                    : results::comparison_text(comparison, Terminal(STDOUT_FILENO).columns()));
}

}  // namespace ddl::cli
