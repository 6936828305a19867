// Every worker holds a share x of the models' sum and a share w of their number; z = x / w is its model. It keeps and
// sends equal parts of both, so the sums are kept whatever the graph, and even while parts are under way or workers
// have left, where averages of models alone would be biased.
//
//   worker i, round k:                                                   [Assran et al. 2019, algorithms 1 and 2]
//     g = gradient(z);  x = step(x, g)
//     p = 1 / (1 + degree of round k);  send (p x, p w) to the targets of round k;  x = p x;  w = p w
//     add the parts sent in round k (overlap: in round k - 1), waiting for them
//     z = x / w
//
// A message carries x and w before the division by the degree, which its receiver does: all targets then share the
// sender's memory. w itself is counted as part of the header.
#include "core/algorithms/sgp.hpp"

#include "core/algorithms/rounds.hpp"
#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

class SgpWorker : public Program {
 public:
  SgpWorker(const SgpParams& params, Node& node)
      : node_(node),
        params_(params),
        // What comes late must not be lost to the sum.
        rounds_(node, params.topology, params.degree, params.on_failure,
                [this](Message part) { add_parts({std::move(part)}, 1); }) {}

  void run() override {
    rounds_.enter();
    while (node_.next_step()) {
      const Payload gradient = node_.gradient();
      rounds_.settle();
      const std::int64_t round = rounds_.round();
      scale_model(w_);  // from z to x
      node_.apply(values_of(gradient));
      const int sent = send_parts();
      scale_model(1 / w_);  // whoever looks at the model while it waits sees z
      const double kept = (rounds_.graph().degree(round) - sent + 1) * rounds_.graph().weight(round);
      if (!params_.overlap) add_parts(rounds_.receive(round), kept);
      if (params_.overlap) add_parts(round > 0 ? rounds_.receive(round - 1) : std::vector<Message>(), kept);
      node_.finish_step();
    }
    rounds_.leave();
  }

  Awaited awaited_at(int) const override { return awaited_from(rounds_.awaited(), "its neighbours' rounds"); }

 private:
  void scale_model(double factor) {
    if (factor == 1) return;
    for (float& value : node_.weights().write()) value *= static_cast<float>(factor);
  }

  int send_parts() {
    return rounds_.send(
        {.values = node_.weights().snapshot(), .wire_bytes = node_.cluster().model_bytes, .weight = w_});
  }

  // x = kept x + the parts, and w alike: z = (kept w z + the parts) / (the new w). All parts are of one round, whose
  // graph gives each the same share.
  void add_parts(const std::vector<Message>& parts, double kept) {
    const double share = parts.empty() ? 0 : rounds_.graph().weight(parts.front().step);
    double w = kept * w_;
    for (const Message& part : parts) w += share * part.weight;
    mix(node_.weights().write(), parts, node_.id(), static_cast<float>(kept * w_ / w), static_cast<float>(share / w));
    w_ = w;
  }

  Node& node_;
  const SgpParams params_;
  Rounds rounds_;
  double w_ = 1;
};

}  // namespace

std::unique_ptr<Program> make_program(const SgpParams& params, Node& node) {
  return std::make_unique<SgpWorker>(params, node);
}

Traffic traffic_of(const SgpParams& params, const Cluster& cluster) {
  return traffic_along(params.topology, params.degree, cluster, 1);
}

}  // namespace ddl
