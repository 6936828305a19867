#include "core/nn/layers/residual.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::nn {
Residual::Residual(std::unique_ptr<Layer> body, std::unique_ptr<Layer> shortcut, Ends ends)
    : Layer(body->input(), body->output()),
      body_(std::move(body)),
      shortcut_(std::move(shortcut)),
      body_parameters_(body_->parameter_count()),
      relu_(ends == Ends::with_relu) {
  check(output() == (shortcut_ ? shortcut_->output() : input()), "a body and a shortcut to one shape");
}

std::vector<LayerTensor> Residual::tensors() const {
  std::vector<LayerTensor> tensors = body_->tensors();
  if (!shortcut_) return tensors;
  for (const LayerTensor& tensor : shortcut_->tensors()) {
    tensors.push_back({"shortcut." + tensor.name, tensor.count, tensor.rows, tensor.columns});
  }
  return tensors;
}

std::vector<TorchTensor> Residual::torch_tensors(Shape input) const {
  std::vector<TorchTensor> tensors = body_->torch_tensors(input);
  if (!shortcut_) return tensors;
  for (TorchTensor& tensor : shortcut_->torch_tensors(input)) {
    tensor.name = "shortcut." + tensor.name;
    for (std::uint32_t& source : tensor.sources) {
      if (source != TorchTensor::nothing) source += static_cast<std::uint32_t>(body_parameters_);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<LayerPart> Residual::parts() const {
  std::vector<LayerPart> parts = body_->parts();
  if (!shortcut_) return parts;
  for (const LayerPart& part : shortcut_->parts()) parts.push_back({"shortcut." + part.name, part.layer});
  return parts;
}

double Residual::multiply_adds() const { return body_->multiply_adds() + (shortcut_ ? shortcut_->multiply_adds() : 0); }

std::size_t Residual::whole_parameter_count() const {
  return body_->whole_parameter_count() + (shortcut_ ? shortcut_->whole_parameter_count() : 0);
}

bool Residual::needs_estimates() const {
  return body_->needs_estimates() || (shortcut_ && shortcut_->needs_estimates());
}

void Residual::initialize(std::span<float> parameters, Stream& random) const {
  body_->initialize(parameters.first(body_parameters_), random);
  if (shortcut_) shortcut_->initialize(parameters.subspan(body_parameters_), random);
}

void Residual::forward(const ForwardCall& call) const {
  const std::size_t values = unsigned_of(call.batch) * output().size();
  // The body's own output is kept apart from the sum, because its backward pass needs it.
  float* const own = call.kept.part(3).room(values);
  body_->forward(call.within(call.parameters, call.input, own, call.kept.part(0)));
  const float* addend = call.input;
  if (shortcut_) {
    float* const result = call.kept.part(2).room(values);
    shortcut_->forward(call.within(call.parameters + body_parameters_, call.input, result, call.kept.part(1)));
    addend = result;
  }
  for (std::size_t i = 0; i < values; ++i) call.output[i] = own[i] + addend[i];
  if (!relu_) return;
  for (std::size_t i = 0; i < values; ++i) call.output[i] = call.output[i] > 0 ? call.output[i] : 0;
}

void Residual::backward(const BackwardCall& call) const {
  const std::size_t outputs = unsigned_of(call.batch) * output().size();
  const std::size_t inputs = unsigned_of(call.batch) * input().size();
  float* const of_sum = call.kept.part(4).room(outputs);
  for (std::size_t i = 0; i < outputs && relu_; ++i) {
    call.output_gradient[i] = call.output[i] > 0 ? call.output_gradient[i] : 0;
  }
  std::copy_n(call.output_gradient, outputs, of_sum);
  body_->backward(call.within(call.parameters, call.input, call.kept.part(3).data(), call.output_gradient,
                              call.input_gradient, call.parameter_gradient, call.kept.part(0)));
  const float* addend = of_sum;
  if (shortcut_) {
    float* const result = call.input_gradient == nullptr ? nullptr : call.kept.part(5).room(inputs);
    shortcut_->backward(call.within(call.parameters + body_parameters_, call.input, call.kept.part(2).data(), of_sum,
                                    result, call.parameter_gradient + body_parameters_, call.kept.part(1)));
    addend = result;
  }
  if (call.input_gradient == nullptr) return;
  for (std::size_t i = 0; i < inputs; ++i) call.input_gradient[i] += addend[i];
}

namespace {

std::vector<std::uint32_t> padded(int channels, int outputs) {
  std::vector<std::uint32_t> sources(unsigned_of(outputs), PickChannels::nothing);
  for (int c = 0; c < std::min(channels, outputs); ++c) sources[unsigned_of(c)] = static_cast<std::uint32_t>(c);
  return sources;
}

}  // namespace

PickChannels::PickChannels(Shape input, int channels, int stride)
    : PickChannels(input, padded(input.channels, channels), stride) {}

PickChannels::PickChannels(Shape input, std::vector<std::uint32_t> sources, int stride)
    : Layer(input, {static_cast<int>(sources.size()), (input.height - 1) / stride + 1, (input.width - 1) / stride + 1}),
      sources_(std::move(sources)),
      stride_(unsigned_of(stride)) {}

LayerShare PickChannels::share(std::span<const std::uint32_t> channels) const {
  std::vector<std::uint32_t> sources;
  for (const std::uint32_t channel : channels) sources.push_back(sources_[channel]);
  return {std::make_unique<PickChannels>(input(), std::move(sources), static_cast<int>(stride_)), {}};
}

template <class Visit>
void PickChannels::each_pixel(int batch, Visit visit) const {
  const std::size_t row = unsigned_of(input().width * input().channels);
  const std::size_t in = unsigned_of(input().channels), out = unsigned_of(output().channels);
  std::size_t to = 0;
  for (int i = 0; i < batch; ++i) {
    for (std::size_t y = 0; y < unsigned_of(output().height); ++y) {
      for (std::size_t x = 0; x < unsigned_of(output().width); ++x, to += out) {
        visit(unsigned_of(i) * input().size() + y * stride_ * row + x * stride_ * in, to);
      }
    }
  }
}

void PickChannels::forward(const ForwardCall& call) const {
  each_pixel(call.batch, [&](std::size_t from, std::size_t to) {
    for (std::size_t c = 0; c < sources_.size(); ++c) {
      call.output[to + c] = sources_[c] == nothing ? 0 : call.input[from + sources_[c]];
    }
  });
}

void PickChannels::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  std::fill(call.input_gradient, call.input_gradient + unsigned_of(call.batch) * input().size(), 0.0f);
  each_pixel(call.batch, [&](std::size_t from, std::size_t to) {
    for (std::size_t c = 0; c < sources_.size(); ++c) {
      if (sources_[c] != nothing) call.input_gradient[from + sources_[c]] += call.output_gradient[to + c];
    }
  });
}

}  // namespace ddl::nn
