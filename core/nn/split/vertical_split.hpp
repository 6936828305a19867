// A model dealt over workers by output channels (or units): worker g computes its share of the channels of each layer
// and holds only the weights for them. Where a layer reads channels that others have, all meet and gather them; grouped
// convolutions whose groups are dealt whole need no meeting, which is what IDDL's vertical partitions save.
//
// The gradient by a gathered value is a worker's own contribution; the sum over workers is the whole. So backwards each
// worker sends every other its contribution to the other's channels (a reduce-scatter), and the split model computes
// what the whole one does, but for the order of sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/nn/model.hpp"
#include "core/nn/split/tape.hpp"

namespace ddl::nn {

// All workers' channels of one value become one value at each of them.
struct Meeting {
  int own = 0, whole = 0;                             // values of the tapes
  std::size_t op = 0;                                 // where in the tapes; the ops of a stage end at a meeting
  std::size_t pixels = 0, channels = 0;               // of the whole
  std::vector<std::vector<std::uint32_t>> held = {};  // channels, by worker

  // Values of one sample in a worker's piece.
  std::size_t piece(int worker) const { return pixels * held[static_cast<std::size_t>(worker)].size(); }
  void place(const float* piece, int worker, int batch, float* whole_values) const;
  void take(const float* whole_values, int worker, int batch, float* piece) const;
};

class VerticalSplit {
 public:
  // The model must outlive it. Throws InputError if a layer has fewer channels or groups than there are workers.
  VerticalSplit(const Model& model, int workers);

  const Tape& tape(int worker) const { return tapes_[static_cast<std::size_t>(worker)]; }
  // In order. A stage is what lies before one, or after the last: there everybody does the same, so the gradient by
  // what the last meeting gathers is the same whole one at all, and nothing need be sent back.
  const std::vector<Meeting>& meetings() const { return meetings_; }
  // Where the parameters of a worker's tape are in the model's vector.
  const std::vector<std::uint32_t>& held(int worker) const { return held_[static_cast<std::size_t>(worker)]; }
  std::size_t stages() const { return meetings_.size() + 1; }
  int outputs() const { return outputs_; }  // the network's, whole at each worker
  // Of a stage at a worker, for one sample forwards.
  double multiply_adds(int worker, std::size_t stage) const;
  std::size_t first_op(std::size_t stage) const { return stage == 0 ? 0 : meetings_[stage - 1].op; }
  std::size_t last_op(std::size_t stage) const {
    return stage < meetings_.size() ? meetings_[stage].op : tapes_.front().ops.size();
  }

 private:
  friend class VerticalSplitter;
  std::vector<Tape> tapes_;
  std::vector<Meeting> meetings_;
  std::vector<std::vector<std::uint32_t>> held_;
  int outputs_ = 0;
};

}  // namespace ddl::nn
