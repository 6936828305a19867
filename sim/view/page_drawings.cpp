// Timeline and message matrix of one run, as the page draws them.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/natural_order.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/view/page_data.hpp"

namespace ddl::view {

using Json = nlohmann::ordered_json;

namespace {

// A row for each of the first workers, and below them for the first servers.
class Timeline {
 public:
  Timeline(const results::FinishedRun& run, const PageLimits& limits)
      : workers_(run.workers.begin(), run.workers.begin() + static_cast<std::ptrdiff_t>(
                                                                std::min(run.workers.size(), limits.timeline_workers))),
        all_workers_(run.workers.size()),
        most_servers_(limits.timeline_servers),
        most_(std::max<std::size_t>(4, limits.timeline_spans / workers_.size())),
        most_of_server_(limits.timeline_spans),
        lanes_(workers_.size()) {
    for (std::size_t i = 0; i < workers_.size(); ++i) index_[workers_[i]] = i;
  }

  // Nodes come in order, all workers first.
  void add_server(const std::string& name) {
    ++all_servers_;
    if (servers_.size() == most_servers_) return;
    index_[name] = lanes_.size();
    servers_.push_back(name);
    Lane& lane = lanes_.emplace_back();
    for (const Lane& worker : lanes_) lane.drawn_to_s = std::max(lane.drawn_to_s, worker.drawn_to_s);
  }

  // Spans of one node are in order of time, sending after the others. `peer` is the node that a message goes to.
  void add(const std::string& node, const std::string& kind, double start_s, double end_s, std::int64_t step,
           const std::string& peer = "") {
    const auto found = index_.find(node);
    if (found == index_.end() || end_s <= start_s) return;
    Lane& lane = lanes_[found->second];
    const bool sends = kind == "send";
    if (sends ? start_s >= lane.drawn_to_s || lane.sends == (found->second < workers_.size() ? most_ : most_of_server_)
              : lane.steps == most_)
      return;
    ++(sends ? lane.sends : lane.steps);
    if (!sends) lane.drawn_to_s = std::max(lane.drawn_to_s, end_s);
    lane.spans.push_back({{found->second, kind, shortened(start_s), shortened(end_s), step}, peer});
  }

  Json json(bool exact) const {
    Json list = Json::array();
    for (const Lane& lane : lanes_) {
      for (const auto& [span, peer] : lane.spans) {
        list.push_back(span);
        if (const auto found = index_.find(peer); found != index_.end()) list.back().push_back(found->second);
      }
    }
    return {{"workers", workers_},
            {"servers", servers_},
            {"spans", list},
            {"exact", exact},
            {"more_workers", all_workers_ - workers_.size()},
            {"more_servers", all_servers_ - servers_.size()}};
  }

 private:
  std::vector<std::string> workers_, servers_;
  std::size_t all_workers_, all_servers_ = 0, most_servers_;
  std::size_t most_, most_of_server_;  // steps of one node, or messages
  struct Span {
    Json values;
    std::string peer;
  };
  struct Lane {
    std::vector<Span> spans;
    std::size_t steps = 0, sends = 0;
    double drawn_to_s = 0;
  };
  std::vector<Lane> lanes_;
  std::map<std::string, std::size_t> index_;
};

constexpr double us_per_s = 1e6;

// From trace.json, which has an event per line (sim/results/writing/trace_json.cpp). False if there is none.
bool add_traced(const results::FinishedRun& run, Timeline& timeline) {
  std::ifstream file(run.folder / "trace.json");
  constexpr std::string_view sends = "send to ";
  const auto is_drawn = [&](const std::string& line) {
    for (const char* name : {"\"name\":\"compute\"", "\"name\":\"wait\"", "\"name\":\"send to "}) {
      if (line.find(name) != std::string::npos) return true;
    }
    return false;
  };
  bool found = false;
  std::size_t nodes = 0;
  std::string node;  // whose events these are
  for (std::string line; std::getline(file, line);) {
    const bool names_process = line.find("\"name\":\"process_name\"") != std::string::npos;
    // A node's threads begin with its steps; other processes of the file have none.
    const bool starts_node = !names_process && line.find("\"args\":{\"name\":\"steps\"}") != std::string::npos;
    if (starts_node && nodes++ >= run.workers.size()) timeline.add_server(node);
    if (!names_process && !(line.starts_with("{\"ph\":\"X\"") && is_drawn(line))) continue;
    if (line.ends_with(',')) line.pop_back();
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) return false;
    if (names_process) {
      node = event.value(Json::json_pointer("/args/name"), "");
      continue;
    }
    const std::string name = event.value("name", "");
    const bool is_message = name.starts_with(sends);
    const double start_s = event.value("ts", 0.0) / us_per_s;
    found = true;
    timeline.add(node, is_message ? "send" : name, start_s, start_s + event.value("dur", 0.0) / us_per_s,
                 event.value(Json::json_pointer("/args/step"), std::int64_t{0}),
                 is_message ? name.substr(sends.size()) : "");
  }
  return found;
}

}  // namespace

Json timeline_of(const results::FinishedRun& run, const PageLimits& limits) {
  Timeline timeline(run, limits);
  if (add_traced(run, timeline)) return timeline.json(true);
  results::NodeNames nodes;
  results::read_rows<run::IterationRow>(run.folder, nodes, [&](const run::IterationRow& step) {
    const double computed_s = step.start_s + step.compute_s;
    timeline.add(nodes[step.worker], "compute", step.start_s, computed_s, step.iteration);
    timeline.add(nodes[step.worker], "wait", computed_s, step.end_s, step.iteration);
  });
  return timeline.json(false);
}

Json worker_curves_of(const results::FinishedRun& run, std::size_t most_points, const std::vector<std::size_t>& kept,
                      const PageLimits& limits) {
  const std::size_t workers = std::min(run.workers.size(), limits.curve_workers);
  Json json = {{"names", std::vector<std::string>(run.workers.begin(), run.workers.begin() + workers)},
               {"more", run.workers.size() - workers}};
  const auto chosen = results::spread_evenly(kept.size(), most_points);
  json["at"] = chosen;
  const std::vector<Json> empty(workers, Json::array());
  json["steps"] = empty;
  for (const char* key : {"accuracy", "loss", "train_loss"}) json["curves"][key] = empty;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < workers; ++i) index[run.workers[i]] = i;
  std::size_t evaluation = 0, next = 0;  // rows of an evaluation lie together, and the mean row is behind its workers'
  results::read_rows<run::CurveRow>(run.folder, [&](const run::CurveRow& row) {
    const bool wanted = next < chosen.size() && kept[chosen[next]] == evaluation;
    if (row.worker == run::mean_of_workers) {
      ++evaluation;
      next += wanted;
      return;
    }
    const auto worker = index.find(row.worker);
    if (!wanted || worker == index.end()) return;
    json["steps"][worker->second].push_back(shortened(row.iteration));
    json["curves"]["accuracy"][worker->second].push_back(row.test_accuracy ? shortened(*row.test_accuracy) : Json());
    json["curves"]["loss"][worker->second].push_back(row.test_loss ? shortened(*row.test_loss) : Json());
    json["curves"]["train_loss"][worker->second].push_back(row.train_loss ? shortened(*row.train_loss) : Json());
  });
  return json;
}

Json pairs_of(const results::FinishedRun& run, const PageLimits& limits) {
  std::vector<run::PairRow> pairs;
  results::NodeNames names;
  std::vector<std::string> nodes = run.workers, servers;
  results::read_rows<run::PairRow>(run.folder, names, [&](const run::PairRow& pair) {
    pairs.push_back(pair);
    for (const std::string& node : {names[pair.source], names[pair.target]}) {
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end() &&
          std::find(servers.begin(), servers.end(), node) == servers.end()) {
        servers.push_back(node);
      }
    }
  });
  std::sort(servers.begin(), servers.end(), natural_less);
  nodes.insert(nodes.end(), servers.begin(), servers.end());
  const std::size_t all = nodes.size();
  if (all > limits.matrix_nodes) nodes.resize(limits.matrix_nodes);
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
  Json cells = Json::array();
  for (const run::PairRow& pair : pairs) {
    const auto source = index.find(names[pair.source]), target = index.find(names[pair.target]);
    if (source == index.end() || target == index.end()) continue;
    cells.push_back({source->second, target->second, pair.messages, shortened(pair.bytes)});
  }
  return {{"nodes", nodes}, {"cells", cells}, {"more", all - nodes.size()}};
}

}  // namespace ddl::view
