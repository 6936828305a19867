// How a worker without servers gets a model if it joins late or has lost its own: it asks the other workers, one after
// another. If none of them has a model, it begins with its initial weights.
#pragma once

#include <memory>
#include <optional>

#include "core/membership/call.hpp"
#include "core/node/program.hpp"

namespace ddl::membership {

class StateTransfer {
 public:
  // `has_model`: whether this worker has a model already.
  StateTransfer(Node& node, bool has_model);

  // Spawns the service that answers others.
  void serve();
  // W. The others are asked in ascending order from `first` on.
  void fetch_model(int first);
  bool has_model() const { return has_model_; }

 private:
  void answer_forever();

  Node& node_;
  bool has_model_;
  std::optional<Call> call_;  // of a worker that has none
};

// `program` with that service beside it; a worker that needs a model fetches it before the program starts. Where hosts
// do not change, it is `program` itself.
std::unique_ptr<Program> with_first_model(std::unique_ptr<Program> program, Node& node);

}  // namespace ddl::membership
