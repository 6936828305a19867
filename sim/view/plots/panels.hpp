// Which groups of runs a picture shows in which panel and under which name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/reading/groups.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {

// Whether a setting is how many workers there are, of regions in each.
constexpr bool is_of_workers(std::string_view path) {
  return path == "platform.workers" || path == "platform.workers_per_site";
}

// Takes how networks are simulated from what varies where another setting decides it, as a bandwidth does.
void drop_what_is_decided(results::GroupedRuns& runs);

// Whether a value of a setting comes before another: numbers and quantities by what they are, texts in natural order.
bool value_less(const std::string& a, const std::string& b);

// Without those that differ in `apart` alone, which then share a series ("platform.workers", over which it is drawn).
// Systems come in the order of the runs, their variants and panels by value.
struct Arrangement {
  std::vector<std::string> names;   // of series, as the legend has them; of one system: that one's variants
  std::vector<Look> looks;          // by name
  std::vector<Key> keys;            // two, where series differ in two things and a legend of each is shorter; or none
  std::string note;                 // of what all names leave out
  std::vector<std::string> panels;  // titles; one empty title without facets
  struct Place {
    std::size_t panel = 0, name = 0;
  };
  std::vector<Place> of_group;  // by group
};

// Throws InputError: nothing of the name `facet` varies, a label that no series has, more series than can be told
// apart.
Arrangement arrange(const results::GroupedRuns& runs, const PictureOptions& options, const std::string& apart = "");

// A figure with these panels and series, and no points yet. Axes are still the caller's.
Figure figure_of(const Arrangement& arrangement, const PictureOptions& options);

// "5", "2 to 5".
std::string range_text(std::size_t least, std::size_t most);

// Puts "mean of 5 seeds, band: 95 % interval" into the note, or the number behind each name where these differ.
void tell_runs(Figure& figure, const std::string& what, const std::string& interval);

}  // namespace ddl::view
