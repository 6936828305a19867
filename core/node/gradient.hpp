// What one minibatch teaches.
#pragma once

#include "core/node/message.hpp"

namespace ddl {

struct Gradient {
  Payload values = nullptr;  // null when timing only
  double loss = 0;           // the minibatch's mean
};

}  // namespace ddl
