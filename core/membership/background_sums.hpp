// Sums made by an actor beside the worker's own, so that they travel while the worker computes. They are made one after
// the other, in the order of the requests: the same at every worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/comm/allreduce.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/node/node.hpp"

namespace ddl::membership {

class BackgroundSums {
 public:
  // Both outlive it. `what` names the wait.
  BackgroundSums(Node& node, CompressedSum& sums, const char* what) : node_(node), sums_(sums), what_(what) {}

  // `first`: the number of the first sum, which is the count of all-reduces at a newcomer. Then in order of request.
  void start(std::int64_t first = 0);
  // Requests the sum of the workers' contributions to a part of the vector.
  void ask(std::size_t part, comm::Sum own);
  std::int64_t asked() const { return asked_; }
  // The worker's contribution to a sum that is not forgotten.
  const comm::Sum& own(std::int64_t number) const { return known_.at(number).own; }
  const comm::Sum& wait_for(std::int64_t number);                                         // W.
  const comm::Sum& total(std::int64_t number) const { return *known_.at(number).total; }  // only after wait_for
  void forget(std::int64_t number) { known_.erase(number); }
  // Calls `take(number, total)` for each sum that is complete and not forgotten, in order.
  template <class Take>
  void each_total(Take take) const {
    for (const auto& [number, asked] : known_) {
      if (asked.total) take(number, *asked.total);
    }
  }

 private:
  struct Asked {
    std::size_t part;
    comm::Sum own;
    std::optional<comm::Sum> total;
  };
  void serve(std::int64_t number);

  Node& node_;
  CompressedSum& sums_;
  const char* const what_;
  std::map<std::int64_t, Asked> known_;
  std::int64_t asked_ = 0;
};

}  // namespace ddl::membership
