// Requests for predictions that come once training is over, to worker 0.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/model_parallel.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"

namespace ddl::split {

enum class Arrivals { after_answer, regular, poisson };
constexpr auto enum_names(Arrivals) { return in_order<Arrivals>("after_answer", "regular", "poisson"); }

struct ServingParams {
  int requests = 0;
  Arrivals arrivals = Arrivals::after_answer;  // each once the one before is answered; at one distance; at random
  Seconds interval;                            // mean time between two requests
  Bytes answer_bytes{4};                       // size of an answer that travels
};
template <class Visitor>
void fields(Visitor& visit, ServingParams& params) {
  visit("requests", params.requests,
        Rule{.doc = "predictions asked for once training is over", .at_least = 0, .at_most = 1e7});
  visit("arrivals", params.arrivals, Rule{.doc = "when they come"});
  visit("interval", params.interval, Rule{.doc = "regular, poisson: mean time between two", .at_least = 0});
  visit("answer_bytes", params.answer_bytes, Rule{.doc = "size of an answer that travels", .at_least = 0});
}

// Errors in these settings.
std::vector<SettingError> errors_in(const ServingParams& params);

// The times of requests at a node.
class RequestTimes {
 public:
  RequestTimes(Node& node, const ServingParams& params);
  // W. Waits for the next request, and returns its arrival: while the node was busy, or now.
  double wait_for_next();

 private:
  Node& node_;
  const ServingParams params_;
  Stream random_;
  double last_s_;
};

// The requested test samples: all in order, over and over again, or as many as there are requests, drawn by the run's
// seed, classes in proportion, in order.
class RequestedSamples {
 public:
  RequestedSamples(const ModelParallel& parallel, std::uint64_t seed, int requests);
  std::uint32_t of(std::int64_t request) const;

 private:
  std::vector<std::uint32_t> drawn_;
  std::size_t count_;  // size of the test set; an empty drawn_ means all of it
};

constexpr int no_port = 1000;  // nothing ever arrives there

// The predicted class of one sample: the first largest output.
int predicted_class(std::span<const float> outputs);

}  // namespace ddl::split
