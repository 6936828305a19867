// First model of a worker without servers that joins late or has lost its state: it asks the other workers, one after
// another. If none of them has a model, it begins with its initial weights.
#pragma once

#include <memory>
#include <optional>

#include "core/membership/call.hpp"
#include "core/node/program.hpp"

namespace ddl::membership {

class StateTransfer {
 public:
  // `has_model`: true if this worker already has a model.
  StateTransfer(Node& node, bool has_model);

  // Spawns the service that answers others.
  void serve();
  // W. Asks the others in ascending order, beginning with `first`.
  void fetch_model(int first);
  bool has_model() const { return has_model_; }

 private:
  void answer_forever();

  Node& node_;
  bool has_model_;
  std::optional<Call> call_;  // for a worker without a model
};

// `program` with the service beside it; a worker that needs a model fetches it before the program starts. Returns
// `program` itself if hosts do not change.
std::unique_ptr<Program> with_first_model(std::unique_ptr<Program> program, Node& node);

}  // namespace ddl::membership
