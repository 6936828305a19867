#include "sim/scenario/files/read_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/check.hpp"
#include "sim/scenario/files/headed_table.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

// Beyond, run.json would be too large to be read as a scenario.
constexpr std::size_t most_points = 20000;
constexpr std::size_t most_bytes = 64 << 20;

Place place_of(std::size_t profile, Findings& findings) {
  return {findings, fmt::format("$.platform.profiles[{}]", profile)};
}

// Throws InputError without the file's name.
template <class Profile>
void read_points(std::string_view text, Profile& profile) {
  HeadedTable rows(text, {fmt::format("time_s,{}", Profile::column)});
  while (rows.next()) {
    const auto time_s = rows.number(0), value = rows.number(1);
    if (!time_s || !value || *time_s < 0) rows.refuse("is no point; expected a time and a value such as \"30,10\"");
    using Value = decltype(profile.points.front().value);
    const Rule& rule = value_rule<Value>;
    if (!within(*value, rule)) rows.refuse("is no point; expected a value" + range_of(rule));
    if (!profile.points.empty() && *time_s <= profile.points.back().at.value) {
      rows.refuse("is no point; expected a later time than before");
    }
    if (profile.points.size() == most_points) {
      throw InputError(fmt::format("has too many points; expected at most {}", most_points));
    }
    profile.points.push_back({{*time_s}, {*value * Profile::column_unit}});
  }
  if (profile.points.empty()) throw InputError("has no points; expected lines below its header");
}

// Mahimahi's lists of packets (Netravali et al., USENIX ATC 2015), as means over windows.
constexpr std::uint64_t window_ms = 100;
constexpr double packet_bytes = 1500;

bool is_packet_list(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

// Throws InputError without the file's name.
void read_packets(std::string_view text, BandwidthProfile& profile) {
  if (profile.repeat_every) throw InputError("is a list of packets, which repeats by itself; expected no repeat_every");
  std::vector<std::uint64_t> stamps;  // one per packet, in milliseconds
  data::CsvReader rows(text, "");
  while (rows.next()) {
    const std::string_view line = rows.row();
    std::uint64_t stamp = 0;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), stamp);
    const bool whole = problem == std::errc() && end == line.data() + line.size();
    if (!whole || (!stamps.empty() && stamp < stamps.back()) || stamp > most_points * window_ms) {
      rows.fail_in_row(fmt::format("{} is no packet; expected whole milliseconds, in order, up to {}", in_quotes(line),
                                   most_points * window_ms));
    }
    stamps.push_back(stamp);
  }
  const std::uint64_t period = stamps.back();
  if (period == 0) throw InputError("ends in its first instant; expected packets over some milliseconds");
  std::vector<double> packets((period - 1) / window_ms + 1);
  for (const std::uint64_t stamp : stamps) ++packets[std::min<std::size_t>(stamp / window_ms, packets.size() - 1)];
  for (std::size_t window = 0; window < packets.size(); ++window) {
    const std::uint64_t begin = window * window_ms;
    const double seconds = static_cast<double>(std::min(window_ms, period - begin)) / 1000;
    const double bytes_per_s = packets[window] * packet_bytes / seconds;
    if (!profile.points.empty() && profile.points.back().value.value == bytes_per_s) continue;
    profile.points.push_back({{static_cast<double>(begin) / 1000}, {bytes_per_s}});
  }
  profile.repeat_every = Seconds{static_cast<double>(period) / 1000};
}

template <class Profile>
void read_file(Profile& profile, const std::string& path, const Place& place) {
  try {
    const std::string text = text_of_file(path, {"a CSV file", most_bytes});
    if constexpr (std::is_same_v<Profile, BandwidthProfile>) {
      if (is_packet_list(text)) {
        read_packets(text, profile);
        profile.file.clear();
        return;
      }
    }
    read_points(text, profile);
    profile.file.clear();
  } catch (const InputError& error) {
    place.error(in_quotes(path) + ": " + error.what());
  }
}

template <class Value>
void check_points(const ProfileOf<Value>& profile, const Place& place) {
  const auto& points = profile.points;
  if (points.empty()) return place.at("points").error("is missing; expected a list of points, or a \"file\" of them");
  if (points.size() > most_points) {
    place.at("points").error(fmt::format("has {} points; expected at most {}", points.size(), most_points));
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].at > points[i - 1].at) continue;
    return place.at("points").at(i).at("at").error("is not after the point before; expected a later time");
  }
  if constexpr (std::is_same_v<Value, BytesPerSecond>) {
    if (points.back().value.value == 0 && !profile.repeat_every) {
      place.at("points").error("end with no bandwidth for ever; expected some at last, or \"repeat_every\"");
    }
  }
  if (!profile.repeat_every) return;
  if (*profile.repeat_every <= points.back().at) {
    place.at("repeat_every").error("is not after the last point; expected a longer time");
  }
  if (points.front().at.value > 0) {
    place.at("points").at(0).at("at").error("leaves the beginning of a repetition open; expected \"0s\"");
  }
}

}  // namespace

void read_profile_files(Scenario& scenario, Findings& findings) {
  auto& profiles = scenario.platform.profiles;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Place place = place_of(i, findings);
    std::visit(
        [&](auto& profile) {
          if (profile.file.empty() || !profile.points.empty()) return;
          read_file(profile, resolve_path(scenario, profile.file), place.at("file"));
        },
        profiles[i]);
  }
}

void check_profiles(const Scenario& scenario, Findings& findings) {
  for (std::size_t i = 0; i < scenario.platform.profiles.size(); ++i) {
    const Place place = place_of(i, findings);
    if (!findings.clean(place.path)) continue;
    std::visit([&](const auto& profile) { check_points(profile, place); }, scenario.platform.profiles[i]);
  }
}

}  // namespace ddl::scenario
