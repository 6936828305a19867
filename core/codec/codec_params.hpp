// Settings of the codecs: lossy encodings of gradients. Each says of itself what lists tell of it, if decoded values
// depend on random numbers, and if the size of an encoding depends on the settings alone.
#pragma once

#include <variant>

#include "core/base/fields.hpp"

namespace ddl::codec {

// SystemFacts::tuned of a system whose gradients may be encoded.
inline constexpr const char* tuned =
    R"({"codec": ["e3m0", {"type": "top_k", "fraction": 0.1}, {"type": "top_k", "fraction": 0.02},
                  {"type": "top_k", "fraction": 0.004}]})";

struct NoCodecParams {
  static constexpr const char* tag = "none";
  static constexpr const char* what = "every value as four bytes";
  static constexpr bool is_random = false, has_fixed_size = true;
};
// The largest values, each with its index. Values that are dropped go into the residual (Strom, 2015; Aji and Heafield,
// 2017).
struct TopKParams {
  static constexpr const char* tag = "top_k";
  static constexpr const char* what = "the largest values, 4 + 4 bytes each [Aji and Heafield, 2017]";
  static constexpr bool is_random = false, has_fixed_size = true;
  double fraction = 0.01;
  bool error_feedback = true;
};
// Values at coordinates that sender and receiver draw alike, so that no index travels. Without error feedback they are
// scaled by d/K, which makes the decoded vector unbiased.
struct RandomKParams {
  static constexpr const char* tag = "random_k";
  static constexpr const char* what = "values at coordinates both ends draw, 4 bytes each [Stich et al., 2018]";
  static constexpr bool is_random = true, has_fixed_size = true;
  double fraction = 0.01;
  bool error_feedback = false;
};
// Each value rounded at random to one of the multiples of norm/s that enclose it, so that the result is unbiased; s
// follows from the bits of a code, sign included (Alistarh et al., NIPS 2017; codes of fixed width instead of Elias's).
struct QsgdParams {
  static constexpr const char* tag = "qsgd";
  static constexpr const char* what =
      "values rounded at random to a few bits, a norm per bucket [Alistarh et al., 2017]";
  static constexpr bool is_random = true, has_fixed_size = true;
  int bits = 4;
  int bucket = 512;
};
// Signs times the mean magnitude (Seide et al., 2014; Karimireddy et al., ICML 2019).
struct SignParams {
  static constexpr const char* tag = "sign";
  static constexpr const char* what = "1 bit each, a scale per tensor or bucket [Karimireddy et al., 2019]";
  static constexpr bool is_random = false, has_fixed_size = true;
  int bucket = 0;
  bool error_feedback = true;
};
// Values not below their tensor's mean magnitude, marked in a bitmap (the mask of Cui, 2019, put on the wire).
struct MeanThresholdParams {
  static constexpr const char* tag = "mean_threshold";
  static constexpr const char* what = "values of at least their tensor's mean magnitude, and a bitmap [Cui, 2019]";
  static constexpr bool is_random = false, has_fixed_size = false;
  bool error_feedback = true;
};

// Four bits: a sign and three bits of exponent, times the bucket's largest magnitude m. Codes 7 to 1 are m, m/2, ...,
// m/64, and code 0 is zero; rounded to the nearest of these (Streaming DiLoCo, Douillard et al., 2025). Values that are
// not finite stay as they are.
struct E3m0Params {
  static constexpr const char* tag = "e3m0";
  static constexpr const char* what =
      "4 bits: a sign and a power of two of the bucket's largest value [Douillard et al., 2025]";
  static constexpr bool is_random = false, has_fixed_size = true;
  int bucket = 512;
  bool error_feedback = false;
};

using CodecParams =
    std::variant<NoCodecParams, TopKParams, RandomKParams, QsgdParams, SignParams, MeanThresholdParams, E3m0Params>;

template <class Visitor>
void error_feedback_field(Visitor& visit, bool& error_feedback) {
  visit("error_feedback", error_feedback, Rule{.doc = "what is not sent is added to the next gradient"});
}
template <class Visitor>
void fraction_field(Visitor& visit, double& fraction) {
  visit("fraction", fraction, Rule{.doc = "share of the values that is sent", .above = 0, .at_most = 1});
}

template <class Visitor>
void fields(Visitor&, NoCodecParams&) {}
template <class Visitor>
void fields(Visitor& visit, TopKParams& params) {
  fraction_field(visit, params.fraction);
  error_feedback_field(visit, params.error_feedback);
}
template <class Visitor>
void fields(Visitor& visit, RandomKParams& params) {
  fraction_field(visit, params.fraction);
  error_feedback_field(visit, params.error_feedback);
}
template <class Visitor>
void fields(Visitor& visit, QsgdParams& params) {
  visit("bits", params.bits, Rule{.doc = "of each value, its sign included", .at_least = 2, .at_most = 16});
  visit("bucket", params.bucket, Rule{.doc = "values that share a norm", .at_least = 1, .at_most = 1e9});
}
template <class Visitor>
void fields(Visitor& visit, SignParams& params) {
  visit("bucket", params.bucket,
        Rule{.doc = "values that share a scale; 0: a tensor's", .at_least = 0, .at_most = 1e9});
  error_feedback_field(visit, params.error_feedback);
}
template <class Visitor>
void fields(Visitor& visit, E3m0Params& params) {
  visit("bucket", params.bucket, Rule{.doc = "values that share a scale", .at_least = 1, .at_most = 1e9});
  error_feedback_field(visit, params.error_feedback);
}
template <class Visitor>
void fields(Visitor& visit, MeanThresholdParams& params) {
  error_feedback_field(visit, params.error_feedback);
}

}  // namespace ddl::codec
