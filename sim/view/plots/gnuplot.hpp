// Draws with gnuplot, which runs as a separate program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddl::view {

// The scripts in plot/: the style of all pictures, and one script per kind of picture.
extern const std::string_view style_script, lines_script, bars_script, map_script, links_script;

// A picture's size, and that of its type: on paper in points of 1/72 inch, on a screen in pixels.
struct Canvas {
  double width = 0, height = 0, type = 0;
  bool paper = false;
};

// What a picture contains beside the drawing: its title and, as metadata (SVG's description, a PNG's text, a PDF's
// comment), the command that draws it.
struct About {
  std::string title;    // may be empty
  std::string command;  // that draws it
  Canvas canvas;
};

// The format by a file's extension: "svg", "png" or "pdf". Throws InputError for any other.
std::string picture_format(const std::string& file);

// Runs plot/style.gp and `script` after `definitions`, and writes what is drawn to `file`, whole or not at all. Throws
// InputError: gnuplot is not installed, the file cannot be written.
void draw(const std::string& file, const About& about, const std::string& definitions, std::string_view script);

// The text as a gnuplot string, on one line.
std::string gnuplot_text(const std::string& text);
// "array name[2] = ['a', 'b']", for a list that is not empty.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& texts);
// A number as gnuplot reads it; values that are not finite count as missing.
std::string gnuplot_number(double number);

}  // namespace ddl::view
