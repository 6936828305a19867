// Max-min shares of all flows at once: the tightest link is filled, its flows are taken out, and so on (Bertsekas and
// Gallager, Data Networks, 6.5.2). Each flow is visited only a few times, whatever the dependencies.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/network/flows/max_min_parts.hpp"

namespace ddl::network::flows::max_min {

class Filling {
 public:
  // Flows that go through no link are left out.
  void fill(const std::vector<Link>& links, const std::vector<Flow>& flows);

  double level(int link) const { return links_[static_cast<std::size_t>(link)].level; }
  int binding(int flow) const { return bindings_[static_cast<std::size_t>(flow)]; }
  std::int64_t visits() const { return visits_; }  // visits of flows at links by the last fill()

 private:
  struct Remains {
    double capacity = 0, weight = 0;  // for the flows that have no level yet
    std::size_t flows = 0;
    double level = never;
  };
  double share(int link) const;
  bool fix_bounded(int link, double level, const std::vector<Link>& links, const std::vector<Flow>& flows);
  void fix(int flow, double level, int binding, const std::vector<Flow>& flows);
  void push(double share, int link);

  std::vector<Remains> links_;
  std::vector<int> bindings_;                  // by flow
  std::vector<std::pair<double, int>> queue_;  // a heap of shares; shares may have grown since
  std::int64_t visits_ = 0;
};

}  // namespace ddl::network::flows::max_min
