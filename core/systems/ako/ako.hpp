// Ako: partial gradient exchange (Watcharapichat et al., SoCC 2016).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

// Where P comes from: the least P at which a worker's exchange fits in `utilisation` of its computing time, from the
// network as described, or as the worker measures it during the run.
enum class PartitionsFrom { described, measured };
constexpr auto enum_names(PartitionsFrom) { return in_order<PartitionsFrom>("auto", "adaptive"); }
// P, for all workers or for each; or groups of layers and tensors by name, one for each partition; or the rule that
// chooses P.
struct Partitions {
  using Groups = std::vector<std::vector<std::string>>;
  std::variant<int, std::vector<int>, Groups, PartitionsFrom> form = 1;

  bool are_chosen() const { return std::holds_alternative<PartitionsFrom>(form); }
  bool automatic() const { return form == decltype(form)(PartitionsFrom::described); }
  bool adaptive() const { return form == decltype(form)(PartitionsFrom::measured); }
  // Null if it has another form. A list has one count for all, or one per worker.
  const std::vector<int>* counts() const { return std::get_if<std::vector<int>>(&form); }
  const Groups* groups() const { return std::get_if<Groups>(&form); }
};
inline FieldValue form_of(Partitions& partitions) {
  return either(partitions.form, "is no count",
                "expected a count, a list with one per worker, groups of names, \"auto\" or \"adaptive\"");
}

enum class AkoSchedule { rotate, broadcast };  // one part per class of peers, or the same part to all
constexpr auto enum_names(AkoSchedule) { return in_order<AkoSchedule>("rotate", "broadcast"); }

enum class AkoApply { at_step, on_arrival };
constexpr auto enum_names(AkoApply) { return in_order<AkoApply>("at_step", "on_arrival"); }

// A full queue of a peer. merge: gradients that cannot leave accumulate, and computing never waits (the paper's
// decoupling of computing and network). block: the worker waits.
enum class Overflow { merge, block };
constexpr auto enum_names(Overflow) { return in_order<Overflow>("merge", "block"); }

// backward: a step's parts leave as soon as the gradients of their layers are known.
enum class AkoOverlap { none, backward };
constexpr auto enum_names(AkoOverlap) { return in_order<AkoOverlap>("none", "backward"); }

// --- deviations of TF.AKO, the published implementation ---

enum class Publish { background, blocking };  // blocking: the worker waits until each message is at its receiver
constexpr auto enum_names(Publish) { return in_order<Publish>("background", "blocking"); }

// How the staleness bound is kept. peers: before its gradient a worker waits for the messages it must have received
// itself. ping_pong: before applying, for those that every worker must have received; worker 0 counts them (TF.AKO).
enum class AkoClock { peers, ping_pong };
constexpr auto enum_names(AkoClock) { return in_order<AkoClock>("peers", "ping_pong"); }

// Defaults follow Ako's paper.
struct TfAkoParams {
  Publish publish = Publish::background;
  int receive_threads = 1;  // each takes its parts in turn
  Seconds receive_time;     // a thread's work for one message, on the host's processor
  AkoClock clock = AkoClock::peers;
};

template <class Visitor>
void fields(Visitor& visit, TfAkoParams& params) {
  visit("publish", params.publish, Rule{.doc = "messages travel while the worker goes on, or it waits for them"});
  visit("receive_threads", params.receive_threads,
        Rule{.doc = "how many; parts are assigned to them in turn", .at_least = 1, .at_most = 1000});
  visit("receive_time", params.receive_time, Rule{.doc = "a thread's work for one message", .at_least = 0});
  visit("clock", params.clock,
        Rule{.doc = "where the staleness bound is kept: at each worker, or at worker 0 for all"});
}

// --- Ako ---

// The body of a message with a partition's sum of gradients.
struct PartOfSum {
  static constexpr std::string_view body_name = "ako.part_of_sum";
  int part = 0, of = 1;    // number of the part, and of parts in all
  std::int64_t since = 0;  // step of its oldest gradient
};

inline constexpr const char* ako_tuned[] = {R"({"partitions": [1, 2, 4, "auto"]})", codec::tuned};

struct AkoParams : SystemOf<AkoParams> {
  static constexpr SystemFacts facts{.name = "ako",
                                     .what = "partial gradient exchange between all workers, any number of partitions",
                                     .paper = "Watcharapichat et al., SoCC 2016; TF.AKO 2018",
                                     .fetches_model = true,
                                     .tuned = ako_tuned};
  Partitions partitions;
  AkoSchedule schedule = AkoSchedule::rotate;
  comm::Partitioner partitioner = comm::Partitioner::even;
  AkoApply apply = AkoApply::at_step;
  int queue_depth = 1;
  Overflow overflow = Overflow::merge;
  AkoOverlap overlap = AkoOverlap::none;
  std::optional<int> staleness_bound;  // steps ahead of the slowest peer; none: fully asynchronous
  double utilisation = 0.9;            // share of the network that "auto" and "adaptive" aim at
  codec::CodecParams codec;            // encodes partitions
  TfAkoParams tf_ako;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::vector<std::string> notes(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  NeededSlices needed_slices(const Surroundings& around) const override;
  std::optional<int> most_steps_ahead() const override { return staleness_bound; }
  MemoryUse memory(std::size_t parameters, int workers) const override;
  bool needs_exchange_times() const override { return partitions.are_chosen(); }
};

// True if the worker itself sends, and waits while a queue is full. Otherwise its sums accumulate.
inline bool waits_to_send(const AkoParams& params) {
  return params.overflow == Overflow::block || params.tf_ako.publish == Publish::blocking;
}

template <class Visitor>
void fields(Visitor& visit, AkoParams& params) {
  visit("partitions", params.partitions,
        Rule{.doc = "P: a count, one per worker, \"auto\" (from nominal bandwidths), \"adaptive\" (measured while it "
                    "runs), or groups of layers by name",
             .at_least = 1,
             .at_most = 1e6});
  visit("schedule", params.schedule,
        Rule{.doc = "a step sends a different partition to each class of peers, or the same one to all"});
  visit("partitioner", params.partitioner, Rule{.doc = "how the parameter vector is cut"});
  visit("apply", params.apply, Rule{.doc = "when gradients of others reach the weights"});
  visit("queue_depth", params.queue_depth, Rule{.doc = "messages that may wait per destination", .at_least = 1});
  visit("overflow", params.overflow,
        Rule{.doc = "full queue: sums accumulate and computing never waits, or the worker waits"});
  visit(
      "overlap", params.overlap,
      Rule{.doc = "backward: a part leaves when the gradients of its layers are known, beside the rest of the backward "
                  "pass (the last layers' come first); none: after it"});
  visit("staleness_bound", params.staleness_bound, Rule{.doc = "steps ahead of the slowest peer", .at_least = 0});
  visit("utilisation", params.utilisation,
        Rule{.doc = "share of the network that \"auto\" and \"adaptive\" aim at", .above = 0, .at_most = 1});
  visit("codec", params.codec, Rule{.doc = "how partitions are made smaller; each has a residual of its own"});
  visit("tf_ako", params.tf_ako, Rule{.doc = "what the published implementation does in ways of its own"});
}

}  // namespace ddl::systems
