#include "sim/network/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "sim/network/pair.hpp"
#include "sim/network/sharing.hpp"

namespace ddl::network {
namespace {

// The traffic of one link.
struct Load {
  double bytes = 0, largest = 0, messages = 0;
  double latency_s = std::numeric_limits<double>::infinity();  // least, of the routes through it
};
// The traffic between two nodes, whose windows let so much through.
struct Windows {
  double bytes = 0, bytes_per_s = 0, latency_s = 0;
  double at_once = 0;  // bytes that wait for no acknowledgement
};
struct Loads {
  std::map<int, Load> links;
  std::map<Pair, Windows> windows;
};

struct RoutedFlow {
  Flow flow;
  platform::Route route;
  double bytes = 0;
  double window_bytes_per_s = 0;
};

struct PathTime {
  double slowest_s = 0;  // the slowest worker's
  double least_s = 0;    // the least gradient, and the least flows of each phase
};

class StepBound {
 public:
  StepBound(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
            double model_bytes, double header_bytes)
      : fabric_(fabric), pace_(traffic.pace), compute_s_(compute_s) {
    for (std::size_t i = 0; i < compute_s_.size(); ++i) {
      compute_s_[i] /= fabric.most_speed_factor(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < traffic.compute_shares.size(); ++i) compute_s_[i] *= traffic.compute_shares[i];
    for (const auto& flows : traffic.phases) {
      phases_.emplace_back();
      for (const Flow& flow : flows) {
        if (!(flow.models > 0) || flow.source == flow.target) continue;
        const double bytes = flow.models * model_bytes + flow.messages * header_bytes;
        const platform::Route route = fabric.find_route(flow.source, flow.target);
        phases_.back().push_back({flow, route, bytes, most_by_windows(fabric, route, {flow.source, flow.target})});
      }
    }
  }

  Bounds bounds() const {
    Bounds result;
    Loads loads;
    for (const auto& phase : phases_) {
      for (const RoutedFlow& it : phase) {
        if (!it.route.within_host()) result.bytes_per_step += it.bytes;
        add(loads, it);
      }
    }
    result.bytes_per_step /= fabric_.worker_count();
    const auto narrower = [&](double seconds, double bytes) {
      if (seconds <= result.network_s) return false;
      result.network_s = seconds;
      result.bottleneck_bytes_per_step = bytes;
      return true;
    };
    for (const auto& [link, load] : loads.links) {
      const platform::LinkInfo& info = fabric_.links()[link];
      if (narrower(seconds(link, load), load.bytes)) result.bottleneck = info.name + " " + info.direction;
    }
    for (const auto& [pair, load] : loads.windows) {
      if (!narrower(load.bytes / load.bytes_per_s, load.bytes)) continue;
      result.bottleneck = fmt::format("window {} to {}", fabric_.name(pair.source), fabric_.name(pair.target));
    }
    result.compute_s = std::ranges::max(compute_s_);
    result.network_bound = result.network_s > result.compute_s;
    result.step_s = std::max({result.network_s, result.compute_s, own_path_s()});
    return result;
  }

 private:
  void add(Loads& loads, const RoutedFlow& it) const {
    const double latency_s = fabric_.least_latency_s(it.route) * fabric_.network_numbers().latency_factor;
    for (const int link : it.route.links) {
      Load& load = loads.links[link];
      load.bytes += it.bytes;
      load.largest = std::max(load.largest, it.bytes);
      load.messages += it.flow.messages;
      load.latency_s = std::min(load.latency_s, latency_s);
    }
    if (!(it.window_bytes_per_s < std::numeric_limits<double>::infinity())) return;
    const platform::NetworkNumbers& numbers = fabric_.network_numbers();
    Windows& windows = loads.windows[{it.flow.source, it.flow.target}];
    windows.bytes += it.bytes;
    windows.bytes_per_s = it.window_bytes_per_s;
    windows.latency_s = std::max(windows.latency_s, std::min(1.0, it.flow.messages) * latency_s);
    windows.at_once = numbers.follows_connections ? numbers.connections * it.route.window_bytes : 0;
  }

  double seconds(int link, const Load& load) const {
    const platform::LinkInfo& info = fabric_.links()[link];
    return (info.direction == "free" ? load.largest : load.bytes) / fabric_.most_bandwidth_bytes_per_s(link);
  }

  // The time of the busiest link, or window, with its latency. With fewer messages than one per step it is not used in
  // every step, so its latency counts in that proportion.
  double seconds_with_latency(const Loads& loads) const {
    double most = 0;
    for (const auto& [link, load] : loads.links) {
      most = std::max(most, seconds(link, load) + std::min(1.0, load.messages) * load.latency_s);
    }
    for (const auto& [pair, load] : loads.windows) {
      most = std::max(most, std::max(0.0, load.bytes - load.at_once) / load.bytes_per_s + load.latency_s);
    }
    return most;
  }

  double own_path_s() const {
    if (pace_ == Pace::overlapped) return 0;
    double most_s = 0;
    bool any_server = false;
    for (int server = fabric_.worker_count(); server < fabric_.node_count(); ++server) {
      const auto is_its = [server](const Flow& flow) { return flow.source == server || flow.target == server; };
      const auto uses_it = [&](const auto& phase) { return std::ranges::any_of(phase, is_its, &RoutedFlow::flow); };
      any_server = any_server || std::ranges::any_of(phases_, uses_it);
      most_s = std::max(most_s, path(is_its).slowest_s);
    }
    if (any_server) return most_s;
    const PathTime all = path([](const Flow&) { return true; });
    return pace_ == Pace::free ? all.slowest_s : all.least_s;
  }

  // The time of a gradient and, phase by phase, of the flows that a worker waits for, if nothing else is on the
  // network.
  template <class Counts>
  PathTime path(const Counts& counts) const {
    const int workers = fabric_.worker_count();
    std::vector<double> paths = compute_s_;
    PathTime time{.least_s = std::ranges::min(compute_s_)};
    for (const auto& phase : phases_) {
      std::vector<Loads> own(compute_s_.size());
      for (const RoutedFlow& it : phase) {
        const int owner = it.flow.target < workers && !it.flow.source_waits ? it.flow.target : it.flow.source;
        if (owner < workers && counts(it.flow)) add(own[static_cast<std::size_t>(owner)], it);
      }
      double least_s = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double own_s = seconds_with_latency(own[i]);
        paths[i] += own_s;
        least_s = std::min(least_s, own_s);
      }
      time.least_s += least_s;
    }
    time.slowest_s = std::ranges::max(paths);
    return time;
  }

  const platform::Fabric& fabric_;
  const Pace pace_;
  std::vector<double> compute_s_;  // by worker, for a step
  std::vector<std::vector<RoutedFlow>> phases_;
};

// Between workers.
template <class Use>
void for_each_route(const platform::Fabric& fabric, Use use) {
  for (int source = 0; source < fabric.worker_count(); ++source) {
    for (int target = 0; target < fabric.worker_count(); ++target) {
      if (source != target) use(source, target, fabric.find_route(source, target));
    }
  }
}

// Bytes per second, by one route from each worker.
double slowest_own_link(const platform::Fabric& fabric) {
  double slowest = std::numeric_limits<double>::infinity();
  for (int source = 0; source < fabric.worker_count(); ++source) {
    const platform::Route route = fabric.find_route(source, (source + 1) % fabric.worker_count());
    if (route.links.empty()) continue;
    for (const int link : {route.links.front(), route.links.back()}) {
      slowest = std::min(slowest, fabric.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s);
    }
  }
  return slowest;
}

}  // namespace

Bounds bounds_of(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
                 double model_bytes, double header_bytes) {
  check(static_cast<int>(compute_s.size()) == fabric.worker_count(), "a compute time for each worker");
  Bounds bounds = StepBound(fabric, traffic, compute_s, model_bytes, header_bytes).bounds();
  bounds.random_peers = traffic.random_peers;
  if (traffic.unlisted_models > 0) {
    bounds.unlisted_s = traffic.unlisted_models * model_bytes / slowest_own_link(fabric);
  }
  return bounds;
}

std::vector<SumPhase> sum_phases(const platform::Fabric& fabric, const Phases& phases, double model_bytes) {
  std::vector<SumPhase> result;
  for (const std::vector<Flow>& phase : phases) {
    SumPhase& sum = result.emplace_back();
    std::map<int, double> models;  // by link
    for (const Flow& flow : phase) {
      const platform::Route route = fabric.find_route(flow.source, flow.target);
      sum.messages = std::max(sum.messages, flow.messages);
      sum.latency_s = std::max(sum.latency_s, route.latency_s);
      sum.bytes = std::max(sum.bytes, flow.models * model_bytes / flow.messages);
      for (const int link : route.links) {
        const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
        double& load = models[link];
        load = info.direction == "free" ? std::max(load, flow.models) : load + flow.models;
        sum.bytes_s = std::max(sum.bytes_s, load * model_bytes / info.bandwidth_bytes_per_s);
      }
    }
  }
  return result;
}

std::vector<double> rates_of_workers(const platform::Fabric& fabric) {
  std::vector<std::set<int>> out(static_cast<std::size_t>(fabric.worker_count())), in(out.size());
  for_each_route(fabric, [&](int source, int target, const platform::Route& route) {
    if (route.links.empty()) return;
    out[static_cast<std::size_t>(source)].insert(route.links.front());
    in[static_cast<std::size_t>(target)].insert(route.links.back());
  });
  const auto rate = [&](const std::set<int>& links) {
    double all = 0;
    for (const int link : links) all += fabric.links()[static_cast<std::size_t>(link)].bandwidth_bytes_per_s;
    return all;
  };
  std::vector<double> rates;
  for (std::size_t i = 0; i < out.size(); ++i) rates.push_back(std::min(rate(out[i]), rate(in[i])));
  return rates;
}

std::vector<double> exchange_seconds(const platform::Fabric& fabric, double model_bytes) {
  std::vector<double> bytes(fabric.links().size());
  for_each_route(fabric, [&](int, int, const platform::Route& route) {
    for (const int link : route.links) {
      double& load = bytes[static_cast<std::size_t>(link)];
      load = fabric.links()[link].direction == "free" ? model_bytes : load + model_bytes;
    }
  });
  std::vector<double> result(static_cast<std::size_t>(fabric.worker_count()));
  for_each_route(fabric, [&](int source, int, const platform::Route& route) {
    double& most = result[static_cast<std::size_t>(source)];
    for (const int link : route.links) {
      const auto at = static_cast<std::size_t>(link);
      most = std::max(most, bytes[at] / fabric.links()[at].bandwidth_bytes_per_s);
    }
  });
  return result;
}

}  // namespace ddl::network
