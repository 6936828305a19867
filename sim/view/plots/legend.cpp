#include "sim/view/plots/legend.hpp"

#include <algorithm>
#include <numeric>

#include "sim/view/plots/type.hpp"

namespace ddl::view {
namespace {

constexpr double line_length = 3.2, side = 1, gap = 0.6, between = 1.6, pitch = 1.5;

double sample_of(Key::Shows shows) { return (shows == Key::Shows::areas ? side : line_length) + gap; }

}  // namespace

Legend::Legend(const Key& key, double room, std::size_t most_columns) : key_(key) {
  const double sample = sample_of(key.shows);
  for (const std::string& name : key.names) names_.push_back(broken(name, room - sample));
  for (std::size_t columns = std::min(names_.size(), most_columns); !arrange(columns, room) && columns > 1;) --columns;
}

// Names run down the columns, so that neighbours in order are neighbours here. Says whether they have room.
bool Legend::arrange(std::size_t columns, double room) {
  const std::size_t rows = (names_.size() + columns - 1) / columns;
  columns_.assign((names_.size() + rows - 1) / rows, 0);
  rows_.assign(rows, 0);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    double& width = columns_[i / rows];
    double& height = rows_[i % rows];
    width = std::max(width, sample_of(key_.shows) + widest(names_[i]));
    height = std::max(height, pitch + line_pitch * static_cast<double>(names_[i].size() - 1));
  }
  return width() <= room;
}

double Legend::width() const {
  return std::accumulate(columns_.begin(), columns_.end(), between * static_cast<double>(columns_.size() - 1));
}

double Legend::height() const { return std::accumulate(rows_.begin(), rows_.end(), 0.0); }

void Legend::write(Pen& pen, double type, double left, double top) const {
  double x = left;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    double y = top - pitch / 2 * type;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::size_t i = column * rows_.size() + row;
      if (i == names_.size()) break;
      if (key_.shows == Key::Shows::areas) {
        pen.swatch(x, y, side * type, key_.looks[i].colour);
      } else {
        pen.line(x, y, line_length * type, key_.looks[i], key_.shows == Key::Shows::lines);
      }
      pen.write(names_[i], x + sample_of(key_.shows) * type, y, {});
      y -= rows_[row] * type;
    }
    x += (columns_[column] + between) * type;
  }
}

}  // namespace ddl::view
