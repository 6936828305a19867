#include "sim/view/plots/panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/natural_order.hpp"
#include "sim/scenario/reading/units.hpp"
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

// The position of a value on an axis: a number, or a quantity with its unit.
std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  for (const scenario::Dimension dimension : {scenario::Dimension::bandwidth, scenario::Dimension::time,
                                              scenario::Dimension::size, scenario::Dimension::speed}) {
    if (const scenario::Quantity quantity = scenario::parse_quantity(text, dimension); quantity.problem.empty())
      return quantity.value;
  }
  return std::nullopt;
}

std::string without_own(const results::RunGroup& group) {
  return group.scheme.substr(0, group.scheme.size() - group.own_settings.size());
}

// Whether what was tuned of each scheme need not be told to tell them apart.
bool have_own_rates(const results::GroupedRuns& runs) {
  std::set<std::string> schemes, without;
  for (const results::RunGroup& group : runs.groups) {
    if (group.own_settings.empty()) return false;
    schemes.insert(group.scheme);
    without.insert(without_own(group));
  }
  return runs.groups.size() > 1 && schemes.size() == without.size();
}

// How a group is named: what panel it is in, and what tells its series apart there.
struct Words {
  std::string panel, system, scheme;
  std::vector<std::string> others;  // other settings; empty where it has none

  std::string rest() const { return told_by(others); }
  std::string name() const { return others.empty() || rest().empty() ? scheme : scheme + ", " + rest(); }
  static std::string told_by(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() || text.empty() ? "" : ", ") + text;
    return all;
  }
};

// The groups in the order in which they are drawn.
std::vector<std::size_t> order_of(const results::GroupedRuns& runs) {
  std::vector<std::string> systems;
  std::vector<std::size_t> system, order;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const std::string& scheme = runs.groups[i].scheme;
    system.push_back(numbered(systems, scheme.substr(0, scheme.find(' '))));
    order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (system[a] != system[b]) return system[a] < system[b];
    const results::RunGroup &one = runs.groups[a], &other = runs.groups[b];
    if (one.scheme != other.scheme) return natural_less(one.scheme, other.scheme);
    return std::ranges::lexicographical_compare(one.varied, other.varied, value_less);
  });
  return order;
}

std::vector<std::string> panels_of(const results::GroupedRuns& runs, const std::vector<std::size_t>& facets,
                                   const std::vector<Words>& words) {
  std::vector<std::size_t> order(runs.groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const auto value = [&](std::size_t group) {
      return [&, group](std::size_t column) { return runs.groups[group].varied[column]; };
    };
    std::vector<std::string> one, other;
    std::ranges::transform(facets, std::back_inserter(one), value(a));
    std::ranges::transform(facets, std::back_inserter(other), value(b));
    return std::ranges::lexicographical_compare(one, other, value_less);
  });
  std::vector<std::string> panels;
  for (const std::size_t group : order) numbered(panels, words[group].panel);
  return panels;
}

// What tells series apart by colour and what by dash: the system and the other settings; of one scheme, two settings.
// None where it is one thing alone, where there are too many dashes, or where two legends are no shorter than one.
std::vector<std::pair<std::string, std::string>> two_parts(const std::vector<Words>& words) {
  std::set<std::string> schemes;
  std::set<std::size_t> varying;
  for (const Words& one : words) {
    schemes.insert(one.scheme);
    for (std::size_t i = 0; i < one.others.size(); ++i) {
      if (one.others[i] != words.front().others[i]) varying.insert(i);
    }
  }
  if (schemes.size() == 1 && varying.size() != 2) return {};
  std::vector<std::pair<std::string, std::string>> parts;
  std::set<std::string> names, colours, dashes;
  for (const Words& one : words) {
    if (schemes.size() > 1) {
      parts.emplace_back(one.scheme, one.rest());
    } else {
      parts.emplace_back(one.others[*varying.begin()], one.others[*varying.rbegin()]);
    }
    if (parts.back().first.empty() || parts.back().second.empty()) return {};
    names.insert(one.name());
    colours.insert(parts.back().first);
    dashes.insert(parts.back().second);
  }
  const bool shorter = colours.size() > 1 && dashes.size() > 1 &&
                       names.size() > std::max(colours.size(), dashes.size()) &&
                       names.size() >= colours.size() + dashes.size();
  return shorter && dashes.size() <= static_cast<std::size_t>(dash_kinds)
             ? parts
             : std::vector<std::pair<std::string, std::string>>();
}

void relabel(Arrangement& arrangement, const PictureOptions& options,
             const std::vector<std::pair<std::size_t, std::size_t>>& of_keys) {
  std::vector<std::vector<std::string>*> lists = {&arrangement.names, &arrangement.panels};
  for (Key& key : arrangement.keys) lists.push_back(&key.names);
  std::vector<std::string> known;
  for (const auto* list : lists) known.insert(known.end(), list->begin(), list->end());
  std::erase(known, "");
  const std::vector<std::string> whole = arrangement.names;
  std::map<std::string, std::string> renamed;
  for (const auto& [from, to] : options.labels) {
    if (std::ranges::find(known, from) == known.end()) {
      throw InputError("--label: " + scenario::in_quotes(from) + " is no label here; " +
                       scenario::nearest_or(from, known, "labels are " + scenario::listed(known)));
    }
    renamed[from] = to;
  }
  for (auto* list : lists) {
    for (std::string& name : *list) {
      if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
    }
  }
  for (std::size_t i = 0; i < of_keys.size() && !renamed.empty(); ++i) {
    if (arrangement.names[i] != whole[i]) continue;
    const auto& [colour, dash] = of_keys[i];
    arrangement.names[i] = arrangement.keys[0].names[colour] + ", " + arrangement.keys[1].names[dash];
  }
}

// One key has the colours and marks, the other the dashes.
void give_looks(Arrangement& arrangement, const std::vector<Drawn>& coloured,
                const std::vector<std::pair<std::size_t, std::size_t>>& of_keys, bool grey) {
  Key &colours = arrangement.keys[0], &dashes = arrangement.keys[1];
  colours.looks = looks_of(coloured, grey);
  for (Look& look : colours.looks) look.dash = 1;
  // Of lines of one colour, gnuplot's SVG has the first one's dash.
  for (std::size_t i = 0; i < dashes.names.size(); ++i)
    dashes.looks.push_back(
        {.colour = fmt::format("#4444{:02x}", 0x44 + i), .mark = 1, .dash = 1 + static_cast<int>(i)});
  for (std::size_t i = 0; i < of_keys.size(); ++i) {
    arrangement.looks[i] = colours.looks[of_keys[i].first];
    arrangement.looks[i].dash = dashes.looks[of_keys[i].second].dash;
  }
}

constexpr std::size_t most_names = 28;  // that can be told apart

}  // namespace

void drop_what_is_decided(results::GroupedRuns& runs) {
  for (std::size_t column = 0; column < runs.varied.size();) {
    bool is_decided = false;
    for (std::size_t other = 0; other < runs.varied.size(); ++other) {
      is_decided = is_decided || (other != column && follows(runs, column, other));
    }
    if (!is_decided || !results::is_of_network_model(runs.varied[column])) {
      ++column;
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(column);
    runs.varied.erase(runs.varied.begin() + at);
    for (results::RunGroup& group : runs.groups) group.varied.erase(group.varied.begin() + at);
  }
}

bool value_less(const std::string& a, const std::string& b) {
  const auto number_a = number_of(a), number_b = number_of(b);
  if (number_a && number_b && *number_a != *number_b) return *number_a < *number_b;
  return natural_less(a, b);
}

Arrangement arrange(const results::GroupedRuns& runs, const PictureOptions& options, const std::string& apart) {
  const std::vector<std::size_t> facets = facet_columns(runs, options.facet);
  const std::vector<std::string> in_step = in_step_with(runs, apart);
  const bool own_rates = have_own_rates(runs);
  const auto scheme_of = [&](const results::RunGroup& group) { return own_rates ? without_own(group) : group.scheme; };
  std::vector<Words> words;
  for (const results::RunGroup& group : runs.groups) {
    Words& one = words.emplace_back();
    one.system = group.scheme.substr(0, group.scheme.find(' '));
    one.scheme = runs.groups.size() == 1 ? group.runs.front().name : scheme_of(group);
    for (std::size_t i = 0; i < runs.varied.size(); ++i) {
      const std::string text = told(runs.varied[i], group.varied[i]);
      if (runs.varied[i] == apart) continue;
      if (std::ranges::find(facets, i) == facets.end()) {
        one.others.push_back(text.empty() || in_step[i].empty() ? text : in_step[i]);
      } else if (!text.empty()) {
        one.panel += (one.panel.empty() ? "" : ", ") + text;
      }
    }
  }
  Arrangement arrangement;
  if (own_rates) {
    const bool schedules = std::ranges::any_of(
        runs.groups, [](const auto& group) { return group.own_settings.find(" schedule.") != std::string::npos; });
    arrangement.note =
        schedules ? "each at a learning rate and schedule of its own" : "each at a learning rate of its own";
  }
  arrangement.panels = panels_of(runs, facets, words);
  arrangement.of_group.resize(runs.groups.size());
  const auto parts = two_parts(words);
  if (!parts.empty()) {
    arrangement.keys = {{{}, {}, Key::Shows::lines}, {{}, {}, Key::Shows::dashes}};
    for (const auto& [colour, dash] : parts) numbered(arrangement.keys[1].names, dash);
    std::ranges::sort(arrangement.keys[1].names, natural_less);
  }
  std::vector<Drawn> drawn, coloured;
  std::vector<std::pair<std::size_t, std::size_t>> of_keys;  // by name
  for (const std::size_t group : order_of(runs)) {
    const Words& one = words[group];
    const std::size_t name = numbered(arrangement.names, one.name());
    arrangement.of_group[group] = {numbered(arrangement.panels, one.panel), name};
    if (name < drawn.size()) continue;
    drawn.push_back({one.system, one.name()});
    if (parts.empty()) continue;
    const auto& [colour, dash] = parts[group];
    of_keys.emplace_back(numbered(arrangement.keys[0].names, colour), numbered(arrangement.keys[1].names, dash));
    if (coloured.size() < arrangement.keys[0].names.size()) coloured.push_back({one.system, colour});
  }
  if (arrangement.names.size() > most_names) {
    throw InputError(
        fmt::format("{} kinds of runs are too many for one picture; expected at most {}: name fewer folders, or draw "
                    "--kind map or --facet",
                    arrangement.names.size(), most_names));
  }
  arrangement.looks = looks_of(drawn, options.grey);
  if (!parts.empty()) give_looks(arrangement, coloured, of_keys, options.grey);
  relabel(arrangement, options, of_keys);
  return arrangement;
}

Figure figure_of(const Arrangement& arrangement, const PictureOptions& options) {
  Figure figure;
  figure.title = options.title;
  figure.names = arrangement.names;
  figure.looks = arrangement.looks;
  figure.keys = arrangement.keys;
  figure.note = arrangement.note;
  for (const std::string& title : arrangement.panels) {
    figure.panels.push_back({title, std::vector<Points>(arrangement.names.size())});
  }
  if (options.log_x) figure.x.spacing = Spacing::logarithmic;
  if (options.log_y) figure.y.spacing = Spacing::logarithmic;
  figure.x.limits = options.x_limits;
  figure.y.limits = options.y_limits;
  return figure;
}

std::string range_text(std::size_t least, std::size_t most) {
  return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

void tell_runs(Figure& figure, const std::string& what, const std::string& interval) {
  using Counts = std::pair<std::size_t, std::size_t>;  // the least and the most
  const auto add = [](Counts& all, std::size_t runs) {
    if (runs > 0) all = {all.first == 0 ? runs : std::min(all.first, runs), std::max(all.second, runs)};
  };
  std::vector<Counts> of_names(figure.names.size());
  Counts all;
  for (const Panel& panel : figure.panels) {
    for (std::size_t i = 0; i < of_names.size(); ++i) {
      add(of_names[i], panel.of_name[i].runs);
      add(all, panel.of_name[i].runs);
    }
  }
  if (all.second <= 1) return;
  const bool each = all.first != all.second && figure.keys.empty();
  figure.tell(what + " " + (each ? "n" : range_text(all.first, all.second)) + " seeds");
  if (!interval.empty()) figure.tell(interval);
  for (std::size_t i = 0; i < of_names.size() && each; ++i)
    figure.tell_of(i, "n = " + range_text(of_names[i].first, of_names[i].second));
}

}  // namespace ddl::view
