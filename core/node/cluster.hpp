// Facts about the run that every node knows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/shape.hpp"
#include "core/node/message.hpp"

namespace ddl {

enum class GradientScale { mean, sum };  // each gradient weighs 1/n, or 1
constexpr auto enum_names(GradientScale) { return in_order<GradientScale>("mean", "sum"); }

// A layer with parameters. It takes three tasks of one length: forward; backward to its inputs (which the first
// layer does not need); backward to its parameters, after which its gradient is known.
struct LayerInfo {
  Slice slice;      // its part of the vector: layers lie side by side and cover it
  double work = 1;  // cost of one of its tasks, in any unit
};

// A phase of one sum of a whole model over all workers, alone on the network.
struct SumPhase {
  double messages = 0;   // one after the other
  double latency_s = 0;  // of each
  double bytes_s = 0;    // seconds of all their bytes
  double bytes = 0;      // of each
};

struct Cluster {
  int workers = 0;                         // nodes 0 .. workers-1
  int servers = 0;                         // nodes workers .. workers+servers-1
  std::uint64_t seed = 0;                  // seeds all that nodes must draw alike, such as a random graph
  std::size_t parameters = 0;              // length d of the flat vector; virtual when timing only
  std::uint64_t model_bytes = 0;           // N, a whole model on the wire
  std::uint64_t replica_bytes = 0;         // a model with its optimizer's state, on the wire
  std::vector<TensorInfo> tensors;         // the vector's division into layers; empty when timing only
  std::vector<LayerInfo> layers;           // the same layer by layer; empty if unknown
  bool timing_only = false;                // vectors are empty and payloads null
  int batch_size = 1;                      // samples of a minibatch
  std::size_t training_samples = 0;        // in all; the length of an epoch when timing only
  std::vector<std::size_t> shard_samples;  // size of each worker's shard
  GradientScale scale = GradientScale::mean;
  std::vector<std::string> worker_names;
  std::vector<int> sites;         // each node's site, from 0; empty: all are in one
  std::vector<double> compute_s;  // mean seconds of one gradient, per worker
  // Per worker: least seconds to send a whole model to every other worker while all others do the same (the most loaded
  // link on its routes). Empty unless the system needs them (System::needs_exchange_times).
  std::vector<double> exchange_s;
  // Per worker: bytes per second of its own links, the lesser of both directions: the first links of its routes to
  // other workers, the last ones of theirs to it. Empty unless the system needs them (System::needs_rates).
  std::vector<double> rates;
  std::vector<SumPhase> sum_phases;  // empty unless the system asks for them (System::bucketed_sum)
  // The optimizer's rate in the model's step `step`, counted from 0, after `run_share` of the run (see
  // Gradient::run_share).
  std::function<double(std::int64_t step, double run_share)> learning_rate = [](std::int64_t, double) { return 1.0; };
  bool hosts_change = false;      // some host crashes, joins or leaves
  bool steps_by_slices = true;    // the optimizer can step slice by slice (not with clip_norm)
  bool averages_updates = false;  // its moments weigh updates alike, however many gradients each has

  int site(int node) const { return sites.empty() ? 0 : sites.at(static_cast<std::size_t>(node)); }
  double rate(int worker) const { return rates.empty() ? 1 : rates.at(static_cast<std::size_t>(worker)); }
  // The weight of each gradient when `gradients` of them make a step.
  float gradient_weight(double gradients) const {
    return scale == GradientScale::mean ? 1.0f / static_cast<float>(gradients) : 1.0f;
  }
  // The weight of all of them together.
  float step_weight(double gradients) const {
    return scale == GradientScale::mean ? 1.0f : static_cast<float>(gradients);
  }
  Slice whole() const { return {0, parameters}; }
  // The slice of the vector that a node holds: all of it at a worker, a shard at a server.
  Slice slice_of(int node) const { return node < workers ? whole() : even_part(parameters, servers, node - workers); }
  // A slice's share of model_bytes. The shares of a model's slices add up to it exactly.
  std::uint64_t wire_bytes(Slice slice) const;
};

}  // namespace ddl
