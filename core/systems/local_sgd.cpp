// Local SGD (Stich, ICLR 2019), worker i:
//
//   1  H times:  x = step(x, gradient(x))            once while step < local_from (post-local SGD: Lin et al., 2020)
//   2  x = allreduce_sum(h x) / allreduce_sum(h)     h: steps taken, H except in the last round
//   3  a worker without steps left contributes nothing and takes the mean of the others, until a round without
//      contributions ends the group
//
// The averaging makes the mean, so a worker applies its own gradients at full weight. Each worker keeps its own
// optimizer state.
#include "core/systems/local_sgd.hpp"

#include <cstdint>

#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class LocalSgdWorker : public Program {
 public:
  LocalSgdWorker(const LocalSgdParams& params, Node& node)
      : node_(node),
        params_(params),
        all_reduce_(node, {params.collective, params.settings}, 0, params.on_failure, "models of the other workers") {}

  std::int64_t steps_unshared() const override { return unshared_; }

  void run() override {
    all_reduce_.take_part([this] { take_rounds(); });
  }

 private:
  void take_rounds() {
    while (true) {
      const int most = next_ < params_.local_from ? 1 : params_.local_steps;
      const int steps = take_steps(most);  // 1
      if (steps == 0 && node_.membership().leaves()) return;
      const auto total = all_reduce_.sum(node_.cluster().whole(), {weighed_model(steps, most), 1.0 * steps});  // 2
      unshared_ = 0;
      if (total.weight == 0) return;  // 3
      if (node_.cluster().workers > 1) take_mean(total, most);
      if (steps == most) node_.finish_step();
      next_ += most;
    }
  }

  // Leaves the last step open, as it includes the averaging.
  int take_steps(int most) {
    int steps = 0;
    while (steps < most && node_.next_step()) {
      const Gradient gradient = node_.gradient();
      node_.apply(gradient);
      if (++steps == most) break;
      node_.finish_step();
      ++unshared_;
    }
    return steps;
  }

  // The model times steps / most: a worker that took all steps sends its model unscaled.
  Payload weighed_model(int steps, int most) {
    if (steps == 0) return nullptr;
    const Payload model = node_.weights().snapshot();
    return steps == most ? model : scaled(model, steps, most);
  }

  void take_mean(const comm::Sum& total, int most) { node_.weights().adopt(scaled(total.values, most, total.weight)); }

  static Payload scaled(const Payload& values, double numerator, double denominator) {
    if (!values) return nullptr;
    std::vector<float> result(values->size());
    add_scaled(result, values_of(values), static_cast<float>(numerator) / static_cast<float>(denominator));
    return make_payload(std::move(result));
  }

  Node& node_;
  const LocalSgdParams params_;
  membership::Regrouping all_reduce_;
  std::int64_t unshared_ = 0;  // finished steps since the last mean
  std::int64_t next_ = 0;      // the step at which the next round begins, at every worker
};

}  // namespace

std::unique_ptr<Program> LocalSgdParams::program(Node& node) const {
  return std::make_unique<LocalSgdWorker>(*this, node);
}

Traffic LocalSgdParams::traffic(const Cluster& cluster) const {
  return membership::traffic_of_sums(Pace::lockstep, {collective, settings}, codec::NoCodecParams{}, cluster, 1,
                                     1.0 / local_steps);
}

std::vector<std::string> LocalSgdParams::notes(const Cluster& cluster) const {
  std::vector<std::string> notes = comm::notes_of({collective, settings}, cluster);
  if (local_from > 0) {
    notes.push_back("models are averaged after each of the first " + std::to_string(local_from) +
                    " steps; the bound is that of the steps after these");
  }
  return notes;
}

std::vector<SettingError> LocalSgdParams::errors(const Surroundings&) const { return errors_in(on_failure); }

}  // namespace ddl::systems
