// Messages taken sender by sender, where a sender may be ahead of its turn.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "core/node/node.hpp"

namespace ddl {

class BySource {
 public:
  explicit BySource(Node& node) : node_(node) {}

  // W. The next message of one sender at a port that has no other reader; others' wait for their turn.
  Message receive(int port, int source) {
    auto& from_source = early_[{port, source}];
    while (from_source.empty()) {
      awaited_[port] = source;
      Message message = node_.receive(port);
      awaited_.erase(port);
      early_[{port, message.source}].push_back(std::move(message));
    }
    Message message = std::move(from_source.front());
    from_source.pop_front();
    return message;
  }

  // Whom the reader of a port waits for now.
  std::vector<int> awaited(int port) const {
    const auto found = awaited_.find(port);
    return found == awaited_.end() ? std::vector<int>() : std::vector{found->second};
  }

 private:
  Node& node_;
  std::map<std::pair<int, int>, std::deque<Message>> early_;
  std::map<int, int> awaited_;  // by port
};

}  // namespace ddl
