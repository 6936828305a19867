// Layers of language models, and a whole one.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "core/nn/kernels/orthogonal.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/residual.hpp"
#include "core/nn/layers/transformer/causal_attention.hpp"
#include "core/nn/layers/transformer/layer_norm.hpp"
#include "core/nn/optimizer.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

std::size_t at(int value) { return static_cast<std::size_t>(value); }

// One sample's attention by its definition, in double precision.
Floats attention_by_definition(const Floats& input, int positions, int channels, int heads) {
  const int width = channels / heads;
  const auto in = [&](int position, int place) {
    return static_cast<double>(input[at(position) * 3 * at(channels) + at(place)]);
  };
  Floats output(at(positions * channels));
  for (int head = 0; head < heads; ++head) {
    for (int i = 0; i < positions; ++i) {
      std::vector<double> shares;
      for (int j = 0; j <= i; ++j) {
        double score = 0;
        for (int c = head * width; c < (head + 1) * width; ++c) score += in(i, c) * in(j, channels + c);
        shares.push_back(std::exp(score / std::sqrt(width)));
      }
      const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (int c = head * width; c < (head + 1) * width; ++c) {
        double mean = 0;
        for (int j = 0; j <= i; ++j) mean += shares[at(j)] / sum * in(j, 2 * channels + c);
        output[at(i * channels + c)] = static_cast<float>(mean);
      }
    }
  }
  return output;
}

constexpr int few_symbols = 7;

Model small_gpt() {
  return Model({.name = "gpt", .layers = {}, .sizes = {.layers = 2, .heads = 2, .width = 8, .context = 5}}, {1, 5, 1},
               few_symbols);
}

data::Batch windows(int count, int context, int symbols, std::uint64_t seed) {
  data::Batch batch;
  batch.positions = at(context);
  Stream random(seed);
  for (int i = 0; i < count * context; ++i) {
    batch.inputs.push_back(static_cast<float>(random.below(static_cast<std::uint64_t>(symbols))));
    batch.labels.push_back(static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(symbols))));
  }
  return batch;
}

// Weights large enough for each of them to count.
Floats large_parameters(const Model& model) { return moved_parameters(model, 0.4); }

}  // namespace

TEST_CASE("gradients of a transformer's layers agree with central differences") {
  check_gradients(LayerNorm({9, 3, 1}), 2, 2e-2f, 2e-3);
  check_gradients(Gelu({11, 3, 1}), 2, 2e-2f, 1e-3);
  check_gradients(CausalAttention({3 * 8, 5, 1}, 2), 2, 2e-2f, 2e-3);
  check_gradients(CausalAttention({3 * 3, 19, 1}, 1), 1, 2e-2f, 2e-3);
  const DenseSpec dense{.units = 4};
  check_gradients(Dense({3, 5, 1}, dense, false, MathMode::portable, Dense::Reads::position), 2, 2e-2f, 1e-3);
  check_gradients(Residual(std::make_unique<LayerNorm>(Shape{6, 2, 1}), nullptr, Residual::Ends::with_sum), 2, 2e-2f,
                  2e-3);
}

TEST_CASE("attention is what its definition says, whatever divides into vectors") {
  for (const auto& [positions, channels, heads] :
       {std::tuple{1, 4, 1}, {5, 6, 2}, {16, 32, 2}, {17, 96, 3}, {64, 128, 4}, {70, 40, 1}}) {
    CAPTURE(positions);
    const CausalAttention layer({3 * channels, positions, 1}, heads);
    Floats input = normal_values(at(2 * positions * 3 * channels), 5);
    const Floats found = run_forward(layer, 2, {}, input);
    Floats expected = attention_by_definition(input, positions, channels, heads);
    input.erase(input.begin(), input.begin() + positions * 3 * channels);
    const Floats second = attention_by_definition(input, positions, channels, heads);
    expected.insert(expected.end(), second.begin(), second.end());
    CHECK(largest_difference(found, expected) < 3e-6);
  }
}

TEST_CASE("a layer norm gives each position mean 0 and deviation 1, times its weights") {
  const LayerNorm layer({64, 2, 1});
  Floats ones(64, 1), input = normal_values(128, 3, 5);
  for (std::size_t i = 64; i < 128; ++i) input[i] += 100;
  const Floats output = run_forward(layer, 1, ones, input);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0, squares = 0;
    for (std::size_t i = 64 * row; i < 64 * (row + 1); ++i) sum += output[i], squares += output[i] * output[i];
    CHECK(sum / 64 == doctest::Approx(0).epsilon(1e-5));
    CHECK(squares / 64 == doctest::Approx(1).epsilon(1e-4));
  }
  ones.assign(64, -2);
  const Floats turned = run_forward(layer, 1, ones, input);
  for (std::size_t i = 0; i < output.size(); ++i) CHECK(turned[i] == -2 * output[i]);
}

TEST_CASE("a language model's gradient agrees with the slope of its loss along each tensor, the tied one included") {
  const Model model = small_gpt();
  check_along_each_tensor(model, large_parameters(model), windows(4, 5, few_symbols, 2), 5e-3, 2e-3, 1e-3);
}

TEST_CASE("a position's score does not depend on later symbols") {
  const Model model = small_gpt();
  const Floats parameters = large_parameters(model);
  data::Batch batch = windows(1, 5, few_symbols, 2), changed = batch;
  changed.inputs[3] = static_cast<float>((static_cast<int>(changed.inputs[3]) + 1) % few_symbols);
  Workspace workspace;
  Stream random(1);
  Floats gradient(parameters.size());
  const auto scores_of = [&](const data::Batch& of) {
    model.gradient(parameters, of, random, gradient, workspace);
    const float* const scores = workspace.values.back();
    return Floats(scores, scores + 5 * few_symbols);
  };
  const Floats before = scores_of(batch), after = scores_of(changed);
  for (std::size_t i = 0; i < 3 * few_symbols; ++i) CHECK(before[i] == after[i]);
  CHECK(before[3 * few_symbols] != after[3 * few_symbols]);
}

TEST_CASE("the preset has as many parameters and operations as nanoGPT's, and its first loss is that of guessing") {
  const Model model({.name = "gpt-4-128-64", .layers = {}}, {1, 64, 1}, 65);
  CHECK(model.parameter_count() == 804096);
  CHECK(model.forward_multiply_adds() == 64 * (804096.0 - 64 * 128 - 9 * 128 + 2 * 4 * 64 * 128));
  CHECK(model.learning_layers().size() == 6);
  CHECK(model.learning_layers().back().parameters == 128);
  const Floats parameters = initial_parameters(model);
  CHECK(gradient_of(model, parameters, windows(4, 64, 65, 1)).loss == doctest::Approx(std::log(65)).epsilon(0.02));
  const auto deviation = [&](std::size_t begin, std::size_t count) {
    double squares = 0;
    for (std::size_t i = begin; i < begin + count; ++i) squares += parameters[i] * parameters[i];
    return std::sqrt(squares / static_cast<double>(count));
  };
  for (const TensorInfo& tensor : model.tensors()) {
    CAPTURE(tensor.name);
    const bool norm = tensor.count == 128, added = tensor.name.ends_with("dense2.weight");
    const double expected = norm ? 1 : added ? 0.02 / std::sqrt(8) : 0.02;
    CHECK(deviation(tensor.offset, tensor.count) == doctest::Approx(expected).epsilon(0.03));
  }
}

TEST_CASE("a language model that does not fit says why") {
  const auto said = [](GptSpec sizes, Shape input) -> std::string {
    try {
      Model({.name = "gpt", .layers = {}, .sizes = sizes}, input, 65);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(said({.heads = 3}, {1, 64, 1}) == "a width of 128 does not divide into 3 heads; expected a multiple");
  CHECK(said({}, {1, 28, 28}) == "a gpt reads the symbols of a text, 64 at a time; expected \"data.source\": \"text\"");
  CHECK(said({.layers = 1000, .heads = 1, .width = 65536}, {1, 64, 1}) ==
        "too large: the model's parameters would exceed 2^31 - 1");
}

TEST_CASE("the decay of matrices leaves vectors alone, in slices as in whole steps") {
  const Model model = small_gpt();
  AdamWParams params;
  params.weight_decay = 0.5;
  params.learning_rate = 0.1;
  params.decays = Decays::matrices;
  const std::size_t count = model.parameter_count();
  Optimizer optimizer(params, count, model.matrices()), by_slices(params, count, model.matrices());
  Floats whole(count, 1), sliced = whole;
  const Floats zero(count);
  optimizer.step(whole, {.gradient = zero}, 0.1);
  for (std::size_t begin = 0; begin < count; begin += 7) {
    const std::size_t length = std::min<std::size_t>(7, count - begin);
    by_slices.step_slice(std::span(sliced).subspan(begin, length), begin, {.gradient = std::span(zero).first(length)},
                         0.1);
  }
  CHECK(whole == sliced);
  for (const TensorInfo& tensor : model.tensors()) {
    CAPTURE(tensor.name);
    const float expected = tensor.count == 8 ? 1.0f : 1 - 0.05f;  // norms of width 8 are its only vectors
    for (std::size_t i = 0; i < tensor.count; ++i) CHECK(whole[tensor.offset + i] == expected);
  }
}

// U diag(values) V' with U and V from reflections, which are orthogonal.
Floats matrix_of_singular_values(const std::vector<double>& values, std::size_t rows, std::size_t columns,
                                 std::uint64_t seed) {
  std::vector<double> matrix(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) matrix[i * columns + i] = values[i];
  const auto reflect = [&](std::size_t length, std::size_t step, std::size_t lines, std::size_t between,
                           std::uint64_t of) {
    const Floats normal = normal_values(length, of);
    const double square = std::inner_product(normal.begin(), normal.end(), normal.begin(), 0.0);
    for (std::size_t line = 0; line < lines; ++line) {
      double* const first = matrix.data() + line * between;
      double along = 0;
      for (std::size_t i = 0; i < length; ++i) along += first[i * step] * normal[i];
      for (std::size_t i = 0; i < length; ++i) first[i * step] -= 2 * along / square * normal[i];
    }
  };
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    reflect(rows, columns, columns, 1, seed + 2 * turn);
    reflect(columns, 1, rows, columns, seed + 2 * turn + 1);
  }
  return Floats(matrix.begin(), matrix.end());
}

TEST_CASE("orthogonalising takes the singular values to about one and keeps the vectors") {
  // Each is the value behind the iteration where the norm is 1: 1 goes to 0.9783, 0.5 to 0.9859, 0.01 to 1.018.
  const auto value_of = [](double x) {
    constexpr double steps[][3] = {{4.0848, -6.8946, 2.9270},
                                   {3.9505, -6.3029, 2.6377},
                                   {3.7418, -5.5913, 2.3037},
                                   {2.8769, -3.1427, 1.2046},
                                   {2.8366, -3.0525, 1.2012}};
    for (const auto& [a, b, c] : steps) x = x * (a + x * x * (b + x * x * c));
    return x;
  };
  CHECK(value_of(1) == doctest::Approx(0.9783).epsilon(1e-4));
  CHECK(value_of(0.5) == doctest::Approx(0.9859).epsilon(1e-4));
  CHECK(value_of(0.01) == doctest::Approx(1.018).epsilon(1e-3));
  for (double x = 0.0032; x <= 1; x *= 1.003) CHECK((value_of(x) >= 0.9775 && value_of(x) < 1.1455));
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{4, 4}, {4, 12}, {12, 4}, {70, 33}}) {
    const std::vector<double> values = {3, 1.5, 0.4, 0.05};
    const double norm = std::sqrt(9 + 2.25 + 0.16 + 0.0025);
    Floats matrix = matrix_of_singular_values(values, rows, columns, 5);
    std::vector<double> after;
    for (const double value : values) after.push_back(value_of(value / norm));
    const Floats expected = matrix_of_singular_values(after, rows, columns, 5);
    orthogonalize(matrix, rows, columns);
    CHECK(largest_difference(matrix, expected) < 3e-4);
  }
  Floats nothing(12);
  orthogonalize(nothing, 3, 4);
  CHECK(nothing == Floats(12));
}

TEST_CASE("muon steps hidden matrices by their orthogonalised velocity and all else as adamw does") {
  const Model model = small_gpt();
  const std::size_t count = model.parameter_count();
  MuonParams params;
  params.weight_decay = 0.25;
  Optimizer muon(params, count, model.matrices());
  AdamWParams same = params;
  same.learning_rate = params.adamw_learning_rate;
  Optimizer adamw(same, count, model.matrices());
  const Floats start = normal_values(count, 1);
  Floats found = start, other = start;
  const Floats first = normal_values(count, 2), second = normal_values(count, 3);
  constexpr double rate = 0.02, adamw_rate = 0.001;
  for (const Floats& gradient : {first, second}) {
    muon.step(found, {.gradient = gradient}, rate);
    adamw.step(other, {.gradient = gradient}, adamw_rate);
  }
  std::size_t hidden = 0;
  Floats expected = other;
  for (const Matrix& matrix : model.matrices()) {
    if (!matrix.hidden) continue;
    ++hidden;
    Floats w(start.begin() + static_cast<std::ptrdiff_t>(matrix.first),
             start.begin() + static_cast<std::ptrdiff_t>(matrix.end()));
    Floats velocity(w.size());
    for (const Floats& gradient : {first, second}) {
      Floats direction(w.size());
      for (std::size_t i = 0; i < w.size(); ++i) {
        velocity[i] = 0.95f * velocity[i] + gradient[matrix.first + i];
        direction[i] = gradient[matrix.first + i] + 0.95f * velocity[i];
      }
      orthogonalize(direction, matrix.rows, matrix.columns);
      const double length = rate * std::sqrt(static_cast<double>(matrix.columns) / static_cast<double>(matrix.rows));
      for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = static_cast<float>(w[i] * (1 - rate * 0.25) - length * direction[i]);
      }
    }
    std::ranges::copy(w, expected.begin() + static_cast<std::ptrdiff_t>(matrix.first));
  }
  CHECK(hidden == 8);
  CHECK(largest_difference(found, expected) < 1e-6);
  CHECK(Optimizer::slices(params) == Slices::none);
}

}  // namespace ddl::nn
