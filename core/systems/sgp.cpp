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
//
// On a directed graph a worker whose sources have gone, but not its targets, would give its share away, and its steps
// would be too large for what is left of it. Where hosts come and go, a step is therefore taken with no less than the
// share that w would be if nobody had gone, and a share that is next to nothing is kept.
#include "core/systems/sgp.hpp"

#include <utility>

#include "core/comm/neighbour_exchange.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class SgpWorker : public Program {
  // The weight of the values, w; 0: nothing is given.
  struct Share {
    double weight = 1;
  };

 public:
  SgpWorker(const SgpParams& params, Node& node)
      : node_(node),
        params_(params),
        // What comes late must not be lost to the sum.
        rounds_(node, params.topology, params.degree, params.on_failure,
                [this](Message part) { add_parts({std::move(part)}); }) {}

  void run() override {
    rounds_.enter();
    while (node_.next_step()) {
      const Gradient gradient = node_.gradient();
      rounds_.settle();
      const std::int64_t round = rounds_.round();
      const double share = share_for_step();
      scale_model(share);  // from z to x, if the share is w
      node_.apply(values_of(gradient.values));
      scale_model(w_ / share);
      const bool gives = w_ > least_share;
      const int sent = send_parts(gives);
      scale_model(1 / w_);  // whoever looks at the model while it waits sees z
      const int not_given = rounds_.graph().degree(round) - sent + 1;
      const double kept = gives ? not_given * rounds_.graph().weight(round) : 1;
      w_ *= kept;  // of x and w; z is the same
      age_ordinary_share(round);
      if (!params_.overlap) add_parts(rounds_.receive(round));
      if (params_.overlap) add_parts(round > 0 ? rounds_.receive(round - 1) : std::vector<Message>());
      node_.finish_step();
    }
    rounds_.leave();
  }

 private:
  static constexpr double least_share = 1e-9;

  void scale_model(double factor) {
    if (factor == 1) return;
    for (float& value : node_.weights().write()) value *= static_cast<float>(factor);
  }

  int send_parts(bool gives) {
    return rounds_.send({.values = node_.weights().snapshot(),
                         .wire_bytes = node_.cluster().model_bytes,
                         .body = Share{gives ? w_ : 0}});
  }

  // w, or what it would be if nobody had gone.
  double share_for_step() const {
    constexpr double rounding = 1e-6;
    return node_.cluster().hosts_change && w_ < (1 - rounding) * ordinary_ ? ordinary_ : w_;
  }

  // With overlap the parts of the last round are under way.
  void age_ordinary_share(std::int64_t round) {
    if (!params_.overlap) return;
    const double kept = rounds_.graph().weight(round) * ordinary_;
    ordinary_ = kept + std::exchange(under_way_, rounds_.graph().degree(round) * kept);
  }

  // x and w grow by the parts: z = (w z + the parts) / (the new w). All parts are of one round, whose graph gives each
  // the same share.
  void add_parts(std::vector<Message> parts) {
    std::erase_if(parts, [](const Message& part) { return part.as<Share>().weight == 0; });
    const double share = parts.empty() ? 0 : rounds_.graph().weight(parts.front().step);
    double w = w_;
    for (const Message& part : parts) w += share * part.as<Share>().weight;
    comm::mix(node_.weights().write(), parts, node_.id(), static_cast<float>(w_ / w), static_cast<float>(share / w));
    w_ = w;
  }

  Node& node_;
  const SgpParams params_;
  comm::Rounds rounds_;
  double w_ = 1;
  double ordinary_ = 1, under_way_ = 0;  // w, and what comes in the next round, if nobody had gone
};

}  // namespace

std::unique_ptr<Program> SgpParams::program(Node& node) const { return std::make_unique<SgpWorker>(*this, node); }

Traffic SgpParams::traffic(const Cluster& cluster) const { return comm::traffic_along(topology, degree, cluster, 1); }

std::vector<SettingError> SgpParams::errors(const Surroundings& around) const {
  return comm::errors_in(topology, degree, on_failure, around.workers);
}

}  // namespace ddl::systems
