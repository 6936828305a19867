// Plays what of the platform changes with time: bandwidths and latencies of links, speeds of hosts.
#pragma once

#include <functional>
#include <vector>

#include "sim/platform/fabric.hpp"
#include "sim/run/rows/trace.hpp"

namespace ddl::run {

class PlatformChanges {
 public:
  // Sets what holds from the beginning, and gives the hosts their profiles. To be made once per fabric, before the
  // engine runs and the network is made.
  explicit PlatformChanges(platform::Fabric& fabric);

  // Whether a link is yet to change.
  bool has_links() const { return next_s() < platform::TimeSeries::never; }
  // An actor's body: changes the links when it is time. `changed` is called after each change.
  void play(const std::function<void()>& changed);
  // Impairments until `end_s`, for the trace; slow periods only once they have begun.
  std::vector<TraceInterval> intervals(double end_s) const;

 private:
  double next_s() const;
  void step_to(double now_s);

  // From one change to the next: a factor that is not 1.
  struct Note {
    std::string what;
    double since_s = 0, factor = 1;
  };
  void note(Note& note, double now_s, double factor);

  platform::Fabric& fabric_;
  std::vector<Note> of_bandwidths_, of_latencies_, of_hosts_;  // as in changes()
  std::vector<TraceInterval> intervals_;
};

}  // namespace ddl::run
