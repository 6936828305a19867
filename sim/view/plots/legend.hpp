// What tells the series of a picture apart, in columns of its measured texts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/view/look.hpp"
#include "sim/view/plots/pen.hpp"

namespace ddl::view {

// One or two of them: where series differ in two things, one has the colours and marks, the other the dashes.
struct Key {
  enum class Shows { lines, dashes, areas };
  std::vector<std::string> names;
  std::vector<Look> looks;
  Shows shows = Shows::lines;
};

// All distances are in units of the type's size.
class Legend {
 public:
  // As many columns as fit into `room`, `most_columns` at most; names that are longer are broken.
  Legend(const Key& key, double room, std::size_t most_columns);
  double width() const;
  double height() const;
  // The left end of its highest line, in the picture's units.
  void write(Pen& pen, double type, double left, double top) const;

 private:
  bool arrange(std::size_t columns, double room);

  Key key_;
  std::vector<std::vector<std::string>> names_;  // in lines
  std::vector<double> columns_;                  // their widths
  std::vector<double> rows_;                     // their heights
};

}  // namespace ddl::view
