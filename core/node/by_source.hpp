// Receives messages sender by sender, where a sender may be ahead of its turn.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "core/node/node.hpp"

namespace ddl {

class BySource {
 public:
  explicit BySource(Node& node) : node_(node) {}

  // W. The next message of one sender; messages of others wait for their turn. The port must have no other reader.
  // `what` names the wait.
  Message receive(int port, int source, const char* what) {
    auto& from_source = early_[{port, source}];
    while (from_source.empty()) {
      Message message = node_.receive(port, {what, source});
      early_[{port, message.source}].push_back(std::move(message));
    }
    Message message = std::move(from_source.front());
    from_source.pop_front();
    return message;
  }

 private:
  Node& node_;
  std::map<std::pair<int, int>, std::deque<Message>> early_;
};

}  // namespace ddl
