// Layers, exits and bytes of each host of a model in stages.
#pragma once

#include <vector>

#include "core/split/exits/early_exit.hpp"
#include "core/split/tape.hpp"

namespace ddl::split {

// Consecutive layers on one worker.
struct Stage {
  std::size_t first = 0, last = 0;           // layers
  Slice parameters;                          // in the model's vector
  Tape tape;                                 // the layers
  int output = 0;                            // its value
  Tape exit;                                 // begins with that value; no ops: there is no exit
  double share = 0, exit_share = 0;          // shares of a gradient's operations, forwards
  std::vector<std::size_t> dropouts_before;  // per sample: values dropped from by layers of earlier stages
  std::uint64_t sample_bytes() const;        // size of the activations passed on, 4 per value

  bool has_exit() const { return !exit.ops.empty(); }
};

// Throws InputError if the model cannot be cut so, or is null.
std::vector<Stage> make_stages(const EarlyExitParams& params, const nn::Model* model, const Cluster& cluster);

// The weights that the exit of a worker's stage starts from.
std::vector<float> initial_exit(const Stage& stage, int worker, std::uint64_t seed);

}  // namespace ddl::split
