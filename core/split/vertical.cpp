// Worker g of G has its share of the output channels of every layer, and all work on the same minibatch.
//
//   1  forward, stage s:   compute the own channels; at the meeting send them to all; wait for all others'
//   2  last meeting:       all have the outputs, and so the loss and its gradient with respect to the own outputs
//   3  backward, stage s:  compute; send each worker the own contribution to the gradient by its channels; add up the
//                          contributions received, in worker order
//   4  one optimizer step on the own weights
//   5  a request at worker 0:  the sample goes to all, stages as above; the last pieces go only to worker 0
//
// A worker without steps left tells all. No worker can be more than one meeting ahead, so all end after the same step.
#include "core/split/vertical.hpp"

#include <span>
#include <string_view>

#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/vectors.hpp"
#include "core/split/vertical_pass.hpp"
#include "core/split/vertical_plan.hpp"

namespace ddl::split {
namespace {

class VerticalWorker : public Program {
  using Port = VerticalPass::Port;
  using Leaving = VerticalPass::Leaving;
  using Split = VerticalSplit;
  struct Request {
    static constexpr std::string_view body_name = "vertical.request";
  };

 public:
  VerticalWorker(Node& node, const VerticalParams& params)
      : node_(node),
        parallel_(*node.model_parallel()),
        params_(params),
        plan_(params, parallel_.model(), node.cluster()),
        me_(node.id()),
        pass_(node, plan_) {}

  void run() override {
    while (node_.next_step()) {
      if (!train()) break;
      node_.finish_step();
    }
    pass_.send_to_all({.port = Port::in_training, .body = Leaving{}});
    if (params_.serving.requests == 0) return;
    estimate_statistics();
    if (me_ == 0) {
      serve_requests();
    } else {
      help_to_serve();
    }
  }

 private:
  // W. False if another worker's steps are over.
  bool train() {
    pass_.draw_time();
    Minibatch minibatch = parallel_.minibatch();
    pass_.begin(node_.cluster().batch_size, minibatch.batch.get(), minibatch.dropout ? &*minibatch.dropout : nullptr);
    if (!pass_.forward(Port::in_training)) return false;  // 1
    update_.resize(pass_.computes() ? node_.weights().read().size() : 0);
    double loss = 0;
    // Behind the last meeting all have the same whole gradient: each continues with its own part of it.
    const std::size_t last = plan_.meetings() - 1;
    VerticalPass::Pieces contributions;
    pass_.work(2 * (plan_.share(me_, last + 1) + plan_.share(me_, last)), [&](const Split& split) {  // 2
      pass_.place_pieces(split, last);
      pass_.forward_ops(split, last + 1);
      loss = cross_entropy(pass_.run(), split.outputs(), minibatch.batch->labels);
      pass_.backward_ops(split, last + 1, update_);
      pass_.add_contributions(split, last, {pass_.contribution(split, last, me_)});
      pass_.backward_ops(split, last, update_);
      if (last > 0) contributions = pass_.contributions_to_all(split, last - 1);
    });
    for (std::size_t meeting = last; meeting-- > 0;) {  // 3
      if (!pass_.exchange_gradients(meeting, contributions)) return false;
      pass_.work(2 * plan_.share(me_, meeting), [&](const Split& split) {
        pass_.add_contributions(split, meeting, pass_.pieces());
        pass_.backward_ops(split, meeting, update_);
        if (meeting > 0) contributions = pass_.contributions_to_all(split, meeting - 1);
      });
    }
    if (pass_.computes()) parallel_.record_loss(loss);
    pass_.end();
    node_.apply({.gradient = update_});  // 4
    return true;
  }

  // Batch normalisation's, at the final weights, from training samples that go through all workers as any batch does.
  void estimate_statistics() {
    if (!pass_.computes() || !parallel_.model()->needs_estimates()) return;
    pass_.draw_time();
    int number = 0;
    for (const auto& numbers : nn::estimation_batches(parallel_.sample_count(SampleSet::training))) {
      const auto batch = parallel_.samples(SampleSet::training, numbers);
      pass_.begin(static_cast<int>(numbers.size()), batch.get(), nullptr, number++);
      pass_.forward(Port::in_serving);
      finish_prediction();
    }
  }

  // The rest of the prediction behind the last meeting; only worker 0 has the pieces.
  void finish_prediction() {
    if (me_ > 0) return;
    const std::size_t last = plan_.meetings();
    pass_.work(plan_.share(me_, last), [&](const Split& split) {
      pass_.place_pieces(split, last - 1);
      pass_.forward_ops(split, last);
    });
  }

  void serve_requests() {  // 5
    RequestTimes times(node_, params_.serving);
    const int outputs = plan_.split()->outputs();
    const auto classes = plan_.split()->tape(0).values[static_cast<std::size_t>(outputs)];
    const RequestedSamples requested(parallel_, node_.cluster().seed, params_.serving.requests);
    for (int number = 0; number < params_.serving.requests; ++number) {
      Answer answer{.request = number, .arrival_s = times.wait_for_next()};
      pass_.draw_time();
      const std::uint32_t index = requested.of(number);
      const auto sample = parallel_.samples(SampleSet::test, {&index, 1});
      const Payload values = make_payload(sample->inputs);
      const auto bytes = static_cast<std::uint64_t>(4 * values->size());
      pass_.send_to_all({.port = Port::in_serving, .values = values, .wire_bytes = bytes, .body = Request{}});
      pass_.begin(1, sample.get(), nullptr);
      pass_.forward(Port::in_serving);
      finish_prediction();
      answer.answer_s = node_.now();
      answer.bytes = plan_.request_bytes(static_cast<double>(bytes));
      answer.correct = predicted_class({pass_.run().value(outputs), classes}) == sample->labels.front();
      node_.record(answer);
    }
    pass_.send_to_all({.port = Port::in_serving, .body = Leaving{}});
  }

  void help_to_serve() {
    const auto next = [&] { return pass_.receive(Port::in_serving, 0); };
    for (Message message = next(); message.is<Request>(); message = next()) {
      pass_.draw_time();
      data::Batch sample{*message.values, {}};
      sample.labels.push_back(0);  // unknown here
      pass_.begin(1, &sample, nullptr);
      pass_.forward(Port::in_serving);
    }
  }

  Node& node_;
  ModelParallel& parallel_;
  const VerticalParams params_;
  const VerticalPlan plan_;
  const int me_;
  VerticalPass pass_;
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Program> VerticalParams::program(Node& node) const {
  return std::make_unique<VerticalWorker>(node, *this);
}

}  // namespace ddl::split
