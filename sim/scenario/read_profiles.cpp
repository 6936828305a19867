#include "sim/scenario/read_profiles.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "sim/scenario/forms.hpp"
#include "sim/scenario/words.hpp"

namespace ddl {
namespace {

// Beyond, run.json would be too large to be read as a scenario.
constexpr std::size_t most_points = 20000;

Place place_of(std::size_t profile, Findings& findings) {
  return {findings, fmt::format("$.platform.profiles[{}]", profile)};
}

// A plain number and nothing else.
std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Profile>
void read_file(Profile& profile, const std::string& path, const Place& place) {
  const auto refuse = [&](const std::string& what) { place.error(in_quotes(path) + ": " + what); };
  const std::string header = fmt::format("time_s,{}", Profile::column);
  std::ifstream file(path);
  if (std::filesystem::is_directory(path) || !file) return refuse("cannot be read; expected a CSV file");
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1) {
      if (line != header) return refuse("line 1: " + in_quotes(line) + " is no header; expected " + in_quotes(header));
      continue;
    }
    const auto fail = [&](const std::string& expected) {
      refuse(fmt::format("line {}: {} is no point; expected {}", number, in_quotes(line), expected));
    };
    const std::size_t comma = line.find(',');
    const auto time_s = number_of(std::string_view(line).substr(0, comma));
    const auto value = comma == std::string::npos ? std::nullopt : number_of(std::string_view(line).substr(comma + 1));
    using Value = decltype(profile.points.front().value);
    const Rule& rule = value_rule<Value>;
    if (!time_s || !value || *time_s < 0) return fail("a time and a value such as \"30,10\"");
    if (!within(*value, rule)) return fail("a value" + range_of(rule));
    if (!profile.points.empty() && *time_s <= profile.points.back().at.value) return fail("a later time than before");
    if (profile.points.size() == most_points) return refuse(fmt::format("has more than {} points", most_points));
    profile.points.push_back({{*time_s}, {*value * Profile::column_unit}});
  }
  if (profile.points.empty()) return refuse("has no points; expected lines below " + in_quotes(header));
  profile.file.clear();
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
          if (profile.file.empty()) return;
          if (!profile.points.empty())
            return place.at("file").error("is given beside \"points\"; expected one of them");
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

}  // namespace ddl
