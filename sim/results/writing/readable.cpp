#include "sim/results/writing/readable.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/base/counted.hpp"

namespace ddl::results {
namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr Unit time_units[] = {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}};
constexpr Unit byte_units[] = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}};
constexpr Unit rate_units[] = {{1, "bit/s"}, {1e3, "kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}, {1e12, "Tbit/s"}};

// The largest unit that leaves at least one of it, after rounding to three digits; `units` ascend.
std::string with_unit(double value, std::span<const Unit> units) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const Unit* chosen = &units.front();
  for (const Unit& unit : units) {
    if (std::abs(value) >= 0.9995 * unit.size) chosen = &unit;
  }
  const double scaled = value / chosen->size;
  if (std::abs(scaled) >= 100) return fmt::format("{:.0f} {}", scaled, chosen->name);
  return fmt::format("{:.3g} {}", scaled, chosen->name);
}

}  // namespace

std::string readable_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  const std::span<const Unit> units(time_units);
  // Up to two minutes seconds read better than minutes.
  return with_unit(seconds, std::abs(seconds) < 120 ? units.first(3) : units);
}

std::string readable_bytes(double bytes) { return with_unit(bytes, byte_units); }

std::string readable_bits_per_s(double bytes_per_s) { return with_unit(8 * bytes_per_s, rate_units); }

std::string readable_share(double share) {
  const double percent = 100 * share;
  return std::abs(percent) < 9.95 && percent != 0 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string readable_count(double count) { return with_separators(fmt::format("{:.0f}", count)); }

}  // namespace ddl::results
