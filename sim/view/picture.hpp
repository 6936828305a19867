// Options of pictures of finished runs, and the pictures themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

struct PictureOptions {
  std::string file;              // its extension selects the format
  std::string title;             // may be empty
  std::string x = "time";        // "time", "bytes", "iterations", "epochs"
  std::string y;                 // "accuracy", "loss", "train_loss"; a map's: "accuracy", "loss", "time", "bytes"
  std::optional<double> target;  // a map's, for "time" and "bytes"
};

// Learning curves, a line per group; with several seeds, its mean and a band of the mean's 95 % interval. Throws
// InputError, here and below.
void plot_curves(const results::GroupedRuns& runs, const PictureOptions& options);

// The best system for each pair of values of two settings that vary: bandwidth and workers, if these do.
void plot_winners(const results::GroupedRuns& runs, const PictureOptions& options);

// How busy each link of one run was, over time; the busiest ones where there are many.
void plot_links(const results::FinishedRun& run, const PictureOptions& options);

}  // namespace ddl::view
