#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/view/gnuplot.hpp"
#include "sim/view/picture.hpp"
#include "sim/view/winners.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_schemes = 7;  // colours
constexpr std::size_t cell_width = 92, cell_height = 46;

std::string shown(const std::string& measure, const Winner& winner) {
  const std::string value = measure.starts_with("time_to_")    ? results::readable_seconds(winner.mean)
                            : measure.starts_with("bytes_to_") ? results::readable_bytes(winner.mean)
                                                               : fmt::format("{:.3f}", winner.mean);
  const auto& against = winner.against_one;
  const std::string over_one = against && against->speed_up ? fmt::format(" ({:.1f}x)", *against->speed_up) : "";
  return value + over_one + (winner.clear.value_or(true) ? "" : " ~");
}

std::string title_of(const std::string& measure) {
  const std::string target = measure.substr(measure.find('.') + 1);
  if (measure.starts_with("time_to_")) return "best scheme by simulated time to accuracy " + target;
  if (measure.starts_with("bytes_to_")) return "best scheme by bytes sent until accuracy " + target;
  return measure.starts_with("final_loss") ? "best scheme by final test loss" : "best scheme by final test accuracy";
}

std::string note_of(bool noise, bool over_one) {
  std::string note = over_one ? "(2.0x) speed-up over one worker alone" : "";
  if (noise) note += (note.empty() ? "" : "; ") + std::string("~ within noise of the second best (p >= 0.05)");
  return note;
}

std::string axis_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

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
  // Only systems that win somewhere get a colour.
  std::vector<std::string> names;
  std::vector<std::size_t> colour(map.schemes.size(), 0);
  std::size_t longest = 0;
  for (std::size_t scheme = 0; scheme < map.schemes.size(); ++scheme) {
    if (!wins[scheme]) continue;
    names.push_back(map.schemes[scheme]);
    colour[scheme] = names.size();
    longest = std::max(longest, map.schemes[scheme].size());
  }
  if (names.empty()) throw InputError("no run has a value of " + map.measure + "; nothing to draw a map of");
  if (names.size() > most_schemes) {
    throw InputError(fmt::format("{} schemes win somewhere, more than there are colours to tell apart ({})",
                                 names.size(), most_schemes));
  }
  std::string text = "$cells << END_OF_DATA\n";
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const auto& cell = map.cells[row][column];
      text += fmt::format("{} {} {} \"{}\"\n", column + 1, row + 1, cell ? colour[cell->scheme] : 0,
                          cell ? shown(map.measure, *cell) : "-");
    }
  }
  const std::string title = options.title.empty() ? title_of(map.measure) : options.title;
  text += "END_OF_DATA\n" + gnuplot_array("name", names) + gnuplot_array("column_name", map.columns) +
          gnuplot_array("row_name", map.rows);
  text += fmt::format("x_label = {}\ny_label = {}\nplot_title = {}\nnote = {}\n", gnuplot_text(axis_name(map.x)),
                      gnuplot_text(axis_name(map.y)), gnuplot_text(title), gnuplot_text(note_of(noise, over_one)));
  text += fmt::format("plot_width = {}\nplot_height = {}\nlegend_width = {}\n",
                      std::max<std::size_t>(420, 110 + cell_width * map.columns.size()),
                      110 + cell_height * std::max<std::size_t>(map.rows.size(), 3), 60 + letter_pixels * longest);
  draw(options.file, text, map_script);
}

}  // namespace ddl::view
