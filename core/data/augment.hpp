// What training images undergo when minibatches draw them.
#pragma once

#include "core/base/rng.hpp"

namespace ddl::data {

// An image cut from itself within a border of black pixels, and then mirrored or not.
struct Cut {
  static constexpr int border = 4;               // pixels on each side
  static constexpr int places = 2 * border + 1;  // of an edge
  int row = border, column = border;             // of its upper left corner, counted with the border: 0 to 8
  bool mirrored = false;                         // left and right
};

// All 9 x 9 x 2 cuts are equally likely; takes one number below 162, row by row, column by column, mirrored last.
Cut draw_cut(Stream& random);

}  // namespace ddl::data
