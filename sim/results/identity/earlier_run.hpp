// Whether a result is that of a run which is about to be made: the one rule by which results are kept, replaced and
// repeated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/identity/run_identity.hpp"

namespace ddl::results {

// Comparison of a run.json with an identity. A measured run differs from a simulated one in "measured".
struct EarlierRun {
  bool readable = false;  // a run.json of this program at all
  // Top-level keys of the scenarios that differ, whatever their order: the platform and the data by their content, not
  // by their paths, and without the description.
  std::vector<std::string> differences{};
  bool other_program = false;               // another version or build, or other plug-ins
  std::optional<std::string> other_math{};  // "native, OpenBLAS 0.3.21 Haswell", where it would be another here

  // The run need not be made again,
  bool is_same() const { return is_same_of_any_build() && !other_program; }
  // or need not where the program may be another.
  bool is_same_of_any_build() const { return readable && differences.empty() && !other_math; }
};

// `run_json`: the text of that file.
EarlierRun compare_with_earlier(const RunIdentity& identity, const std::string& run_json, bool measured = false);

}  // namespace ddl::results
