#include "sim/view/plots/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "sim/view/plots/type.hpp"

namespace ddl::view {
namespace {

// In the axis's own unit.
double placed(Spacing spacing, double number) {
  return spacing == Spacing::linear ? number : std::log10(spacing == Spacing::logarithmic ? number : 1 + number);
}

double number_at(Spacing spacing, double place) {
  return spacing == Spacing::linear ? place : std::pow(10, place) - (spacing == Spacing::logarithmic ? 0 : 1);
}

constexpr double slack = 1e-9;  // of the axis's length: a tick at its very end is on it

std::string number_text(double number) { return fmt::format("{:.10g}", number); }

class Candidates {
 public:
  Candidates(const Axis& axis, const Extent& extent) : axis_(axis), extent_(extent) {
    low_ = number_at(axis.spacing, extent.low);
    high_ = number_at(axis.spacing, extent.high);
  }

  // Multiples of 1, 2 or 5 times a power of ten, `coarser` steps away from some ten of them.
  std::vector<Tick> even(int coarser) const {
    constexpr double many = 10;
    const double digits[] = {1, 2, 5};
    int power = static_cast<int>(std::floor(std::log10((high_ - low_) / many)));
    int digit = 0;
    const auto step = [&] { return digits[digit] * std::pow(10, power); };
    for (int left = coarser; step() * many < (high_ - low_) * (1 - slack) || left-- > 0;) {
      if (++digit == 3) digit = 0, ++power;
    }
    const double by = step();
    const double first = std::ceil(low_ / by - slack) + 0.0;  // not -0
    std::vector<Tick> ticks;
    for (double i = first; i * by <= high_ + slack * (high_ - low_); ++i) add(ticks, i * by, true);
    return ticks;
  }

  // Of each power of ten these multiples; those between are marks alone.
  std::vector<Tick> decades(const std::vector<int>& named, int every) const {
    std::vector<Tick> ticks;
    const bool from_zero = axis_.spacing == Spacing::logarithmic_from_zero;
    if (from_zero) add(ticks, 0, true);
    const double least = from_zero ? 1 : low_;
    for (int power = static_cast<int>(std::floor(std::log10(least))); std::pow(10, power) <= high_ * (1 + slack);
         ++power) {
      for (int digit = 1; digit <= 9; ++digit) {
        const bool is_named = power % every == 0 && std::ranges::find(named, digit) != named.end();
        if (every == 1 || digit == 1) add(ticks, digit * std::pow(10, power), is_named);
      }
    }
    return ticks;
  }

 private:
  void add(std::vector<Tick>& ticks, double number, bool is_named) const {
    const double place = placed(axis_.spacing, number), share = extent_.share(place);
    if (std::isfinite(place) && share >= -slack && share <= 1 + slack)
      ticks.push_back({place, is_named ? number_text(number) : ""});
  }

  const Axis& axis_;
  Extent extent_;
  double low_ = 0, high_ = 1;
};

std::size_t named_ticks(const std::vector<Tick>& ticks) {
  return static_cast<std::size_t>(std::ranges::count_if(ticks, [](const Tick& tick) { return !tick.text.empty(); }));
}

bool have_room(const Tick& one, const Tick& other, const Extent& extent, double room, bool upright) {
  constexpr double between = 0.8;
  const double needed = upright ? 2.2 : (text_width(one.text) + text_width(other.text)) / 2 + between;
  return std::fabs(extent.share(one.place) - extent.share(other.place)) * room >= needed;
}

bool fit(const std::vector<Tick>& ticks, const Extent& extent, double room, bool upright) {
  const Tick* last = nullptr;
  for (const Tick& tick : ticks) {
    if (tick.text.empty()) continue;
    if (last != nullptr && !have_room(*last, tick, extent, room, upright)) return false;
    last = &tick;
  }
  return true;
}

// The largest are named, and of the others those that have room.
std::vector<Tick> given(const Axis& axis, const Extent& extent, double room) {
  std::vector<Tick> ticks;
  for (const double value : axis.ticks) {
    ticks.push_back({axis.place(value), number_text(value * axis.scale.factor)});
    const double share = extent.share(ticks.back().place);
    if (share < -slack || share > 1 + slack) ticks.pop_back();
  }
  for (std::size_t i = ticks.size(), last = i; i-- > 0;) {
    if (last < ticks.size() && !have_room(ticks[i], ticks[last], extent, room, false)) {
      ticks[i].text.clear();
    } else {
      last = i;
    }
  }
  return ticks;
}

}  // namespace

Scale time_scale(double most_s) {
  if (!(most_s > 0)) return {1, "s"};
  return most_s < 1e-3    ? Scale{1e6, "µs"}
         : most_s < 1     ? Scale{1e3, "ms"}
         : most_s <= 7200 ? Scale{1, "s"}
                          : Scale{1 / 3600.0, "h"};
}

Scale byte_scale(double most) {
  if (most < 1e6) return {1e-3, "kB"};
  return most < 1e9 ? Scale{1e-6, "MB"} : most < 1e12 ? Scale{1e-9, "GB"} : Scale{1e-12, "TB"};
}

double Axis::place(double value) const { return placed(spacing, value * scale.factor); }

Values::Values()
    : low(std::numeric_limits<double>::infinity()),
      high(-std::numeric_limits<double>::infinity()),
      least_positive(std::numeric_limits<double>::infinity()) {}

void Values::take(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
  if (value > 0) least_positive = std::min(least_positive, value);
}

Extent extent_of(const Axis& axis, const Values& values, double room) {
  const bool any = std::isfinite(values.high), is_linear = axis.spacing == Spacing::linear;
  double high = any ? values.high * (1 + room) : 1, low = 0;
  if (is_linear && !axis.from_zero && any) low = std::max(0.0, values.low - room * (values.high - values.low));
  if (axis.spacing == Spacing::logarithmic) {
    low = std::isfinite(values.least_positive) ? values.least_positive / (1 + room) : high / 10;
  }
  if (axis.most > 0) high = std::min(high, axis.most);
  const auto widen = [&] {
    if (high <= low) high = low + std::max(1.0, 1e-3 * std::abs(low));
  };
  widen();
  low = axis.limits.low.value_or(low * axis.scale.factor);
  high = axis.limits.high.value_or(high * axis.scale.factor);
  widen();
  // A double tells no ticks apart within less.
  if (high - low < 1e-9 * std::abs(high))
    throw InputError(fmt::format("the axis from {} to {} is too short", low, high));
  if (axis.spacing == Spacing::logarithmic && low <= 0) throw InputError("a logarithmic axis starts above 0");
  if (axis.spacing == Spacing::logarithmic_from_zero && low < 0) throw InputError("the axis starts at 0 or above");
  return {placed(axis.spacing, low), placed(axis.spacing, high)};
}

std::vector<Tick> ticks_on(const Axis& axis, const Extent& extent, double room, bool upright) {
  if (!axis.ticks.empty()) return given(axis, extent, room);
  const Candidates candidates(axis, extent);
  if (axis.spacing != Spacing::linear) {
    const std::pair<std::vector<int>, int> choices[] = {{{1, 2, 5}, 1}, {{1, 3}, 1}, {{1}, 1},
                                                        {{1}, 2},       {{1}, 3},    {{1}, 5}};
    for (const auto& [digits, every] : choices) {
      std::vector<Tick> ticks = candidates.decades(digits, every);
      constexpr std::size_t few = 3;
      if (named_ticks(ticks) < few) break;  // within a decade or so
      if (fit(ticks, extent, room, upright)) return ticks;
    }
  }
  for (int coarser = 0;; ++coarser) {
    std::vector<Tick> ticks = candidates.even(coarser);
    if (fit(ticks, extent, room, upright)) return ticks;
  }
}

std::string tick_marks(char axis, const std::vector<Tick>& ticks) {
  std::string list;
  for (const Tick& tick : ticks) {
    list += fmt::format("{}'' {}{}", list.empty() ? "" : ", ", tick.place, tick.text.empty() ? " 1" : "");
  }
  return fmt::format("set {}tics ({})\n", axis, list);
}

}  // namespace ddl::view
