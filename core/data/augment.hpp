// What training images undergo when minibatches draw them.
#pragma once

#include "core/base/rng.hpp"

namespace ddl::data {

// Which part of an image within a border of black pixels is taken, and whether it is flipped then.
struct Crop {
  static constexpr int border = 4;               // pixels on each side
  static constexpr int places = 2 * border + 1;  // of an edge
  int row = border, column = border;             // of its upper left corner, counted with the border: 0 to 8
  bool flipped = false;                          // left and right
};

// All 9 x 9 x 2 crops are equally likely; takes one number below 162, row by row, column by column, flipped last.
Crop draw_crop(Stream& random);

}  // namespace ddl::data
