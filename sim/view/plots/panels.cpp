#include "sim/view/plots/panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::view {
namespace {

constexpr std::string_view network_prefix = "platform.";

// The columns of runs.varied that a panel stands for.
std::vector<std::size_t> facet_columns(const results::GroupedRuns& runs, const std::string& facet) {
  std::vector<std::size_t> columns;
  if (facet.empty()) return columns;
  for (std::size_t i = 0; i < runs.varied.size(); ++i) {
    const std::string& path = runs.varied[i];
    const bool of_network = path.starts_with(network_prefix) && !is_of_workers(path);
    if (facet == "network" ? of_network : path == facet) columns.push_back(i);
  }
  if (columns.empty()) {
    throw InputError(fmt::format(
        "--facet: {} does not vary among these runs; {}", scenario::in_quotes(facet),
        runs.varied.empty() ? "nothing but the system does" : "these do: " + scenario::listed(runs.varied)));
  }
  return columns;
}

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// "het_wan" of a platform's file, "bandwidth 40Mbps" of another setting.
std::string told(const std::string& path, const std::string& value) {
  if (value.empty()) return "";
  if (path == "platform.file") return std::filesystem::path(value).stem().string();
  return last_word(path) + " " + value;
}

// Whether groups that agree in column `other` agree in `column`, so that it goes in step with it.
bool follows(const results::GroupedRuns& runs, std::size_t column, std::size_t other) {
  std::map<std::string, std::string> of_other;
  return std::ranges::all_of(runs.groups, [&](const results::RunGroup& group) {
    return of_other.emplace(group.varied[other], group.varied[column]).first->second == group.varied[column];
  });
}

// Of the columns that go in step with the one that is drawn over, "learning_rate by workers"; "" of others.
std::vector<std::string> in_step_with(const results::GroupedRuns& runs, const std::string& apart) {
  std::vector<std::string> texts(runs.varied.size());
  const auto found = std::ranges::find(runs.varied, apart);
  if (found == runs.varied.end()) return texts;
  const auto other = static_cast<std::size_t>(found - runs.varied.begin());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != other && follows(runs, i, other)) texts[i] = last_word(runs.varied[i]) + " by " + last_word(apart);
  }
  return texts;
}

std::size_t numbered(std::vector<std::string>& list, const std::string& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  const auto position = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(item);
  return position;
}

void relabel(Arrangement& arrangement, const PictureOptions& options) {
  const std::vector<std::string> names = arrangement.names, panels = arrangement.panels;
  for (const auto& [from, to] : options.labels) {
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == from) arrangement.names[i] = to, found = true;
    }
    for (std::size_t i = 0; i < panels.size(); ++i) {
      if (panels[i] == from) arrangement.panels[i] = to, found = true;
    }
    if (found) continue;
    std::vector<std::string> known = names;
    if (panels.size() > 1) known.insert(known.end(), panels.begin(), panels.end());
    throw InputError("--label: " + scenario::in_quotes(from) + " is no label here; " +
                     scenario::nearest_or(from, known, "labels are " + scenario::listed(known)));
  }
}

constexpr std::size_t most_names = 28;  // that can be told apart

}  // namespace

Arrangement arrange(const results::GroupedRuns& runs, const PictureOptions& options, const std::string& apart) {
  const std::vector<std::size_t> facets = facet_columns(runs, options.facet);
  const std::vector<std::string> in_step = in_step_with(runs, apart);
  Arrangement arrangement;
  std::vector<Drawn> drawn;
  for (const results::RunGroup& group : runs.groups) {
    std::string title, name = group.scheme;
    for (std::size_t i = 0; i < runs.varied.size(); ++i) {
      const std::string text = told(runs.varied[i], group.varied[i]);
      if (text.empty() || runs.varied[i] == apart) continue;
      if (std::find(facets.begin(), facets.end(), i) != facets.end()) {
        title += (title.empty() ? "" : ", ") + text;
      } else {
        name += ", " + (in_step[i].empty() ? text : in_step[i]);
      }
    }
    if (runs.groups.size() == 1) name = group.runs.front().name;
    const Arrangement::Place place{numbered(arrangement.panels, title), numbered(arrangement.names, name)};
    if (place.name == drawn.size()) drawn.push_back({group.scheme.substr(0, group.scheme.find(' ')), name});
    arrangement.of_group.push_back(place);
  }
  if (arrangement.names.size() > most_names) {
    throw InputError(
        fmt::format("{} kinds of runs are too many for one picture; expected at most {}: name fewer folders, or draw "
                    "--kind map or --facet",
                    arrangement.names.size(), most_names));
  }
  arrangement.looks = looks_of(drawn, options.grey);
  relabel(arrangement, options);
  return arrangement;
}

Figure figure_of(const Arrangement& arrangement, const PictureOptions& options) {
  Figure figure;
  figure.title = options.title;
  figure.names = arrangement.names;
  figure.looks = arrangement.looks;
  for (const std::string& title : arrangement.panels) {
    figure.panels.push_back({title, std::vector<Points>(arrangement.names.size())});
  }
  figure.x.logarithmic = options.log_x;
  figure.y.logarithmic = options.log_y;
  figure.x.limits = options.x_limits;
  figure.y.limits = options.y_limits;
  return figure;
}

void tell_runs(Figure& figure, const std::string& what, const std::string& interval) {
  std::vector<std::size_t> runs(figure.names.size(), 0);
  for (const Panel& panel : figure.panels) {
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = std::max(runs[i], panel.of_name[i].runs);
  }
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
  if (*most <= 1) return;
  const std::string seeds = *least == *most ? fmt::format(" {} seeds", *most) : " n seeds";
  figure.note = what + seeds + (interval.empty() ? "" : "; " + interval);
  if (*least == *most) return;
  for (std::size_t i = 0; i < runs.size(); ++i) figure.names[i] += fmt::format(" (n = {})", runs[i]);
}

}  // namespace ddl::view
