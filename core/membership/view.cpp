#include "core/membership/view.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ddl::membership {

View::View(Node& node, int port, OnFailure on_failure, const char* what, const comm::CollectiveSettings& settings)
    : node_(node),
      port_(port),
      on_failure_(on_failure),
      what_(what),
      settings_(settings),
      events_(node.membership().events()) {
  node.membership().watch(port);
  find_members();
}

View::View(Node& node, int port, const std::vector<int>& members, const char* what,
           const comm::CollectiveSettings& settings)
    : node_(node), port_(port), what_(what), settings_(settings) {
  for (const int worker : members) {
    if (worker == node.id()) rank_ = size();
    members_.push_back(worker);
  }
}

void View::find_members() {
  members_.clear();
  for (int worker = 0; worker < node_.cluster().workers; ++worker) {
    if (worker == node_.id()) rank_ = size();
    if (worker == node_.id() || is_counted_on(node_.membership().presence(worker), on_failure_)) {
      members_.push_back(worker);
    }
  }
}

std::vector<int> View::absent() const {
  std::vector<int> workers;
  std::ranges::copy_if(members_, std::back_inserter(workers),
                       [&](int worker) { return worker != node_.id() && !node_.up(worker); });
  return workers;
}

void View::renew() {
  changed_ = false;
  events_ = node_.membership().events();
  find_members();
  while (!absent().empty()) receive_message(rank_);  // until something changes
}

void View::send(int target, const comm::Contribution& contribution) { send(target, contribution, nullptr); }

void View::send(int target, const comm::Contribution& contribution, std::shared_ptr<Relay> relay) {
  send_message(target,
               {.values = contribution.sum.values, .wire_bytes = contribution.wire_bytes, .relay = std::move(relay)},
               {.weight = contribution.sum.weight, .run_share = contribution.sum.run_share});
}

comm::Contribution View::receive(int source) {
  comm::Contribution contribution = receive_first_slice(source);
  wait_for_rest();
  return contribution;
}

void View::pass(int target, const comm::Contribution& contribution) {
  const std::uint64_t first = node_.cluster().hosts_change ? 0 : settings_.first_slice(contribution.wire_bytes);
  send(target, contribution, first > 0 ? std::make_shared<Relay>(Relay{first, arriving_}) : nullptr);
}

comm::Contribution View::receive_first_slice(int source) {
  wait_for_rest();
  const Message message = receive_message(source);
  arriving_ = message.relay;
  arriving_from_ = source;
  const auto about = message.as<InView>();
  return {{message.values, about.weight, about.run_share}, message.wire_bytes};
}

void View::wait_for_rest() {
  if (arriving_) receive_message(arriving_from_);
  arriving_.reset();
}

void View::send_message(int target, Message message, InView about) {
  about.events = events_;
  message.port = port_;
  message.body = about;
  node_.send(worker_at(target), std::move(message));
}

// The worker itself sends nothing, so its own rank stands for events only.
Message View::receive_message(int source) {
  std::deque<Message>& from_source = early_[worker_at(source)];
  awaited_ = source == rank_ ? absent() : std::vector{worker_at(source)};
  const auto first_events = [&] { return from_source.front().as<InView>().events; };
  while (true) {
    while (!from_source.empty() && first_events() < events_) from_source.pop_front();
    if (!from_source.empty() && first_events() == events_) break;
    Message message = node_.receive(port_, reason());
    if (!message.is<MembershipEvent>()) {
      early_[message.source].push_back(std::move(message));
    } else if (message.as<MembershipEvent>().number > events_) {
      throw Changed();
    }
  }
  Message message = std::move(from_source.front());
  from_source.pop_front();
  return message;
}

}  // namespace ddl::membership
