#include "sim/view/plots/figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/check.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/layout.hpp"

namespace ddl::view {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  double least_positive = std::numeric_limits<double>::infinity();

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    if (value > 0) least_positive = std::min(least_positive, value);
  }
};

// Of all panels, so that they can be compared.
Range range_of(const Figure& figure, const std::vector<double> Points::*values, bool with_intervals) {
  Range range;
  for (const Panel& panel : figure.panels) {
    for (const Points& points : panel.of_name) {
      for (const double value : points.*values) range.take(value);
      if (!with_intervals) continue;
      for (const double value : points.low) range.take(value);
      for (const double value : points.high) range.take(value);
    }
  }
  return range;
}

constexpr double nothing = 0;

// The axis from where to where, in its units, as gnuplot reads it.
std::string gnuplot_range(const Axis& axis, const Range& range, double room) {
  const double factor = axis.scale.factor;
  double low = nothing, high = std::isfinite(range.high) ? range.high * (1 + room) : 1;
  if (axis.logarithmic) low = std::isfinite(range.least_positive) ? range.least_positive : high / 10;
  if (axis.most > 0) high = std::min(high, axis.most);
  if (high <= low) high = low + 1;
  low = axis.limits.low.value_or(low * factor);
  high = axis.limits.high.value_or(high * factor);
  if (axis.logarithmic && low <= 0) throw InputError("a logarithmic axis starts above 0");
  return fmt::format("[{}:{}]", low, high);
}

// Without what follows a comma where it is longer than the axis (`room`, in units of the type's size).
std::string label_of(const Axis& axis, const std::string& own, double room) {
  if (!own.empty()) return own;
  const std::string unit = axis.scale.unit.empty() ? "" : " (" + axis.scale.unit + ")";
  const std::string whole = axis.label + unit;
  return text_width(whole) <= room ? whole : axis.label.substr(0, axis.label.find(',')) + unit;
}

// Between two powers of ten there is room for more than one number.
std::string ticks_of(const char* name, const Axis& axis, const Range& range) {
  if (!axis.ticks.empty()) return fmt::format("set {}tics ({})\n", name, fmt::join(axis.ticks, ", "));
  if (!axis.logarithmic || !std::isfinite(range.least_positive)) return "";
  const double low = axis.limits.low.value_or(range.least_positive * axis.scale.factor);
  const double high = axis.limits.high.value_or(range.high * axis.scale.factor);
  constexpr double few_decades = 1000;
  if (!(low > 0) || high / low > few_decades) return "";
  std::string list;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const int digit : {1, 2, 5}) list += fmt::format("{}{:.6g}", list.empty() ? "" : ", ", digit * power);
  }
  return fmt::format("set {}tics ({})\n", name, list);
}

std::string number_array(const std::string& name, const std::vector<double>& numbers) {
  std::string list;
  for (const double number : numbers) list += (list.empty() ? "" : ", ") + fmt::format("{:.5f}", number);
  return fmt::format("array {}[{}] = [{}]\n", name, numbers.size(), list);
}

// A block per panel and series; one without points has a missing one.
std::string blocks_of(const Figure& figure) {
  std::string text = "$points << END_OF_DATA\n";
  const double in_x = figure.x.scale.factor, in_y = figure.y.scale.factor;
  for (const Panel& panel : figure.panels) {
    for (const Points& points : panel.of_name) {
      text += "NaN NaN NaN NaN\n";
      for (std::size_t i = 0; i < points.x.size(); ++i) {
        if (figure.x.logarithmic && points.x[i] <= 0) continue;
        const double low = points.low.empty() ? NAN : points.low[i], high = points.high.empty() ? NAN : points.high[i];
        text += fmt::format("{} {} {} {}\n", gnuplot_number(points.x[i] * in_x), gnuplot_number(points.y[i] * in_y),
                            gnuplot_number(low * in_y), gnuplot_number(high * in_y));
      }
      text += "\n\n";
    }
  }
  return text + "END_OF_DATA\n";
}

std::string look_arrays(const Figure& figure) {
  std::vector<std::string> colours;
  std::vector<double> marks, dashes;
  for (const Look& look : figure.looks) {
    colours.push_back(look.colour);
    marks.push_back(look.mark);
    dashes.push_back(look.dash);
  }
  return gnuplot_array("name", figure.names) + gnuplot_array("colour", colours) + number_array("mark", marks) +
         number_array("dash", dashes);
}

std::string places_of(const Layout& layout) {
  std::vector<double> left, right, bottom, top, key_x, key_y, first, lowest;
  for (const Layout::Box& box : layout.panels) {
    left.push_back(box.left);
    right.push_back(box.right);
    bottom.push_back(box.bottom);
    top.push_back(box.top);
    first.push_back(box.is_first ? 1 : 0);
    lowest.push_back(box.is_lowest ? 1 : 0);
  }
  for (const auto& [x, y] : layout.key) {
    key_x.push_back(x);
    key_y.push_back(y);
  }
  std::string text = number_array("left", left) + number_array("right", right) + number_array("bottom", bottom) +
                     number_array("top", top) + number_array("is_first", first) + number_array("is_lowest", lowest);
  if (!key_x.empty()) text += number_array("key_x", key_x) + number_array("key_y", key_y);
  return text + fmt::format(
                    "key_length = {:.5f}\nkey_gap = {:.5f}\ntitle_y = {:.5f}\nnote_x = {:.5f}\nnote_y = {:.5f}\n"
                    "y_label_x = {:.5f}\n",
                    layout.key_length, layout.key_gap, layout.title_y, layout.note_x, layout.note_y, layout.y_label_x);
}

std::string panel_titles(const Figure& figure) {
  std::vector<std::string> titles;
  for (const Panel& panel : figure.panels) titles.push_back(panel.title);
  return gnuplot_array("panel_title", titles);
}

std::string texts_of(const Figure& figure, const Layout& layout, const PictureOptions& options) {
  const Layout::Box& box = layout.panels.front();
  const double width = (box.right - box.left) * layout.canvas.width / layout.canvas.type;
  const double height = (box.top - box.bottom) * layout.canvas.height / layout.canvas.type;
  constexpr double around = 2;  // a label may be a little longer than its axis
  return fmt::format("x_label = {}\ny_label = {}\nplot_title = {}\nnote = {}\nlog_x = {}\nlog_y = {}\n",
                     gnuplot_text(label_of(figure.x, options.x_label, width + around)),
                     gnuplot_text(label_of(figure.y, options.y_label, height + around)), gnuplot_text(figure.title),
                     gnuplot_text(figure.note), figure.x.logarithmic ? 1 : 0, figure.y.logarithmic ? 1 : 0);
}

// Long: a row per point. Panels only where there are several.
std::string data_of(const Figure& figure, bool bars) {
  const bool panels = figure.panels.size() > 1;
  std::string text = std::string(panels ? "panel," : "") + "series,runs," + figure.x.column + "," +
                     (bars ? "" : figure.y.column + ",") + "low,high\n";
  for (const Panel& panel : figure.panels) {
    for (std::size_t name = 0; name < figure.names.size(); ++name) {
      const Points& points = panel.of_name[name];
      const auto optional = [](const std::vector<double>& values, std::size_t i) {
        return values.empty() ? std::optional<double>() : std::optional(values[i]);
      };
      for (std::size_t i = 0; i < points.x.size(); ++i) {
        if (panels) text += results::csv_field(panel.title) + ",";
        text += results::csv_field(figure.names[name]) + "," + std::to_string(points.runs) + "," +
                results::csv_field(points.x[i]) + "," + (bars ? "" : results::csv_field(points.y[i]) + ",") +
                results::csv_field(optional(points.low, i)) + "," + results::csv_field(optional(points.high, i)) + "\n";
      }
    }
  }
  return text;
}

}  // namespace

Scale time_scale(double most_s) {
  if (!(most_s > 0)) return {1, "s"};
  return most_s < 1e-3    ? Scale{1e6, "µs"}
         : most_s < 1     ? Scale{1e3, "ms"}
         : most_s <= 7200 ? Scale{1, "s"}
                          : Scale{1 / 3600.0, "h"};
}

Scale byte_scale(double most) {
  if (most < 1e6) return {1e-3, "kB"};
  return most < 1e9 ? Scale{1e-6, "MB"} : most < 1e12 ? Scale{1e-9, "GB"} : Scale{1e-12, "TB"};
}

Limits limits_of(const std::string& text, const std::string& option) {
  Limits limits;
  const std::size_t dots = text.find("..");
  const auto read = [&](const std::string& part) -> std::optional<double> {
    if (part.empty()) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error == std::errc() && end == part.data() + part.size() && std::isfinite(number)) return number;
    throw InputError(option + ": " + scenario::in_quotes(text) + " is no range; expected A..B, A.. or ..B");
  };
  if (dots == std::string::npos || text.size() == 2) {
    throw InputError(option + ": " + scenario::in_quotes(text) + " is no range; expected A..B, A.. or ..B");
  }
  limits.low = read(text.substr(0, dots));
  limits.high = read(text.substr(dots + 2));
  if (limits.low && limits.high && *limits.low >= *limits.high) {
    throw InputError(option + ": " + scenario::in_quotes(text) + " is empty; expected A..B with A below B");
  }
  return limits;
}

std::string data_file(const std::string& picture) {
  return std::filesystem::path(picture).replace_extension(".data.csv").string();
}

void draw_lines(const Figure& figure, const PictureOptions& options) {
  const Layout layout = layout_of(figure, options.size, false);
  const bool joined = figure.shape == Shape::points;
  const Range x = range_of(figure, &Points::x, false), y = range_of(figure, &Points::y, true);
  std::string text = blocks_of(figure) + look_arrays(figure) + places_of(layout) + panel_titles(figure) +
                     texts_of(figure, layout, options);
  text += fmt::format("x_range = '{}'\ny_range = '{}'\nshape = {}\n", gnuplot_range(figure.x, x, joined ? 0.04 : 0),
                      gnuplot_range(figure.y, y, 0.04), static_cast<int>(figure.shape));
  // Whiskers at the same x are drawn beside each other.
  const double apart = figure.x.logarithmic ? 0.015 : 0.008 * x.high * figure.x.scale.factor;
  text += fmt::format("apart = {}\n", gnuplot_number(apart));
  text += ticks_of("x", figure.x, x) + ticks_of("y", figure.y, y);
  std::vector<double> every;  // points from mark to mark
  for (std::size_t name = 0; name < figure.names.size(); ++name) {
    std::size_t most = 0;
    for (const Panel& panel : figure.panels) most = std::max(most, panel.of_name[name].x.size());
    constexpr std::size_t marks = 8;
    every.push_back(joined ? 1 : static_cast<double>(std::max<std::size_t>(1, most / marks)));
  }
  text += number_array("every_th", every);
  draw(options.file, {figure.title, options.command, layout.canvas}, text, lines_script);
  results::write_whole(data_file(options.file), data_of(figure, false));
}

void draw_bars(const Figure& figure, const PictureOptions& options) {
  const Layout layout = layout_of(figure, options.size, true);
  Figure bars = figure;
  std::vector<std::string> said;
  for (Panel& panel : bars.panels) {
    for (Points& points : panel.of_name) {
      said.push_back(points.text);
      points.y.assign(points.x.size(), nothing);
      // Intervals lie along x.
      for (double& value : points.low) value *= figure.x.scale.factor;
      for (double& value : points.high) value *= figure.x.scale.factor;
    }
  }
  bars.y.scale = {};
  const Range range = range_of(figure, &Points::x, true);  // intervals lie along x, too
  std::string text = blocks_of(bars) + look_arrays(figure) + places_of(layout) + panel_titles(figure) +
                     gnuplot_array("said", said) + texts_of(figure, layout, options);
  text += fmt::format("x_range = '{}'\n", gnuplot_range(figure.x, range, 0.06)) + ticks_of("x", figure.x, range);
  draw(options.file, {figure.title, options.command, layout.canvas}, text, bars_script);
  results::write_whole(data_file(options.file), data_of(figure, true));
}

}  // namespace ddl::view
