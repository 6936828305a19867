#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/look.hpp"
#include "sim/view/plots/layout.hpp"
#include "sim/view/plots/picture.hpp"
#include "sim/view/winners.hpp"

namespace ddl::view {
namespace {

// In units of the type's size.
constexpr double cell_width = 6.6, cell_height = 3.3, around = 7.8, least_width = 30;

std::string shown(const std::string& measure, const Winner& winner) {
  const std::string value = measure.starts_with("time_to_")    ? results::readable_seconds(winner.mean)
                            : measure.starts_with("bytes_to_") ? results::readable_bytes(winner.mean)
                                                               : fmt::format("{:.3f}", winner.mean);
  const auto& against = winner.against_one;
  const std::string over_one = against && against->speed_up ? fmt::format(" ({:.1f}x)", *against->speed_up) : "";
  return value + over_one + (winner.clear.value_or(true) ? "" : " ~");
}

std::string title_of(const std::string& measure, std::string_view metric) {
  const std::string target = measure.substr(measure.find('.') + 1);
  if (measure.starts_with("time_to_")) return fmt::format("best scheme by simulated time to {} {}", metric, target);
  if (measure.starts_with("bytes_to_")) return fmt::format("best scheme by bytes sent until {} {}", metric, target);
  return measure.starts_with("final_loss") ? "best scheme by final test loss" : "best scheme by final test accuracy";
}

std::string note_of(bool noise, bool over_one) {
  std::string note = over_one ? "(2.0x) speed-up over one worker alone" : "";
  if (noise) note += (note.empty() ? "" : "; ") + std::string("~ within noise of the second best (p >= 0.05)");
  return note;
}

std::string setting_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

void rename(std::vector<std::string>& names, const std::vector<std::pair<std::string, std::string>>& labels) {
  for (const auto& [from, to] : labels) {
    const auto name = std::find(names.begin(), names.end(), from);
    if (name == names.end()) {
      throw InputError("--label: " + scenario::in_quotes(from) + " is no label here; " +
                       scenario::nearest_or(from, names, "labels are " + scenario::listed(names)));
    }
    *name = to;
  }
}

// On a screen the legend is beside the map, on paper below it.
Canvas canvas_of(const WinnerMap& map, const std::vector<std::string>& names, const std::string& size) {
  Sheet sheet = sheet_of(size, 0, 0);
  Canvas& canvas = sheet.canvas;
  const double type = canvas.type;
  if (!canvas.paper) {
    double longest = 0;
    for (const std::string& name : names) longest = std::max(longest, text_width(name));
    canvas.width =
        type * (std::max(least_width, around + cell_width * static_cast<double>(map.columns.size())) + 4 + longest);
  }
  if (sheet.chooses_height) {
    canvas.height = type * (around + cell_height * static_cast<double>(std::max<std::size_t>(map.rows.size(), 3)) +
                            (canvas.paper ? 2 + static_cast<double>(names.size()) : 0));
  }
  return canvas;
}

std::string data_of(const WinnerMap& map) {
  std::string text = results::csv_field(map.x) + "," + results::csv_field(map.y) + ",scheme," +
                     results::csv_field(map.measure) + ",within_noise,speed_up\n";
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const auto& cell = map.cells[row][column];
      text += results::csv_field(map.columns[column]) + "," + results::csv_field(map.rows[row]) + ",";
      if (!cell) {
        text += ",,,\n";
        continue;
      }
      const auto speed_up = cell->against_one ? cell->against_one->speed_up : std::nullopt;
      text += results::csv_field(map.schemes[cell->scheme]) + "," + results::csv_field(cell->mean) + "," +
              (cell->clear ? *cell->clear ? "0" : "1" : "") + "," + results::csv_field(speed_up) + "\n";
    }
  }
  return text;
}

}  // namespace

void plot_winners(const results::GroupedRuns& runs, const PictureOptions& options) {
  const WinnerMap map = winners_of(runs, options.y, options.target);
  std::vector<bool> wins(map.schemes.size(), false);
  bool noise = false, over_one = false;
  for (const auto& row : map.cells) {
    for (const auto& cell : row) {
      if (!cell) continue;
      wins[cell->scheme] = true;
      noise = noise || !cell->clear.value_or(true);
      over_one = over_one || (cell->against_one && cell->against_one->speed_up);
    }
  }
  // Only systems that win somewhere are in the legend.
  std::vector<Drawn> drawn;
  std::vector<std::string> names, colours;
  std::vector<std::size_t> number(map.schemes.size(), 0);
  for (std::size_t scheme = 0; scheme < map.schemes.size(); ++scheme) {
    const std::string& name = map.schemes[scheme];
    drawn.push_back({name.substr(0, name.find(' ')), name});
  }
  const std::vector<Look> looks = looks_of(drawn, options.grey);
  for (std::size_t scheme = 0; scheme < map.schemes.size(); ++scheme) {
    if (!wins[scheme]) continue;
    names.push_back(map.schemes[scheme]);
    colours.push_back(looks[scheme].colour);
    number[scheme] = names.size();
  }
  if (names.empty()) throw InputError("no run has a value of " + map.measure + "; nothing to draw a map of");
  std::string text = "$cells << END_OF_DATA\n";
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const auto& cell = map.cells[row][column];
      text += fmt::format("{} {} {} \"{}\"\n", column + 1, row + 1, cell ? number[cell->scheme] : 0,
                          cell ? shown(map.measure, *cell) : "-");
    }
  }
  rename(names, options.labels);
  const std::string title = options.title.empty() ? title_of(map.measure, runs.metric().word) : options.title;
  text += "END_OF_DATA\n" + gnuplot_array("name", names) + gnuplot_array("colour", colours) +
          gnuplot_array("column_name", map.columns) + gnuplot_array("row_name", map.rows);
  const auto label = [](const std::string& own, const std::string& path) {
    return gnuplot_text(own.empty() ? setting_name(path) : own);
  };
  text += fmt::format("x_label = {}\ny_label = {}\nplot_title = {}\nnote = {}\n", label(options.x_label, map.x),
                      label(options.y_label, map.y), gnuplot_text(title), gnuplot_text(note_of(noise, over_one)));
  draw(options.file, {title, options.command, canvas_of(map, names, options.size)}, text, map_script);
  results::write_whole(data_file(options.file), data_of(map));
}

}  // namespace ddl::view
