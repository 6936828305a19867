#include "sim/results/reading/mean_curve.hpp"

#include "sim/results/reading/read_rows.hpp"

namespace ddl::results {
std::vector<run::CurveRow> read_mean_curve(const std::filesystem::path& folder) {
  std::vector<run::CurveRow> rows;
  read_rows<run::CurveRow>(folder, [&](const run::CurveRow& row) {
    if (row.worker == run::mean_of_workers) rows.push_back(row);
  });
  return rows;
}

}  // namespace ddl::results
