// Random changes to training images when minibatches draw them.
#pragma once

#include "core/base/rng.hpp"

namespace ddl::data {

// A crop of an image with a border of black pixels, and whether it is then flipped.
struct Crop {
  static constexpr int border = 4;               // pixels on each side
  static constexpr int places = 2 * border + 1;  // possible positions along an edge
  int row = border, column = border;             // its upper left corner, counted with the border: 0 to 8
  bool flipped = false;                          // left and right
};

// All 9 x 9 x 2 crops are equally likely; takes one number below 162, row by row, column by column, flipped last.
Crop draw_crop(Stream& random);

}  // namespace ddl::data
