#include "core/split/vertical_split.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.hpp"
#include "core/nn/layers/chain.hpp"
#include "core/nn/layers/dropout.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/residual.hpp"

namespace ddl::split {
namespace {

using Channels = std::vector<std::vector<std::uint32_t>>;  // by worker

// Calls copy(offset in the whole, offset in the piece) for each value.
template <class Copy>
void each_value(const Meeting& meeting, int worker, int batch, Copy copy) {
  const auto& own = meeting.held[static_cast<std::size_t>(worker)];
  std::size_t in_piece = 0;
  for (std::size_t pixel = 0; pixel < static_cast<std::size_t>(batch) * meeting.pixels; ++pixel) {
    for (const std::uint32_t channel : own) copy(pixel * meeting.channels + channel, in_piece++);
  }
}

std::vector<std::uint32_t> range(std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> all(last - first);
  std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(first));
  return all;
}

}  // namespace

void Meeting::place(const float* piece_values, int worker, int batch, float* whole_values) const {
  each_value(*this, worker, batch,
             [&](std::size_t in_whole, std::size_t in_piece) { whole_values[in_whole] = piece_values[in_piece]; });
}

void Meeting::take(const float* whole_values, int worker, int batch, float* piece_values) const {
  each_value(*this, worker, batch,
             [&](std::size_t in_whole, std::size_t in_piece) { piece_values[in_piece] = whole_values[in_whole]; });
}

// Walks along the layers and records what each worker computes.
class VerticalSplitter {
 public:
  VerticalSplitter(VerticalSplit& split, int workers) : split_(split), workers_(static_cast<std::size_t>(workers)) {
    split_.tapes_.resize(workers_);
    split_.held_.resize(workers_);
  }

  void run(const nn::Model& model) {
    const Shape input = model.layers().front()->input();
    View view{.value = add_value(Channels(workers_, range(0, input.size())), 1), .shape = input, .channels = {}};
    for (const auto& layer : model.layers()) {
      place_ = layer->kind() + std::string(" layer ") + std::to_string(++number_);
      view = expand(*layer, std::move(view));
    }
    split_.outputs_ = gather(view).value;
    check(before_ == model.parameter_count(), "every parameter at some worker");
  }

 private:
  // A value of the tapes as the next layer reads it. No channels: each worker has all of them.
  struct View {
    int value;
    Shape shape;
    Channels channels;
    bool whole() const { return channels.empty(); }
    std::size_t pixels() const { return shape.size() / static_cast<std::size_t>(shape.channels); }
  };

  int add_value(const Channels& channels, std::size_t pixels) {
    int value = 0;
    for (std::size_t w = 0; w < workers_; ++w) value = split_.tapes_[w].add_value(pixels * channels[w].size());
    return value;
  }

  View gather(const View& view) {
    if (view.whole()) return view;
    auto [found, is_new] = gathered_.try_emplace(view.value, 0);
    if (is_new) {
      const auto channels = static_cast<std::size_t>(view.shape.channels);
      found->second = add_value(Channels(workers_, range(0, channels)), view.pixels());
      split_.meetings_.push_back({.own = view.value,
                                  .whole = found->second,
                                  .op = split_.tapes_.front().ops.size(),
                                  .pixels = view.pixels(),
                                  .channels = channels,
                                  .held = view.channels});
    }
    return {found->second, view.shape, {}};
  }

  // Runs of `each` channels, dealt evenly.
  Channels deal(int runs, int channels) const {
    if (static_cast<std::size_t>(runs) < workers_) {
      throw InputError("$.algorithm.name: the model's " + place_ + " has " + std::to_string(runs) +
                       (runs == channels ? " channels" : " groups") + " to deal over " + std::to_string(workers_) +
                       " workers; expected at least one for each");
    }
    const auto each = static_cast<std::size_t>(channels / runs);
    Channels result;
    for (std::size_t w = 0; w < workers_; ++w) {
      const auto count = static_cast<std::size_t>(runs);
      result.push_back(range(count * w / workers_ * each, count * (w + 1) / workers_ * each));
    }
    return result;
  }

  View expand(const nn::Layer& layer, View view) {
    if (const auto* chain = dynamic_cast<const nn::Chain*>(&layer)) {
      for (const auto& part : chain->layers()) view = expand(*part, std::move(view));
      return view;
    }
    if (const auto* residual = dynamic_cast<const nn::Residual*>(&layer)) return expand_residual(*residual, view);
    if (dynamic_cast<const nn::Flatten*>(&layer) != nullptr) return flattened(std::move(view));
    if (dynamic_cast<const nn::Dropout*>(&layer) != nullptr) return same_at_all(layer, gather(view));  // one stream
    if (layer.groups() == 1) return dealt(layer, gather(view), deal(layer.output().channels, layer.output().channels));
    if (!view.whole()) {
      if (auto outputs = outputs_of_own(layer, view.channels)) return dealt(layer, view, std::move(*outputs));
      view = gather(view);
    }
    if (layer.parameter_count() == 0) return same_at_all(layer, view);
    // Only the inputs of its own runs are read.
    const Channels inputs = deal(layer.groups(), layer.input().channels);
    view = dealt(nn::PickChannels(view.shape, view.shape.channels, 1), view, inputs);
    return dealt(layer, view, deal(layer.groups(), layer.output().channels));
  }

  View expand_residual(const nn::Residual& residual, const View& input) {
    const View body = expand(residual.body(), input);
    View addend = residual.shortcut() != nullptr ? expand(*residual.shortcut(), input) : input;
    if (addend.channels != body.channels) {
      addend = gather(addend);
      if (!body.whole())
        addend = dealt(nn::PickChannels(addend.shape, addend.shape.channels, 1), addend, body.channels);
    }
    check(addend.whole() == body.whole(), "a body and a shortcut dealt alike");
    View sum = body;
    for (Tape& tape : split_.tapes_) sum.value = tape.add(body.value, addend.value);
    return sum;
  }

  View flattened(View view) const {
    const auto channels = static_cast<std::uint32_t>(view.shape.channels);
    for (auto& own : view.channels) {
      std::vector<std::uint32_t> flat;
      for (std::uint32_t pixel = 0; pixel < view.pixels(); ++pixel) {
        for (const std::uint32_t channel : own) flat.push_back(pixel * channels + channel);
      }
      own = std::move(flat);
    }
    view.shape = {static_cast<int>(view.shape.size()), 1, 1};
    return view;
  }

  // The output channels that depend only on a worker's own inputs; none if these are not whole groups.
  static std::optional<Channels> outputs_of_own(const nn::Layer& layer, const Channels& channels) {
    const auto in = static_cast<std::uint32_t>(layer.input().channels / layer.groups());
    const auto out = static_cast<std::uint32_t>(layer.output().channels / layer.groups());
    Channels result;
    for (const auto& own : channels) {
      if (own.size() % in != 0) return std::nullopt;
      auto& outputs = result.emplace_back();
      for (std::size_t i = 0; i < own.size(); i += in) {
        if (own[i] % in != 0 || own[i + in - 1] != own[i] + in - 1) return std::nullopt;
        for (std::uint32_t k = 0; k < out; ++k) outputs.push_back(own[i] / in * out + k);
      }
    }
    return result;
  }

  View same_at_all(const nn::Layer& layer, const View& view) {
    check(layer.parameter_count() == 0, "a layer without parameters at all workers");
    View result{0, layer.output(), {}};
    for (Tape& tape : split_.tapes_) result.value = tape.apply(layer, view.value);
    return result;
  }

  View dealt(const nn::Layer& layer, const View& view, Channels outputs) {
    View result{0, layer.output(), std::move(outputs)};
    for (std::size_t w = 0; w < workers_; ++w) {
      nn::LayerShare part = layer.share(result.channels[w]);
      for (const std::uint32_t place : part.parameters) {
        split_.held_[w].push_back(static_cast<std::uint32_t>(before_ + place));
      }
      result.value = split_.tapes_[w].apply(std::move(part.layer), view.value);
    }
    before_ += layer.parameter_count();
    return result;
  }

  VerticalSplit& split_;
  const std::size_t workers_;
  std::map<int, int> gathered_;  // by the value that was gathered
  std::size_t before_ = 0;       // parameters of the layers so far
  int number_ = 0;
  std::string place_;
};

VerticalSplit::VerticalSplit(const nn::Model& model, int workers) {
  VerticalSplitter(*this, workers).run(model);
  std::size_t held = 0;
  for (const auto& own : held_) held += own.size();
  check(held == model.parameter_count(), "every parameter at one worker");
}

double VerticalSplit::multiply_adds(int worker, std::size_t stage) const {
  return tape(worker).multiply_adds(first_op(stage), last_op(stage));
}

}  // namespace ddl::split
