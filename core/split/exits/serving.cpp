#include "core/split/exits/serving.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/portable_math.hpp"
#include "core/data/subset.hpp"

namespace ddl::split {

RequestTimes::RequestTimes(Node& node, const ServingParams& params)
    : node_(node), params_(params), random_(node.rng("requests")), last_s_(node.now()) {}

double RequestTimes::wait_for_next() {
  switch (params_.arrivals) {
    case Arrivals::after_answer:
      return last_s_ = node_.now();
    case Arrivals::regular:
      last_s_ += params_.interval.value;
      break;
    case Arrivals::poisson:
      last_s_ -= params_.interval.value * portable_log(1 - random_.uniform());
      break;
  }
  if (last_s_ > node_.now()) node_.receive_for(no_port, last_s_ - node_.now(), service);
  return last_s_;
}

RequestedSamples::RequestedSamples(const ModelParallel& parallel, std::uint64_t seed, int requests)
    : count_(parallel.sample_count(SampleSet::test)) {
  const auto wanted = static_cast<std::size_t>(requests);
  if (wanted >= count_) return;
  std::vector<std::uint32_t> all(count_);
  std::iota(all.begin(), all.end(), 0u);
  const auto samples = parallel.samples(SampleSet::test, all);
  if (samples == nullptr) return;  // timing only
  drawn_ = data::draw_subset(samples->labels, wanted, stream(seed, "everybody", "requested samples"));
}

std::uint32_t RequestedSamples::of(std::int64_t request) const {
  const auto number = static_cast<std::size_t>(request);
  return drawn_.empty() ? static_cast<std::uint32_t>(number % count_) : drawn_.at(number);
}

int predicted_class(std::span<const float> outputs) {
  return static_cast<int>(std::ranges::max_element(outputs) - outputs.begin());
}

std::vector<SettingError> errors_in(const ServingParams& params) {
  const bool timed = params.arrivals != Arrivals::after_answer;
  if (timed && params.interval.value <= 0) {
    return {{"serving", "needs an \"interval\" between requests; expected one such as \"50ms\""}};
  }
  if (!timed && params.interval.value > 0) {
    return {{"serving",
             "has an \"interval\", but requests wait for answers; expected arrivals \"regular\" or \"poisson\""}};
  }
  return {};
}

}  // namespace ddl::split
