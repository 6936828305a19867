// A model divided over workers by output channels (or units): each worker computes its share of the channels of each
// layer and holds only the weights for them. Where a layer reads channels of other workers, there is a meeting: all
// workers gather all channels. Grouped convolutions whose groups are not divided need no meeting; that is the saving of
// IDDL's vertical partitions.
//
// A worker's gradient with respect to a gathered value is one contribution to a sum over workers. So in the backward
// pass each worker sends each other worker its contribution to the other's channels (a reduce-scatter), and the split
// model computes the same as the whole one, except for the order of sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/nn/model.hpp"
#include "core/split/tape.hpp"

namespace ddl::split {

// All workers' channels of one value become one value at each of them.
struct Meeting {
  int own = 0, whole = 0;                             // values of the tapes
  std::size_t op = 0;                                 // position in the tapes; the ops of a stage end at a meeting
  std::size_t pixels = 0, channels = 0;               // the whole value's
  std::vector<std::vector<std::uint32_t>> held = {};  // channels, by worker

  // Values of one sample in a worker's piece.
  std::size_t piece(int worker) const { return pixels * held[static_cast<std::size_t>(worker)].size(); }
  void place(const float* piece, int worker, int batch, float* whole_values) const;
  void take(const float* whole_values, int worker, int batch, float* piece) const;
};

class VerticalSplit {
 public:
  // The model must outlive it. Throws InputError if a layer has fewer channels or groups than there are workers.
  VerticalSplit(const nn::Model& model, int workers);

  const Tape& tape(int worker) const { return tapes_[static_cast<std::size_t>(worker)]; }
  // In order. A stage ends at a meeting, or at the model's end. In the last stage all workers compute the same, so each
  // has the complete gradient with respect to the values of the last meeting, and nothing is sent back.
  const std::vector<Meeting>& meetings() const { return meetings_; }
  // Positions of the parameters of a worker's tape in the model's vector.
  const std::vector<std::uint32_t>& held(int worker) const { return held_[static_cast<std::size_t>(worker)]; }
  std::size_t stages() const { return meetings_.size() + 1; }
  int outputs() const { return outputs_; }  // the network's, whole at each worker
  // Multiply-adds of a stage at a worker, for the forward pass of one sample.
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

}  // namespace ddl::split
