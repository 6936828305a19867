#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/compare/comparison.hpp"

namespace ddl {

void compare_results(const CompareSettings& settings) {
  if (settings.csv + settings.json + settings.markdown > 1) {
    throw InputError("compare: --csv, --json and --markdown exclude one another; expected one of them");
  }
  const Comparison comparison = compare_folders(settings.folders, !settings.each_run);
  std::cout << (settings.csv        ? comparison_csv(comparison)
                : settings.json     ? comparison_json(comparison)
                : settings.markdown ? comparison_markdown(comparison)
                                    : comparison_text(comparison));
}

}  // namespace ddl
