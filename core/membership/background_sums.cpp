#include "core/membership/background_sums.hpp"

#include <utility>

namespace ddl::membership {

void BackgroundSums::start(std::int64_t first) {
  asked_ = first;
  node_.spawn("sums", [this, first] { serve(first); });
}

void BackgroundSums::ask(std::size_t part, comm::Sum own) {
  known_[asked_++] = {part, std::move(own), std::nullopt};
  node_.notify();
}

const comm::Sum& BackgroundSums::wait_for(std::int64_t number) {
  node_.wait_until([this, number] { return known_.at(number).total.has_value(); }, what_);
  return total(number);
}

void BackgroundSums::serve(std::int64_t number) {
  for (;; ++number) {
    sums_.group().wait_until([this, number] { return number < asked_; });
    const std::size_t part = known_.at(number).part;
    const comm::Sum own = known_.at(number).own;
    comm::Sum total = sums_.sum(part, own);
    known_.at(number).total = std::move(total);
    node_.notify();
  }
}

}  // namespace ddl::membership
