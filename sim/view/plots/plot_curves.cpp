#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_points = 500;  // of a line; more would exceed the pixels

struct Column {
  const char* word;
  const char* label;
  const char* name;  // in the data
  std::optional<double> (*value)(const run::CurveRow&);
};

constexpr Column x_columns[] = {
    {"time", "simulated time", "time_s", [](const run::CurveRow& row) { return std::optional(row.time_s); }},
    {"bytes", "sent by all nodes", "bytes_sent",
     [](const run::CurveRow& row) { return std::optional(row.bytes_sent); }},
    {"iterations", "steps of each worker (mean)", "iteration",
     [](const run::CurveRow& row) { return std::optional(row.iteration); }},
    {"epochs", "epochs", "epoch", [](const run::CurveRow& row) { return std::optional(row.epoch); }},
};
constexpr Column y_columns[] = {
    {"accuracy", "test accuracy, mean over workers", "test_accuracy",
     [](const run::CurveRow& row) { return row.test_accuracy; }},
    {"loss", "test loss (nats), mean over workers", "test_loss",
     [](const run::CurveRow& row) { return row.test_loss; }},
    {"train_loss", "minibatch loss (nats), mean over workers", "train_loss",
     [](const run::CurveRow& row) { return row.train_loss; }},
};

template <std::size_t n>
const Column& column_named(const Column (&columns)[n], std::string_view word, const char* option) {
  std::string words;
  for (const Column& column : columns) {
    if (word == column.word) return column;
    words += (words.empty() ? "" : ", ") + std::string(column.word);
  }
  throw InputError(fmt::format("{}: \"{}\" is not available for curves; expected one of {}", option, word, words));
}

Scale scale_of(const std::string& x, double most) {
  return x == "time" ? time_scale(most) : x == "bytes" ? byte_scale(most) : Scale{};
}

results::Line line_of(const results::FinishedRun& run, const Column& x, const Column& y) {
  results::Line line;
  for (const run::CurveRow& row : results::read_mean_curve(run.folder)) {
    const auto value = y.value(row);
    if (!value) continue;
    line.x.push_back(*x.value(row));
    line.y.push_back(*value);
  }
  return line;
}

const char* told(results::BandKind kind) {
  switch (kind) {
    case results::BandKind::none:
      return "";
    case results::BandKind::extremes:
      return "band: least to largest";
    case results::BandKind::deviation:
      return "band: one standard deviation";
    case results::BandKind::interval:
      return "band: 95 % interval of the mean";
  }
  return "";
}

results::BandKind band_kind(const std::string& word) {
  if (word == "none") return results::BandKind::none;
  if (word == "minmax") return results::BandKind::extremes;
  return word == "sd" ? results::BandKind::deviation : results::BandKind::interval;
}

}  // namespace

void plot_curves(const results::GroupedRuns& runs, const PictureOptions& options) {
  const Column& x = column_named(x_columns, options.x.empty() ? "time" : options.x, "--x");
  const Column& y = column_named(y_columns, options.y.empty() ? runs.metric().word : options.y, "--y");
  const results::BandKind kind = band_kind(options.band);
  const Arrangement arrangement = arrange(runs, options);
  Figure figure = figure_of(arrangement, options);
  const double most_y = std::string(y.word) == "accuracy" ? 1 : std::numeric_limits<double>::infinity();
  double most_x = 0;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const results::RunGroup& group = runs.groups[i];
    std::vector<results::Line> lines;
    for (const results::FinishedRun& run : group.runs) lines.push_back(line_of(run, x, y));
    results::Band band = results::band_of(lines, most_points, kind);
    if (band.x.empty()) {
      throw InputError(group.runs.front().folder.string() +
                       ": has no learning curve; expected runs that were evaluated");
    }
    most_x = std::max(most_x, band.x.back());
    Points& points = figure.panels[arrangement.of_group[i].panel].of_name[arrangement.of_group[i].name];
    points.runs = group.runs.size();
    points.x = std::move(band.x);
    points.y = std::move(band.mean);
    if (group.runs.size() == 1 || kind == results::BandKind::none) continue;
    for (double& low : band.low) low = std::max(low, 0.0);  // none of the measures is ever negative
    for (double& high : band.high) high = std::min(high, most_y);
    points.low = std::move(band.low);
    points.high = std::move(band.high);
  }
  figure.x.label = x.label;
  figure.x.column = x.name;
  figure.x.scale = scale_of(x.word, most_x);
  figure.y.label = y.label;
  figure.y.column = y.name;
  figure.y.from_zero = std::isfinite(most_y);  // a loss has no scale that begins at 0
  if (std::isfinite(most_y)) figure.y.most = most_y;
  tell_runs(figure, "mean of", told(kind));
  draw_lines(figure, options);
}

}  // namespace ddl::view
