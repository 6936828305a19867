// Timeline and message matrix of one run, as the page draws them.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/natural_order.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/view/page_data.hpp"

namespace ddl::view {

using Json = nlohmann::ordered_json;

namespace {

class Timeline {
 public:
  Timeline(const results::FinishedRun& run, const PageLimits& limits)
      : workers_(run.workers.begin(), run.workers.begin() + static_cast<std::ptrdiff_t>(
                                                                std::min(run.workers.size(), limits.timeline_workers))),
        most_(std::max<std::size_t>(4, limits.timeline_spans / workers_.size())),
        lanes_(workers_.size()) {
    for (std::size_t i = 0; i < workers_.size(); ++i) index_[workers_[i]] = i;
  }

  std::size_t workers() const { return workers_.size(); }

  // Spans of one worker are in order of time, sending after the others.
  void add(std::size_t worker, const std::string& kind, double start_s, double end_s, std::int64_t step) {
    if (end_s <= start_s) return;
    Lane& lane = lanes_[worker];
    const bool sends = kind == "send";
    if (sends ? start_s >= lane.drawn_to_s : lane.steps == most_) return;
    if (!sends) {
      ++lane.steps;
      lane.drawn_to_s = end_s;
    }
    lane.spans.push_back({worker, kind, shortened(start_s), shortened(end_s), step});
  }
  void add(const std::string& worker, const std::string& kind, double start_s, double end_s, std::int64_t step) {
    if (const auto found = index_.find(worker); found != index_.end()) add(found->second, kind, start_s, end_s, step);
  }

  Json json(std::size_t all_workers, bool exact) const {
    Json list = Json::array();
    for (const Lane& lane : lanes_) {
      for (const Json& span : lane.spans) list.push_back(span);
    }
    return {{"workers", workers_}, {"spans", list}, {"exact", exact}, {"more_workers", all_workers - workers_.size()}};
  }

 private:
  std::vector<std::string> workers_;
  std::size_t most_;  // spans of one worker
  struct Lane {
    std::vector<Json> spans;
    std::size_t steps = 0;
    double drawn_to_s = 0;
  };
  std::vector<Lane> lanes_;
  std::map<std::string, std::size_t> index_;
};

constexpr double us_per_s = 1e6;

// From trace.json, which has an event per line (sim/results/writing/trace_json.cpp). False if there is none.
bool add_traced(const results::FinishedRun& run, Timeline& timeline) {
  std::ifstream file(run.folder / "trace.json");
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("{\"ph\":\"X\"")) continue;
    if (line.ends_with(',')) line.pop_back();
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) return false;
    const auto worker = event.value("pid", std::size_t{0}) - 1;
    if (worker >= timeline.workers()) break;  // the remaining nodes are servers
    const std::string name = event.value("name", "");
    const std::string kind = name.starts_with("send to") ? "send" : name;
    if (kind != "compute" && kind != "wait" && kind != "send") continue;
    const double start_s = event.value("ts", 0.0) / us_per_s;
    found = true;
    timeline.add(worker, kind, start_s, start_s + event.value("dur", 0.0) / us_per_s,
                 event.value(Json::json_pointer("/args/step"), std::int64_t{0}));
  }
  return found;
}

}  // namespace

Json timeline_of(const results::FinishedRun& run, const PageLimits& limits) {
  Timeline timeline(run, limits);
  if (add_traced(run, timeline)) return timeline.json(run.workers.size(), true);
  results::NodeNames nodes;
  results::read_rows<experiment::IterationRow>(run.folder, nodes, [&](const experiment::IterationRow& step) {
    const double computed_s = step.start_s + step.compute_s;
    timeline.add(nodes[step.worker], "compute", step.start_s, computed_s, step.iteration);
    timeline.add(nodes[step.worker], "wait", computed_s, step.end_s, step.iteration);
  });
  return timeline.json(run.workers.size(), false);
}

Json pairs_of(const results::FinishedRun& run, const PageLimits& limits) {
  std::vector<experiment::PairRow> pairs;
  results::NodeNames names;
  std::vector<std::string> nodes = run.workers, servers;
  results::read_rows<experiment::PairRow>(run.folder, names, [&](const experiment::PairRow& pair) {
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
  for (const experiment::PairRow& pair : pairs) {
    const auto source = index.find(names[pair.source]), target = index.find(names[pair.target]);
    if (source == index.end() || target == index.end()) continue;
    cells.push_back({source->second, target->second, pair.messages, shortened(pair.bytes)});
  }
  return {{"nodes", nodes}, {"cells", cells}, {"more", all - nodes.size()}};
}

}  // namespace ddl::view
