// Sums that an actor beside the worker's own makes, so that they travel while the worker computes. They are made one
// after the other, in the order in which they are asked for: the same at every worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/comm/allreduce.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/node/node.hpp"

namespace ddl::membership {

// Of a group whose hosts stay.
class BackgroundSums {
 public:
  // Both outlive it. `what` is waited for.
  BackgroundSums(Node& node, CompressedSum& sums, const char* what) : node_(node), sums_(sums), what_(what) {}

  void start();
  // The sum of what workers contribute to a part of the vector. Its number is that of the sums asked for before.
  void ask(std::size_t part, comm::Sum own);
  std::int64_t asked() const { return asked_; }
  // Of one that was asked for and is not forgotten.
  const comm::Sum& own(std::int64_t number) const { return known_.at(number).own; }
  const comm::Sum& wait_for(std::int64_t number);                                         // W.
  const comm::Sum& total(std::int64_t number) const { return *known_.at(number).total; }  // that was waited for
  void forget(std::int64_t number) { known_.erase(number); }

 private:
  struct Asked {
    std::size_t part;
    comm::Sum own;
    std::optional<comm::Sum> total;
  };
  void serve();

  Node& node_;
  CompressedSum& sums_;
  const char* const what_;
  std::map<std::int64_t, Asked> known_;
  std::int64_t asked_ = 0;
};

}  // namespace ddl::membership
