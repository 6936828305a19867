// Where the parts of a picture lie: panels, legend, title and note. Type is of one size, whatever the picture's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/gnuplot.hpp"

namespace ddl::view {

// What `size` asks for ("screen", "one", "two", "120x80"), and whether the height is its own to choose. A screen's is
// `width` by `height`. Throws InputError.
struct Sheet {
  Canvas canvas;
  bool chooses_height = true;
};
Sheet sheet_of(const std::string& size, double width, double height);

// All places are shares of the picture's width and height, from below.
struct Layout {
  Canvas canvas;
  struct Box {
    double left = 0, right = 0, bottom = 0, top = 0;
    bool is_first = false, is_lowest = false;  // in its row, in its column
  };
  std::vector<Box> panels;
  std::vector<std::pair<double, double>> key;  // where the sample of each series starts; none: no legend
  double key_length = 0, key_gap = 0, title_y = 0, note_x = 0, note_y = 0;
  double y_label_x = 0;  // the middle of the label of the y axis, which is turned
};

// `bars`: series lie below one another, with their names at the left instead of a legend.
Layout layout_of(const Figure& figure, const std::string& size, bool bars);

// About how wide the text is, in units of its type's size.
double text_width(const std::string& text);

}  // namespace ddl::view
