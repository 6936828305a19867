#include "sim/view/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/counted.hpp"
#include "sim/results/reading/baseline.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/view/answer.hpp"
#include "sim/view/look.hpp"

namespace ddl::view {

using Json = nlohmann::ordered_json;

Json shortened(double number) {
  if (!std::isfinite(number)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
}

namespace {

Json shortened(const std::optional<double>& number) { return number ? view::shortened(*number) : Json(nullptr); }

// Of the evaluations `kept`.
Json curve_of(const std::vector<run::CurveRow>& rows, const std::vector<std::size_t>& kept) {
  Json curve;
  for (const char* key : {"time", "bytes", "iterations", "epochs", "accuracy", "loss", "train_loss"}) {
    curve[key] = Json::array();
  }
  for (const std::size_t i : kept) {
    curve["time"].push_back(shortened(rows[i].time_s));
    curve["bytes"].push_back(shortened(rows[i].bytes_sent));
    curve["iterations"].push_back(shortened(rows[i].iteration));
    curve["epochs"].push_back(shortened(rows[i].epoch));
    curve["accuracy"].push_back(shortened(rows[i].test_accuracy));
    curve["loss"].push_back(shortened(rows[i].test_loss));
    curve["train_loss"].push_back(shortened(rows[i].train_loss));
  }
  return curve;
}

struct Link {
  std::string name;
  double bytes = 0, utilisation = 0;
  std::vector<run::LinkPeriod> periods;
};

// Merges neighbouring periods if there are more than a page shows.
Json over_time(const std::vector<run::LinkPeriod>& periods, const PageLimits& limits) {
  Json list = Json::array();
  const std::size_t together = (periods.size() + limits.periods - 1) / limits.periods;
  for (std::size_t begin = 0; begin < periods.size(); begin += together) {
    const std::size_t end = std::min(begin + together, periods.size());
    double busy_s = 0;
    for (std::size_t i = begin; i < end; ++i) {
      busy_s += periods[i].utilisation * (periods[i].end_s - periods[i].start_s);
    }
    const double from_s = periods[begin].start_s, to_s = periods[end - 1].end_s;
    if (busy_s > 0) list.push_back({shortened(from_s), shortened(to_s), shortened(busy_s / (to_s - from_s))});
  }
  return list;
}

void add_links(const results::FinishedRun& run, const PageLimits& limits, Json& json) {
  std::vector<Link> links;
  results::read_rows<run::TrafficRow>(run.folder, [&](const run::TrafficRow& row) {
    if (row.bytes > 0) links.push_back({row.link + " " + row.direction, row.bytes, row.utilisation, {}});
  });
  json["all_links"] = links.size();
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.utilisation > b.utilisation; });
  if (links.size() > limits.links) links.resize(limits.links);
  results::read_rows<run::LinkPeriod>(run.folder, [&](const run::LinkPeriod& period) {
    const std::string name = period.link + " " + period.direction;
    const auto link = std::find_if(links.begin(), links.end(), [&](const Link& known) { return known.name == name; });
    if (link != links.end()) link->periods.push_back(period);
  });
  json["links"] = Json::array();
  for (const Link& link : links) {
    Json entry = {{"name", link.name}, {"bytes", shortened(link.bytes)}, {"utilisation", shortened(link.utilisation)}};
    if (!link.periods.empty()) entry["over_time"] = over_time(link.periods, limits);
    json["links"].push_back(std::move(entry));
  }
}

Json run_of(const results::FinishedRun& run, std::size_t group, std::size_t runs, const PageLimits& limits,
            bool& thinned) {
  Json json = {{"group", group}, {"seed", run.seed}, {"simulated_s", shortened(run.measure("simulated_seconds"))}};
  const std::vector<run::CurveRow> rows = results::read_mean_curve(run.folder);
  const auto kept = results::spread_evenly(rows.size(), limits.curve_points);
  thinned = thinned || kept.size() < rows.size();
  json["curve"] = curve_of(rows, kept);
  constexpr std::size_t columns = 4, least_points = 8;
  const std::size_t of_a_point = runs * columns * std::min(run.workers.size(), limits.curve_workers);
  json["worker_curves"] =
      worker_curves_of(run, std::max(least_points, limits.worker_values / of_a_point), kept, limits);
  json["busiest_link"] = run.busiest_link;
  json["bottleneck"] = run.bottleneck;
  for (const results::Measure& measure : run.measures) json["measures"][measure.key] = shortened(measure.value);
  add_links(run, limits, json);
  json["pairs"] = pairs_of(run, limits);
  json["timeline"] = timeline_of(run, limits);
  return json;
}

Json group_of(const results::GroupedRuns& runs, const results::RunGroup& group) {
  const bool only = runs.groups.size() == 1;
  Json json = {{"label", only ? group.runs.front().name : group.label(runs.varied)},
               {"scheme", only ? group.runs.front().name : group.scheme},
               {"varied", group.varied},
               {"runs", group.runs.size()},
               {"scenario", group.runs.front().scenario}};
  json["measures"] = Json::object();
  for (const results::Measure& measure : group.runs.front().measures) {
    const auto over_runs = group.estimate_of(measure.key);
    if (!over_runs) continue;
    json["measures"][measure.key] = {shortened(over_runs->mean), shortened(over_runs->half_width), over_runs->count,
                                     group.runs.size()};
  }
  return json;
}

// Colours and dashes of schemes, as all pictures have them.
Json looks_of_schemes(const results::GroupedRuns& runs) {
  std::vector<Drawn> drawn;
  for (const results::RunGroup& group : runs.groups) {
    const bool only = runs.groups.size() == 1;
    drawn.push_back({group.scheme.substr(0, group.scheme.find(' ')), only ? group.runs.front().name : group.scheme});
  }
  const std::vector<Look> looks = looks_of(drawn);
  Json json = Json::object();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    json[drawn[i].name] = {{"colour", looks[i].colour}, {"dash", looks[i].dash - 1}};
  }
  return json;
}

// The systems in order, per condition; values as [mean, half width or null] or null.
Json answer_json(const Answer& answer) {
  Json json = {{"measure", answer.measure}, {"target", shortened(answer.target)}, {"rankings", Json::array()}};
  for (const Ranking& ranking : answer.rankings) {
    Json order = Json::array();
    for (const Ranked& ranked : ranking.order) {
      Json value = nullptr;
      if (ranked.value) value = {shortened(ranked.value->mean), shortened(ranked.value->half_width)};
      order.push_back({{"group", ranked.group}, {"value", value}});
    }
    Json clear = nullptr;
    if (ranking.clear) clear = *ranking.clear;
    json["rankings"].push_back({{"condition", ranking.condition}, {"order", order}, {"clear", clear}});
  }
  return json;
}

// By target: the speed-up over one worker alone, null where only one of the two gets there, and whether it beats it.
Json over_one_worker(const results::RunGroup& group, const results::RunGroup& one) {
  Json json = Json::object();
  for (const double target : group.runs.front().targets) {
    const auto against = results::against_one(group, one, target);
    if (against) json[fmt::format("{}", target)] = {shortened(against->speed_up), against->beats};
  }
  return json;
}

// Half widths of 95 % intervals, in standard errors, for 2, 3, ... values.
Json student_factors(const results::GroupedRuns& runs) {
  std::size_t most = 2;
  for (const results::RunGroup& group : runs.groups) most = std::max(most, group.runs.size());
  Json factors = Json::array();
  for (std::size_t n = 2; n <= most; ++n) factors.push_back(shortened(results::student_factor(n)));
  return factors;
}

// What carried the messages, in every way that a run has it; and why, unless the reasons differ.
std::string networks_of(const results::GroupedRuns& runs) {
  std::map<std::string, std::set<std::string>> reasons;
  for (const results::RunGroup& group : runs.groups) {
    for (const results::FinishedRun& run : group.runs) {
      const std::size_t reason = std::min(run.network.find(" ("), run.network.size());
      if (!run.network.empty()) reasons[run.network.substr(0, reason)].insert(run.network.substr(reason));
    }
  }
  std::string text;
  for (const auto& [network, why] : reasons) {
    text += (text.empty() ? " Network: " : "; ") + network + (why.size() == 1 ? *why.begin() : "");
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

Json page_data(const results::GroupedRuns& runs, const PageLimits& limits) {
  Json data;
  std::set<double> targets;
  bool thinned = false;
  data["varied"] = runs.varied;
  data["groups"] = Json::array();
  data["runs"] = Json::array();
  const auto baselines = results::baselines_of(runs);
  std::size_t all_runs = 0;
  for (const results::RunGroup& group : runs.groups) all_runs += group.runs.size();
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    data["groups"].push_back(group_of(runs, runs.groups[i]));
    if (baselines[i]) {
      data["groups"].back()["over_one_worker"] = over_one_worker(runs.groups[i], runs.groups[*baselines[i]]);
    }
    for (const results::FinishedRun& run : runs.groups[i].runs) {
      data["runs"].push_back(run_of(run, i, all_runs, limits, thinned));
      targets.insert(run.targets.begin(), run.targets.end());
    }
  }
  const Json provenance = Json::parse(runs.groups.front().runs.front().provenance);
  data["subtitle"] = fmt::format("{} of {}. Simulated by {} {} with SimGrid {}.", counted(all_runs, "run"),
                                 counted(runs.groups.size(), "scenario"), provenance.value("program", "ddlsim"),
                                 provenance.value("version", "?"), provenance.value("simgrid", "?")) +
                     networks_of(runs);
  const scenario::Metric& metric = runs.metric();
  data["metric"] = {{"word", metric.word},
                    {"less_is_better", metric.less_is_better},
                    {"time_to", results::time_to(metric)},
                    {"bytes_to", results::bytes_to(metric)}};
  data["targets"] = targets;
  data["thinned"] = thinned;
  data["answer"] = answer_json(answer_of(runs));
  data["answers"] = Json::array();
  for (const Answer& answer : answers_of(runs)) data["answers"].push_back(answer_json(answer));
  data["looks"] = looks_of_schemes(runs);
  data["t95"] = student_factors(runs);
  return data;
}

}  // namespace ddl::view
