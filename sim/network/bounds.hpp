// Analytic lower bounds on the time of a step. A step here is one of every worker: what is bounded is the time that the
// slowest worker, the one with the fewest steps, takes for each of its own. Others may be quicker where the system lets
// them run ahead. In the long run no run on this platform beats it: the first k steps of the slowest worker take at
// least (k - a) step_s, where a does not grow with k (steps whose messages still wait, or that need no exchange yet).
// Where peers are drawn at random, a is of the order of the square root of k. They use nominal bandwidths, latencies as
// in the network model and the mean time of a gradient, each at its best where a profile changes it; acknowledgements,
// unequal shares and windows that grow only add to the time.
#pragma once

#include <string>
#include <vector>

#include "core/node/node.hpp"
#include "core/node/traffic.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

struct Bounds {
  double bytes_per_step = 0;             // bytes sent in one step of every worker, over the number of workers
  std::string bottleneck;                // busy longest: a link, "w2 down", or "window w0 to w1"; "": nothing travels
  double bottleneck_bytes_per_step = 0;  // bytes through it in one step of every worker
  double network_s = 0;                  // least time that it needs for these
  double compute_s = 0;                  // slowest worker's mean gradient
  double step_s = 0;                     // least time of a step of the slowest worker, given the system's pace
  bool network_bound = false;            // network_s > compute_s
  bool random_peers = false;             // the network's part is a mean over peers drawn at random
  double unlisted_s = 0;  // an estimate of a step's time by the workers' own links, from Traffic::unlisted_models
};

// For archives, in which a child process returns bounds.
template <class Archive>
void members(Archive& archive, Bounds& b) {
  archive(b.bytes_per_step, b.bottleneck, b.bottleneck_bytes_per_step, b.network_s, b.compute_s, b.step_s,
          b.network_bound, b.random_peers, b.unlisted_s);
}

// `compute_s`: mean seconds of one gradient, per worker. A flow has models x model_bytes + messages x header_bytes.
//
// A step takes no less than the slowest gradient, than the busiest link needs for the flows of a step (of a fat pipe:
// the largest), than the connections of a pair of nodes need for its flows (their windows, per round trip), and than a
// worker's own path: its gradient and, phase after phase, the flows that it waits for, alone on the network; in TCP the
// first window of a phase waits for no acknowledgement. A worker waits for flows to it, for its own to a server, and
// where a flow says so.
//
//   overlapped  no own path: messages travel beside gradients
//   free        the slowest worker's path
//   lockstep    with servers likewise; workers that wait for each other may have a quick one's messages early, so
//               that the least gradient and the least flows of each phase count
//
// With several servers a path has the flows of one of them alone, for each serves its own part. Flows within a host
// take no time. An asynchronous server with n workers, one link of bandwidth B, models of N bytes and latency a has
// max(compute + 2N/B + 2a, nN/B), Ako with P partitions max(compute, (n-1)N / (PB)).
Bounds bounds_of(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
                 double model_bytes, double header_bytes);

// At nominal bandwidths and latencies, whatever the network model: of each phase the most messages, the greatest
// latency and message, and the busiest link.
std::vector<SumPhase> sum_phases(const platform::Fabric& fabric, const Phases& phases, double model_bytes);

// Per worker: seconds of the most loaded link on its routes to the others when every worker sends `model_bytes` to
// every other. Walks over all pairs of workers.
std::vector<double> exchange_seconds(const platform::Fabric& fabric, double model_bytes);

// See Cluster::rates. Walks over all pairs of workers.
std::vector<double> rates_of_workers(const platform::Fabric& fabric);

}  // namespace ddl::network
