// Draws with gnuplot, a program of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::view {

// Texts of plot/: how every picture looks, and what each kind draws.
extern const std::string_view style_script, curves_script, map_script, links_script;

inline constexpr std::size_t letter_pixels = 8;  // the width of a legend's letter, more or less

// Formats by a file's ending: "svg", "png" or "pdf". Throws InputError for any other.
std::string picture_format(const std::string& file);

// Runs plot/style.gp and `script` after `definitions`, and writes what is drawn to `file`, whole or not at all. Throws
// InputError: gnuplot is not installed, the file cannot be written.
void draw(const std::string& file, const std::string& definitions, std::string_view script);

// The text as a string of gnuplot's, on one line.
std::string gnuplot_text(const std::string& text);
// "array name[2] = ['a', 'b']", for a list that is not empty.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& texts);
// A number as gnuplot reads it; what is not finite is missing.
std::string gnuplot_number(double number);

}  // namespace ddl::view
