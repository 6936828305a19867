#include "sim/platform/changes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

double end_of(const std::optional<Seconds>& until) { return until ? until->value : TimeSeries::never; }

std::unique_ptr<TimeSeries> window(double from_s, double until_s, double factor) {
  return std::make_unique<PointSeries>(1, std::vector<std::pair<double, double>>{{from_s, factor}, {until_s, 1}});
}

class Finder {
 public:
  Finder(const scenario::Scenario& scenario, const std::vector<LinkInfo>& links, const std::vector<std::string>& nodes,
         const std::set<std::string>& left_out, int workers, const std::vector<double>& speeds_flops,
         const NodesAt& nodes_at)
      : scenario_(scenario),
        links_(links),
        nodes_(nodes),
        left_out_(left_out),
        workers_(workers),
        speeds_flops_(speeds_flops),
        nodes_at_(nodes_at) {}

  Changes found() {
    for (const scenario::Profile& profile : scenario_.platform.profiles) {
      place_ = "$.platform.profiles[" + std::to_string(count_++) + "]";
      std::visit([&](const auto& one) { add_if_it_takes_part(one); }, profile);
    }
    count_ = 0;
    for (const scenario::Fault& fault : scenario_.faults) {
      place_ = "$.faults[" + std::to_string(count_++) + "]";
      std::visit([&](const auto& one) { add_if_it_takes_part(one); }, fault);
    }
    Changes changes;
    changes.losses = std::move(losses_);
    for (auto& [link, change] : link_changes_) changes.links.push_back(std::move(change));
    for (auto& [node, change] : host_changes_) changes.hosts.push_back(std::move(change));
    return changes;
  }

 private:
  template <class Change>
  void add_if_it_takes_part(const Change& change) {
    if constexpr (requires { std::string(change.host); }) {
      if (left_out_.contains(change.host)) return;
    }
    if constexpr (std::is_same_v<Change, scenario::MessageLoss>) {
      if (left_out_.contains(change.source) || left_out_.contains(change.target)) return;
    }
    add(change);
  }
  void add(const scenario::BandwidthProfile& profile) {
    for (const int link : links_that_change(profile.link, profile.direction)) {
      only_one(profile.tag, link, profile.link);
      const double nominal = links_[static_cast<std::size_t>(link)].bandwidth_bytes_per_s;
      LinkChange& change = change_of_link(link);
      change.bandwidth.push_back(series(profile, nominal));
      change.most_bandwidth = range(profile, nominal).second;
    }
  }
  void add(const scenario::LatencyProfile& profile) {
    for (const int link : links_that_change(profile.link, profile.direction)) {
      only_one(profile.tag, link, profile.link);
      const double nominal_s = links_[static_cast<std::size_t>(link)].latency_s;
      if (!(nominal_s > 0))
        refuse("link", scenario::in_quotes(profile.link) + " has no latency of its own that could change");
      LinkChange& change = change_of_link(link);
      change.latency.push_back(series(profile, nominal_s));
      change.least_latency = range(profile, nominal_s).first;
    }
  }
  void add(const scenario::SpeedProfile& profile) {
    const int node = node_named(profile.host, "host");
    only_one(profile.tag, node, profile.host);
    const double nominal = speeds_flops_[static_cast<std::size_t>(node)];
    HostChange& change = change_of_host(node);
    change.speed.push_back(series(profile, nominal));
    change.most_speed = range(profile, nominal).second;
  }
  void add(const scenario::LinkDegraded& fault) { add_window(fault, fault.bandwidth); }
  void add(const scenario::LinkDown& fault) { add_window(fault, 0); }
  template <class Fault>
  void add_window(const Fault& fault, double factor) {
    for (const int link : links_that_change(fault.link, fault.direction)) {
      change_of_link(link).bandwidth.push_back(window(fault.from.value, fault.until.value, factor));
    }
  }
  void add(const scenario::HostSlowed& fault) {
    const std::vector<int> nodes = fault.site.empty() ? std::vector{node_named(fault.host, "host")} : at(fault.site);
    for (const int node : nodes) {
      change_of_host(node).speed.push_back(window(fault.from.value, fault.until.value, 1 / fault.factor));
    }
  }
  void add(const scenario::Stragglers& fault) {
    std::vector<std::string> hosts = fault.hosts;
    if (!fault.site.empty()) {
      for (const int node : at(fault.site)) hosts.push_back(nodes_[static_cast<std::size_t>(node)]);
    } else if (hosts.empty()) {
      hosts.assign(nodes_.begin(), nodes_.begin() + workers_);
    }
    for (const std::string& host : hosts) {
      if (left_out_.contains(host)) continue;
      HostChange& change = change_of_host(node_named(host, "hosts"));
      change.speed.push_back(std::make_unique<RandomPeriods>(
          1 / fault.factor, fault.mean_every.value, fault.mean_duration.value, fault.from.value, end_of(fault.until),
          stream(scenario_.seed, host, "stragglers " + std::to_string(count_))));
    }
  }
  void add(const scenario::MessageLoss& fault) {
    LossRule rule{fault.probability, fault.retry_after.value, fault.from.value, end_of(fault.until), -1, -1, {}};
    if (!fault.source.empty()) rule.source = node_named(fault.source, "source");
    if (!fault.target.empty()) rule.target = node_named(fault.target, "target");
    if (!fault.link.empty()) rule.links = links_named(fault.link, fault.direction);
    losses_.push_back(std::move(rule));
  }
  template <class Fault>
  void add(const Fault&) {}  // other faults leave the platform alone

  template <class Profile>
  static std::unique_ptr<TimeSeries> series(const Profile& profile, double nominal) {
    std::vector<std::pair<double, double>> points;
    for (const auto& point : profile.points) {
      points.emplace_back(point.at.value, point.value.value / nominal);
    }
    const double repeat_s = profile.repeat_every ? profile.repeat_every->value : 0;
    return std::make_unique<PointSeries>(1, std::move(points), repeat_s);
  }
  // The least and the greatest factor.
  template <class Profile>
  static std::pair<double, double> range(const Profile& profile, double nominal) {
    const auto& first = profile.points.front();
    const double start = first.at.value > 0 ? 1 : first.value.value / nominal;
    std::pair<double, double> found{start, start};
    for (const auto& point : profile.points) {
      found.first = std::min(found.first, point.value.value / nominal);
      found.second = std::max(found.second, point.value.value / nominal);
    }
    return found;
  }

  LinkChange& change_of_link(int link) {
    LinkChange& change = link_changes_[link];
    change.link = link;
    return change;
  }
  HostChange& change_of_host(int node) {
    HostChange& change = host_changes_[node];
    change.node = node;
    return change;
  }

  std::vector<int> links_named(const std::string& name, scenario::LinkDirection direction) const {
    std::vector<int> found;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      known.push_back(links_[i].name);
      if (links_[i].name != name) continue;
      if (direction != scenario::LinkDirection::both && links_[i].direction != name_of(direction)) continue;
      found.push_back(static_cast<int>(i));
    }
    if (!found.empty()) return found;
    if (name.empty()) refuse("link", "is missing; expected the name of a link");
    if (std::ranges::find(known, name) != known.end()) {
      refuse("direction", scenario::in_quotes(name) + " has but one direction; expected \"both\"");
    }
    known.erase(std::ranges::unique(known).begin(), known.end());
    refuse("link", "there is no link " + scenario::in_quotes(name) + "; " +
                       scenario::nearest_or(name, known, "expected one of " + scenario::listed(known)));
  }

  std::vector<int> links_that_change(const std::string& name, scenario::LinkDirection direction) const {
    std::vector<int> found = links_named(name, direction);
    for (const int link : found) {
      if (links_[static_cast<std::size_t>(link)].direction != "free") continue;
      refuse("link", scenario::in_quotes(name) + " gives every message all of its bandwidth, and does not change");
    }
    return found;
  }

  std::vector<int> at(const std::string& site) const { return nodes_at_(site, place_ + ".site"); }
  int node_named(const std::string& name, const std::string& key) const {
    const auto found = std::ranges::find(nodes_, name);
    if (found != nodes_.end()) return static_cast<int>(found - nodes_.begin());
    if (name.empty()) refuse(key, "is missing; expected the name of a host");
    std::vector<std::string> known;  // a host that is a worker's and a server's once
    for (const std::string& node : nodes_) {
      if (std::ranges::find(known, node) == known.end()) known.push_back(node);
    }
    refuse(key, "no such host takes part: " + scenario::in_quotes(name) + "; " +
                    scenario::nearest_or(name, known, "expected one of " + scenario::listed(known)));
  }

  void only_one(const std::string& quantity, int where, const std::string& name) {
    if (seen_.insert({quantity, where}).second) return;
    refuse("quantity",
           "the " + quantity + " of " + scenario::in_quotes(name) + " has a profile already; expected one of each");
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw InputError(place_ + "." + key + ": " + what);
  }

  const scenario::Scenario& scenario_;
  const std::vector<LinkInfo>& links_;
  const std::vector<std::string>& nodes_;
  const std::set<std::string>& left_out_;  // hosts of the platform
  const int workers_;
  const std::vector<double>& speeds_flops_;
  const NodesAt& nodes_at_;
  std::string place_;
  std::size_t count_ = 0;
  std::map<int, LinkChange> link_changes_;
  std::vector<LossRule> losses_;
  std::map<int, HostChange> host_changes_;
  std::set<std::pair<std::string, int>> seen_;
};

}  // namespace

bool Changes::of_latency() const {
  return std::ranges::any_of(links, [](const LinkChange& change) { return !change.latency.empty(); });
}

Changes changes_of(const scenario::Scenario& scenario, const std::vector<LinkInfo>& links,
                   const std::vector<std::string>& nodes, const std::set<std::string>& left_out, int workers,
                   const std::vector<double>& speeds_flops, const NodesAt& nodes_at) {
  return Finder(scenario, links, nodes, left_out, workers, speeds_flops, nodes_at).found();
}

}  // namespace ddl::platform
