// Predictions of a model in stages: stage, exit; if the exit's uncertainty is below the threshold, its answer goes to
// worker 0, else the activations go on. With threshold 0 no exit is asked. Without thresholds each exit in turn, and
// then the last stage, answers all requests, to compare their accuracies on the same samples.
//
// Workers form a pipeline: each serves a request while others serve those before and after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/node/model_parallel.hpp"
#include "core/node/node.hpp"
#include "core/split/exits/early_exit.hpp"
#include "core/split/exits/stage_pass.hpp"
#include "core/split/exits/stage_plan.hpp"

namespace ddl::split {

// One worker's part. Its references must outlive the node's actors.
class ExitServing {
 public:
  ExitServing(Node& node, const EarlyExitParams& params, const std::vector<Stage>& stages, StagePass& pass)
      : node_(node),
        parallel_(*node.model_parallel()),
        params_(params),
        stages_(stages),
        pass_(pass),
        turns_(turns_of(params, stages)) {}

  // W. All requests, once for each turn.
  void run() { node_.id() == 0 ? lead() : follow(); }

 private:
  // All requests once, answered by the first exit that is less uncertain than `threshold`, or, without one, only by
  // `exit`.
  struct Turn {
    std::optional<double> threshold;
    int exit = 0;  // a worker
  };
  static std::vector<Turn> turns_of(const EarlyExitParams& params, const std::vector<Stage>& stages);

  // Bodies of messages; the values are as noted.
  struct Request {  // activations of a sample
    static constexpr std::string_view body_name = "early_exit.request";
    std::size_t turn = 0;
  };
  struct Estimate {  // activations of training samples
    static constexpr std::string_view body_name = "early_exit.estimate";
    int number = 0;
  };
  struct Exit {
    static constexpr std::string_view body_name = "early_exit.exit";
    int answer = 0;  // a class
  };

  void lead();
  void wait_for_answers();
  void collect_answers();
  void give_answer(int exit, std::int64_t number, int answered);
  void follow();
  void serve(std::size_t turn_index, std::int64_t number, const Payload& input);
  void pass_estimates();
  void pass_estimate(int number, const float* input, int samples);
  std::shared_ptr<const data::Batch> test_sample(std::int64_t number) const;

  Node& node_;
  ModelParallel& parallel_;
  const EarlyExitParams& params_;
  const std::vector<Stage>& stages_;
  StagePass& pass_;
  const std::vector<Turn> turns_;
  std::optional<RequestedSamples> requested_;  // worker 0's
  std::vector<Answer> open_, answered_;        // worker 0's, for one turn
};

}  // namespace ddl::split
