#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/view/gnuplot.hpp"
#include "sim/view/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_points = 500;  // of a line; more would exceed the pixels
constexpr std::size_t most_lines = 28;    // colours times dashes that can be told apart

struct Column {
  const char* word;
  const char* label;
  std::optional<double> (*value)(const experiment::CurveRow&);
};

constexpr Column x_columns[] = {
    {"time", "simulated time", [](const experiment::CurveRow& row) { return std::optional(row.time_s); }},
    {"bytes", "sent by all nodes", [](const experiment::CurveRow& row) { return std::optional(row.bytes_sent); }},
    {"iterations", "steps of each worker (mean)",
     [](const experiment::CurveRow& row) { return std::optional(row.iteration); }},
    {"epochs", "epochs", [](const experiment::CurveRow& row) { return std::optional(row.epoch); }},
};
constexpr Column y_columns[] = {
    {"accuracy", "test accuracy, mean over workers",
     [](const experiment::CurveRow& row) { return std::optional(row.test_accuracy); }},
    {"loss", "test loss (nats), mean over workers",
     [](const experiment::CurveRow& row) { return std::optional(row.test_loss); }},
    {"train_loss", "minibatch loss (nats), mean over workers",
     [](const experiment::CurveRow& row) { return row.train_loss; }},
};

template <std::size_t n>
const Column& column_named(const Column (&columns)[n], const std::string& word, const char* option) {
  std::string words;
  for (const Column& column : columns) {
    if (word == column.word) return column;
    words += (words.empty() ? "" : ", ") + std::string(column.word);
  }
  throw InputError(fmt::format("{}: \"{}\" is not to be had for curves; expected one of {}", option, word, words));
}

struct Scale {
  double factor;
  const char* unit;  // "" for a pure number
};

Scale scale_of(const std::string& x, double most) {
  if (x == "time")
    return most < 1e-3    ? Scale{1e6, "µs"}
           : most < 1     ? Scale{1e3, "ms"}
           : most <= 7200 ? Scale{1, "s"}
                          : Scale{1 / 3600.0, "h"};
  if (x != "bytes") return {1, ""};
  if (most < 1e6) return {1e-3, "kB"};
  return most < 1e9 ? Scale{1e-6, "MB"} : most < 1e12 ? Scale{1e-9, "GB"} : Scale{1e-12, "TB"};
}

results::Line line_of(const results::FinishedRun& run, const Column& x, const Column& y) {
  results::Line line;
  for (const experiment::CurveRow& row : results::read_mean_curve(run.folder)) {
    const auto value = y.value(row);
    if (!value) continue;
    line.x.push_back(*x.value(row));
    line.y.push_back(*value);
  }
  return line;
}

}  // namespace

void plot_curves(const results::GroupedRuns& runs, const PictureOptions& options) {
  const Column& x = column_named(x_columns, options.x, "--x");
  const Column y = column_named(y_columns, options.y.empty() ? "accuracy" : options.y, "--y");
  if (runs.groups.size() > most_lines) {
    throw InputError(
        fmt::format("{} kinds of runs are too many lines for one picture; expected at most {}: name fewer "
                    "folders, or draw --kind map",
                    runs.groups.size(), most_lines));
  }
  std::vector<results::Band> bands;
  std::vector<std::string> names, banded;
  double most_x = 0;
  std::size_t longest = 0;
  for (const results::RunGroup& group : runs.groups) {
    std::vector<results::Line> lines;
    for (const results::FinishedRun& run : group.runs) lines.push_back(line_of(run, x, y));
    results::Band band = results::band_of(lines, most_points);
    if (band.x.empty()) {
      throw InputError(group.runs.front().folder.string() +
                       ": has no learning curve; expected runs that were evaluated");
    }
    most_x = std::max(most_x, band.x.back());
    bands.push_back(std::move(band));
    names.push_back(runs.groups.size() == 1 ? group.runs.front().name : group.label(runs.varied));
    longest = std::max(longest, names.back().size());
    banded.push_back(group.runs.size() > 1 ? "1" : "0");
  }
  const Scale scale = scale_of(options.x, most_x);
  const bool bands_drawn = std::find(banded.begin(), banded.end(), "1") != banded.end();
  const std::string legend_title = bands_drawn ? "mean over seeds, 95 % interval" : "";
  longest = std::max(longest, legend_title.size() * 2 / 3);  // the title starts further left
  std::string text = "$curves << END_OF_DATA\n";
  for (const results::Band& band : bands) {
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      text += fmt::format("{} {} {} {}\n", gnuplot_number(band.x[i] * scale.factor), gnuplot_number(band.mean[i]),
                          gnuplot_number(band.low[i]), gnuplot_number(band.high[i]));
    }
    text += "\n\n";
  }
  text += "END_OF_DATA\n" + gnuplot_array("name", names) + gnuplot_array("banded", banded);
  const std::string unit = *scale.unit == '\0' ? "" : fmt::format(" ({})", scale.unit);
  text += fmt::format("x_label = {}\ny_label = {}\nplot_title = {}\ny_top = '{}'\nlegend_title = '{}'\n",
                      gnuplot_text(x.label + unit), gnuplot_text(y.label), gnuplot_text(options.title),
                      std::string(y.word) == "accuracy" ? "*<1" : "*", legend_title);
  text += fmt::format("plot_width = 620\nplot_height = {}\nlegend_width = {}\n",
                      std::max<std::size_t>(420, 60 + 24 * names.size()), 60 + letter_pixels * longest);
  draw(options.file, text, curves_script);
}

}  // namespace ddl::view
