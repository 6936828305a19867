#include "sim/view/plots/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/check.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::view {
namespace {

constexpr double points_per_mm = 72 / 25.4;
constexpr double one_column_mm = 84, two_columns_mm = 174;  // as most journals have them
constexpr double screen_type = 14, paper_type = 8;

// Distances in units of the type's size.
constexpr double note_pitch = 2, pitch = 1.55, edge = 0.7, axis_label = 1.7, tick_label = 2.8, between = 3.2,
                 panel_title = 1.7, ticks_below = 2.4;
constexpr double sample = 2.4, sample_gap = 0.6, key_gap = 1.6, bar = 1.75;

std::size_t columns_for(std::size_t panels) { return panels <= 3 ? panels : panels == 4 ? 2 : 3; }

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

// What a layout is made of, in units of the canvas.
struct Parts {
  double type = 0;
  std::size_t columns = 1, rows = 1;
  double left = 0, right = 0, above = 0, below = 0;  // of all panels
  double beside = 0, over = 0;                       // between panels
  bool key_at_side = false;
  std::size_t key_columns = 1, key_rows = 0;
  double entry = 0;  // a legend's, its width
};

Parts parts_of(const Figure& figure, const Canvas& canvas, bool bars, bool screen) {
  Parts parts;
  const double type = parts.type = canvas.type;
  const std::size_t panels = figure.panels.size();
  parts.columns = canvas.width < 300 && !screen ? 1 : columns_for(panels);
  parts.rows = (panels + parts.columns - 1) / parts.columns;
  const double note = figure.note.empty() ? 0 : note_pitch * type;
  parts.left = type * (edge + (bars ? widest(figure.names) + 0.8 : axis_label + tick_label));
  parts.right = type * 1.4;
  parts.above = type * (edge + (figure.title.empty() ? 0 : pitch) + (panels > 1 ? panel_title : 0));
  parts.below = type * (edge + ticks_below + axis_label) + note;
  parts.beside = type * (bars ? 1.6 : between);
  parts.over = type * (ticks_below + (panels > 1 ? panel_title : 0) + 0.8);
  if (bars) return parts;
  parts.entry = type * (sample + sample_gap + widest(figure.names) + key_gap);
  parts.key_at_side = screen && panels == 1;
  if (parts.key_at_side) {
    parts.right += parts.entry;
    parts.key_rows = figure.names.size();
  } else {
    const double room = canvas.width - 2 * edge * type + key_gap * type;
    parts.key_columns = std::clamp<std::size_t>(static_cast<std::size_t>(room / parts.entry), 1, figure.names.size());
    parts.key_rows = (figure.names.size() + parts.key_columns - 1) / parts.key_columns;
    parts.below += type * (0.4 + pitch * static_cast<double>(parts.key_rows));
  }
  return parts;
}

void place_key(Layout& layout, const Parts& parts, std::size_t names, double note) {
  const Canvas& canvas = layout.canvas;
  const double type = parts.type;
  for (std::size_t i = 0; i < names; ++i) {
    double x = 0, y = 0;
    if (parts.key_at_side) {
      x = canvas.width - parts.entry + 0.2 * type;
      y = canvas.height - parts.above - type * (0.4 + pitch * static_cast<double>(i));
    } else {
      const std::size_t column = i % parts.key_columns, row = i / parts.key_columns;
      const double all = parts.entry * static_cast<double>(parts.key_columns) - key_gap * type;
      x = (canvas.width - all) / 2 + parts.entry * static_cast<double>(column);
      y = note + type * (edge + 0.4 + pitch * static_cast<double>(parts.key_rows - 1 - row));
    }
    layout.key.emplace_back(x / canvas.width, y / canvas.height);
  }
}

}  // namespace

double text_width(const std::string& text) { return 0.56 * static_cast<double>(results::columns_of(text)); }

Sheet sheet_of(const std::string& size, double width, double height) {
  if (size == "screen") return {{width, height, screen_type, false}, true};
  if (size == "one") return {{one_column_mm * points_per_mm, 0, paper_type, true}, true};
  if (size == "two") return {{two_columns_mm * points_per_mm, 0, paper_type, true}, true};
  double wide = 0, high = 0;
  char rest = 0;
  const int read = std::sscanf(size.c_str(), "%lfx%lf%c", &wide, &high, &rest);
  constexpr double least_mm = 20, most_mm = 1000;
  const auto fits = [](double mm) { return mm >= least_mm && mm <= most_mm; };
  if (read != 2 || !fits(wide) || !fits(high)) {
    throw InputError(
        "--size: " + scenario::in_quotes(size) +
        " is no size; expected screen, one or two (columns), or millimetres from 20 to 1000 such as 120x80");
  }
  return {{wide * points_per_mm, high * points_per_mm, paper_type, true}, false};
}

Layout layout_of(const Figure& figure, const std::string& size, bool bars) {
  const bool screen = size == "screen";
  const std::size_t panels = figure.panels.size(), names = figure.names.size();
  Sheet sheet = sheet_of(size, panels > 1 ? 400.0 * static_cast<double>(columns_for(panels)) : 620, 0);
  Canvas& canvas = sheet.canvas;
  Parts parts = parts_of(figure, canvas, bars, screen);
  const double type = parts.type;
  if (parts.key_at_side) canvas.width += parts.entry;
  const auto rows = static_cast<double>(parts.rows), columns = static_cast<double>(parts.columns);
  const double wide = (canvas.width - parts.left - parts.right - (columns - 1) * parts.beside) / columns;
  if (sheet.chooses_height) {
    const double shape = bars ? 0 : panels > 1 || canvas.width < 300 ? 0.72 : 0.6;
    double high = bars ? type * (0.6 + bar * static_cast<double>(names)) : shape * wide;
    if (parts.key_at_side) high = std::max(high, type * pitch * static_cast<double>(names));
    canvas.height = std::ceil(parts.above + parts.below + rows * high + (rows - 1) * parts.over);
  }
  const double high = (canvas.height - parts.above - parts.below - (rows - 1) * parts.over) / rows;
  if (wide < 3 * type || high < 3 * type) {
    throw InputError("--size: leaves no room for " + std::string(panels > 1 ? "these panels" : "the picture") +
                     " beside its labels");
  }
  Layout layout;
  layout.canvas = canvas;
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t column = panel % parts.columns, row = panel / parts.columns;
    const double left = parts.left + static_cast<double>(column) * (wide + parts.beside);
    const double top = canvas.height - parts.above - static_cast<double>(row) * (high + parts.over);
    layout.panels.push_back({left / canvas.width, (left + wide) / canvas.width, (top - high) / canvas.height,
                             top / canvas.height, column == 0, panel + parts.columns >= panels});
  }
  const double note = figure.note.empty() ? 0 : note_pitch * type;
  if (!bars) place_key(layout, parts, names, note);
  layout.key_length = sample * type / canvas.width;
  layout.key_gap = sample_gap * type / canvas.width;
  layout.y_label_x = 0.85 * type / canvas.width;
  layout.title_y = 1 - (edge + 0.5) * type / canvas.height;
  layout.note_x = edge * type / canvas.width;
  layout.note_y = (edge + 0.2) * type / canvas.height;
  return layout;
}

}  // namespace ddl::view
