#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/look.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/layout.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/plots/picture.hpp"
#include "sim/view/plots/type.hpp"
#include "sim/view/winners.hpp"

namespace ddl::view {
namespace {

// The value, and what is to be said of it.
std::vector<std::string> shown(const std::string& measure, const Winner& winner) {
  const std::string value = measure.starts_with("time_to_")    ? results::readable_seconds(winner.mean)
                            : measure.starts_with("bytes_to_") ? results::readable_bytes(winner.mean)
                                                               : fmt::format("{:.3f}", winner.mean);
  const auto& against = winner.against_one;
  std::vector<std::string> texts = {value};
  if (against && against->speed_up) texts.push_back(fmt::format("({:.1f}x)", *against->speed_up));
  if (!winner.clear.value_or(true)) texts.back() += " ~";
  return texts;
}

std::string title_of(const std::string& measure, std::string_view metric) {
  const std::string target = measure.substr(measure.find('.') + 1);
  if (measure.starts_with("time_to_")) return fmt::format("best scheme by simulated time to {} {}", metric, target);
  if (measure.starts_with("bytes_to_"))
    return fmt::format("best scheme by bytes sent until {} {}, of those that send", metric, target);
  return measure.starts_with("final_loss") ? "best scheme by final test loss" : "best scheme by final test accuracy";
}

std::string note_of(const results::GroupedRuns& runs, bool noise, bool over_one) {
  const auto [least, most] = std::ranges::minmax(
      runs.groups | std::views::transform([](const results::RunGroup& group) { return group.runs.size(); }));
  std::string note = most == 1 ? "one seed" : "mean of " + range_text(least, most) + " seeds";
  if (over_one) note += "; (2.0x) speed-up over one worker alone";
  if (noise) note += "; ~ not told apart from the second best (p >= 0.05)";
  return note;
}

// "site bandwidth" of "platform.site_bandwidth".
std::string setting_name(const std::string& path) {
  std::string name = path.substr(path.rfind('.') + 1);
  std::ranges::replace(name, '_', ' ');
  return name;
}

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

// Systems that win somewhere.
struct Legended {
  std::vector<std::string> names, colours;
  std::vector<std::size_t> of_scheme;  // their number from 1 on; 0: wins nowhere
  bool grey = false;

  // Print without colours has letters, too.
  std::string letter(std::size_t number) const {
    return grey ? std::string(1, static_cast<char>('a' + number - 1)) : "";
  }
};

// So bright that black type is read on it.
std::string area_colour(const std::string& colour) {
  std::string light = "#";
  for (const std::size_t at : {1U, 3U, 5U}) {
    constexpr double towards_white = 0.5;
    const int part = std::stoi(colour.substr(at, 2), nullptr, 16);
    light += fmt::format("{:02x}", static_cast<int>(part + towards_white * (255 - part)));
  }
  return light;
}

std::string area_grey(std::size_t number, std::size_t all) {
  constexpr double darkest = 120, lightest = 225;
  const double share = all < 2 ? 1 : static_cast<double>(number) / static_cast<double>(all - 1);
  const int part = static_cast<int>(darkest + share * (lightest - darkest));
  return fmt::format("#{0:02x}{0:02x}{0:02x}", part);
}

Legended legended(const WinnerMap& map, bool grey) {
  Legended legend{{}, {}, std::vector<std::size_t>(map.schemes.size(), 0), grey};
  std::vector<Drawn> drawn;
  std::vector<bool> wins(map.schemes.size(), false);
  for (const auto& row : map.cells) {
    for (const auto& cell : row) {
      if (cell) wins[cell->scheme] = true;
    }
  }
  for (const std::string& name : map.schemes) drawn.push_back({name.substr(0, name.find(' ')), name});
  const std::vector<Look> looks = looks_of(drawn);
  const auto all = static_cast<std::size_t>(std::ranges::count(wins, true));
  for (std::size_t scheme = 0; scheme < map.schemes.size(); ++scheme) {
    if (!wins[scheme]) continue;
    legend.colours.push_back(grey ? area_grey(legend.names.size(), all) : area_colour(looks[scheme].colour));
    legend.names.push_back(map.schemes[scheme]);
    legend.of_scheme[scheme] = legend.names.size();
  }
  return legend;
}

// "1" of "1.0": rows and columns are named by settings as they are written.
std::vector<std::string> without_zeros(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.ends_with(".0")) name.resize(name.size() - 2);
  }
  return names;
}

// Around a cell's text, and the least its type may be, in units of the picture's type.
constexpr double cell_room = 0.5, least_size = 0.6;

using Texts = std::vector<std::vector<std::vector<std::string>>>;  // by row, then column: lines

Texts texts_of(const WinnerMap& map, const Legended& legend) {
  Texts texts;
  for (const auto& row : map.cells) {
    auto& list = texts.emplace_back();
    for (const auto& cell : row) {
      list.push_back(cell ? shown(map.measure, *cell) : std::vector<std::string>{"-"});
      if (cell && legend.grey)
        list.back().front() = legend.letter(legend.of_scheme[cell->scheme]) + " " + list.back().front();
    }
  }
  return texts;
}

// In smaller type where cells are narrow.
void write_cells(Layout& layout, const Texts& texts) {
  const Canvas& canvas = layout.canvas();
  const Box& box = layout.panels().front();
  const double wide = (box.right - box.left) / static_cast<double>(texts.front().size());
  const double high = (box.top - box.bottom) / static_cast<double>(texts.size());
  double longest = 0, lines = 1;
  for (const auto& row : texts) {
    for (const auto& cell : row) {
      longest = std::max(longest, widest(cell));
      lines = std::max(lines, static_cast<double>(cell.size()));
    }
  }
  const double size =
      std::min({1.0, (wide / canvas.type - cell_room) / longest, high / canvas.type / (lines * line_pitch)});
  if (size < least_size) {
    throw InputError("--size: leaves no room for the numbers in the cells; expected a wider picture, or fewer folders");
  }
  for (std::size_t row = 0; row < texts.size(); ++row) {
    for (std::size_t column = 0; column < texts[row].size(); ++column) {
      const auto& cell = texts[row][column];
      layout.pen().write(cell, box.left + (static_cast<double>(column) + 0.5) * wide,
                         box.bottom + (static_cast<double>(row) + 0.5) * high,
                         {.at = Pen::At::middle, .size = size, .centred = true});
    }
  }
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
  Legended legend = legended(map, options.grey);
  if (legend.names.empty()) throw InputError("no run has a value of " + map.measure + "; nothing to draw a map of");
  const Texts texts = texts_of(map, legend);
  bool noise = false, over_one = false;
  std::string cells = "$cells << END_OF_DATA\n";
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const auto& cell = map.cells[row][column];
      noise = noise || (cell && !cell->clear.value_or(true));
      over_one = over_one || (cell && cell->against_one && cell->against_one->speed_up);
      const std::string colour = cell ? legend.colours[legend.of_scheme[cell->scheme] - 1] : "#ffffff";
      cells += fmt::format("{} {} 0x{}\n", column + 1, map.rows.size() - row, colour.substr(1));
    }
  }
  rename(legend.names, options.labels);
  Content content;
  Key& key = content.keys.emplace_back();
  key.shows = Key::Shows::areas;
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    key.names.push_back(legend.letter(i + 1) + (legend.grey ? "  " : "") + legend.names[i]);
    key.looks.push_back({.colour = legend.colours[i]});
  }
  content.title = options.title.empty() ? title_of(map.measure, runs.metric().word) : options.title;
  content.note = note_of(runs, noise, over_one);
  content.x_labels = {options.x_label.empty() ? setting_name(map.x) : options.x_label};
  content.y_labels = {options.y_label.empty() ? setting_name(map.y) : options.y_label};
  content.columns = without_zeros(map.columns);
  content.rows = without_zeros(map.rows);
  std::ranges::reverse(content.rows);  // from above
  double lines = 1;
  for (const auto& row : texts) {
    for (const auto& cell : row) {
      lines = std::max(lines, static_cast<double>(cell.size()));
      content.column_width = std::max(content.column_width, widest(cell) + cell_room);
    }
  }
  content.width = 420;
  content.column_width += 1;
  content.row_height = std::max(3.0, lines * line_pitch + 0.8);
  Layout layout(content, options.size);
  write_cells(layout, texts);
  draw(options.file, {content.title, options.command, layout.canvas()}, cells + "END_OF_DATA\n" + layout.definitions(),
       map_script);
  results::write_whole(data_file(options.file), data_of(map));
}

}  // namespace ddl::view
