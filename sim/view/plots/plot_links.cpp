#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/layout.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_links = 40;

struct LinkLine {
  std::string name;
  std::vector<run::LinkPeriod> periods;
  double busy_s = 0;
};

std::vector<LinkLine> lines_of(const results::FinishedRun& run) {
  std::vector<LinkLine> lines;
  const bool recorded = results::read_rows<run::LinkPeriod>(run.folder, [&](const run::LinkPeriod& period) {
    const std::string name = period.link + " " + period.direction;
    if (lines.empty() || lines.back().name != name) lines.push_back({name, {}, 0});
    lines.back().periods.push_back(period);
    lines.back().busy_s += period.utilisation * (period.end_s - period.start_s);
  });
  if (!recorded) {
    throw InputError(run.folder.string() + ": has no links.csv; expected a run with --trace, which writes it");
  }
  if (lines.empty()) throw InputError(run.folder.string() + ": nothing travelled over its links");
  return lines;
}

}  // namespace

void plot_links(const results::FinishedRun& run, const PictureOptions& options) {
  std::vector<LinkLine> lines = lines_of(run);
  const std::size_t all = lines.size();
  if (all > most_links) {
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.busy_s > b.busy_s; });
    lines.resize(most_links);
  }
  double end_s = 0;
  std::vector<std::string> names;
  std::string text = "$cells << END_OF_DATA\n", data = "link,start_s,end_s,utilisation\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    names.push_back(lines[row].name);
    for (const run::LinkPeriod& period : lines[row].periods) {
      end_s = std::max(end_s, period.end_s);
      text += fmt::format("{} {} {} {}\n", row + 1, gnuplot_number(period.start_s), gnuplot_number(period.end_s),
                          gnuplot_number(period.utilisation));
      data += fmt::format("{},{},{},{}\n", results::csv_field(lines[row].name), results::csv_field(period.start_s),
                          results::csv_field(period.end_s), results::csv_field(period.utilisation));
    }
  }
  const std::string cut = all > most_links ? fmt::format(" (the {} busiest of {} links)", most_links, all) : "";
  const std::string title =
      (options.title.empty() ? fmt::format("{} (seed {})", run.name, run.seed) : options.title) + cut;
  Content content;
  content.title = title;
  content.x_labels = {options.x_label.empty() ? "simulated time (s)" : options.x_label};
  Axis time;
  time.limits = options.x_limits;
  Values values;
  values.take(end_s);
  content.x = {time, extent_of(time, values, 0)};
  content.rows = names;
  content.row_height = 1.57;
  content.width = 820;
  constexpr double scale_width = 1.2, gap = 1.2, numbers = 5.5;
  content.room_at_right = gap + scale_width + numbers;
  Layout layout(content, options.size);
  const Canvas& canvas = layout.canvas();
  const Box& box = layout.panels().front();
  const double scale_left = box.right + gap * canvas.type,
               numbers_left = scale_left + (scale_width + 0.6) * canvas.type;
  for (const int percent : {0, 25, 50, 75, 100}) {
    layout.pen().write(std::to_string(percent), numbers_left, box.bottom + percent / 100.0 * (box.top - box.bottom),
                       {});
  }
  layout.pen().write("% of the bandwidth", numbers_left + 3 * canvas.type, (box.bottom + box.top) / 2,
                     {.at = Pen::At::middle, .turned = true});
  text += "END_OF_DATA\n" + layout.definitions() +
          fmt::format("scale_left = {:.5f}\nscale_width = {:.5f}\n", scale_left / canvas.width,
                      scale_width * canvas.type / canvas.width);
  draw(options.file, {title, options.command, canvas}, text, links_script);
  results::write_whole(data_file(options.file), data);
}

}  // namespace ddl::view
