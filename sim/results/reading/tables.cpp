#include "sim/results/reading/tables.hpp"

#include "sim/results/reading/table_reader.hpp"
#include "sim/results/writing/csv.hpp"

namespace ddl::results {

void read_curve(const std::filesystem::path& folder, const std::function<void(const experiment::CurveRow&)>& use) {
  read_table(folder / "curve.csv", curve_header, [&](const TableRow& row) {
    use({row.number(0), row.text(1), row.number(2), row.number(3), row.number(4), row.number(5), row.number_if_any(6),
         row.number(7), row.number(8)});
  });
}

bool read_steps(const std::filesystem::path& folder, const std::function<void(const FinishedStep&)>& use) {
  const std::filesystem::path file = folder / "iterations.csv";
  if (!std::filesystem::exists(file)) return false;
  read_table(file, iterations_header, [&](const TableRow& row) {
    use({row.text(0), row.whole(1), row.number(2), row.number(3), row.number(4), row.number(5), row.number_if_any(6),
         row.number(7)});
  });
  return true;
}

void read_traffic(const std::filesystem::path& folder, const std::function<void(const experiment::TrafficRow&)>& use) {
  read_table(folder / "traffic.csv", traffic_header, [&](const TableRow& row) {
    use({row.text(0), row.text(1), row.number(2), row.number(3)});
  });
}

void read_pairs(const std::filesystem::path& folder, const std::function<void(const PairTraffic&)>& use) {
  read_table(folder / "pairs.csv", pairs_header, [&](const TableRow& row) {
    use({row.text(0), row.text(1), row.whole(2), row.number(3)});
  });
}

bool read_links(const std::filesystem::path& folder, const std::function<void(const LinkPeriod&)>& use) {
  const std::filesystem::path file = folder / "links.csv";
  if (!std::filesystem::exists(file)) return false;
  read_table(file, links_header, [&](const TableRow& row) {
    use({row.text(0), row.text(1), row.number(2), row.number(3), row.number(4)});
  });
  return true;
}

}  // namespace ddl::results
