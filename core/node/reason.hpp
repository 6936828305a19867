// The reason of an actor's wait, in words: shown when a run cannot go on.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ddl {

class Reason {
 public:
  using Nodes = std::vector<int>;

  // Any node may end the wait.
  Reason(const char* what) : what_(what) {}  // implicit: callers pass a string literal
  Reason(const char* what, int from) : Reason(what, [from] { return Nodes{from}; }) {}
  // `from` is called only when the text is needed. With `only_from` the text is empty while `from` names no node.
  Reason(const char* what, std::function<Nodes()> from, bool only_from = false)
      : what_(what), from_(std::move(from)), only_from_(only_from) {}

  // "sums of the other workers (w1, w2)", or "" for a service: a waiting service does not explain a standstill.
  template <class NameOf>
  std::string text(NameOf name_of) const {
    const Nodes from = from_ ? from_() : Nodes();
    if (only_from_ && from.empty()) return "";
    std::string names;
    for (const int node : from) names += (names.empty() ? "" : ", ") + std::string(name_of(node));
    return names.empty() ? what_ : std::string(what_) + " (" + names + ")";
  }

 private:
  const char* what_;
  std::function<Nodes()> from_ = nullptr;
  bool only_from_ = false;
};

// The reason of an actor that waits for requests: it never holds up a run, so it is not shown.
inline constexpr const char* service = "";

}  // namespace ddl
