// A minibatch, or the sample of a request, that all workers of a vertical split process together, as one of them sees
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/node/by_source.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/node.hpp"
#include "core/split/tape.hpp"
#include "core/split/vertical_plan.hpp"

namespace ddl::split {

class VerticalPass {
 public:
  enum Port { in_training, in_serving };
  using Pieces = PerNode<Payload>;  // by worker
  using Math = std::function<void(const VerticalSplit& split)>;

  // A worker's word that it takes no more steps, or has no more requests.
  struct Leaving {
    static constexpr std::string_view body_name = "vertical.leaving";
  };

  VerticalPass(Node& node, const VerticalPlan& plan);

  // Draws the time of a gradient of the whole model on this host, valid until the next call.
  void draw_time() { gradient_s_ = parallel_.gradient_seconds(); }
  // Starts with this batch of `samples` samples (null: timing only). `estimate`: see TapeRun::begin.
  void begin(int samples, const data::Batch* batch, Stream* dropout, std::optional<int> estimate = std::nullopt);
  void end() { weights_ = nullptr; }

  // W. Up to the last meeting, whose pieces are then in pieces(): in serving, at worker 0 alone. False if another
  // worker's steps are over.
  bool forward(Port port);
  // W. Sends each worker its piece of a gradient at this meeting, and gets the own one from all. False as for forward.
  bool exchange_gradients(std::size_t meeting, const Pieces& outgoing);
  const Pieces& pieces() const { return pieces_; }  // the latest meeting's

  // W. The time of `share` of a gradient of a whole batch, with the math on a thread of its own.
  void work(double share, const Math& math);

  // Math, to be called from work().
  TapeRun& run() { return *run_; }
  void forward_ops(const VerticalSplit& split, std::size_t stage);
  void backward_ops(const VerticalSplit& split, std::size_t stage, std::vector<float>& gradient);
  void place_pieces(const VerticalSplit& split, std::size_t meeting);
  Payload contribution(const VerticalSplit& split, std::size_t meeting, int worker);
  Pieces contributions_to_all(const VerticalSplit& split, std::size_t meeting);
  void add_contributions(const VerticalSplit& split, std::size_t meeting, const std::vector<Payload>& contributions);

  Message receive(Port port, int source);
  void send_to_all(const Message& message);  // other workers
  bool computes() const { return run_.has_value(); }

 private:
  struct Piece {
    static constexpr std::string_view body_name = "vertical.piece";
    int turn = 0;  // counts the exchanges of a step or request
  };

  bool exchange(Port port, std::size_t turn, std::size_t meeting, bool backward, const Pieces& outgoing);
  bool send_to_first(std::size_t meeting, const Payload& own);
  void send(int target, Message message, std::size_t meeting, int owner);
  bool collect(Port port, int turn, const Payload& own);
  int workers() const { return node_.cluster().workers; }

  Node& node_;
  ModelParallel& parallel_;
  const VerticalPlan& plan_;
  const int me_;
  BySource messages_;

  int samples_ = 0;
  double gradient_s_ = 0;
  Payload weights_;
  Pieces pieces_;
  std::optional<TapeRun> run_;  // none: timing only
  nn::Buffer inputs_;
};

}  // namespace ddl::split
