// Where values lie on an axis, and which of them are named.
#pragma once

#include <string>
#include <vector>

#include "sim/view/plots/picture.hpp"

namespace ddl::view {

// A value's unit for an axis: values are multiplied by `factor`.
struct Scale {
  double factor = 1;
  std::string unit;  // "" for a pure number
};
Scale time_scale(double most_s);
Scale byte_scale(double most);

enum class Spacing {
  linear,
  logarithmic,
  logarithmic_from_zero  // of 1 + the value: 0 has a place, too
};

struct Axis {
  std::string label;   // without its unit
  std::string column;  // in the data: "time_s"
  Scale scale{};
  double most = 0;  // at its end; 0: that of the data
  Spacing spacing = Spacing::linear;
  bool from_zero = true;        // a linear one
  std::vector<double> ticks{};  // these alone
  Limits limits{};

  double place(double value) const;  // of a value in the data's unit, as gnuplot draws it
};

// What an axis shows, in places.
struct Extent {
  double low = 0, high = 1;
  double share(double place) const { return (place - low) / (high - low); }
};

// Of what is drawn, in the data's unit.
struct Values {
  double low, high, least_positive;
  Values();
  void take(double value);
};

// `room` is left beyond the largest value, as a share. Throws InputError: a logarithmic axis from 0.
Extent extent_of(const Axis& axis, const Values& values, double room);

struct Tick {
  double place = 0;
  std::string text;  // empty: a mark alone
};
// Round values, as many as their texts have room for on an axis of `room`, in units of the type's size; below one
// another if `upright`.
std::vector<Tick> ticks_on(const Axis& axis, const Extent& extent, double room, bool upright);
// "set xtics ('' 1, '' 2)": the marks; a Pen writes the texts.
std::string tick_marks(char axis, const std::vector<Tick>& ticks);

}  // namespace ddl::view
