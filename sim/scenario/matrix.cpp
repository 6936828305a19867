// Sites of a matrix: its rows, from a CSV file or listed, and the sites, links and windows that they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/headed_table.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr TextFile matrix_file{"a CSV file", 16 << 20};
constexpr double most_apart = 1.5;  // round trips there and back that differ by more are told
constexpr std::array link_columns = {"from", "to", "up", "down", "latency"};
constexpr std::array measured_columns = {"from", "to", "rate_mbps", "rtt_ms", "streams"};

Place cell(const HeadedTable& rows, const char* column, const Place& place) {
  return {place.findings, fmt::format("{}: line {}: {}", place.path, rows.line(), column)};
}

SiteLink link_in(const HeadedTable& rows, const Place& place) {
  SiteLink row;
  row.from = rows.text(0);
  row.to = rows.text(1);
  const auto read = [&](std::size_t column, double& value, Dimension dimension, const Rule& rule) {
    const Place here = cell(rows, link_columns[column], place);
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

Measurement measurement_in(const HeadedTable& rows, const Place& place) {
  const auto number = [&](std::size_t column, const char* expected, bool whole) {
    const double value = rows.number(column).value_or(0);
    if (value > 0 && value < 1e9 && (!whole || value == std::floor(value))) return value;
    cell(rows, measured_columns[column], place)
        .error(fmt::format("{} is none; expected {}", in_quotes(rows.text(column)), expected));
    return 1.0;
  };
  Measurement row{.from = rows.text(0), .to = rows.text(1)};
  row.rate.value = number(2, "a rate in Mbit/s, above 0", false) * 1e6 / 8;
  row.rtt.value = number(3, "a round trip in ms, above 0", false) / 1e3;
  row.streams = static_cast<int>(number(4, "a number of connections, such as 1", true));
  return row;
}

// A row's sites, whatever their order.
using Pair = std::pair<std::string, std::string>;
Pair pair_of(const std::string& one, const std::string& other) { return std::minmax(one, other); }
std::string told(const std::string& one, const std::string& other) {
  return fmt::format("{} and {}", in_quotes(one), in_quotes(other));
}

template <class Row>
std::vector<std::string> names_in(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    for (const std::string& name : {row.from, row.to}) {
      if (seen.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

void check_chosen(const std::vector<std::string>& sites, const std::vector<std::string>& names, const Place& place) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (!seen.insert(sites[i]).second) {
      place.at(i).error(in_quotes(sites[i]) + " is named before; expected each site once");
    } else if (std::ranges::find(names, sites[i]) == names.end()) {
      place.at(i).error(in_quotes(sites[i]) + " is no site of the matrix; " +
                        nearest_or(sites[i], names, "its sites are " + listed(names)));
    }
  }
}

// The rows of the chosen sites, pair by pair in their order.
template <class Row>
std::vector<Row> rows_between(const std::vector<Row>& rows, const std::vector<std::string>& sites, const Place& place) {
  std::map<Pair, std::vector<Row>> by_pair;
  for (const Row& row : rows) by_pair[pair_of(row.from, row.to)].push_back(row);
  std::vector<Row> kept;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (std::size_t j = i; j < sites.size(); ++j) {
      const auto found = by_pair.find(pair_of(sites[i], sites[j]));
      if (found == by_pair.end()) {
        place.error(fmt::format("has no row for {}; expected one for each pair of sites, and for each with itself",
                                told(sites[i], sites[j])));
      } else {
        kept.insert(kept.end(), found->second.begin(), found->second.end());
      }
    }
  }
  return kept;
}

std::map<std::string, SiteLink> inside_of(const std::vector<SiteLink>& rows) {
  std::map<std::string, SiteLink> inside;
  for (const SiteLink& row : rows) {
    if (row.from == row.to) inside.emplace(row.from, row);
  }
  return inside;
}

void check_repeated(const std::vector<SiteLink>& rows, const Place& place) {
  std::set<Pair> seen;
  for (const SiteLink& row : rows) {
    if (seen.insert(pair_of(row.from, row.to)).second) continue;
    place.error(fmt::format("has {} twice; expected each pair of sites once", told(row.from, row.to)));
  }
}
void check_repeated(const std::vector<Measurement>& rows, const Place& place) {
  std::set<std::tuple<std::string, std::string, int>> seen;
  for (const Measurement& row : rows) {
    if (seen.emplace(row.from, row.to, row.streams).second) continue;
    place.error(fmt::format("has {} from {} to {} twice; expected each number of streams once",
                            counted(row.streams, "stream"), in_quotes(row.from), in_quotes(row.to)));
  }
}

// A direction between two sites, as its lines say; those of the other where it has none, or none of several streams.
struct Direction {
  double bytes_per_s = 0, rtt_s = 0;  // one connection's
  double capacity = 0;                // 0: not measured
};
using Lines = std::map<Pair, std::vector<Measurement>>;  // from, to

std::optional<Direction> direction(const Lines& lines, const std::string& from, const std::string& to) {
  auto own = lines.find({from, to}), other = lines.find({to, from});
  if (own == lines.end()) own = other;
  if (own == lines.end()) return std::nullopt;
  const Measurement& least = *std::ranges::min_element(own->second, {}, &Measurement::streams);
  Direction direction{.bytes_per_s = least.rate.value / least.streams, .rtt_s = least.rtt.value};
  for (const auto& known : {own, other}) {
    if (known == lines.end() || direction.capacity > 0) continue;
    if (std::ranges::max(known->second, {}, &Measurement::streams).streams == 1) continue;
    direction.capacity = std::ranges::max(known->second, {}, &Measurement::rate).rate.value;
  }
  if (direction.capacity > 0) direction.capacity = std::max(direction.capacity, least.rate.value);
  return direction;
}

void check_rows(std::vector<SiteLink>& rows, const Place& place) {
  const auto inside = inside_of(rows);
  for (SiteLink& row : rows) {
    row.down = row.back();
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

void note_contradictions(std::vector<Measurement> lines, const Place& place) {
  std::ranges::sort(lines, {}, &Measurement::streams);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Measurement &few = lines[i - 1], &many = lines[i];
    if (many.rate.value >= few.rate.value) continue;
    place.note(
        fmt::format("contradicts itself from {} to {}: {} got {:.4g} Mbit/s, but {} only {:.4g}; the more is "
                    "taken for what the route carries",
                    in_quotes(few.from), in_quotes(few.to), counted(few.streams, "stream"), few.rate.value * 8 / 1e6,
                    counted(many.streams, "stream"), many.rate.value * 8 / 1e6));
  }
}

// Round trips there and back are one time, measured twice.
void note_contradictions(const Lines& lines, const Place& place) {
  for (const auto& [ends, there] : lines) {
    note_contradictions(there, place);
    const auto back = lines.find({ends.second, ends.first});
    if (back == lines.end() || ends.first >= ends.second) continue;
    const double one_s = direction(lines, ends.first, ends.second)->rtt_s;
    const double other_s = direction(lines, ends.second, ends.first)->rtt_s;
    if (std::max(one_s, other_s) <= most_apart * std::min(one_s, other_s)) continue;
    place.note(
        fmt::format("contradicts itself: a round trip takes {:.4g} ms from {} to {}, but {:.4g} ms from there; "
                    "their mean is taken",
                    one_s * 1e3, in_quotes(ends.first), in_quotes(ends.second), other_s * 1e3));
  }
}

void check_rows(std::vector<Measurement>& rows, const Place& place) {
  Lines lines;
  for (const Measurement& row : rows) lines[{row.from, row.to}].push_back(row);
  note_contradictions(lines, place);
  const auto to_router_s = [&](const std::string& site) { return direction(lines, site, site)->rtt_s / 2; };
  for (const Measurement& row : rows) {
    if (row.from == row.to || row.rtt.value >= to_router_s(row.from) + to_router_s(row.to)) continue;
    place.error(
        fmt::format("has a shorter round trip from {} to {} than their hosts have to their routers, which is "
                    "half of that inside; expected no less",
                    in_quotes(row.from), in_quotes(row.to)));
  }
}

// A platform's rows, their key, and how a line of a file is read.
struct Links {
  static constexpr const auto& columns = link_columns;
  static constexpr const char* key = "links";
  static auto& rows(RegionsPlatform& platform) { return platform.links; }
  static SiteLink row(const HeadedTable& rows, const Place& place) { return link_in(rows, place); }
};
struct Connections {
  static constexpr const auto& columns = measured_columns;
  static constexpr const char* key = "connections";
  static auto& rows(MeasuredPlatform& platform) { return platform.connections; }
  static Measurement row(const HeadedTable& rows, const Place& place) { return measurement_in(rows, place); }
};

template <class Of, class Hosts>
void read_rows(Hosts& hosts, const Scenario& scenario, const Place& platform) {
  auto& rows = Of::rows(hosts);
  Place place = platform.at(hosts.matrix.empty() ? Of::key : "matrix");
  const std::string key = in_quotes(Of::key);
  if (!hosts.matrix.empty()) {
    if (!rows.empty()) return place.error("is given beside " + key + "; expected one of them");
    const std::string path = resolve_path(scenario, hosts.matrix);
    place.path += ": " + in_quotes(path);
    try {
      const std::string text = text_of_file(path, matrix_file);
      HeadedTable table(text, {fmt::format("{}", fmt::join(Of::columns, ","))});
      while (table.next()) rows.push_back(Of::row(table, place));
    } catch (const InputError& error) {
      return place.error(error.what());
    }
    if (!platform.findings.clean(platform.path)) return;
  }
  if (rows.empty()) {
    const std::string other = hosts.matrix.empty() ? ", or a \"matrix\" of them" : "";
    return place.error("has no row; expected one for each pair of sites, and for each with itself" + other);
  }
  check_repeated(rows, place);
  const std::vector<std::string> names = names_in(rows);
  check_chosen(hosts.sites, names, platform.at("sites"));
  if (hosts.sites.empty()) hosts.sites = names;
  if (hosts.sites.size() > most_sites) return;  // a check reports it
  if (!platform.findings.clean(platform.path)) return;
  rows = rows_between(rows, hosts.sites, place);
  if (platform.findings.clean(platform.path)) check_rows(rows, place);
  const auto* list = std::get_if<std::vector<int>>(&hosts.workers_per_site.is);
  if (list != nullptr && list->size() != hosts.sites.size()) {
    platform.at("workers_per_site")
        .error(fmt::format("has {} for {}; expected one for each site, or one number",
                           counted(static_cast<std::int64_t>(list->size()), "count"),
                           counted(static_cast<std::int64_t>(hosts.sites.size()), "site")));
  }
  hosts.matrix.clear();
}

// Without its hosts' links and latency.
Site site_of(const MatrixPlatform& matrix, std::size_t at) {
  return {.name = matrix.sites[at], .workers = matrix.workers_per_site.of(at), .servers = at == 0 ? matrix.servers : 0};
}

}  // namespace

int WorkersPerSite::of(std::size_t site) const {
  if (const int* all = std::get_if<int>(&is)) return *all;
  const auto& list = std::get<std::vector<int>>(is);
  return site < list.size() ? list[site] : 0;
}

void read_matrix(Scenario& scenario, Findings& findings) {
  const Place platform{findings, "$.platform"};
  if (!findings.clean(platform.path)) return;
  if (auto* regions = std::get_if<RegionsPlatform>(&scenario.platform.hosts)) {
    read_rows<Links>(*regions, scenario, platform);
  } else if (auto* measured = std::get_if<MeasuredPlatform>(&scenario.platform.hosts)) {
    read_rows<Connections>(*measured, scenario, platform);
  }
}

SitesPlatform sites_of(const RegionsPlatform& regions) {
  SitesPlatform platform;
  platform.speed = regions.speed;
  const auto inside = inside_of(regions.links);
  for (std::size_t at = 0; at < regions.sites.size(); ++at) {
    platform.sites.push_back(site_of(regions, at));
    const auto found = inside.find(regions.sites[at]);
    const SiteLink row = found == inside.end() ? SiteLink() : found->second;
    platform.sites.back().bandwidth = row.up;
    platform.sites.back().latency = row.latency;
  }
  for (SiteLink link : regions.links) {
    if (link.from == link.to || !inside.contains(link.from) || !inside.contains(link.to)) continue;
    const double to_routers_s = (inside.at(link.from).latency.value + inside.at(link.to).latency.value) / 2;
    link.latency.value = std::max(0.0, link.latency.value - to_routers_s);
    platform.links.push_back(std::move(link));
  }
  return platform;
}

SitesPlatform sites_of(const MeasuredPlatform& measured) {
  SitesPlatform platform;
  platform.speed = measured.speed;
  Lines lines;
  for (const Measurement& line : measured.connections) lines[{line.from, line.to}].push_back(line);
  std::vector<double> hosts_rate;  // by site: all its hosts'
  for (std::size_t at = 0; at < measured.sites.size(); ++at) {
    Site& site = platform.sites.emplace_back(site_of(measured, at));
    const auto inside = lines.find({site.name, site.name});
    if (inside != lines.end()) {
      site.bandwidth = std::ranges::max(inside->second, {}, &Measurement::rate).rate;
      site.latency.value = direction(lines, site.name, site.name)->rtt_s / 2;
    }
    hosts_rate.push_back((site.workers + site.servers) * site.bandwidth.value);
  }
  const std::size_t sites = measured.sites.size();
  platform.windows.assign(sites, std::vector<double>(sites));
  for (std::size_t i = 0; i < sites; ++i) {
    for (std::size_t j = i + 1; j < sites; ++j) {
      const Site &from = platform.sites[i], &to = platform.sites[j];
      const auto there = direction(lines, from.name, to.name), back = direction(lines, to.name, from.name);
      if (!there || !back) continue;
      // Both directions have one round trip, the mean of two that were measured.
      const double rtt_s = (there->rtt_s + back->rtt_s) / 2, unbound = std::min(hosts_rate[i], hosts_rate[j]);
      const double between_routers_s = (rtt_s - from.latency.value - to.latency.value) / 2;
      platform.links.push_back({.from = from.name,
                                .to = to.name,
                                .up = {there->capacity > 0 ? there->capacity : unbound},
                                .down = BytesPerSecond{back->capacity > 0 ? back->capacity : unbound},
                                .latency = {std::max(0.0, between_routers_s)}});
      platform.windows[i][j] = there->bytes_per_s * rtt_s;
      platform.windows[j][i] = back->bytes_per_s * rtt_s;
    }
  }
  return platform;
}

}  // namespace ddl::scenario
