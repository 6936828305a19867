// Sums over all workers, by messages between them: the all-reduce that training systems are built on.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "core/algorithms/message.hpp"
#include "core/algorithms/node.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/base/fields.hpp"

namespace ddl {

enum class Collective { ring, tree, star };
template <>
inline constexpr EnumName<Collective> enum_names<Collective>[] = {
    {Collective::ring, "ring"}, {Collective::tree, "tree"}, {Collective::star, "star"}};

// A sum of contributions and how many are in it. Values are null in a timing-only run, whatever the count; without any
// contribution there are neither values nor bytes to send.
struct Sum {
  Payload values = nullptr;
  int count = 0;
};
Sum operator+(const Sum& a, const Sum& b);

// A worker's part in the all-reduces of one group, which is all workers.
class AllReduce {
 public:
  // Messages arrive at `port`, which must have no other use.
  AllReduce(Node& node, Collective how, int port) : node_(node), how_(how), port_(port) {}

  // W. The sum of what all workers contribute to a slice of the vector, the same to the bit at each. All of them call
  // it the same number of times with the same slices. One with nothing to contribute (count 0) takes part all the same:
  // so nobody waits for a worker that has run out of steps, and a sum of count 0 tells everyone at once that all have.
  Sum sum(Slice slice, const Sum& own);

  // W. The contributions of all workers in worker order, each forwarded as it was sent: for vectors in a codec, whose
  // sums on the way would be new vectors to encode. Values, wire_bytes and kind are the contributor's.
  std::vector<Message> gather(const Message& own);

 private:
  Sum ring(Slice slice, const Sum& own);
  Sum tree(Slice slice, const Sum& own);
  Sum star(Slice slice, const Sum& own);
  void gather_round_ring(std::vector<Message>& all);
  void gather_along_branches(std::vector<Message>& all);
  void send(int target, Slice slice, const Sum& sum);
  void forward(int target, const Message& contribution);
  Message receive(int source);
  Sum receive_sum(int source);

  Node& node_;
  const Collective how_;
  const int port_;
  std::map<int, std::deque<Message>> early_;  // by source: come before it was their turn
};

// What an all-reduce of `models` models sends, `times` times a step.
std::vector<std::vector<Flow>> flows_of(Collective how, const Cluster& cluster, double models, double times = 1);
// What gathering contributions of `models` models each sends in a step.
std::vector<std::vector<Flow>> gathering_flows_of(Collective how, const Cluster& cluster, double models);

}  // namespace ddl
