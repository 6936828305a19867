// All nodes of an emulated run, with their programs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/node/node.hpp"
#include "lab/emulate/emulated_node.hpp"
#include "lab/emulate/measurement.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/learning/learning_node.hpp"

namespace ddl::emulate {

class Emulation;

// Takes the monitors it needs, several in the order of nodes.
class NodeSet {
 public:
  NodeSet(Emulation& emulation, run::Experiment& experiment);

  std::size_t size() const { return nodes_.size(); }
  EmulatedNode& operator[](int node) { return *nodes_[static_cast<std::size_t>(node)]; }
  Program& program(int node) { return *programs_[static_cast<std::size_t>(node)]; }

  void lock_all();
  void unlock_all();
  void wake_all();
  void end_all();  // their actors are unwound when they next wait

  // True if no actor goes on unless a message arrives. Exact: with all monitors held, only messages under way can move,
  // and `nothing_under_way` is called then.
  template <class Ask>
  bool are_stuck(const Ask& nothing_under_way) {
    lock_all();
    const bool stuck = nothing_under_way() && none_goes_on();
    unlock_all();
    return stuck;
  }
  std::string waiting_text();  // reasons of their actors' waits

  // All at about the same time, each node between two of its calls.
  std::vector<run::NodeState> states();

  // --- when all threads have ended ---
  std::vector<const run::LearningNode*> learners() const;
  void settle_staleness();  // applies nodes' records of others' steps
  double last_event_s() const;
  void add_lateness(Measurement& measured) const;

 private:
  bool none_goes_on() const;

  run::Experiment& experiment_;
  std::vector<std::unique_ptr<EmulatedNode>> nodes_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace ddl::emulate
