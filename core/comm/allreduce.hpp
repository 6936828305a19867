// All-reduce: every worker of a group gets the sum of all contributions, by messages between the workers.
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

// A sum of contributions and their total weight, which is the divisor of a mean: 1 each unless their system scales
// them. Values are null when timing only, whatever the weight. A sum without contributions has no values and sends no
// bytes.
struct Sum {
  Payload values = nullptr;
  double weight = 0;
  double run_share = 0;  // the greatest of the contributions', see Gradient: all members then have one learning rate
};
Sum operator+(const Sum& a, const Sum& b);

// A message between two workers: a sum, and its size on the wire.
struct Contribution {
  Sum sum;
  std::uint64_t wire_bytes = 0;
};

// The workers of an all-reduce as one of them sees it. They are numbered from 0, in order of id.
class Group {
 public:
  virtual ~Group() = default;
  virtual int size() const = 0;
  virtual int rank() const = 0;  // this worker's
  virtual int site(int rank) const = 0;
  virtual void send(int target, const Contribution& contribution) = 0;
  virtual Contribution receive(int source) = 0;  // W. its next one
  virtual void flush(int target) = 0;            // W. until everything sent there is delivered
  // Size of a slice of the vector on the wire.
  virtual std::uint64_t wire_bytes(Slice slice) const = 0;

  void send(int target, Slice slice, const Sum& sum) {
    send(target, Contribution{sum, sum.weight > 0 ? wire_bytes(slice) : 0});
  }
};

// Encodes a worker's sum over a chunk of the slice; the values are those that receivers decode.
using Code = std::function<Contribution(Slice chunk, const Sum& sum)>;

class AllReduce {
 public:
  virtual ~AllReduce() = default;
  // W. The sum of the group's contributions to a slice of the vector, the same to the bit at each worker. All workers
  // call it equally often with the same slices; one with nothing to contribute (weight 0) still takes part.
  virtual Sum sum(Group& group, Slice slice, const Sum& own) const = 0;
  // W. The same in a codec. A partial sum would have to be encoded again, so each worker encodes its contribution once,
  // by `code`; encodings are forwarded unchanged, and each worker adds all of them up in worker order. With several
  // sites, chunks are summed uncoded within a site, and each of these sums is encoded once for the other sites.
  virtual Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const = 0;

  // The traffic of `times` all-reduces a step, each over `models` models.
  virtual Phases sum_phases(const Cluster& cluster, double models, double times) const = 0;
  // The same in a codec whose encodings are `share` of the original size.
  virtual Phases coded_phases(const Cluster& cluster, double models, double share, double times) const = 0;
};

Sum total_of(const std::vector<Contribution>& contributions);

const AllReduce& all_reduce(Collective how);
// See System::notes.
std::vector<std::string> notes_of(Collective how, const Cluster& cluster);

// The four collectives, each in a file of its own.
const AllReduce& ring_allreduce();
const AllReduce& tree_allreduce();
const AllReduce& star_allreduce();
const AllReduce& hierarchical_allreduce();

}  // namespace ddl::comm
