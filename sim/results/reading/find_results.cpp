#include "sim/results/reading/find_results.hpp"

#include <algorithm>
#include <set>

#include "core/base/check.hpp"
#include "core/base/natural_order.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/table_reader.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

constexpr int deepest = 3;  // OUT/<sweep>/<name>/<seed>

// A sweep's table knows which results are the sweep's: an earlier state of the sweep file may have left others.
bool collect_sweep(const fs::path& folder, std::vector<fs::path>& found) {
  const fs::path table = folder / "sweep.csv";
  if (!fs::is_regular_file(table)) return false;
  read_table(table, "", [&](const TableRow& row) {
    const auto column = std::find(row.columns().begin(), row.columns().end(), "run");
    if (column == row.columns().end()) throw InputError(table.string() + ": has no column \"run\"; expected a sweep's");
    const fs::path run = folder / row.text(static_cast<std::size_t>(column - row.columns().begin()));
    if (is_result(run)) found.push_back(run);
  });
  return true;
}

// Runs of a search, not of one's own: tune's, a sweep's tuning, an advice.
bool is_search(const fs::path& folder) {
  return fs::exists(folder / "tried.csv") || fs::exists(folder / "advice.json");
}

void collect(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  if (is_result(folder)) {
    found.push_back(folder);
    return;
  }
  if (depth > 0 && is_search(folder)) return;
  if (collect_sweep(folder, found)) return;
  if (depth == deepest) return;
  std::vector<fs::path> inner;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    // Hidden ones are results that are being written.
    if (!entry.path().filename().string().starts_with('.') && entry.is_directory(error)) inner.push_back(entry.path());
  }
  std::sort(inner.begin(), inner.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  for (const fs::path& next : inner) collect(next, depth + 1, found);
}

// OUT/advise or OUT/tune.
bool holds_searches(const fs::path& folder) {
  std::error_code error;
  return std::ranges::any_of(fs::directory_iterator(folder, error),
                             [](const fs::directory_entry& entry) { return is_search(entry.path()); });
}

}  // namespace

std::vector<fs::path> find_results(const std::vector<std::string>& arguments) {
  std::vector<fs::path> results;
  std::set<fs::path> seen;
  for (const std::string& argument : arguments) {
    const bool one_of_several = arguments.size() > 1;  // as of "results/*"
    if (one_of_several && is_search(argument)) continue;
    std::vector<fs::path> found;
    if (fs::is_directory(argument)) collect(argument, 0, found);
    if (found.empty() && one_of_several && holds_searches(argument)) continue;
    if (found.empty()) {
      throw InputError(argument +
                       (fs::exists(argument) ? ": holds no finished result; expected a folder with run.json"
                                             : ": no such folder; expected one with run.json") +
                       ", or one above such folders");
    }
    for (const fs::path& folder : found) {
      if (seen.insert(fs::weakly_canonical(folder)).second) results.push_back(folder);
    }
  }
  if (results.empty() && !arguments.empty())
    throw InputError(arguments.front() + ": holds only runs of advise or tune; expected other results");
  return results;
}

}  // namespace ddl::results
