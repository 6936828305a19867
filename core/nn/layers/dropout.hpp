// Dropout (Srivastava et al., JMLR 2014), scaled in training, so that evaluation does not change values.
#pragma once

#include "core/nn/layer.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

class Dropout final : public Layer {
 public:
  Dropout(Shape shape, const DropoutSpec& spec);
  const char* kind() const override { return "dropout"; }
  bool passes_through(bool training) const override { return !training || threshold_ == 0; }
  // Takes one draw of the stream for every two values.
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::uint32_t threshold_;  // a 32-bit draw below it drops the value
  float scale_;
};

}  // namespace ddl::nn
