// Worker s of S has stage s and, except the last, an exit at its end. In a step
//
//   1  activations go from stage to stage
//   2  the last has the loss; gradients with respect to activations come back
//   3  each takes an optimizer step on its stage
//   4  then each exit takes one of plain SGD on its own loss from the activations of the step; no gradient of an exit
//      goes into the stages
//
// Predictions, once training is over, are in exit_serving.hpp.
#include "core/split/exits/early_exit.hpp"

#include <string_view>

#include "core/node/model_parallel.hpp"
#include "core/split/exits/exit_serving.hpp"
#include "core/split/exits/stage_pass.hpp"
#include "core/split/exits/stage_plan.hpp"

namespace ddl::split {
namespace {

class StageWorker : public Program {
  using Port = StagePass::Port;
  using Leaving = StagePass::Leaving;
  struct Activations {
    static constexpr std::string_view body_name = "early_exit.activations";
  };
  struct Backward {  // gradients with respect to activations
    static constexpr std::string_view body_name = "early_exit.backward";
  };

 public:
  StageWorker(Node& node, const EarlyExitParams& params)
      : node_(node),
        parallel_(*node.model_parallel()),
        params_(params),
        stages_(make_stages(params, parallel_.model(), node.cluster())),
        me_(node.id()),
        mine_(stages_[static_cast<std::size_t>(me_)]),
        pass_(node, mine_),
        serving_(node, params_, stages_, pass_) {}

  void run() override {
    while (node_.next_step()) {
      if (!train()) break;
      node_.finish_step();
    }
    for (int worker = 0; worker < node_.cluster().workers; ++worker) {
      if (worker != me_) node_.send(worker, {.port = Port::in_training, .body = Leaving{}});
    }
    if (params_.serving.requests > 0) serving_.run();
  }

 private:
  // W. False if another worker's steps are over.
  bool train() {
    pass_.draw_time();
    Minibatch minibatch = parallel_.minibatch();
    const data::Batch& batch = *minibatch.batch;
    Stream dropout = *minibatch.dropout;
    // The stages draw from one stream, as the whole model does.
    for (std::uint64_t draw = 0; draw < draws_before(batch.size()); ++draw) dropout.bits();

    Message from_below = me_ > 0 ? pass_.receive(Port::in_training, me_ - 1) : Message{};  // 1
    if (from_below.is<Leaving>()) return false;
    pass_.begin(static_cast<int>(batch.size()), me_ == 0 ? pass_.input_of(batch) : from_below.values->data(), &dropout);
    pass_.forward();
    if (!pass_.is_last()) pass_.pass_on({.port = Port::in_training, .body = Activations{}});

    Message from_above = pass_.is_last() ? Message{} : pass_.receive(Port::in_training, me_ + 1);  // 2
    if (from_above.is<Leaving>()) return false;
    double loss = 0;
    pass_.work(2 * mine_.share, [&] {
      if (pass_.is_last()) {
        loss = pass_.backward_from_labels(batch.labels);
      } else {
        pass_.backward_from(from_above.values->data());
      }
    });
    if (me_ > 0) {
      const Payload gradient = pass_.input_gradient();
      node_.send(
          me_ - 1,
          {.port = Port::in_training, .values = gradient, .wire_bytes = 4 * gradient->size(), .body = Backward{}});
    }
    if (pass_.is_last()) parallel_.record_loss(loss);
    pass_.apply();                                                                                         // 3
    if (mine_.has_exit()) pass_.train_exit(batch.labels, static_cast<float>(params_.exit_learning_rate));  // 4
    return true;
  }

  std::uint64_t draws_before(std::size_t samples) const {
    std::uint64_t draws = 0;
    for (const std::size_t values : mine_.dropouts_before) draws += (samples * values + 1) / 2;
    return draws;
  }

  Node& node_;
  ModelParallel& parallel_;
  const EarlyExitParams params_;
  const std::vector<Stage> stages_;
  const int me_;
  const Stage& mine_;
  StagePass pass_;
  ExitServing serving_;
};

}  // namespace

std::unique_ptr<Program> EarlyExitParams::program(Node& node) const {
  return std::make_unique<StageWorker>(node, *this);
}

}  // namespace ddl::split
