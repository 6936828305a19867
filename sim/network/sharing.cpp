#include "sim/network/sharing.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace ddl::network {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double penalty_of(const platform::Fabric& fabric, const platform::Route& route) {
  double penalty = route.latency_s;
  for (const int link : route.links) {
    penalty += fabric.network_numbers().weight_bytes / fabric.links()[link].bandwidth_bytes_per_s;
  }
  return penalty;
}

double claim(const platform::Fabric& fabric, const platform::Route& route) {
  const double penalty = penalty_of(fabric, route);
  return penalty > 0 ? 1 / penalty : 1;
}

// What is left of a link while rates are being fixed.
struct Remains {
  double bandwidth = 0;
  double claims = 0;  // of the flows without a rate; of a fat pipe the largest
  bool shared = true;
  double share() const { return claims > 0 ? bandwidth / claims : never; }
};

class Filling {
 public:
  Filling(const platform::Fabric& fabric, const std::vector<Transfer>& transfers) : transfers_(transfers) {
    for (const Transfer& transfer : transfers) {
      claims_.push_back(claim(fabric, *transfer.route));
      rates_.push_back(0);
      for (const int link : transfer.route->links) {
        const platform::LinkInfo& info = fabric.links()[link];
        Remains& remains = links_.try_emplace(link, Remains{info.bandwidth_bytes_per_s}).first->second;
        remains.shared = info.direction != "free";
        remains.claims = remains.shared ? remains.claims + claims_.back() : std::max(remains.claims, claims_.back());
      }
    }
  }

  // Fixes the rates of the flows through the tightest link, again and again.
  std::vector<double> rates() {
    for (std::size_t fixed = 0; fixed < transfers_.size();) {
      double tightest = never;
      for (const auto& [link, remains] : links_) tightest = std::min(tightest, remains.share());
      if (tightest == never) break;
      const std::vector<std::size_t> stuck = stuck_at(tightest);
      for (const std::size_t flow : stuck) fix(flow, tightest);
      fixed += stuck.size();
      clear_rounding();
    }
    return rates_;
  }

 private:
  std::vector<std::size_t> stuck_at(double tightest) const {
    std::vector<std::size_t> stuck;
    for (std::size_t flow = 0; flow < transfers_.size(); ++flow) {
      if (rates_[flow] > 0) continue;
      for (const int link : transfers_[flow].route->links) {
        if (links_.at(link).share() <= tightest * (1 + 1e-9)) {
          stuck.push_back(flow);
          break;
        }
      }
    }
    return stuck;
  }

  void fix(std::size_t flow, double share) {
    rates_[flow] = claims_[flow] * share;
    for (const int link : transfers_[flow].route->links) {
      Remains& remains = links_.at(link);
      if (!remains.shared) continue;
      remains.bandwidth -= rates_[flow];
      remains.claims -= claims_[flow];
    }
  }

  // A link whose flows all have their rates must not reappear with the rounding errors of the subtractions.
  void clear_rounding() {
    for (auto& [link, remains] : links_) remains.claims = 0;
    for (std::size_t flow = 0; flow < transfers_.size(); ++flow) {
      if (rates_[flow] > 0) continue;
      for (const int link : transfers_[flow].route->links) {
        Remains& remains = links_.at(link);
        remains.claims = remains.shared ? remains.claims + claims_[flow] : std::max(remains.claims, claims_[flow]);
      }
    }
  }

  const std::vector<Transfer>& transfers_;
  std::vector<double> claims_, rates_;
  std::map<int, Remains> links_;
};

}  // namespace

std::vector<double> capacities(const platform::Fabric& fabric) {
  std::vector<double> result;
  for (std::size_t i = 0; i < fabric.links().size(); ++i) {
    result.push_back(fabric.bandwidth_bytes_per_s(static_cast<int>(i)));
  }
  return result;
}

FlowShape flow_shape(const platform::Fabric& fabric, int source, int target) {
  const platform::NetworkNumbers& numbers = fabric.network_numbers();
  platform::Route route = fabric.find_route(source, target);
  route.latency_s = fabric.latency_now_s(route);
  FlowShape shape;
  shape.latency_s = route.latency_s * numbers.latency_factor;
  shape.efficiency = numbers.bandwidth_factor;
  // Without latency SimGrid gives all flows the same claim, whatever their links.
  if (shape.latency_s > 0) shape.penalty = penalty_of(fabric, route);
  if (route.latency_s > 0) shape.bound = numbers.window_bytes / (2 * route.latency_s);
  const auto use = [&](const platform::Route& way, double share) {
    for (const int link : way.links) {
      const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
      if (info.direction == "free") {
        shape.bound = std::min(shape.bound, info.bandwidth_bytes_per_s / share);
        continue;
      }
      const auto known = std::ranges::find(shape.uses, link, &Use::link);
      if (known == shape.uses.end()) {
        shape.uses.push_back({link, share});
      } else {
        known->use += share;
      }
    }
  };
  use(route, 1);
  if (numbers.acknowledgement > 0) use(fabric.find_route(target, source), numbers.acknowledgement);
  return shape;
}

double latency_s(const platform::Fabric& fabric, const platform::Route& route) {
  return fabric.least_latency_s(route) * fabric.network_numbers().latency_factor;
}

double alone_s(const platform::Fabric& fabric, const Transfer& transfer) {
  double seconds = 0;
  for (const int link : transfer.route->links) {
    seconds = std::max(seconds, transfer.bytes / fabric.most_bandwidth_bytes_per_s(link));
  }
  return latency_s(fabric, *transfer.route) + seconds;
}

double first_finished_s(const platform::Fabric& fabric, const std::vector<Transfer>& transfers) {
  double least = never;
  bool together = !fabric.links_change() && fabric.network_numbers().most_flows == 1;
  for (const Transfer& transfer : transfers) {
    least = std::min(least, alone_s(fabric, transfer));
    const double first = transfers.front().route->latency_s, latency = transfer.route->latency_s;
    together = together && std::abs(latency - first) <= 1e-9 * first;
  }
  if (transfers.empty()) return 0;
  if (!together) return least;
  const std::vector<double> rates = Filling(fabric, transfers).rates();
  double finished = never;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double seconds = rates[i] > 0 ? transfers[i].bytes / rates[i] : 0;
    finished = std::min(finished, latency_s(fabric, *transfers[i].route) + seconds);
  }
  return finished;
}

}  // namespace ddl::network
