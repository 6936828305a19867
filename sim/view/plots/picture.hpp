// Options of pictures of finished runs, and the pictures themselves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

// What an axis shows, in the units that are written on it.
struct Limits {
  std::optional<double> low, high;
};
// "0..60", "..60" or "0..". Throws InputError, which names the option.
Limits limits_of(const std::string& text, const std::string& option);

struct PictureOptions {
  std::string file;     // its extension selects the format
  std::string command;  // that draws it; the picture names it
  std::string title;    // may be empty
  std::string x;        // of curves: "time", "bytes", "iterations", "epochs"
  std::string y;        // "accuracy", "loss", "train_loss"; see each picture for others
  std::optional<double> target;
  std::string size = "screen";  // "one" or "two" columns of a paper, "120x80" in millimetres
  std::string facet;            // "network", or a setting that varies: a panel for each of its values
  std::string band = "ci";      // "none", "minmax", "sd"
  bool log_x = false, log_y = false, grey = false;
  Limits x_limits, y_limits;
  std::string x_label, y_label;                             // instead of its own
  std::vector<std::pair<std::string, std::string>> labels;  // of the legend: its own, and what to write instead
};

// Each draws one kind of picture, and writes the data beside it. All throw InputError.

// Learning curves, a line per group, with the band over its seeds.
void plot_curves(const results::GroupedRuns& runs, const PictureOptions& options);

// The best system for each pair of values of two settings that vary: bandwidth and workers, if these do. `y` is
// "accuracy", "loss", "time" or "bytes".
void plot_winners(const results::GroupedRuns& runs, const PictureOptions& options);

// How busy each link of one run was, over time; the busiest ones where there are many.
void plot_links(const results::FinishedRun& run, const PictureOptions& options);

// The simulated time ("time") or the bytes ("bytes") to a target accuracy, a bar per group.
void plot_targets(const results::GroupedRuns& runs, const PictureOptions& options);

// Over the number of workers: the time to a target ("time") or samples per second ("samples") over those of one
// worker, `single`, or where there is none over those of the fewest workers of the same system.
void plot_speed_up(const results::GroupedRuns& runs, const PictureOptions& options);

// The share of all steps that took at most so long, or used what was at most so old.
void plot_step_times(const results::GroupedRuns& runs, const PictureOptions& options);
void plot_staleness(const results::GroupedRuns& runs, const PictureOptions& options);

}  // namespace ddl::view
