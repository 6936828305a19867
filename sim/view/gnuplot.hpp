// Draws with gnuplot, which runs as a separate program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::view {

// The scripts in plot/: the style of all pictures, and one script per kind of picture.
extern const std::string_view style_script, curves_script, map_script, links_script;

inline constexpr std::size_t letter_pixels = 8;  // the width of a legend's letter, more or less

// The format by a file's extension: "svg", "png" or "pdf". Throws InputError for any other.
std::string picture_format(const std::string& file);

// Runs plot/style.gp and `script` after `definitions`, and writes what is drawn to `file`, whole or not at all. Throws
// InputError: gnuplot is not installed, the file cannot be written.
void draw(const std::string& file, const std::string& definitions, std::string_view script);

// The text as a gnuplot string, on one line.
std::string gnuplot_text(const std::string& text);
// "array name[2] = ['a', 'b']", for a list that is not empty.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& texts);
// A number as gnuplot reads it; values that are not finite count as missing.
std::string gnuplot_number(double number);

}  // namespace ddl::view
