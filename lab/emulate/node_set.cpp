#include "lab/emulate/node_set.hpp"

#include <algorithm>
#include <mutex>

#include "core/systems/table.hpp"
#include "sim/run/run_end.hpp"

namespace ddl::emulate {

NodeSet::NodeSet(Emulation& emulation, run::Experiment& experiment) : experiment_(experiment) {
  for (int id = 0; id < experiment.nodes(); ++id) {
    nodes_.push_back(std::make_unique<EmulatedNode>(emulation, experiment, id, experiment.first_weights(id)));
    programs_.push_back(systems::make_program(*experiment.scenario().algorithm, *nodes_.back()));
  }
}

void NodeSet::lock_all() {
  for (const auto& node : nodes_) node->monitor().lock();
}

void NodeSet::unlock_all() {
  for (const auto& node : nodes_) node->monitor().unlock();
}

void NodeSet::wake_all() {
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    node->monitor().wake();
  }
}

void NodeSet::end_all() {
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    node->monitor().end();
  }
}

bool NodeSet::none_goes_on() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node->monitor().is_stuck(); });
}

std::string NodeSet::waiting_text() {
  std::vector<std::string> lines;
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    for (const std::string& what : node->monitor().waited_for()) {
      lines.push_back(experiment_.fabric().name(node->id()) + " waits for " + what);
    }
  }
  return run::joined(lines);
}

std::vector<run::NodeState> NodeSet::states() {
  std::vector<run::NodeState> states;
  for (const auto& node : nodes_) {
    const std::scoped_lock held(node->monitor());
    Payload judged;
    if (experiment_.judges(node->id())) {
      const Payload of_program = program(node->id()).judged_model();
      judged = of_program ? make_payload(std::vector<float>(*of_program)) : node->copy_of_weights();
    }
    states.push_back({std::move(judged), node->counted_steps(), node->take_train_loss()});
  }
  return states;
}

std::vector<const run::LearningNode*> NodeSet::learners() const {
  std::vector<const run::LearningNode*> learners;
  for (const auto& node : nodes_) learners.push_back(node.get());
  return learners;
}

void NodeSet::settle_staleness() {
  for (const auto& node : nodes_) {
    for (const auto& note : node->staleness_notes()) (*this)[note.worker].set_staleness(note.step, note.staleness);
  }
}

double NodeSet::last_event_s() const {
  double last_s = 0;
  for (const auto& node : nodes_) last_s = std::max(last_s, node->last_event_s());
  return last_s;
}

void NodeSet::add_lateness(Measurement& measured) const {
  std::int64_t sleeps = 0;
  for (const auto& node : nodes_) {
    const EmulatedNode::Lateness& late = node->lateness();
    sleeps += late.count;
    measured.late_mean_s += late.sum_s;
    measured.late_max_s = std::max(measured.late_max_s, late.max_s);
  }
  if (sleeps > 0) measured.late_mean_s /= static_cast<double>(sleeps);
}

}  // namespace ddl::emulate
