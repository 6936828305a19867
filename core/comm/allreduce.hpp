// All-reduce: the sum, at every worker of a group, of what each of them contributes. By messages between them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/cluster.hpp"
#include "core/node/message.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum class Collective { ring, tree, star, hierarchical };
constexpr auto enum_names(Collective) { return in_order<Collective>("ring", "tree", "star", "hierarchical"); }

// A sum of contributions and what they weigh together, by which a mean divides: 1 each unless their system scales them.
// Values are null in a timing-only run, whatever the weight; without any contribution there are neither values nor
// bytes to send.
struct Sum {
  Payload values = nullptr;
  double weight = 0;
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
    send(target, Contribution{sum, sum.weight > 0 ? wire_bytes(slice) : 0});
  }
};

// A worker's message with a sum over a chunk of the slice, in a codec: its values are those that receivers decode.
using Code = std::function<Contribution(Slice chunk, const Sum& sum)>;

class AllReduce {
 public:
  virtual ~AllReduce() = default;
  // W. The sum of what the group contributes to a slice of the vector, the same to the bit at each. All of them call it
  // the same number of times with the same slices; one with nothing to contribute (weight 0) takes part all the same.
  virtual Sum sum(Group& group, Slice slice, const Sum& own) const = 0;
  // W. The same of vectors in a codec, whose sums on the way would be new vectors to encode: each worker encodes once,
  // by `code`, what it contributes; that is forwarded as it is, and each adds up all of it in worker order. Over
  // several sites, sums of chunks within a site are made as ever, and these are encoded for other sites, each once.
  virtual Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const = 0;

  // The traffic of `times` all-reduces a step, each over `models` models or a share of one.
  virtual Phases sum_phases(const Cluster& cluster, double models, double times) const = 0;
  // Likewise, in a codec whose encodings take this share of what they encode.
  virtual Phases coded_phases(const Cluster& cluster, double models, double share, double times) const = 0;
};

Sum total_of(const std::vector<Contribution>& contributions);

const AllReduce& all_reduce(Collective how);
// See System::notes.
std::vector<std::string> notes_of(Collective how, const Cluster& cluster);

// The four, each in a file of its own.
const AllReduce& ring_allreduce();
const AllReduce& tree_allreduce();
const AllReduce& star_allreduce();
const AllReduce& hierarchical_allreduce();

}  // namespace ddl::comm
