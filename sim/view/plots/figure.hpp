// A picture of series in one panel or several beside each other, the data it shows, and how it is laid out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/view/look.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {

// Of one series in one panel. All values in the units of the data; what is not known is nan.
struct Points {
  std::vector<double> x, y;
  std::vector<double> low, high;  // of the band or interval; empty: none
  std::size_t runs = 0;           // that are behind it
  std::string text;               // beside a bar: why it is missing
};

struct Panel {
  std::string title;            // empty where there is only one
  std::vector<Points> of_name;  // by series; without points where it has none here
};

// A value's unit for an axis: values are multiplied by `factor`.
struct Scale {
  double factor = 1;
  std::string unit;  // "" for a pure number
};
Scale time_scale(double most_s);
Scale byte_scale(double most);

struct Axis {
  std::string label;   // without its unit
  std::string column;  // in the data: "time_s"
  Scale scale{};
  double most = 0;  // at its end; 0: that of the data
  bool logarithmic = false;
  std::vector<double> ticks{};  // these alone; empty: gnuplot's choice
  Limits limits{};
};

enum class Shape {
  curve,     // lines with bands
  points,    // points with intervals, joined
  staircase  // cumulative shares
};

struct Figure {
  std::string title, note;         // the note says what bands and numbers of seeds are
  std::vector<std::string> names;  // of series, as the legend has them
  std::vector<Look> looks;
  std::vector<Panel> panels;
  Axis x, y;
  Shape shape = Shape::curve;
};

// Lines over an axis; writes the picture and, beside it, its data (data_file). Throws InputError.
void draw_lines(const Figure& figure, const PictureOptions& options);
// Horizontal bars of the x of each series, one below the other; `y` is not used. The same otherwise.
void draw_bars(const Figure& figure, const PictureOptions& options);

// "curves.svg" -> "curves.data.csv".
std::string data_file(const std::string& picture);

}  // namespace ddl::view
