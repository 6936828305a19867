// Worker g of G has its share of the output channels of every layer, and all work on the same minibatch.
//
//   forward, stage s:    compute the own channels; at the meeting send them to all; wait for all others'
//   last meeting:        everybody has the outputs, and so the loss and its gradient by the own outputs
//   backward, stage s:   compute; send each worker the own contribution to the gradient by its channels; add up what
//                        comes, in worker order
//   then:                one optimizer step on the own weights                                          [IDDL, 5.4]
//
//   a request at worker 0:  the sample goes to all, stages as above; the last pieces go to worker 0 alone
//
// A worker whose steps are over tells all. Nobody can be more than one meeting ahead, so all end after the same step.
#include "core/parallel/vertical.hpp"

#include <utility>

#include "core/nn/layer.hpp"
#include "core/node/by_source.hpp"
#include "core/node/vectors.hpp"
#include "core/parallel/vertical_plan.hpp"

namespace ddl::parallel {
namespace {

class VerticalWorker : public Program {
  enum Port { in_training, in_serving };

  struct Piece {
    int turn = 0;  // of a step's or request's exchanges
  };
  struct Leaving {};
  struct Request {};

 public:
  VerticalWorker(Node& node, const VerticalParams& params)
      : node_(node),
        parallel_(*node.model_parallel()),
        params_(params),
        plan_(params, node.cluster()),
        me_(node.id()),
        messages_(node) {
    if (plan_.split()) run_.emplace(plan_.split()->tape(me_));
  }

  void run() override {
    while (node_.next_step()) {
      if (!train()) break;
      node_.finish_step();
    }
    send_to_all({.port = in_training, .body = Leaving{}});
    if (params_.serving.requests == 0) return;
    estimate_statistics();
    if (me_ == 0) {
      serve_requests();
    } else {
      help_to_serve();
    }
  }

 private:
  using Pieces = std::vector<Payload>;  // by worker

  // W. False if another worker's steps are over.
  bool train() {
    gradient_s_ = parallel_.gradient_seconds();
    Minibatch minibatch = parallel_.minibatch();
    samples_ = node_.cluster().batch_size;
    begin(minibatch.batch.get(), minibatch.dropout ? &*minibatch.dropout : nullptr);
    if (!forward(in_training)) return false;
    update_.resize(run_ ? node_.weights().read().size() : 0);
    double loss = 0;
    // Behind the last meeting all have the same whole gradient: each goes on with its own part of it.
    const std::size_t last = plan_.meetings() - 1;
    Pieces contributions;
    work(2 * (plan_.share(me_, last + 1) + plan_.share(me_, last)), [&](const nn::VerticalSplit& split) {
      place_pieces(split, last);
      forward_ops(split, last + 1);
      loss = nn::cross_entropy(*run_, split.outputs(), minibatch.batch->labels);
      backward_ops(split, last + 1);
      add_contributions(split, last, {contribution(split, last, me_)});
      backward_ops(split, last);
      if (last > 0) contributions = contributions_to_all(split, last - 1);
    });
    for (std::size_t meeting = last; meeting-- > 0;) {
      if (!exchange(in_training, 2 * plan_.meetings() - meeting, meeting, true, contributions)) return false;
      work(2 * plan_.share(me_, meeting), [&](const nn::VerticalSplit& split) {
        add_contributions(split, meeting, pieces_);
        backward_ops(split, meeting);
        if (meeting > 0) contributions = contributions_to_all(split, meeting - 1);
      });
    }
    if (run_) parallel_.record_loss(loss);
    weights_ = nullptr;
    node_.apply(update_);
    return true;
  }

  void begin(const data::Batch* batch, Stream* dropout, std::optional<int> estimate = std::nullopt) {
    if (!run_) return;
    run_->begin(samples_, dropout, estimate);
    run_->use(0, nn::channels_last(*batch, node_.cluster().model->layers().front()->input(), inputs_));
    weights_ = node_.weights().snapshot();
  }

  // W. Up to the last meeting, whose pieces are then there; in serving at worker 0 alone.
  bool forward(Port port) {
    for (std::size_t stage = 0; stage < plan_.meetings(); ++stage) {
      Payload own;
      work(plan_.share(me_, stage), [&](const nn::VerticalSplit& split) {
        if (stage > 0) place_pieces(split, stage - 1);
        forward_ops(split, stage);
        const float* const values = run_->value(split.meetings()[stage].own);
        own = make_payload({values, values + split.meetings()[stage].piece(me_) * static_cast<std::size_t>(samples_)});
      });
      if (port == in_serving && stage + 1 == plan_.meetings()) return send_to_first(stage, own);
      if (!exchange(port, stage, stage, false, Pieces(static_cast<std::size_t>(workers()), own))) return false;
    }
    return true;
  }

  bool send_to_first(std::size_t meeting, const Payload& own) {
    if (me_ > 0) {
      send(0, {.port = in_serving, .values = own, .body = Piece{static_cast<int>(meeting)}}, meeting, me_);
      return true;
    }
    return collect(in_serving, static_cast<int>(meeting), own);
  }

  // W. Each worker gets its entry of `outgoing`; what comes from all, and the own entry, is then in pieces_. Piece
  // sizes are the sender's own, or (backwards) the receiver's.
  bool exchange(Port port, std::size_t turn, std::size_t meeting, bool backward, const Pieces& outgoing) {
    const auto entry = [&](int worker) {
      return outgoing.empty() ? nullptr : outgoing[static_cast<std::size_t>(worker)];
    };
    for (int ahead = 1; ahead < workers(); ++ahead) {
      const int target = (me_ + ahead) % workers();
      send(target, {.port = port, .values = entry(target), .body = Piece{static_cast<int>(turn)}}, meeting,
           backward ? target : me_);
    }
    return collect(port, static_cast<int>(turn), entry(me_));
  }

  void send(int target, Message message, std::size_t meeting, int owner) {
    message.wire_bytes = plan_.piece_bytes(meeting, owner, samples_);
    node_.send(target, std::move(message));
  }

  bool collect(Port port, int turn, const Payload& own) {
    pieces_.assign(static_cast<std::size_t>(workers()), own);
    for (int source = 0; source < workers(); ++source) {
      if (source == me_) continue;
      const Message message = receive(port, source);
      if (message.is<Leaving>()) return false;
      check(message.as<Piece>().turn == turn, "pieces in the order of meetings");
      pieces_[static_cast<std::size_t>(source)] = message.values;
    }
    return true;
  }

  Message receive(Port port, int source) {
    return messages_.receive(port, source,
                             port == in_training ? "pieces of the other workers" : "requests and their pieces");
  }

  void send_to_all(const Message& message) {
    for (int ahead = 1; ahead < workers(); ++ahead) node_.send((me_ + ahead) % workers(), message);
  }

  // --- math, on a thread of its own ---

  // W. `share` of a gradient of a whole batch.
  template <class Math>
  void work(double share, Math math) {
    const double batch_share = static_cast<double>(samples_) / node_.cluster().batch_size;
    std::function<void()> job;
    if (run_) job = [&] { math(*plan_.split()); };
    parallel_.work(gradient_s_ * share * batch_share, std::move(job));
  }

  void forward_ops(const nn::VerticalSplit& split, std::size_t stage) {
    run_->forward(split.first_op(stage), split.last_op(stage), weights_->data());
  }
  void backward_ops(const nn::VerticalSplit& split, std::size_t stage) {
    run_->backward(split.first_op(stage), split.last_op(stage), weights_->data(), update_.data());
  }
  void place_pieces(const nn::VerticalSplit& split, std::size_t meeting) {
    float* const whole = run_->room(split.meetings()[meeting].whole);
    for (int worker = 0; worker < workers(); ++worker) {
      split.meetings()[meeting].place(pieces_[static_cast<std::size_t>(worker)]->data(), worker, samples_, whole);
    }
  }
  Payload contribution(const nn::VerticalSplit& split, std::size_t meeting, int worker) {
    const nn::Meeting& at = split.meetings()[meeting];
    std::vector<float> values(at.piece(worker) * static_cast<std::size_t>(samples_));
    at.take(run_->gradient(at.whole), worker, samples_, values.data());
    return make_payload(std::move(values));
  }
  Pieces contributions_to_all(const nn::VerticalSplit& split, std::size_t meeting) {
    Pieces all;
    for (int worker = 0; worker < workers(); ++worker) all.push_back(contribution(split, meeting, worker));
    return all;
  }
  void add_contributions(const nn::VerticalSplit& split, std::size_t meeting, const Pieces& contributions) {
    std::vector<float> sum(contributions.front()->size());
    for (const Payload& values : contributions) add_scaled(sum, values_of(values));
    run_->add_gradient(split.meetings()[meeting].own, sum.data());
  }

  // --- serving ---

  // Batch normalisation's, at the final weights, from training samples that go through all workers as any batch does.
  void estimate_statistics() {
    if (!run_ || !node_.cluster().model->needs_estimates()) return;
    gradient_s_ = parallel_.gradient_seconds();
    int number = 0;
    for (const auto& numbers : nn::estimation_batches(parallel_.sample_count(SampleSet::training))) {
      const auto batch = parallel_.samples(SampleSet::training, numbers);
      samples_ = static_cast<int>(numbers.size());
      begin(batch.get(), nullptr, number++);
      forward(in_serving);
      finish_prediction();
    }
  }

  // What is behind the last meeting, of which worker 0 has the pieces.
  void finish_prediction() {
    if (me_ > 0) return;
    const std::size_t last = plan_.meetings();
    work(plan_.share(me_, last), [&](const nn::VerticalSplit& split) {
      place_pieces(split, last - 1);
      forward_ops(split, last);
    });
  }

  void serve_requests() {
    RequestTimes times(node_, params_.serving);
    samples_ = 1;
    const int outputs = plan_.split()->outputs();
    const auto classes = plan_.split()->tape(0).values[static_cast<std::size_t>(outputs)];
    for (int number = 0; number < params_.serving.requests; ++number) {
      Answer answer{.request = number, .arrival_s = times.wait_for_next()};
      gradient_s_ = parallel_.gradient_seconds();
      const auto index =
          static_cast<std::uint32_t>(static_cast<std::size_t>(number) % parallel_.sample_count(SampleSet::test));
      const auto sample = parallel_.samples(SampleSet::test, {&index, 1});
      const Payload values = make_payload(sample->inputs);
      const auto bytes = static_cast<std::uint64_t>(4 * values->size());
      send_to_all({.port = in_serving, .values = values, .wire_bytes = bytes, .body = Request{}});
      begin(sample.get(), nullptr);
      forward(in_serving);
      finish_prediction();
      answer.answer_s = node_.now();
      answer.bytes = plan_.request_bytes(static_cast<double>(bytes));
      answer.correct = predicted_class({run_->value(outputs), classes}) == sample->labels.front();
      node_.record(answer);
    }
    send_to_all({.port = in_serving, .body = Leaving{}});
  }

  void help_to_serve() {
    samples_ = 1;
    for (Message message = receive(in_serving, 0); message.is<Request>(); message = receive(in_serving, 0)) {
      gradient_s_ = parallel_.gradient_seconds();
      data::Batch sample{*message.values, {}};
      sample.labels.push_back(0);  // not known here
      begin(&sample, nullptr);
      forward(in_serving);
    }
  }

  int workers() const { return node_.cluster().workers; }

  Node& node_;
  ModelParallel& parallel_;
  const VerticalParams params_;
  const VerticalPlan plan_;
  const int me_;
  BySource messages_;

  // Of the batch or request under way.
  int samples_ = 0;
  double gradient_s_ = 0;  // what a whole gradient would take here
  Payload weights_;
  Pieces pieces_;                   // of the latest meeting
  std::optional<nn::TapeRun> run_;  // none: timing only
  nn::Buffer inputs_;
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Program> VerticalParams::program(Node& node) const {
  return std::make_unique<VerticalWorker>(node, *this);
}

}  // namespace ddl::parallel
