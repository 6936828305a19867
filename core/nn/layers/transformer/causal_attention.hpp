// Causal self-attention in several heads (Vaswani et al., 2017): softmax(Q K' / sqrt(width of a head)) V, where a
// position sees itself and those before it.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

// Reads queries, keys and values of each position, one behind the other, each divided into heads.
class CausalAttention final : public Layer {
 public:
  // `input` has three times as many channels as the output, which `heads` divides.
  CausalAttention(Shape input, int heads);
  const char* kind() const override { return "attention"; }
  double multiply_adds() const override;  // as if every position saw all
  std::size_t kept_values() const override { return heads_ * positions_ * padded_; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  struct Head;
  // Calls visit(Head) for each head of each sample; `kept` has its shares of attention.
  template <class Visit>
  void each_head(int batch, const float* input, float* kept, Visit visit) const;

  std::size_t heads_, channels_, positions_;
  std::size_t width_;   // channels of a head
  std::size_t padded_;  // positions, up to whole blocks
  float scale_;
};

}  // namespace ddl::nn
