// Bandwidths, latencies and speeds over simulated time, written out or taken from a CSV file.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "sim/scenario/link_direction.hpp"

namespace ddl::scenario {

// From `at` on, until the next point.
template <class Value>
struct ProfilePoint {
  Seconds at{-1};  // required
  Value value{-1};
};

// Before the first point the platform's own value holds; after the last point, the last value.
template <class Value>
struct ProfileOf {
  std::vector<ProfilePoint<Value>> points;  // times increase
  std::string file;                         // source of points, relative to the scenario; empty once it is read
  std::optional<Seconds> repeat_every;      // the points repeat; the first is then at 0 s
};

struct BandwidthProfile : ProfileOf<BytesPerSecond> {
  static constexpr const char* tag = "bandwidth";
  static constexpr const char* column = "bandwidth_bps";  // bits, in a file
  static constexpr double column_unit = 1.0 / 8;
  std::string link;  // as in traffic.csv
  LinkDirection direction = LinkDirection::both;
};

// For messages that start from then on.
struct LatencyProfile : ProfileOf<Seconds> {
  static constexpr const char* tag = "latency";
  static constexpr const char* column = "latency_s";
  static constexpr double column_unit = 1;
  std::string link;
  LinkDirection direction = LinkDirection::both;
};

// Relative to the host's own speed: at half of it, computations take twice as long.
struct SpeedProfile : ProfileOf<FlopsPerSecond> {
  static constexpr const char* tag = "speed";
  static constexpr const char* column = "speed_flops";
  static constexpr double column_unit = 1;
  std::string host;
};

using Profile = std::variant<BandwidthProfile, LatencyProfile, SpeedProfile>;

}  // namespace ddl::scenario

template <>
inline constexpr std::string_view ddl::tag_key<ddl::scenario::Profile> = "quantity";

namespace ddl::scenario {

// The range of a profile's values. A speed must be positive, because a host without speed would never finish.
template <class Value>
inline constexpr Rule value_rule = {.doc = "from then on; a bandwidth of 0: messages wait", .at_least = 0};
template <>
inline constexpr Rule value_rule<Seconds> = {.doc = "from then on, one way", .at_least = 0};
template <>
inline constexpr Rule value_rule<FlopsPerSecond> = {.doc = "from then on", .above = 0};

template <class Value>
inline constexpr const char* file_doc =
    "CSV file of points instead, with the header time_s,bandwidth_bps (in bits), or Mahimahi's list of packets: a line "
    "is a millisecond in which 1,500 bytes may leave, and after the last the list repeats; taken as means over 100 ms; "
    "its path is relative to the scenario";
template <>
inline constexpr const char* file_doc<Seconds> =
    "CSV file of points instead, with the header time_s,latency_s; its path is relative to the scenario";
template <>
inline constexpr const char* file_doc<FlopsPerSecond> =
    "CSV file of points instead, with the header time_s,speed_flops; its path is relative to the scenario";

template <class Visitor, class Value>
void fields(Visitor& visit, ProfilePoint<Value>& point) {
  visit("at", point.at, Rule{.doc = "simulated time, or time within a repetition", .at_least = 0});
  visit("value", point.value, value_rule<Value>);
}
template <class Visitor, class Value>
void fields_of_points(Visitor& visit, ProfileOf<Value>& profile) {
  visit("points", profile.points, Rule{.doc = "values over time, times increasing"});
  visit("file", profile.file, Rule{.doc = file_doc<Value>, .is_setting = false});
  visit("repeat_every", profile.repeat_every, Rule{.doc = "the points repeat after this time", .at_least = 1e-3});
  visit.relation("file", Relation::excludes, "points");
}
template <class Visitor, class Value>
requires std::is_same_v<Value, BandwidthProfile> || std::is_same_v<Value, LatencyProfile>
void fields(Visitor& visit, Value& profile) {
  visit("link", profile.link, Rule{.doc = "name of the link, as in traffic.csv"});
  visit("direction", profile.direction, Rule{.doc = "which half of a full-duplex link"});
  fields_of_points(visit, profile);
}
template <class Visitor>
void fields(Visitor& visit, SpeedProfile& profile) {
  visit("host", profile.host, Rule{.doc = "name of the host"});
  fields_of_points(visit, profile);
}

}  // namespace ddl::scenario
