#include "sim/network/pauses.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ddl::network {

// Again if something arrived: actors that are woken together with this one may run before others have taken it.
void Pauses::wait(int node, After after, const std::function<void()>& wake_up) {
  bool node_goes = false;
  const auto happened = [&] { return arrived_ + (after == After::everything ? ended_ : 0); };
  for (std::int64_t seen = -1; seen != happened() && !node_goes;) {
    seen = happened();
    Signal end(quiescence_);
    quiescence_.begins();
    pauses_.push_back({after, node, &end, &node_goes});
    wake_up();
    end.wait();
  }
}

void Pauses::end_all() {
  if (pauses_.empty()) return;
  std::vector<Pause> pauses = std::exchange(pauses_, {});
  std::ranges::stable_sort(pauses, {}, [](const Pause& pause) { return std::tuple(pause.after, pause.node); });
  std::vector<Signal*> ends;
  for (const Pause& pause : pauses) {
    ends.push_back(pause.end);
    if (pause.after != After::everything) ++ended_;
  }
  Signal::ring_all(ends);
  quiescence_.end_silently(static_cast<std::int64_t>(ends.size()));
  quiescence_.tell_if_last();
}

void Pauses::end_those_of(int node, std::vector<Signal*>& woken) {
  std::erase_if(pauses_, [&](const Pause& pause) {
    if (pause.node != node) return false;
    *pause.node_goes = true;
    woken.push_back(pause.end);
    quiescence_.end_silently(1);
    return true;
  });
}

}  // namespace ddl::network
