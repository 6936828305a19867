// The arithmetic of gossip: choice of a peer, masking of gradients, averaging of two models.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/codec/encoder.hpp"
#include "core/node/node.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/neighbours/gossip.hpp"

namespace ddl::systems {

// Chooses a peer for each step.
class PeerChoice {
 public:
  // `among`: possible peers; empty: all others.
  PeerChoice(PeerRule rule, Node& node, std::vector<int> among)
      : rule_(rule), node_(node), among_(std::move(among)), random_(node.rng("peer")) {}

  int next() {
    const int workers = node_.cluster().workers;
    const auto others = among_.empty() ? static_cast<std::uint64_t>(workers - 1) : among_.size();
    std::uint64_t ahead = 0;  // beyond the next one
    if (rule_ == PeerRule::random) ahead = random_.below(others);
    if (rule_ == PeerRule::round_robin) ahead = static_cast<std::uint64_t>(node_.step()) % others;
    const int chosen = among_.empty() ? (node_.id() + 1 + static_cast<int>(ahead)) % workers : among_[ahead];
    if (rule_ == PeerRule::random) {
      node_.record(Draw{"partner", node_.step(), static_cast<std::uint64_t>(chosen), Draw::node});
    }
    return chosen;
  }

 private:
  const PeerRule rule_;
  Node& node_;
  const std::vector<int> among_;
  Stream random_;
};

// Cui's threshold on gradients, before the optimizer sees them: drops values below their tensor's mean.
class GradientMask {
 public:
  // With `error_feedback`, dropped values are added to the next gradient.
  GradientMask(Threshold threshold, bool error_feedback, const Cluster& cluster)
      : threshold_(threshold), error_feedback_(error_feedback), cluster_(cluster) {}

  Payload apply(const Payload& gradient) {
    if (threshold_ == Threshold::none || !gradient) return gradient;
    std::vector<float> kept(gradient->begin(), gradient->end());
    add_scaled(kept, dropped_);
    if (error_feedback_) dropped_ = kept;
    const auto mean_of = threshold_ == Threshold::abs_mean ? codec::MeanOf::magnitudes : codec::MeanOf::values;
    for (const TensorInfo& tensor : cluster_.tensors) {
      codec::drop_below_mean(std::span<float>(kept).subspan(tensor.offset, tensor.count), mean_of);
    }
    if (error_feedback_) add_scaled(dropped_, kept, -1);
    return make_payload(std::move(kept));
  }

 private:
  const Threshold threshold_;
  const bool error_feedback_;
  const Cluster& cluster_;
  std::vector<float> dropped_;
};

// A model's share in the mean of two: half, or the other's share of the summed losses, so that the better model weighs
// more.
class ModelShare {
 public:
  explicit ModelShare(Merge merge) : merge_(merge) {}

  void note_loss(double loss) { loss_ = loss_ ? memory * *loss_ + (1 - memory) * loss : loss; }
  double loss() const { return loss_.value_or(unknown); }
  // Half while either loss is unknown.
  float beside(double other_loss) const {
    if (merge_ == Merge::half || !loss_ || other_loss < 0) return 0.5f;
    const double both = *loss_ + other_loss;
    if (!(both > 0)) return 0.5f;
    return static_cast<float>(std::clamp(other_loss / both, least, 1 - least));
  }

 private:
  static constexpr double unknown = -1;
  static constexpr double memory = 0.9;  // decay of the running mean of minibatch losses
  static constexpr double least = 0.05;

  const Merge merge_;
  std::optional<double> loss_ = std::nullopt;  // the running mean
};

// x = keep * x + (1 - keep) * y, or unchanged x without y. In pairs x moves by (1 - keep)(y - sent), where `sent` is x
// as the other has it, so that the two move by opposite amounts.
inline void merge(GossipMode mode, Weights& x, const Payload& y, const Payload& sent, float keep) {
  if (!y) return;
  if (mode != GossipMode::pair) return blend(x.write(), values_of(y), keep);
  const auto values = x.write();
  add_scaled(values, values_of(y), 1 - keep);
  add_scaled(values, values_of(sent), -(1 - keep));
}

}  // namespace ddl::systems
