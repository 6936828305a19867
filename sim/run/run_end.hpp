// Why and when a run ends. It is not synchronised.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/rows/run_result.hpp"

namespace ddl::run {

// The first reason that is given is the one; a failure counts even if there is a reason already.
class RunEnd {
 public:
  bool is_over() const { return has_failed() || has_stopped(); }
  bool has_stopped() const { return !reason_.empty(); }
  bool has_failed() const { return failure_ != nullptr; }

  const std::string& reason() const { return reason_; }  // as in RunResult::stopped_by
  double time_s() const { return time_s_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  // False: the run is over already.
  bool stop(const std::string& reason, double time_s) {
    if (is_over()) return false;
    reason_ = reason;
    time_s_ = time_s;
    return true;
  }
  bool diverge(Divergence divergence) {
    if (!stop("diverged", divergence.time_s)) return false;
    divergence_ = std::move(divergence);
    return true;
  }
  void fail(std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
  }

 private:
  std::string reason_;
  double time_s_ = 0;
  std::optional<Divergence> divergence_;
  std::exception_ptr failure_;
};

// "w0 waits for its gradient's end; w1 waits for ...; and 3 more wait", of what is listed.
std::string joined(const std::vector<std::string>& waiting);

}  // namespace ddl::run
