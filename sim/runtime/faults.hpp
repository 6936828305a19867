// A scenario's faults, played on the fabric: bandwidths of links and speeds of hosts over simulated time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/platform/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl {

class Faults {
 public:
  // Finds the links and hosts, and gives the hosts their profiles. To be made once per fabric, before the engine runs.
  // Throws InputError: no such link or host, or a fat pipe.
  Faults(const Scenario& scenario, Fabric& fabric);

  bool has_links() const { return !halves_.empty(); }
  // An actor's body: changes the links when it is time. `changed` is called after each change.
  void play(const std::function<void()>& changed);

 private:
  struct Half {  // one direction of a link, for one fault
    int link = 0;
    double from_s = 0, until_s = 0, share = 1;
  };
  void add(const std::string& place, const std::string& name, LinkDirection direction, const Interval& interval,
           double share);

  Fabric& fabric_;
  std::vector<Half> halves_;
};

}  // namespace ddl
