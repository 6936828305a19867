// Notes what nodes and links do, if the scenario asks for it (record.trace). It only listens: nothing that is simulated
// depends on it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/network/observer.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/rows/trace.hpp"

namespace ddl::run {

using network::MessageEnd;

class Tracer final : public network::Observer {
 public:
  Tracer(platform::Fabric& fabric, bool on, TraceLimits limits = {});

  // Simulated time is now. `kind` is gradient or work.
  Handle begin(TraceSpan::Kind kind, int node, std::int64_t step);
  Handle begin_message(int source, int target, std::int64_t step, double bytes) override;
  void end(const Handle& handle);
  void end_message(const Handle& handle, int source, int target, double carried, MessageEnd how) override;

  void queue_changed(int source, int target, std::size_t waiting) override;

  bool is_on() const { return on_; }
  // Takes the trace; spans that have not ended end at `end_s`, unfinished.
  Trace take(double end_s);

 private:
  Handle add(TraceSpan span);
  void add_load(int link, double bytes, double start_s, double end_s);
  void double_period();

  platform::Fabric& fabric_;
  const bool on_;
  const TraceLimits limits_;
  std::size_t periods_ = 0;  // at most; even
  Trace trace_;
  std::vector<std::vector<double>> loads_;              // by link, then period
  std::map<std::pair<int, int>, std::size_t> waiting_;  // by source and target
  std::map<int, std::size_t> queue_of_;                 // a node's newest entry in trace_.queues
};

}  // namespace ddl::run
