#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/results/compare/comparison.hpp"

namespace ddl::cli {

void compare_results(const CompareSettings& settings) {
  if (settings.csv + settings.json + settings.markdown > 1) {
    throw InputError("compare: --csv, --json and --markdown exclude one another; expected one of them");
  }
  const results::Comparison comparison = results::compare_folders(settings.folders, !settings.each_run);
  std::cout << (settings.csv        ? results::comparison_csv(comparison)
                : settings.json     ? results::comparison_json(comparison)
                : settings.markdown ? results::comparison_markdown(comparison)
                                    : results::comparison_text(comparison));
}

}  // namespace ddl::cli
