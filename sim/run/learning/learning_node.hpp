// Parts of a Node that every runtime shares: a replica with its optimizer, steps with their rows, its random numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/node/node.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

class Experiment;

class LearningNode : public Node {
 public:
  std::int64_t step() const override { return finished_steps_; }

  Weights& weights() override { return weights_; }
  using Node::apply;
  void apply(const Update& update) override;
  void record(const Record& record) override;
  Stream rng(const char* purpose) const override;

  // --- for the runtime ---
  std::int64_t counted_steps() const { return counted_steps_; }
  double compute_seconds(double end_s) const;          // including a computation under way then
  bool steps_by_layers() const { return by_layers_; }  // it has computed a gradient with calls for layers
  std::span<const IterationRow> iterations() const;    // counted steps only
  const std::vector<GivenUp>& given_up() const { return given_up_; }
  const std::vector<Answer>& answers() const { return answers_; }
  const std::vector<Draw>& draws() const { return draws_; }  // if the scenario asks for them
  void set_staleness(std::int64_t step, double staleness);
  // The mean minibatch loss since it was last asked for.
  std::optional<double> take_train_loss();

 protected:
  // The weights are those of the whole model or, at a server, of its shard.
  LearningNode(Experiment& experiment, int id, Payload weights);
  virtual void record_staleness(const Staleness& staleness) = 0;
  // The part of the run that is over, by time and samples.
  virtual double run_share() const = 0;

  void note_layers() { by_layers_ = true; }
  void begin_step();
  double end_step();  // ends the first step under way; returns the time
  void count_step() { ++counted_steps_; }
  std::int64_t begun_steps() const { return begun_steps_; }
  bool in_step() const { return begun_steps_ > finished_steps_; }
  IterationRow& row() { return rows_.back(); }  // the last begun step's
  std::int64_t lose_steps();                    // those under way: two where the next begins before the last is over

  double draw_gradient_seconds();
  double computing_begins() { return computing_since_s_.emplace(now()); }  // when
  void computing_ends(double spent_s, bool for_step = true);
  // A gradient with what its step will need of this instant. `at`: the weights that it was taken at.
  Gradient gradient_at(Payload at, Payload values, double loss) const;
  void note_minibatch(double loss, std::optional<double> accuracy = std::nullopt);

  const scenario::Scenario& scenario() const { return scenario_; }
  int incarnation() const { return incarnation_; }
  void end_incarnation() { ++incarnation_; }  // the next program here draws other numbers
  void reset_replica(Payload weights);        // and another optimizer

 private:
  double learning_rate(const Update& update);

  const scenario::Scenario& scenario_;
  Weights weights_;
  int incarnation_ = 0;  // crashes so far; before what draws random numbers
  Stream jitter_;

  std::int64_t begun_steps_ = 0, finished_steps_ = 0, counted_steps_ = 0;
  double compute_s_ = 0;
  bool by_layers_ = false;
  std::optional<double> computing_since_s_;
  double loss_sum_ = 0;
  std::int64_t losses_ = 0;
  std::vector<IterationRow> rows_;
  std::vector<GivenUp> given_up_;
  std::vector<Answer> answers_;
  std::vector<Draw> draws_;
};

}  // namespace ddl::run
