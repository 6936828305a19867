// How a node enters the rounds of its neighbours in the middle, and how these come to know of it.
#include <algorithm>
#include <ranges>
#include <utility>

#include "core/comm/neighbour_exchange.hpp"

namespace ddl::comm {

void Rounds::enter() {
  if (!entering_) return;
  // The news of this node's start makes them answer, but for those that have started since: they ask this node.
  wait_for(std::views::keys(sources_), [&](int other) {
    const Source& neighbour = source(other);
    return !places_.contains(other) && !neighbour.left && neighbour.started == 0 && node_.up(other);
  });
  receive_pending();
  std::erase_if(places_, [&](const auto& place) { return source(place.first).left || !node_.up(place.first); });
  entering_ = false;
  Place furthest{.round = node_.step()};
  if (!places_.empty()) furthest = std::ranges::max(std::views::values(places_));
  go_to(furthest.round);
  alone_ = places_.empty();
  for (auto& [other, neighbour] : sources_) {
    if (neighbour.undecided) {
      send_place(other);
    } else if (places_.contains(other)) {
      neighbour.takes_part = round();
      node_.send(other, {.port = port, .body = EntersWith{round()}});
    }
  }
}

void Rounds::settle() {
  if (!node_.cluster().hosts_change) return;
  do {
    receive_pending();
    wait_for(std::views::keys(sources_), [&](int other) { return source(other).undecided || source(other).down; });
  } while (receive_pending());
  admit_entering_neighbours();
}

bool Rounds::receive_pending() {
  bool heard = false;
  while (auto message = node_.poll(port)) {
    sort_in(std::move(*message));
    heard = true;
  }
  return heard;
}

// Between two rounds, when nobody takes part in the next or has been told of it.
bool Rounds::is_alone() const {
  return unsent_ == round() && std::ranges::none_of(sources_, [](const auto& neighbour) {
           const Source& source = neighbour.second;
           return !source.left && !source.down && (source.undecided || source.takes_part != never);
         });
}

void Rounds::admit_entering_neighbours() {
  std::int64_t first = never;
  for (const auto& [other, neighbour] : sources_) {
    if (!neighbour.left) first = std::min(first, neighbour.takes_part);
  }
  // Rounds before that would be this node's alone, and are left out; to go back is for one whom nobody counts on yet.
  const bool was_alone = std::exchange(alone_, false);
  if (first == never || first == round() || (first < round() && !was_alone)) return;
  go_to(first);
  for (auto& [other, neighbour] : sources_) {
    if (neighbour.left || neighbour.takes_part == never) take_early(neighbour);
  }
}

void Rounds::take_early(Source& source) {
  for (Message& early : std::exchange(source.early, {})) {
    if (take_) take_(std::move(early));
  }
}

void Rounds::go_to(std::int64_t round) {
  ahead_ = round - node_.step();
  unsent_ = round;
}

// The answer bears the number of the event that it answers: the host may have started once more since.
void Rounds::send_place(int node) {
  Body body = At{unsent_, !alone_, source(node).started};
  if (has_left_) body = Leaving{};
  node_.send(node, {.port = port, .body = body});
}

void Rounds::note_place(int node, const At& at) {
  source(node);
  if (at.answered == started_) places_[node] = {at.fixed, at.round};
}

void Rounds::note_entry(int node, std::int64_t round) {
  Source& from = source(node);
  if (!from.undecided) return;  // meant for who was here before
  from.undecided = false;
  from.takes_part = from.entered = round;
}

void Rounds::note_leaving(int node) {
  source(node).left = true;
  source(node).undecided = false;
}

void Rounds::note_event(int node, const MembershipEvent& event) {
  const auto found = sources_.find(node);
  if (found == sources_.end()) return;
  Source& neighbour = found->second;
  if (event.presence != Presence::up) {
    neighbour.undecided = false;
    neighbour.down = is_waited_for(event.presence) && !neighbour.left;
    if (!neighbour.down) neighbour.takes_part = never;
    return;
  }
  places_.erase(node);
  take_early(neighbour);
  neighbour = Source{};
  neighbour.started = event.number;
  neighbour.takes_part = never;
  alone_ = alone_ || is_alone();
  neighbour.undecided = !has_left_;
  if (!entering_) send_place(node);
}

}  // namespace ddl::comm
