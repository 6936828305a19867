// Sums over all workers, by messages between them: the all-reduce that training systems are built on.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/message.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum class Collective { ring, tree, star };
constexpr auto enum_names(Collective) {
  return std::to_array<EnumName<Collective>>(
      {{Collective::ring, "ring"}, {Collective::tree, "tree"}, {Collective::star, "star"}});
}

// A sum of contributions and how many are in it. Values are null in a timing-only run, whatever the count; without any
// contribution there are neither values nor bytes to send.
struct Sum {
  Payload values = nullptr;
  int count = 0;
};
Sum operator+(const Sum& a, const Sum& b);

// What one worker contributes, and its size on the wire.
struct Contribution {
  Sum sum;
  std::uint64_t wire_bytes = 0;
};

// A worker's part in the all-reduces of one group, which is all workers, or all that are there.
//
// When a host goes or comes in the midst of one, those that are there say to each other how many they have had. Who has
// had fewer takes the model of one who has had the most, and the all-reduce begins anew among them.
class AllReduce {
 public:
  // Messages arrive at `port`, which must have no other use; `what` is waited for there.
  AllReduce(Node& node, Collective how, int port, OnFailure on_failure, const char* what);

  // W. `rounds` makes all-reduces until its group is done. Who starts in the middle first takes the model of the
  // others, and counts as they do; where hosts come and go, a service makes later groups' rounds.
  void take_part(const std::function<void()>& rounds);
  std::int64_t round() const { return round_; }  // all-reduces so far

  // W. The sum of what all workers contribute to a slice of the vector, the same to the bit at each. All of them call
  // it the same number of times with the same slices. One with nothing to contribute (count 0) takes part all the same:
  // so nobody waits for a worker that has run out of steps, and a sum of count 0 tells everyone at once that all have.
  // None: the others have had it already, with what this worker contributed, and weights() are as one of theirs now.
  std::optional<Sum> sum(Slice slice, const Sum& own);

  // W. The contributions of all workers in worker order, each forwarded as it was sent: for vectors in a codec, whose
  // sums on the way would be new vectors to encode.
  // None: as for sum.
  std::optional<std::vector<Contribution>> gather(const Contribution& own);

 private:
  struct Changed {};  // thrown where a message was waited for, and there is news
  // The body of every message: of which group it is, and how many contributions are in its values.
  struct InGroup {
    std::int64_t epoch = 0;
    int count = 0;
  };

  std::optional<Sum> among_those_there(const std::function<Sum()>& work);
  void join();
  void wait_for_change();  // W. until a host has come or gone, once the group has ended
  void look_for_change();  // among what has arrived
  void note(const Message& message);
  bool agree();  // W. False: this worker was behind
  void find_members();
  std::vector<int> absent() const;  // members that are down
  int worker_at(int rank) const;
  int members() const { return static_cast<int>(members_.size()); }
  Sum reduce(Slice slice, const Sum& own);
  std::vector<Contribution> gather_once(const Contribution& own);
  Sum ring(Slice slice, const Sum& own);
  Sum tree(Slice slice, const Sum& own);
  Sum star(Slice slice, const Sum& own);
  void gather_round_ring(std::vector<Contribution>& all);
  void gather_along_branches(std::vector<Contribution>& all);
  void send(int target, Slice slice, const Sum& sum);
  void forward(int target, const Contribution& contribution);
  void send_in_group(int target, Message message, int count = 0);
  Message receive(int source);  // both by rank, as all of the above
  Sum receive_sum(int source);
  Contribution receive_contribution(int source);
  Reason reason() const {
    return {what_, [this] { return awaited_; }, true};
  }

  Node& node_;
  const Collective how_;
  const int port_;
  const OnFailure on_failure_;
  const char* const what_;
  std::map<int, std::deque<Message>> early_;  // by source: come before it was their turn
  std::vector<int> members_;                  // workers of the group, ascending
  int rank_ = 0;                              // of this one
  std::int64_t epoch_ = 0;                    // of the group: events of hosts before it
  bool changed_ = false;                      // since the group was made
  std::int64_t round_ = 0;
  std::vector<int> awaited_;  // workers whose word this one waits for now
};

// What an all-reduce of `models` models sends, `times` times a step.
std::vector<std::vector<Flow>> flows_of(Collective how, const Cluster& cluster, double models, double times = 1);
// What gathering contributions of `models` models each sends in a step.
std::vector<std::vector<Flow>> gathering_flows_of(Collective how, const Cluster& cluster, double models);

}  // namespace ddl::comm
