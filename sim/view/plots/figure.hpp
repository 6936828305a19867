// A picture of series in one panel or several beside each other, and the data it shows.
#pragma once

#include <string>
#include <vector>

#include "sim/view/look.hpp"
#include "sim/view/plots/axis.hpp"
#include "sim/view/plots/legend.hpp"
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

enum class Shape {
  curve,     // lines with bands
  points,    // points with intervals, joined
  staircase  // cumulative shares
};

struct Figure {
  std::string title, note;         // the note says what bands and numbers of seeds are
  std::vector<std::string> names;  // of series
  std::vector<Look> looks;
  std::vector<Key> keys;  // two, or none: the legend is of the names
  std::vector<Panel> panels;
  Axis x, y;
  Shape shape = Shape::curve;

  // To the note, after what it says already.
  void tell(const std::string& text) { note += (note.empty() ? "" : "; ") + text; }
  // About a series: beside its name, or in the note where the legend has no whole names.
  void tell_of(std::size_t name, const std::string& text);
};

// Lines over an axis; writes the picture and, beside it, its data (data_file). Throws InputError.
void draw_lines(const Figure& figure, const PictureOptions& options);
// Horizontal bars of the x of each series, one below the other; `y` is not used. The same otherwise.
void draw_bars(const Figure& figure, const PictureOptions& options);

// "curves.svg" -> "curves.data.csv".
std::string data_file(const std::string& picture);

}  // namespace ddl::view
