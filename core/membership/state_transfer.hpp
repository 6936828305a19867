// Where a worker gets a model that comes late, or has lost its own, and has no server to pull from: it asks the others,
// one after another. If none has one, it begins with its initial weights.
#pragma once

#include <memory>

#include "core/node/node.hpp"

namespace ddl::membership {

// `program`, with a service that answers such questions beside it, and after such a question if this worker needs to
// ask. Changes nothing where hosts do not change.
std::unique_ptr<Program> with_first_model(std::unique_ptr<Program> program, Node& node);

}  // namespace ddl::membership
