#include "sim/network/pauses.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ddl::network {

// Again if something has happened: of actors that are woken together, this one may run before others have taken it.
void Pauses::wait(int node, After after) {
  const auto happened = [&] { return arrived_ + (after == After::everything ? ended_ : 0); };
  std::int64_t seen = 0;
  do {
    seen = happened();
    const Activity activity(quiescence_);
    Pause pause{.after = after, .node = node, .end = Signal(quiescence_)};
    pauses_.push_back(&pause);
    ask_for_end_();
    pause.end.wait();
    if (pause.host_goes) return;
  } while (happened() != seen);
}

void Pauses::end_all() {
  std::vector<Pause*> pauses = std::exchange(pauses_, {});
  std::ranges::stable_sort(pauses, {}, [](const Pause* pause) { return std::tuple(pause->after, pause->node); });
  std::vector<Signal*> ends;
  for (Pause* pause : pauses) {
    ends.push_back(&pause->end);
    if (pause->after != After::everything) ++ended_;
  }
  Signal::ring_all(ends);
}

void Pauses::end_those_of(int node, std::vector<Signal*>& woken) {
  std::erase_if(pauses_, [&](Pause* pause) {
    if (pause->node != node) return false;
    pause->host_goes = true;
    woken.push_back(&pause->end);
    return true;
  });
}

}  // namespace ddl::network
