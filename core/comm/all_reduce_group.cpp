// Who takes part in an all-reduce, and how they come to agree on it when hosts come and go.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/comm/collectives.hpp"

namespace ddl::comm {

AllReduce::AllReduce(Node& node, Collective how, int port, OnFailure on_failure, const char* what)
    : node_(node), how_(how), port_(port), on_failure_(on_failure), what_(what), epoch_(node.membership().events()) {
  node.membership().watch(port);
  if (epoch_ > 0) round_ = -1;
  find_members();
}

void AllReduce::find_members() {
  members_.clear();
  for (int worker = 0; worker < node_.cluster().workers; ++worker) {
    if (worker == node_.id()) rank_ = members();
    if (worker == node_.id() || is_counted_on(node_.membership().presence(worker), on_failure_))
      members_.push_back(worker);
  }
}

void AllReduce::take_part(const std::function<void()>& rounds) {
  join();
  rounds();
  if (!node_.cluster().hosts_change) return;
  // Who comes later still finds a group.
  node_.spawn("stand by", [this, rounds] {
    while (true) {
      wait_for_change();
      rounds();
    }
  });
}

void AllReduce::join() {
  if (epoch_ == 0) return;
  changed_ = true;
  among_those_there([] { return Sum{}; });
  round_ = std::max<std::int64_t>(round_, 0);
}

void AllReduce::wait_for_change() {
  awaited_.clear();
  while (!changed_) note(node_.receive(port_, reason()));
}

// Who is alone waits for nobody, and would not hear of those who come.
void AllReduce::look_for_change() {
  while (const auto message = node_.poll(port_)) note(*message);
}

void AllReduce::note(const Message& message) {
  if (message.is<MembershipEvent>()) {
    changed_ = true;
  } else {
    early_[message.source].push_back(message);
  }
}

// The group of an instant is the same for all who see it with the same events behind them; what was sent before one of
// them is thrown away by who has seen it, and kept until then by who has not.
bool AllReduce::agree() {
  changed_ = false;
  epoch_ = node_.membership().events();
  find_members();
  while (!absent().empty()) receive(rank_);  // until there is news
  for (int other = 0; other < members(); ++other) {
    if (other != rank_) send_in_group(other, {.step = round_});
  }
  std::vector<std::int64_t> rounds(members_.size(), round_);
  for (int other = 0; other < members(); ++other) {
    if (other != rank_) rounds[static_cast<std::size_t>(other)] = receive(other).step;
  }
  const std::int64_t most = *std::ranges::max_element(rounds);
  const int holder = static_cast<int>(std::ranges::find(rounds, most) - rounds.begin());
  for (int other = 0; rank_ == holder && other < members(); ++other) {
    if (rounds[static_cast<std::size_t>(other)] == most) continue;
    send_in_group(other, {.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes});
  }
  if (round_ == most) return true;
  node_.weights().adopt(receive(holder).values);
  round_ = most;
  return false;
}

std::optional<Sum> AllReduce::among_those_there(const std::function<Sum()>& work) {
  while (true) {
    try {
      if (members() == 1) look_for_change();
      if (changed_ && !agree()) return std::nullopt;
      return work();
    } catch (const Changed&) {
      changed_ = true;
    }
  }
}

std::vector<int> AllReduce::absent() const {
  std::vector<int> workers;
  std::ranges::copy_if(members_, std::back_inserter(workers),
                       [&](int worker) { return worker != node_.id() && !node_.up(worker); });
  return workers;
}

int AllReduce::worker_at(int rank) const { return members_[static_cast<std::size_t>(rank)]; }

void AllReduce::send_in_group(int target, Message message, int count) {
  message.port = port_;
  message.body = InGroup{epoch_, count};
  node_.send(worker_at(target), std::move(message));
}

// From this worker itself comes nothing but news.
Message AllReduce::receive(int source) {
  std::deque<Message>& from_source = early_[worker_at(source)];
  awaited_ = source == rank_ ? absent() : std::vector{worker_at(source)};
  const auto first_epoch = [&] { return from_source.front().as<InGroup>().epoch; };
  while (true) {
    while (!from_source.empty() && first_epoch() < epoch_) from_source.pop_front();
    if (!from_source.empty() && first_epoch() == epoch_) break;
    Message message = node_.receive(port_, reason());
    if (message.source >= node_.cluster().workers) continue;  // a server's host
    if (!message.is<MembershipEvent>()) {
      early_[message.source].push_back(std::move(message));
    } else if (message.as<MembershipEvent>().number > epoch_) {
      throw Changed();
    }
  }
  Message message = std::move(from_source.front());
  from_source.pop_front();
  return message;
}

}  // namespace ddl::comm
