#include "sim/network/bounds.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/check.hpp"
#include "sim/network/sharing.hpp"

namespace ddl::network {
namespace {

// What one link carries.
struct Load {
  double bytes = 0, largest = 0, messages = 0;
  double latency_s = std::numeric_limits<double>::infinity();  // least, of the routes through it
};
using Loads = std::map<int, Load>;  // by link

// A flow between workers, alone on the network.
struct Edge {
  int source, target;
  double seconds;
};

// One phase of a step. Only sums are kept, because an all-to-all system has many flows; each flow where rounds need it.
struct Phase {
  Loads loads;
  std::vector<Loads> own;              // per worker: of the flows that it waits for
  std::vector<Transfer> from_servers;  // which start together and share links
  bool only_from_servers = true;
  std::vector<Edge> edges;
};

constexpr int most_rounds = 16;
constexpr double most_edges_followed = 1e7;

class StepBound {
 public:
  StepBound(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
            double model_bytes, double header_bytes)
      : fabric_(fabric), compute_s_(compute_s) {
    for (std::size_t i = 0; i < compute_s_.size(); ++i) {
      compute_s_[i] /= fabric.most_speed_factor(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < traffic.compute_shares.size(); ++i) compute_s_[i] *= traffic.compute_shares[i];
    for (const auto& flows : traffic.phases) {
      Phase& phase = phases_.emplace_back();
      phase.own.resize(compute_s.size());
      for (const Flow& flow : flows) {
        if (!(flow.models > 0) || flow.source == flow.target) continue;
        const double bytes = flow.models * model_bytes + flow.messages * header_bytes;
        add(phase, flow, bytes);
      }
    }
  }

  bool goes_through_servers() const { return through_servers_; }
  Bounds bounds(Pace pace) const {
    Bounds result;
    result.bytes_per_step = bytes_ / fabric_.worker_count();
    result.compute_s = std::ranges::max(compute_s_);
    for (const auto& [link, load] : all_) {
      if (seconds(link, load) <= result.network_s) continue;
      const platform::LinkInfo& info = fabric_.links()[link];
      result.bottleneck = info.name + " " + info.direction;
      result.bottleneck_bytes_per_step = load.bytes;
      result.network_s = seconds(link, load);
    }
    result.network_bound = result.network_s > result.compute_s;
    result.step_s = std::max(result.network_s, pace == Pace::overlapped ? result.compute_s
                                               : pace == Pace::free     ? free_s()
                                               : through_servers_       ? lockstep_s()
                                                                        : rounds_s());
    return result;
  }

 private:
  void add(Phase& phase, const Flow& flow, double bytes) {
    const int workers = fabric_.worker_count();
    const platform::Route route = fabric_.find_route(flow.source, flow.target);
    if (route.within_host()) {  // it is through at once: the first of its phase
      through_servers_ = true;
      phase.only_from_servers = false;
      return;
    }
    bytes_ += bytes;
    add(all_, route, bytes, flow.messages);
    add(phase.loads, route, bytes, flow.messages);
    const int owner = flow.target < workers && !flow.source_waits ? flow.target : flow.source;
    if (owner < workers) add(phase.own[static_cast<std::size_t>(owner)], route, bytes, flow.messages);
    if (flow.source < workers && flow.target < workers) {
      Loads alone;
      add(alone, route, bytes, flow.messages);
      phase.edges.push_back({flow.source, flow.target, seconds_with_latency(alone)});
    } else {
      through_servers_ = true;
    }
    if (flow.source >= workers) {
      phase.from_servers.push_back({&fabric_.route(flow.source, flow.target), bytes});
    } else {
      phase.only_from_servers = false;
    }
  }

  void add(Loads& loads, const platform::Route& route, double bytes, double messages) {
    for (const int link : route.links) {
      Load& load = loads[link];
      load.bytes += bytes;
      load.largest = std::max(load.largest, bytes);
      load.messages += messages;
      load.latency_s = std::min(load.latency_s, latency_s(fabric_, route));
    }
  }

  double seconds(int link, const Load& load) const {
    const platform::LinkInfo& info = fabric_.links()[link];
    return (info.direction == "free" ? load.largest : load.bytes) / fabric_.most_bandwidth_bytes_per_s(link);
  }

  // Of the busiest link, with its latency. Fewer messages than one per step mean that it is not used in every step, so
  // its latency counts in that proportion.
  double seconds_with_latency(const Loads& loads) const {
    double most = 0;
    for (const auto& [link, load] : loads) {
      most = std::max(most, seconds(link, load) + std::min(1.0, load.messages) * load.latency_s);
    }
    return most;
  }

  // own(i, p) for every worker i.
  std::vector<double> own_s(const Phase& phase) const {
    std::vector<double> result;
    for (const Loads& loads : phase.own) result.push_back(seconds_with_latency(loads));
    return result;
  }

  double first_s(const Phase& phase, bool opens_round, double least_own) const {
    if (!opens_round || !phase.only_from_servers) return least_own;
    return std::max(least_own, first_finished_s(fabric_, phase.from_servers));
  }

  double free_s() const {
    std::vector<double> cycle = compute_s_;
    for (const Phase& phase : phases_) {
      const std::vector<double> own = own_s(phase);
      for (std::size_t i = 0; i < cycle.size(); ++i) cycle[i] += own[i];
    }
    return std::ranges::max(cycle);
  }

  double lockstep_s() const {
    std::vector<double> cycle = compute_s_;
    std::vector<double> through_phase;  // per phase: what comes before its busiest link, and that link
    std::vector<double> least_after;    // per phase: its least own time
    double before = std::ranges::min(compute_s_);
    for (const Phase& phase : phases_) {
      const std::vector<double> own = own_s(phase);
      const double least = std::ranges::min(own);
      const double first = first_s(phase, &phase == &phases_.front(), least);
      for (std::size_t i = 0; i < cycle.size(); ++i) cycle[i] += own[i] > 0 ? std::max(own[i], first) : 0;
      through_phase.push_back(before + seconds_with_latency(phase.loads));
      least_after.push_back(least);
      before += first;
    }
    double most = std::ranges::max(cycle), after = 0;
    for (std::size_t p = phases_.size(); p-- > 0; after += least_after[p]) {
      most = std::max(most, through_phase[p] + after);
    }
    return most;
  }

  // Of workers that only wait for each other. When each of them is through k rounds, at the least, follows from when it
  // was through the round before. That rule is monotone and does not look at the clock, so the earliest worker's time
  // after k rounds from a common start, over k, is what no worker beats for long.
  double rounds_s() const {
    std::size_t edges = 1;
    for (const Phase& phase : phases_) edges += phase.edges.size() + compute_s_.size();
    const double affordable = most_edges_followed / static_cast<double>(edges);
    const int rounds = static_cast<int>(std::clamp(affordable, 1.0, static_cast<double>(most_rounds)));
    std::vector<double> through(compute_s_.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < through.size(); ++i) through[i] += compute_s_[i];
      for (const Phase& phase : phases_) go_through(phase, through);
    }
    return std::max(std::ranges::max(compute_s_), std::ranges::min(through) / rounds);
  }

  // A worker is through a phase when it was through the one before and its own flows are there: each not before its
  // source was ready, and all of them not before the first source was.
  void go_through(const Phase& phase, std::vector<double>& through) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::vector<double> before = through, own = own_s(phase);
    std::vector<double> first(through.size(), never);
    for (const Edge& edge : phase.edges) {
      const double ready = before[static_cast<std::size_t>(edge.source)];
      const auto target = static_cast<std::size_t>(edge.target);
      through[target] = std::max(through[target], ready + edge.seconds);
      first[target] = std::min(first[target], ready);
    }
    for (std::size_t i = 0; i < through.size(); ++i) {
      if (first[i] < never) through[i] = std::max(through[i], first[i] + own[i]);
    }
  }

  const platform::Fabric& fabric_;
  std::vector<double> compute_s_;  // of each worker's step
  std::vector<Phase> phases_;
  Loads all_;
  double bytes_ = 0;
  bool through_servers_ = false;
};

// The part of a traffic that goes through one server.
Traffic through(const Traffic& traffic, int server) {
  Traffic part = traffic;
  for (auto& phase : part.phases) {
    std::erase_if(phase, [&](const Flow& flow) { return flow.source != server && flow.target != server; });
  }
  return part;
}

}  // namespace

Bounds bounds_of(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
                 double model_bytes, double header_bytes) {
  check(static_cast<int>(compute_s.size()) == fabric.worker_count(), "a compute time for each worker");
  const StepBound whole(fabric, traffic, compute_s, model_bytes, header_bytes);
  Bounds bounds = whole.bounds(traffic.pace);
  if (whole.goes_through_servers() && fabric.server_count() > 1) {
    // One of several servers may begin a phase while others are still in the one before: only the phases with the same
    // server follow each other.
    bounds.step_s = std::max(bounds.network_s, bounds.compute_s);
    for (int server = fabric.worker_count(); server < fabric.node_count(); ++server) {
      const StepBound part(fabric, through(traffic, server), compute_s, model_bytes, header_bytes);
      bounds.step_s = std::max(bounds.step_s, part.bounds(traffic.pace).step_s);
    }
  }
  bounds.random_peers = traffic.random_peers;
  return bounds;
}

SumTime sum_time(const platform::Fabric& fabric, const Phases& phases, double model_bytes) {
  SumTime time;
  for (const std::vector<Flow>& phase : phases) {
    std::map<int, double> models;  // by link
    double latency_s = 0, bytes_s = 0;
    for (const Flow& flow : phase) {
      const platform::Route route = fabric.find_route(flow.source, flow.target);
      latency_s = std::max(latency_s, flow.messages * route.latency_s);
      for (const int link : route.links) {
        const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
        double& load = models[link];
        load = info.direction == "free" ? std::max(load, flow.models) : load + flow.models;
        bytes_s = std::max(bytes_s, load * model_bytes / info.bandwidth_bytes_per_s);
      }
    }
    time.latency_s += latency_s;
    time.bytes_s += bytes_s;
  }
  return time;
}

std::vector<double> exchange_seconds(const platform::Fabric& fabric, double model_bytes) {
  const int workers = fabric.worker_count();
  const auto for_each_route = [&](auto&& use) {
    for (int source = 0; source < workers; ++source) {
      for (int target = 0; target < workers; ++target) {
        if (source != target) use(source, fabric.find_route(source, target));
      }
    }
  };
  std::vector<double> bytes(fabric.links().size());
  for_each_route([&](int, const platform::Route& route) {
    for (const int link : route.links) {
      double& load = bytes[static_cast<std::size_t>(link)];
      load = fabric.links()[link].direction == "free" ? model_bytes : load + model_bytes;
    }
  });
  std::vector<double> result(static_cast<std::size_t>(workers));
  for_each_route([&](int source, const platform::Route& route) {
    double& most = result[static_cast<std::size_t>(source)];
    for (const int link : route.links) {
      const auto at = static_cast<std::size_t>(link);
      most = std::max(most, bytes[at] / fabric.links()[at].bandwidth_bytes_per_s);
    }
  });
  return result;
}

}  // namespace ddl::network
