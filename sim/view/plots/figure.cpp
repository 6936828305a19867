#include "sim/view/plots/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/base/check.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/layout.hpp"
#include "sim/view/plots/type.hpp"

namespace ddl::view {
namespace {

// Of all panels, so that they can be compared.
Values values_in(const Figure& figure, const std::vector<double> Points::*values, bool with_intervals) {
  Values all;
  for (const Panel& panel : figure.panels) {
    for (const Points& points : panel.of_name) {
      for (const double value : points.*values) all.take(value);
      if (!with_intervals) continue;
      for (const double value : points.low) all.take(value);
      for (const double value : points.high) all.take(value);
    }
  }
  return all;
}

// With its unit, and without what follows a comma where that has no room.
std::vector<std::string> labels_of(const Axis& axis, const std::string& own) {
  if (!own.empty()) return {own};
  const std::string unit = axis.scale.unit.empty() ? "" : " (" + axis.scale.unit + ")";
  return {axis.label + unit, axis.label.substr(0, axis.label.find(',')) + unit};
}

std::string number_array(const std::string& name, const std::vector<double>& numbers) {
  return fmt::format("array {}[{}] = [{}]\n", name, numbers.size(), fmt::join(numbers, ", "));
}

// A block per panel and series; one without points has a missing one. Bars have their intervals along x.
std::string blocks_of(const Figure& figure, bool bars, const Extent& of_intervals) {
  std::string text = "$points << END_OF_DATA\n";
  const Axis& axis = bars ? figure.x : figure.y;
  const auto end = [&](const std::vector<double>& ends, std::size_t i) {
    return ends.empty() ? "NaN" : gnuplot_number(std::max(axis.place(ends[i]), of_intervals.low));
  };
  for (const Panel& panel : figure.panels) {
    for (const Points& points : panel.of_name) {
      text += "NaN NaN NaN NaN\n";
      for (std::size_t i = 0; i < points.x.size(); ++i) {
        text += fmt::format("{} {} {} {}\n", gnuplot_number(figure.x.place(points.x[i])),
                            bars ? "0" : gnuplot_number(figure.y.place(points.y[i])), end(points.low, i),
                            end(points.high, i));
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
  return gnuplot_array("colour", colours) + number_array("mark", marks) + number_array("dash", dashes);
}

Content content_of(const Figure& figure, const PictureOptions& options) {
  Content content;
  content.title = figure.title;
  content.note = figure.note;
  content.panel_titles.clear();
  for (const Panel& panel : figure.panels) content.panel_titles.push_back(panel.title);
  content.x_labels = labels_of(figure.x, options.x_label);
  return content;
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

void finish(const Figure& figure, const PictureOptions& options, const Layout& layout, const Extent& of_intervals,
            const std::string& definitions, bool bars) {
  draw(options.file, {figure.title, options.command, layout.canvas()},
       blocks_of(figure, bars, of_intervals) + look_arrays(figure) + layout.definitions() + definitions,
       bars ? bars_script : lines_script);
  results::write_whole(data_file(options.file), data_of(figure, bars));
}

}  // namespace

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

void Figure::tell_of(std::size_t name, const std::string& text) {
  if (keys.empty()) {
    names[name] += " (" + text + ")";
  } else {
    tell(names[name] + ": " + text);
  }
}

void draw_lines(const Figure& figure, const PictureOptions& options) {
  constexpr double room = 0.04, apart = 0.008;  // shares of the axis; from whisker to whisker of one place
  const bool joined = figure.shape == Shape::points;
  Extent x = extent_of(figure.x, values_in(figure, &Points::x, false),
                       joined ? room + apart / 2 * static_cast<double>(figure.names.size()) : 0);
  const Extent y = extent_of(figure.y, values_in(figure, &Points::y, true), room);
  // What is at 0 is off the axis, so that it can be seen.
  if (figure.x.spacing == Spacing::logarithmic_from_zero && x.low == 0) x.low = -0.02 * x.high;
  Content content = content_of(figure, options);
  content.y_labels = labels_of(figure.y, options.y_label);
  content.x = {figure.x, x};
  content.y = {figure.y, y};
  content.keys = figure.keys.empty() ? std::vector<Key>{{figure.names, figure.looks, Key::Shows::lines}} : figure.keys;
  if (figure.panels.size() > 1 || options.size == "one") content.shape = 0.72;
  const Layout layout(std::move(content), options.size);
  std::vector<double> every;  // points from mark to mark
  for (std::size_t name = 0; name < figure.names.size(); ++name) {
    std::size_t most = 0;
    for (const Panel& panel : figure.panels) most = std::max(most, panel.of_name[name].x.size());
    constexpr std::size_t marks = 8;
    every.push_back(joined ? 1 : static_cast<double>(std::max<std::size_t>(1, most / marks)));
  }
  // Whiskers at the same x are drawn beside each other.
  finish(figure, options, layout, y,
         number_array("every_th", every) + fmt::format("apart = {}\none = {}\nshape = {}\n", apart * (x.high - x.low),
                                                       figure.y.place(1), static_cast<int>(figure.shape)),
         false);
}

void draw_bars(const Figure& figure, const PictureOptions& options) {
  const Extent x = extent_of(figure.x, values_in(figure, &Points::x, true), 0.06);  // intervals lie along x, too
  Content content = content_of(figure, options);
  content.x = {figure.x, x};
  content.rows = figure.names;
  content.row_height = 1.75;
  Layout layout(std::move(content), options.size);
  const Canvas& canvas = layout.canvas();
  for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
    const Box& box = layout.panels()[panel];
    const double pitch = (box.top - box.bottom) / static_cast<double>(figure.names.size());
    for (std::size_t name = 0; name < figure.names.size(); ++name) {
      const double left = 0.5 * canvas.type, room = (box.right - box.left - left) / canvas.type / small_type;
      const auto lines = broken(figure.panels[panel].of_name[name].text, room);
      layout.pen().write(lines, box.left + left, box.top - (static_cast<double>(name) + 0.5) * pitch,
                         {.size = small_type, .soft = true, .centred = true});
    }
  }
  finish(figure, options, layout, x, fmt::format("foot = {}\n", x.low), true);
}

}  // namespace ddl::view
