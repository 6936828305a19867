// All-reduce: every worker of a group gets the sum of all contributions, by messages between the workers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/cluster.hpp"
#include "core/node/message.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum class Collective { ring, tree, star, hierarchical, butterfly };
constexpr auto enum_names(Collective) {
  return in_order<Collective>("ring", "tree", "star", "hierarchical", "butterfly");
}

// The workers' parts of a butterfly: of one size, or in proportion to Cluster::rates.
enum class Parts { equal, by_rate };
constexpr auto enum_names(Parts) { return in_order<Parts>("equal", "by_rate"); }

// A collective with its settings, of which each is some collectives' alone.
struct CollectiveSettings {
  std::optional<Bytes> slice_bytes;  // none: by the chunk, see below
  std::optional<Parts> parts;        // a butterfly's

  void fill_defaults(Collective collective);
  bool by_rate() const { return parts == Parts::by_rate; }
  // Wire bytes of a chunk's first slice, by default the larger of 512 KiB and a sixteenth of the chunk; 0: the chunk
  // travels whole.
  std::uint64_t first_slice(std::uint64_t chunk_bytes) const;
};
struct HowToSum : CollectiveSettings {
  HowToSum(Collective its_name, const CollectiveSettings& settings = {})  // implicit: most callers have a name alone
      : CollectiveSettings(settings), collective(its_name) {}
  Collective collective;
};
template <class Visitor>
void slice_field(Visitor& visit, CollectiveSettings& settings) {
  visit(
      "slice_bytes", settings.slice_bytes,
      Rule{.doc =
               "a ring sends so much of a chunk on as soon as it is reduced, as NCCL does; a chunk counts as one "
               "message. Whole chunks travel where hosts come and go, where messages can be lost, within a host "
               "and in an emulation. 0: whole chunks everywhere; default: the larger of 512 KiB and a sixteenth of the "
               "chunk",
           .at_least = 0});
}
template <class Visitor>
void parts_field(Visitor& visit, CollectiveSettings& settings) {
  visit("parts", settings.parts,
        Rule{.doc = "a butterfly's, one for each worker: equal, or by_rate, in proportion to the bandwidth of the "
                    "worker's own links, the lesser of both directions; that helps where these links bind and differ "
                    "between workers, and not where windows or routes bind, as on most measured platforms"});
}
template <class Visitor>
void fields(Visitor& visit, CollectiveSettings& settings) {
  slice_field(visit, settings);
  parts_field(visit, settings);
  visit.relation("slice_bytes", Relation::excludes, "collective=tree|star|butterfly");
  visit.relation("parts", Relation::needs, "collective=butterfly");
}

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
  virtual double rate(int rank) const = 0;  // see Cluster::rates
  virtual void send(int target, const Contribution& contribution) = 0;
  virtual Contribution receive(int source) = 0;  // W. its next one
  virtual void flush(int target) = 0;            // W. until everything sent there is delivered

  // A contribution that is passed can be received when its first slice is there. Until it is whole, the receiver passes
  // it, or a sum with it, slice by slice.
  virtual void pass(int target, const Contribution& contribution) = 0;
  virtual Contribution receive_first_slice(int source) = 0;  // W. and until the one before is whole
  virtual void wait_for_rest() = 0;                          // W. until the last one is whole

  // Size of a slice of the vector on the wire.
  virtual std::uint64_t wire_bytes(Slice slice) const = 0;

  Contribution contribution(Slice slice, const Sum& sum) const { return {sum, sum.weight > 0 ? wire_bytes(slice) : 0}; }
  void send(int target, Slice slice, const Sum& sum) { send(target, contribution(slice, sum)); }
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
  // The messages are too many to list: sum_phases and coded_phases are empty.
  virtual bool is_unlisted(int /*workers*/) const { return false; }
};

Sum total_of(const std::vector<Contribution>& contributions);

const AllReduce& all_reduce(const HowToSum& how);
// See System::notes.
std::vector<std::string> notes_of(const HowToSum& how, const Cluster& cluster);

// The collectives, each in a file of its own.
const AllReduce& ring_allreduce();
const AllReduce& tree_allreduce();
const AllReduce& star_allreduce();
const AllReduce& hierarchical_allreduce();
const AllReduce& butterfly_allreduce(bool by_rate = false);

}  // namespace ddl::comm
