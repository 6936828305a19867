// Texts and samples at places of a picture, as commands of gnuplot. Places are in the picture's units, from below at
// the left.
#pragma once

#include <string>
#include <vector>

#include "sim/view/look.hpp"
#include "sim/view/plots/gnuplot.hpp"

namespace ddl::view {

constexpr double line_pitch = 1.3;  // from line to line of a text, in units of its type's size
constexpr double small_type = 0.85;

class Pen {
 public:
  explicit Pen(const Canvas& canvas) : canvas_(canvas) {}

  enum class At { left, middle, right };
  struct Style {
    At at = At::left;
    double size = 1;  // of the type, over the picture's own
    bool soft = false;
    bool turned = false;   // reads upwards
    bool centred = false;  // of several lines not the first is there, but their middle
  };
  // The middle of the text's height is at y; of a turned text's, at x.
  void write(const std::string& text, double x, double y, const Style& style);
  // Below one another, the first at y; turned ones beside each other, the first at x.
  void write(const std::vector<std::string>& lines, double x, double y, const Style& style);

  // Of a legend, from x on.
  void line(double x, double y, double length, const Look& look, bool with_mark);
  void swatch(double x, double y, double side, const std::string& colour);

  std::string commands() const { return commands_; }

 private:
  std::string at(double x, double y) const;

  Canvas canvas_;
  std::string commands_;
  int objects_ = 0;
};

}  // namespace ddl::view
