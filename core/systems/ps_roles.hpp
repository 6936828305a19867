// What the kinds of parameter server have in common: the worker, and a server's bookkeeping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/node/node.hpp"
#include "core/systems/parameter_server.hpp"

namespace ddl::systems {

// A cycle is pull, gradient, push. The pull request follows the last push through the same channel, so a worker never
// reads weights that miss its own gradient (unless it was dropped).
class PsWorker : public Program {
 public:
  PsWorker(Node& node, const PsParams& params) : node_(node), model_(node, params.codec) {}
  void run() override;

 private:
  Node& node_;
  comm::ShardedModel model_;
};

class PsServer : public Program {
 public:
  PsServer(Node& node, const PsParams& params);

 protected:
  Reason reason() const {
    return {"pulls and pushes of workers", [this] { return missing(); }};
  }
  // Workers without whose word this server goes on with nothing, if there are any.
  virtual std::vector<int> missing() const { return {}; }
  void answer(int worker);
  bool has_seen_newest(int worker) const { return version_pulled_[static_cast<std::size_t>(worker)] == version_; }
  void reset_pull(int worker) { version_pulled_[static_cast<std::size_t>(worker)] = -1; }  // that it has pulled
  void work();                                                                             // W. for one gradient
  void apply(std::span<const float> sum, float weight);

  // Updates that others have made since the worker pulled what its gradient was taken at.
  std::int64_t staleness_of(const Message& gradient) const;
  void record_staleness(const Message& gradient);

  Node& node_;

 private:
  const PsParams params_;
  std::int64_t version_ = 0;                  // updates applied
  std::vector<std::int64_t> version_pulled_;  // per worker; -1: nothing yet
  std::vector<float> update_;
};

}  // namespace ddl::systems
