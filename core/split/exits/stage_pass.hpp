// One stage of a model, with its exit, at its worker: the batch or request under way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/node/by_source.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/node.hpp"
#include "core/split/exits/stage_plan.hpp"
#include "core/split/tape.hpp"

namespace ddl::split {

class StagePass {
 public:
  enum Port { in_training, in_serving, answers };
  // A worker's word that it takes no more steps, or has no more requests.
  struct Leaving {
    static constexpr std::string_view body_name = "early_exit.leaving";
  };

  StagePass(Node& node, const Stage& stage);

  // Draws the time of a gradient of the whole model on this host, valid until the next call.
  void draw_time() { gradient_s_ = parallel_.gradient_seconds(); }
  // Starts with `samples` samples. `input`: the first stage's, in the model's own order. `estimate`: see
  // TapeRun::begin.
  void begin(int samples, const float* input, Stream* dropout, std::optional<int> estimate = std::nullopt);
  // The stage input of a batch that enters the model here; valid until the next call.
  const float* input_of(const data::Batch& batch);
  void forward();                 // W.
  void pass_on(Message message);  // with the stage's output, to the next stage
  // W. Spends the time of `share` of a whole batch's gradient, for the number of samples under way, with the math on
  // another thread.
  void work(double share, std::function<void()> math);
  // The exit's outputs for the samples under way. Call it from work().
  std::span<const float> ask_exit();
  std::span<const float> outputs() const;  // the stage's own, if it is the last

  // Call these from work(): gradients with respect to the weights, in the last stage from the labels (returns the
  // loss), in others from the gradient that comes back.
  double backward_from_labels(std::span<const std::uint8_t> labels);
  void backward_from(const float* gradient_of_output);
  // The gradient with respect to the input, for the stage before.
  Payload input_gradient();
  void apply();                                                                // an optimizer step on the stage
  void train_exit(std::span<const std::uint8_t> labels, float learning_rate);  // W. plain SGD

  Message receive(Port port, int source) { return messages_.receive(port, source, "another stage"); }
  bool is_last() const { return node_.id() + 1 == node_.cluster().workers; }
  const Stage& stage() const { return stage_; }

 private:
  void backward();
  int exit_output() const { return stage_.exit.ops.back().output; }

  Node& node_;
  ModelParallel& parallel_;
  const Stage& stage_;
  BySource messages_;

  int samples_ = 0;
  double gradient_s_ = 0;
  Payload weights_;
  TapeRun run_, exit_run_;
  nn::Buffer inputs_;
  std::vector<float> update_, exit_weights_, exit_update_;
};

}  // namespace ddl::split
