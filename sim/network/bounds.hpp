// Analytic lower bounds on the time of a step. A step here is one of every worker: what is bounded is the time that the
// slowest worker, the one with the fewest steps, takes for each of its own. Others may be quicker where the system lets
// them run ahead. In the long run no run on this platform beats it: the first k steps of the slowest worker take at
// least (k - a) step_s, where a does not grow with k (steps whose messages still wait, or that need no exchange yet).
// Where peers are drawn at random, a is of the order of the square root of k. They use nominal bandwidths, latencies as
// in the network model and the mean time of a gradient, each at its best where a profile changes it; acknowledgements,
// unequal shares and windows only add to the time.
#pragma once

#include <string>
#include <vector>

#include "core/node/node.hpp"
#include "core/node/traffic.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

struct Bounds {
  double bytes_per_step = 0;             // bytes sent in one step of every worker, over the number of workers
  std::string bottleneck;                // the link that is busy longest, "w2 down"; empty when nothing travels
  double bottleneck_bytes_per_step = 0;  // bytes through it in one step of every worker
  double network_s = 0;                  // least time that it needs for these
  double compute_s = 0;                  // slowest worker's mean gradient
  double step_s = 0;                     // least time of a step of the slowest worker, given the system's pace
  bool network_bound = false;            // network_s > compute_s
  bool random_peers = false;             // the network's part is a mean over peers drawn at random
};

// For archives, in which a child process returns bounds.
template <class Archive>
void members(Archive& archive, Bounds& b) {
  archive(b.bytes_per_step, b.bottleneck, b.bottleneck_bytes_per_step, b.network_s, b.compute_s, b.step_s,
          b.network_bound, b.random_peers);
}

// `compute_s`: mean seconds of one gradient, per worker. A flow has models x model_bytes + messages x header_bytes.
//
// The load of a link is the sum of the bytes of the flows whose routes have it (of a fat pipe: the largest), its time
// is load over bandwidth, B. A flow is a worker's own when the worker waits for it: the worker is its target, or its
// source on the way to a server or where the flow says so. A flow within a host takes no time and has no bytes. own(i,
// p) is the time that worker i's own flows of phase p take if nothing else is on the network: the greatest over links
// of (load / B + min(1, messages) latency of the shortest route).
//
//   overlapped   step_s = max(greatest compute, busiest link over all phases)
//   free         with at most one server: step_s = max(greatest over workers of (compute + sum over phases own(i, p)),
//                             busiest link over all phases)
//   free or lockstep, with several servers
//                step_s = max(greatest compute, busiest link over all phases, greatest over servers of what follows
//                             for the flows to and from that server alone)
//   lockstep     without servers: workers wait for each other's flows alone, and a quick one may be ahead of a slow one
//                by less than a round. With T(i, k) the earliest time at which worker i can be through k rounds,
//                  step_s = max(greatest compute, busiest link over all phases, min over i of T(i, k) / k)
//                where T follows from compute, each flow alone after its source was ready, and own(i, p) after the
//                first of its sources was.
//                with one server, step_s = max of
//                  the busiest link over all phases,
//                  for each worker i:  compute(i) + sum over phases max(own(i, p), first(p)),
//                  for each phase p:   least compute + sum before p first(q) + busiest link of p, with its latency,
//                                      + sum after p least own(i, q)
//   where first(p) is when the first of the flows of p can be through. Flows from servers in the first phase leave
//   together and share links fairly; elsewhere the first may travel alone: first(p) = least own(i, p).
//
// A parameter server with n workers, one link of bandwidth B, models of N bytes, one-way latency a:
//   synchronous compute + 2nN/B + 2a;  asynchronous max(compute + 2N/B + 2a, nN/B).
// Ako with P partitions: max(compute, (n-1)N / (PB)).
Bounds bounds_of(const platform::Fabric& fabric, const Traffic& traffic, const std::vector<double>& compute_s,
                 double model_bytes, double header_bytes);

// At nominal bandwidths and latencies, whatever the network model: of each phase the flow with the greatest latencies,
// one after the other, and the busiest link.
SumTime sum_time(const platform::Fabric& fabric, const Phases& phases, double model_bytes);

// Per worker: seconds of the most loaded link on its routes to the others when every worker sends `model_bytes` to
// every other. Walks over all pairs of workers.
std::vector<double> exchange_seconds(const platform::Fabric& fabric, double model_bytes);

}  // namespace ddl::network
