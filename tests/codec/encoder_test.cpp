// Each codec's message, its size, and its remainder.
#include "core/codec/encoder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddl::codec::encoder_test {

namespace {

using Vector = std::vector<float>;

Encoder encoder(const CodecParams& codec, std::vector<std::size_t> sections) {
  return {codec, std::move(sections), stream(1, "test", "codec")};
}

// Whole numbers from -50 to 50: sums and differences of them are exact.
Vector whole_numbers(std::size_t count, const char* purpose) {
  Stream random = stream(7, "test", purpose);
  Vector values(count);
  for (float& value : values) value = static_cast<float>(random.below(101)) - 50;
  return values;
}

}  // namespace

TEST_CASE("sizes are those of the encodings, by hand") {
  const std::vector<std::size_t> tensors = {700, 300};
  const auto bits = [&](const CodecParams& codec) { return encoded_bits(codec, tensors); };
  CHECK(bits(NoCodecParams{}) == 1000 * 32);
  CHECK(bits(TopKParams{.fraction = 0.01}) == 10 * (32 + 32));
  CHECK(bits(TopKParams{.fraction = 0.0101}) == 11 * (32 + 32));
  CHECK(bits(TopKParams{.fraction = 1e-9}) == 32 + 32);  // at least one
  CHECK(bits(RandomKParams{.fraction = 0.05}) == 50 * 32);
  CHECK(bits(QsgdParams{.bits = 4, .bucket = 512}) == 1000 * 4 + 2 * 32);
  CHECK(bits(SignParams{}) == 1000 + 2 * 32);                // a scale per tensor
  CHECK(bits(SignParams{.bucket = 100}) == 1000 + 10 * 32);  // or per bucket
}

TEST_CASE("with values or without, the size is the same, and mean_threshold adds four bytes per value it keeps") {
  for (const CodecParams& codec : std::vector<CodecParams>{NoCodecParams{}, TopKParams{}, RandomKParams{}, QsgdParams{},
                                                           SignParams{.bucket = 64}}) {
    Vector values = whole_numbers(1000, "values");
    CHECK(has_fixed_size(codec));
    CHECK(encoder(codec, {1000}).encode(values) == encoder(codec, {1000}).encode({}));
  }
  Vector values = {1, -5, 2, 6, /*second tensor*/ 100, -300};  // means 3.5 and 200
  CHECK_FALSE(has_fixed_size(MeanThresholdParams{}));
  CHECK(encoder(MeanThresholdParams{}, {4, 2}).encode(values) == 6 + 3 * 32);
  CHECK(values == Vector{0, -5, 0, 6, 0, -300});
}

TEST_CASE("values sent and residual add up to the input exactly, round after round") {
  for (const CodecParams& codec :
       std::vector<CodecParams>{TopKParams{.fraction = 0.1}, RandomKParams{.fraction = 0.1, .error_feedback = true},
                                MeanThresholdParams{}}) {
    CAPTURE(codec.index());
    Encoder stream_of = encoder(codec, {150, 50});
    Vector put_in(200), sent(200);
    for (int round = 0; round < 30; ++round) {
      Vector values = whole_numbers(200, round % 2 == 0 ? "even" : "odd");
      for (std::size_t i = 0; i < 200; ++i) put_in[i] += values[i];
      stream_of.encode(values);
      for (std::size_t i = 0; i < 200; ++i) sent[i] += values[i];
      REQUIRE(stream_of.residual().size() == 200);
      for (std::size_t i = 0; i < 200; ++i) REQUIRE(sent[i] + stream_of.residual()[i] == put_in[i]);
    }
    CHECK(std::ranges::any_of(stream_of.residual(), [](float left) { return left != 0; }));
  }
}

TEST_CASE("without error feedback nothing is kept for later") {
  Encoder forgetful = encoder(TopKParams{.fraction = 0.25, .error_feedback = false}, {4});
  for (int round = 0; round < 3; ++round) {
    Vector values = {3, 1, 1, 1};
    forgetful.encode(values);
    CHECK(values == Vector{3, 0, 0, 0});
  }
  CHECK(forgetful.residual().empty());
}

TEST_CASE("top_k keeps the largest magnitudes, the first of equal ones, and in time sends every coordinate") {
  Vector values = {1, -7, 3, 7, -2, 3, 0, 1};
  Encoder largest = encoder(TopKParams{.fraction = 3.0 / 8}, {8});
  largest.encode(values);
  CHECK(values == Vector{0, -7, 3, 7, 0, 0, 0, 0});
  Vector second(8);  // the residual is -2, 3 and ones
  largest.encode(second);
  CHECK(second == Vector{1, 0, 0, 0, -2, 3, 0, 0});
}

TEST_CASE("a value that is no number travels, and breaks no order") {
  Vector values = {1, NAN, 5, 2};
  encoder(TopKParams{.fraction = 0.5}, {4}).encode(values);
  CHECK(std::isnan(values[1]));
  CHECK(values[2] == 5);
  CHECK(values[0] == 0);
}

TEST_CASE("random_k sends K coordinates, all in time, and is unbiased without error feedback") {
  const Vector truth = {4, -3, 2, 1, -8, 0.5f, 6, -1};
  Encoder random = encoder(RandomKParams{.fraction = 0.25}, {8});
  const int draws = 40000;
  std::vector<double> mean(8);
  for (int draw = 0; draw < draws; ++draw) {
    Vector values = truth;
    random.encode(values);
    REQUIRE(std::ranges::count(values, 0.0f) == 6);
    for (std::size_t i = 0; i < 8; ++i) mean[i] += values[i] / static_cast<double>(draws);
  }
  // A coordinate is 4v with probability 1/4, else 0: standard deviation sqrt(3) |v|, of the mean 0.0087 |v|.
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::fabs(mean[i] - truth[i]) < 5 * 0.0087 * std::fabs(truth[i]));
}

TEST_CASE("qsgd is unbiased, and sends only multiples of norm / levels") {
  const Vector truth = {3, -4, 0, 12, /*second bucket*/ 0.6f, -0.8f};  // norms 13 and 1
  Encoder qsgd = encoder(QsgdParams{.bits = 3, .bucket = 4}, {6});     // levels 0 .. 3
  const int draws = 40000;
  std::vector<double> mean(6);
  for (int draw = 0; draw < draws; ++draw) {
    Vector values = truth;
    qsgd.encode(values);
    for (std::size_t i = 0; i < 6; ++i) {
      const double level = values[i] * 3 / (i < 4 ? 13.0 : 1.0);
      REQUIRE(std::fabs(level - std::round(level)) < 1e-5);
      REQUIRE(std::fabs(level) <= 3.00001);
      mean[i] += values[i] / static_cast<double>(draws);
    }
  }
  // Between neighbouring levels the standard deviation is at most half their distance.
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::fabs(mean[i] - truth[i]) < 5 * (i < 4 ? 13.0 : 1.0) / 3 / 2 / std::sqrt(draws));
  }
  Vector zeros(6);
  qsgd.encode(zeros);
  CHECK(zeros == Vector(6));
}

TEST_CASE("sign sends each tensor's mean magnitude with the values' signs") {
  Vector values = {1, -3, 2, 6, /*second tensor*/ -10, 30};
  encoder(SignParams{}, {4, 2}).encode(values);
  CHECK(values == Vector{3, -3, 3, 3, -20, 20});
  Vector bucketed = {1, -3, 2, 6, -10, 30};
  encoder(SignParams{.bucket = 3}, {4, 2}).encode(bucketed);
  CHECK(bucketed == Vector{2, -2, 2, 46 / 3.0f, -46 / 3.0f, 46 / 3.0f});
}

TEST_CASE("descent on signs converges with error feedback and not without") {
  // Minimise |x - target|^2 / 2, whose coordinates differ by a factor of a thousand. Without memory every coordinate
  // moves by the same amount, so the small ones keep swinging about their target for as long as the large one moves.
  const auto distance_after = [](bool error_feedback) {
    const Vector target = {100, 0.1f, -0.1f, 0.1f};
    Vector x(4);
    Encoder signs = encoder(SignParams{.error_feedback = error_feedback}, {4});
    for (int step = 0; step < 400; ++step) {
      Vector gradient(4);
      for (std::size_t i = 0; i < 4; ++i) gradient[i] = 0.05f * (x[i] - target[i]);
      signs.encode(gradient);
      for (std::size_t i = 0; i < 4; ++i) x[i] -= gradient[i];
    }
    double squares = 0;
    for (std::size_t i = 0; i < 4; ++i) squares += std::pow(x[i] - target[i], 2);
    return std::sqrt(squares);
  };
  CHECK(distance_after(true) < 1.0);
  CHECK(distance_after(false) > 2 * distance_after(true));
}

TEST_CASE("the plain mean as threshold drops every negative value when it is about zero") {
  Vector values = {-4, 3, -2, 1, 2};  // mean 0
  CHECK(drop_below_mean(values, MeanOf::values) == 3);
  CHECK(values == Vector{0, 3, 0, 1, 2});
  Vector magnitudes = {-4, 3, -2, 1, 2};  // mean 2.4
  CHECK(drop_below_mean(magnitudes, MeanOf::magnitudes) == 2);
  CHECK(magnitudes == Vector{-4, 3, 0, 0, 0});
}

}  // namespace ddl::codec::encoder_test
