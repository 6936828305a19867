// Sites of a matrix: its rows, from a CSV file or listed, and the sites and links that they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/check.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/headed_table.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr TextFile matrix_file{"a CSV file", 16 << 20};
constexpr const char* columns[] = {"from", "to", "up", "down", "latency"};

SiteLink row_of(const HeadedTable& rows, const Place& place) {
  SiteLink row;
  row.from = rows.text(0);
  row.to = rows.text(1);
  const auto read = [&](std::size_t column, double& value, Dimension dimension, const Rule& rule) {
    const Place here{place.findings, fmt::format("{}: line {}: {}", place.path, rows.line(), columns[column])};
    if (rows.text(column).empty()) {
      return here.error(
          fmt::format("is empty; expected {} such as \"{}\"", dimension_name(dimension), example_of(dimension)));
    }
    read_quantity(rows.text(column), value, dimension, rule, here);
  };
  const Rule rate{.above = 0};
  read(2, row.up.value, Dimension::bandwidth, rate);
  if (!rows.text(3).empty()) read(3, row.down.emplace().value, Dimension::bandwidth, rate);
  read(4, row.latency.value, Dimension::time, {.at_least = 0});
  return row;
}

// Throws InputError without the file's name.
std::vector<SiteLink> rows_of(std::string_view text, const Place& place) {
  std::vector<SiteLink> links;
  HeadedTable rows(text, {fmt::format("{}", fmt::join(columns, ","))});
  while (rows.next()) links.push_back(row_of(rows, place));
  return links;
}

// A row's sites, whatever their order.
using Pair = std::pair<std::string, std::string>;
Pair pair_of(const std::string& one, const std::string& other) { return std::minmax(one, other); }

// The rows of the chosen sites, pair by pair in their order.
class Matrix {
 public:
  Matrix(const std::vector<SiteLink>& rows, const Place& place) : place_(place) {
    for (const SiteLink& row : rows) {
      for (const std::string& name : {row.from, row.to}) {
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
      }
      if (rows_.emplace(pair_of(row.from, row.to), row).second) continue;
      place_.error(fmt::format("has {} twice; expected each pair of sites once", told(row.from, row.to)));
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  void check_chosen(const std::vector<std::string>& sites, const Place& place) const {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (!seen.insert(sites[i]).second) {
        place.at(i).error(in_quotes(sites[i]) + " is named before; expected each site once");
      } else if (std::ranges::find(names_, sites[i]) == names_.end()) {
        place.at(i).error(in_quotes(sites[i]) + " is no site of the matrix; " +
                          nearest_or(sites[i], names_, "its sites are " + listed(names_)));
      }
    }
  }

  std::vector<SiteLink> rows_between(const std::vector<std::string>& sites) const {
    std::vector<SiteLink> kept;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      for (std::size_t j = i; j < sites.size(); ++j) {
        const auto found = rows_.find(pair_of(sites[i], sites[j]));
        if (found == rows_.end()) {
          place_.error(fmt::format("has no row for {}; expected one for each pair of sites, and for each with itself",
                                   told(sites[i], sites[j])));
          continue;
        }
        kept.push_back(found->second);
        kept.back().down = kept.back().back();
      }
    }
    return kept;
  }

 private:
  static std::string told(const std::string& one, const std::string& other) {
    return fmt::format("{} and {}", in_quotes(one), in_quotes(other));
  }

  const Place place_;
  std::vector<std::string> names_;  // in the order of the rows
  std::map<Pair, SiteLink> rows_;
};

std::map<std::string, SiteLink> inside_of(const std::vector<SiteLink>& rows) {
  std::map<std::string, SiteLink> inside;
  for (const SiteLink& row : rows) {
    if (row.from == row.to) inside.emplace(row.from, row);
  }
  return inside;
}

void check_rows(const std::vector<SiteLink>& rows, const Place& place) {
  const auto inside = inside_of(rows);
  for (const SiteLink& row : rows) {
    if (row.from == row.to) {
      if (row.back() == row.up) continue;
      place.error("has two rates inside " + in_quotes(row.from) + "; expected one, of each host's link, both ways");
    } else if (row.latency.value < (inside.at(row.from).latency.value + inside.at(row.to).latency.value) / 2) {
      place.error(
          fmt::format("has less latency from {} to {} than their hosts have to their routers, which is half of "
                      "that inside; expected no less",
                      in_quotes(row.from), in_quotes(row.to)));
    }
  }
}

}  // namespace

void read_matrix(Scenario& scenario, Findings& findings) {
  auto* regions = std::get_if<RegionsPlatform>(&scenario.platform.hosts);
  const Place platform{findings, "$.platform"};
  if (regions == nullptr || !findings.clean(platform.path)) return;
  Place place = platform.at(regions->matrix.empty() ? "links" : "matrix");
  if (!regions->matrix.empty()) {
    if (!regions->links.empty()) return place.error("is given beside \"links\"; expected one of them");
    const std::string path = resolve_path(scenario, regions->matrix);
    place.path += ": " + in_quotes(path);
    try {
      regions->links = rows_of(text_of_file(path, matrix_file), place);
    } catch (const InputError& error) {
      return place.error(error.what());
    }
    if (!findings.clean(platform.path)) return;
  }
  if (regions->links.empty()) {
    const std::string other = regions->matrix.empty() ? ", or a \"matrix\" of them" : "";
    return place.error("has no row; expected one for each pair of sites, and for each with itself" + other);
  }
  const Matrix matrix(regions->links, place);
  matrix.check_chosen(regions->sites, platform.at("sites"));
  if (regions->sites.empty()) regions->sites = matrix.names();
  if (!findings.clean(platform.path)) return;
  regions->links = matrix.rows_between(regions->sites);
  if (findings.clean(platform.path)) check_rows(regions->links, place);
  regions->matrix.clear();
}

SitesPlatform sites_of(const RegionsPlatform& regions) {
  SitesPlatform platform;
  platform.speed = regions.speed;
  const auto inside = inside_of(regions.links);
  for (const std::string& name : regions.sites) {
    const auto found = inside.find(name);
    const SiteLink row = found == inside.end() ? SiteLink() : found->second;
    const int servers = platform.sites.empty() ? regions.servers : 0;
    platform.sites.push_back({name, regions.workers_per_site, servers, row.up, row.latency});
  }
  for (SiteLink link : regions.links) {
    if (link.from == link.to || !inside.contains(link.from) || !inside.contains(link.to)) continue;
    const double to_routers_s = (inside.at(link.from).latency.value + inside.at(link.to).latency.value) / 2;
    link.latency.value = std::max(0.0, link.latency.value - to_routers_s);
    platform.links.push_back(std::move(link));
  }
  return platform;
}

}  // namespace ddl::scenario
