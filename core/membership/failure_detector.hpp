// Suspects workers that stay silent for longer than a time-out.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// A worker is suspected once a server has waited for it, and heard nothing from it, for as long as the time-out.
// Messages that arrived in time count as heard, however late they are read.
class FailureDetector {
 public:
  // Suspects no worker, unless `on_failure` is time_out.
  FailureDetector(Node& node, OnFailure on_failure, std::optional<Seconds> timeout);

  // W. The next message at the port, or nothing: then ask for suspects.
  std::optional<Message> receive(int port, const Reason& reason);

  // Counts the wait from `since_s`; an earlier start is forgotten.
  void wait_since(double since_s);
  void begin_waiting();  // from now on, unless a wait has begun already
  void stop_waiting();

  // The workers newly suspected among `waited_for`, which are recorded; the others are still waited for.
  std::vector<int> suspects(const std::vector<int>& waited_for);

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  Node& node_;
  const double timeout_s_;
  double since_s_ = 0, ends_s_ = never;
  PerNode<double> heard_s_;  // each worker's last word
};

}  // namespace ddl::membership
