// All-reduce: the sum, at every worker of a group, of what each of them contributes. By messages between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/cluster.hpp"
#include "core/node/message.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum class Collective { ring, tree, star, hierarchical };
constexpr auto enum_names(Collective) { return in_order<Collective>("ring", "tree", "star", "hierarchical"); }

// A sum of contributions and how many are in it. Values are null in a timing-only run, whatever the count; without any
// contribution there are neither values nor bytes to send.
struct Sum {
  Payload values = nullptr;
  int count = 0;
  double run_share = 0;  // the greatest of theirs, see Gradient: all members then have one learning rate
};
Sum operator+(const Sum& a, const Sum& b);

// What travels between two workers: a sum, and its size on the wire.
struct Contribution {
  Sum sum;
  std::uint64_t wire_bytes = 0;
};

// The workers that make an all-reduce together, as one of them sees it. They are numbered from 0, in order of id.
class Group {
 public:
  virtual ~Group() = default;
  virtual int size() const = 0;
  virtual int rank() const = 0;  // of this worker
  virtual int site(int rank) const = 0;
  virtual void send(int target, const Contribution& contribution) = 0;
  virtual Contribution receive(int source) = 0;  // W. its next one
  virtual void flush(int target) = 0;            // W. until all that was sent there is delivered
  // What a slice of the vector takes on the wire.
  virtual std::uint64_t wire_bytes(Slice slice) const = 0;

  void send(int target, Slice slice, const Sum& sum) {
    send(target, Contribution{sum, sum.count > 0 ? wire_bytes(slice) : 0});
  }
};

// Phases of a step, see Traffic.
using Phases = std::vector<std::vector<Flow>>;

class AllReduce {
 public:
  virtual ~AllReduce() = default;
  // W. The sum of what the group contributes to a slice of the vector, the same to the bit at each. All of them call it
  // the same number of times with the same slices; one with nothing to contribute (count 0) takes part all the same.
  virtual Sum sum(Group& group, Slice slice, const Sum& own) const = 0;
  // W. The contributions of the group by rank, each forwarded as it was sent: for vectors in a codec, whose sums on the
  // way would be new vectors to encode.
  virtual std::vector<Contribution> gather(Group& group, const Contribution& own) const = 0;

  // The traffic of `times` all-reduces a step, each over `models` models or a share of one.
  virtual Phases sum_phases(const Cluster& cluster, double models, double times) const = 0;
  // What gathering contributions of `models` models each, `times` a step, sends in a step.
  virtual Phases gather_phases(const Cluster& cluster, double models, double times) const = 0;
};

const AllReduce& all_reduce(Collective how);
// See System::notes.
std::vector<std::string> notes_of(Collective how, const Cluster& cluster);

// The four, each in a file of its own.
const AllReduce& ring_allreduce();
const AllReduce& tree_allreduce();
const AllReduce& star_allreduce();
const AllReduce& hierarchical_allreduce();

}  // namespace ddl::comm
