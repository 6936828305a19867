#include "core/membership/regrouping.hpp"

#include <algorithm>
#include <utility>

#include "core/base/per_node.hpp"

namespace ddl::membership {

Regrouping::Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what)
    : node_(node), all_reduce_(comm::all_reduce(how)), view_(node, port, on_failure, what, how) {}

void Regrouping::take_part(const std::function<void()>& rounds) {
  if (!node_.membership().starts_afresh()) join();
  rounds();
  if (!node_.cluster().hosts_change) return;
  // A worker that comes later must still find a group.
  node_.spawn("stand by", [this, rounds] {
    while (true) {
      view_.wait_for_change();
      rounds();
    }
  });
}

std::optional<comm::Sum> Regrouping::sum(Slice slice, const comm::Sum& own, const comm::Code& code) {
  std::optional<comm::Sum> total;
  const auto work = [&] {
    total = code ? all_reduce_.coded_sum(view_, slice, own, code) : all_reduce_.sum(view_, slice, own);
  };
  if (!complete(work)) return std::nullopt;
  ++round_;
  return total;
}

// Starts behind all others, unless all have just begun.
void Regrouping::join() {
  round_ = -1;
  view_.note_change();
  complete([] {});
  round_ = std::max<std::int64_t>(round_, 0);
}

bool Regrouping::complete(const std::function<void()>& work) {
  while (true) {
    try {
      // A lone worker waits for no other, and would not learn of newcomers.
      if (view_.size() == 1) view_.look_for_change();
      if (view_.has_changed() && !agree()) return false;
      work();
      return true;
    } catch (const View::Changed&) {
      view_.note_change();
    }
  }
}

bool Regrouping::agree() {
  view_.renew();
  for (int other = 0; other < view_.size(); ++other) {
    if (other != view_.rank()) view_.send_message(other, {.step = round_});
  }
  PerNode<std::int64_t> rounds(view_.size(), round_);
  for (int other = 0; other < view_.size(); ++other) {
    if (other != view_.rank()) rounds[other] = view_.receive_message(other).step;
  }
  const std::int64_t most = *std::ranges::max_element(rounds);
  const int holder = static_cast<int>(std::ranges::find(rounds, most) - rounds.begin());
  for (int other = 0; view_.rank() == holder && other < view_.size(); ++other) {
    if (rounds[other] == most) continue;
    view_.send_message(other, {.values = node_.weights().replica(), .wire_bytes = node_.cluster().replica_bytes});
  }
  if (round_ == most) return true;
  node_.weights().adopt_replica(view_.receive_message(holder).values);
  round_ = most;
  return false;
}

}  // namespace ddl::membership
