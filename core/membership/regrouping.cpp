#include "core/membership/regrouping.hpp"

#include <algorithm>
#include <utility>

#include "core/base/per_node.hpp"

namespace ddl::membership {
namespace {

// All-reduces that a member has completed, -1 while it lacks a state; it is new until the first.
struct Count {
  std::int64_t rounds = 0;
  bool is_new = false;

  std::int64_t packed() const { return 2 * rounds + (is_new ? 1 : 0); }
  static Count unpack(std::int64_t packed) { return {packed >> 1, (packed & 1) != 0}; }
};

}  // namespace

Regrouping::Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what,
                       State state)
    : node_(node),
      all_reduce_(comm::all_reduce(how)),
      state_(std::move(state)),
      view_(node, port, on_failure, what, how) {}

Regrouping::Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what)
    : Regrouping(
          node, how, port, on_failure, what,
          {[&node] { return node.weights().replica(); },
           [&node](const Payload& replica) { node.weights().adopt_replica(replica); }, node.cluster().replica_bytes}) {}

void Regrouping::take_part(const std::function<void()>& rounds) {
  is_new_ = !node_.membership().starts_afresh();
  if (is_new_) {
    round_ = -1;
    view_.note_change();
    complete([] {});
  }
  const auto make_rounds = [this, rounds] {
    makes_rounds_ = true;
    rounds();
    makes_rounds_ = false;
  };
  make_rounds();
  if (!node_.cluster().hosts_change) return;
  // A worker that comes later must still find a group, unless this one is to leave.
  node_.spawn("stand by", [this, make_rounds] {
    while (!node_.membership().leaves()) {
      node_.wait_until([this] { return events_ < node_.membership().events(); }, service);
      if (view_.is_outdated()) view_.note_change();
      make_rounds();
    }
  });
}

void Regrouping::wait_until(const std::function<bool()>& holds) {
  while (true) {
    const auto is_asked = [&] { return makes_rounds_ && (view_.has_changed() || view_.is_outdated()); };
    node_.wait_until([&] { return holds() || is_asked(); }, service);
    if (holds()) return;
    view_.note_change();
    complete([] {});
  }
}

comm::Sum Regrouping::sum(Slice slice, const comm::Sum& own, const comm::Code& code) {
  complete([&] {
    comm::Sum total = code ? all_reduce_.coded_sum(view_, slice, own, code) : all_reduce_.sum(view_, slice, own);
    last_ = {std::move(total), 0};
    last_.wire_bytes = last_.sum.weight > 0 ? view_.wire_bytes(slice) : 0;
  });
  ++round_;
  events_ = view_.events();
  is_new_ = false;
  comm::Sum total = last_.sum;
  if (!node_.cluster().hosts_change) last_ = {};
  return total;
}

void Regrouping::complete(const std::function<void()>& work) {
  while (true) {
    try {
      // A lone worker waits for no other, and would not learn of newcomers.
      if (view_.size() == 1 && view_.is_outdated()) view_.note_change();
      while (view_.has_changed()) {
        if (!agree()) return;
      }
      return work();
    } catch (const View::Changed&) {
      view_.note_change();
    }
  }
}

// A state is taken only when all that have one have completed as many all-reduces: a newcomer could not pass on the
// last sum.
bool Regrouping::agree() {
  view_.renew();
  const Count own{round_, is_new_};
  for (int other = 0; other < view_.size(); ++other) {
    if (other != view_.rank()) view_.send_message(other, {.step = own.packed()});
  }
  PerNode<Count> counts(view_.size(), own);
  for (int other = 0; other < view_.size(); ++other) {
    if (other != view_.rank()) counts[other] = Count::unpack(view_.receive_message(other).step);
  }
  const auto most = std::ranges::max_element(counts, {}, &Count::rounds);
  const int holder = static_cast<int>(most - counts.begin());
  const auto lacks_state = [](const Count& count) { return count.rounds < 0; };
  const auto has_missed = [&](const Count& count) { return !lacks_state(count) && count.rounds < most->rounds; };
  for (int other = 0; view_.rank() == holder && other < view_.size(); ++other) {
    if (has_missed(counts[other])) view_.send(other, last_);
  }
  if (std::ranges::any_of(counts, &Count::is_new)) entered_at_ = std::max<std::int64_t>(most->rounds, 0);
  if (std::ranges::any_of(counts, has_missed)) {
    if (std::ranges::any_of(counts, lacks_state)) view_.note_change();
    if (!has_missed(own)) return true;
    last_ = view_.receive(holder);
    return false;
  }
  const auto has_state = [&](int other) { return other == holder || !lacks_state(counts[other]); };
  // One at the same site with a state, else the first there, which has it from the holder: it crosses once.
  const auto giver_to = [&](int other) {
    std::optional<int> first;
    for (int beside = 0; beside < view_.size(); ++beside) {
      if (view_.site(beside) != view_.site(other)) continue;
      if (has_state(beside)) return beside;
      if (!first) first = beside;
    }
    return first == other ? holder : *first;
  };
  Payload state;
  if (!has_state(view_.rank())) state_.unpack(state = view_.receive_message(giver_to(view_.rank())).values);
  for (int other = 0; other < view_.size(); ++other) {
    if (has_state(other) || giver_to(other) != view_.rank()) continue;
    if (!state) state = state_.pack();
    view_.send_message(other, {.values = state, .wire_bytes = state_.wire_bytes});
  }
  round_ = std::max<std::int64_t>(most->rounds, 0);
  return true;
}

}  // namespace ddl::membership
