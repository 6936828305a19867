// Where the parts of a picture lie: panels, legend, title and note. Type is of one size, whatever the picture's. Every
// text is measured, broken into lines, and given the room that it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/view/plots/axis.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/legend.hpp"
#include "sim/view/plots/pen.hpp"

namespace ddl::view {

// An axis of numbers, and what it shows.
struct Ruler {
  Axis axis;
  Extent extent;
};

// What is to be laid out.
struct Content {
  std::string title, note;
  std::vector<std::string> panel_titles = {""};  // by panel
  std::vector<std::string> x_labels, y_labels;   // the first that has room is written, otherwise the last in lines
  std::optional<Ruler> x, y;
  std::vector<std::string> columns, rows;  // names instead of an axis of numbers, from the left and from above
  std::vector<Key> keys;
  double width = 620;        // on a screen, without a legend beside the panel
  double shape = 0.6;        // a panel's height over its width, unless it has rows
  double row_height = 0;     // at least, in units of the type's size, as all here
  double column_width = 0;   // on a screen, at least
  double room_at_right = 0;  // for what is drawn beside the panel
};

// From below at the left, in the picture's units.
struct Box {
  double left = 0, right = 0, bottom = 0, top = 0;
};

class Layout {
 public:
  // `size`: "screen", "one", "two" (columns), "120x80". Throws InputError: it is no size, or leaves no room.
  Layout(Content content, const std::string& size);

  const Canvas& canvas() const { return canvas_; }
  const std::vector<Box>& panels() const { return panels_; }
  // Other texts can be added.
  Pen& pen() { return *pen_; }
  // For gnuplot: all texts, the places of the panels, the ends of axes and their marks.
  std::string definitions() const;

 private:
  void take_sheet(const std::string& size);
  void measure();
  void measure_below();
  void place_panels();
  void write_around();
  void write_panel(std::size_t panel);
  void write_columns(const Box& box);
  double type(double units) const { return units * canvas_.type; }
  // How many units of the type's size a length has.
  double units(double length) const { return length / canvas_.type; }
  double high_by_itself() const;
  double cell_width() const { return wide_ / static_cast<double>(content_.columns.size()); }

  Content content_;
  Canvas canvas_;
  bool chooses_height_ = true, is_screen_ = false, key_at_side_ = false, columns_turned_ = false;
  std::size_t columns_ = 1, rows_ = 1;                   // of panels
  double left_ = 0, right_ = 0, above_ = 0, below_ = 0;  // of all panels
  double beside_ = 0, over_ = 0, wide_ = 0, high_ = 0;   // between panels, and of each
  double key_top_ = 0, row_pitch_ = 0, numbers_below_ = 0;
  std::vector<Legend> legends_;
  std::vector<std::string> title_, note_, x_label_, y_label_;  // in lines
  std::vector<std::vector<std::string>> panel_titles_, row_names_;
  std::vector<Tick> x_ticks_, y_ticks_;
  std::vector<Box> panels_;
  std::optional<Pen> pen_;
};

}  // namespace ddl::view
