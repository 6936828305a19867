// When a run is over, as far as counting steps and samples tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/nn/model.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

class StopRule {
 public:
  // `sharing`: workers whose steps on one minibatch are one step together.
  StopRule(const scenario::StopSpec& stop, int batch_size, int sharing, std::size_t training_samples)
      : stop_(stop),
        batch_size_(batch_size),
        sharing_(sharing),
        training_samples_(static_cast<double>(training_samples)) {
    if (stop.samples) most_samples_ = static_cast<double>(*stop.samples);
    if (stop.epochs && *stop.epochs * training_samples_ < most_samples_) {
      most_samples_ = *stop.epochs * training_samples_;
      samples_word_ = "epochs";
    }
  }

  // Whether a worker that has begun `begun` steps may begin another.
  bool may_begin(std::int64_t begun) {
    if (stop_.iterations && begun >= *stop_.iterations) return refuse("iterations");
    return !has_enough_samples() || refuse(samples_word_);
  }

  // A worker has finished a step. Samples are counted then and not when a step begins: a slow worker's step would hold
  // up the end of a run that the others have long filled.
  void count_step(double now_s) {
    if (now_s > counted_s_) {
      samples_before_ = samples_;
      counted_s_ = now_s;
    }
    if (++steps_ % sharing_ != 0) return;
    samples_ += batch_size_;
    if (has_enough_samples()) refuse(samples_word_);
  }
  bool has_enough_samples() const { return samples_ >= most_samples_; }

  bool has_time() const { return stop_.time.has_value(); }
  std::int64_t steps() const { return steps_; }          // finished, by all workers
  const std::string& reason() const { return reason_; }  // the first refusal's

  // The part of the run that was over before this instant, by time or samples, whichever is more: the same to all whose
  // steps end in it.
  double share(double now_s) const {
    double most = 0;
    if (stop_.time) most = now_s / stop_.time->value;
    if (most_samples_ < std::numeric_limits<double>::infinity())
      most = std::max(most, (now_s > counted_s_ ? samples_ : samples_before_) / most_samples_);
    return std::min(1.0, most);
  }

  // How far the run is, 0 .. 1, by whichever condition is nearest. `first` and `score`: means over workers, as first
  // and as last evaluated; null before.
  double fraction(double now_s, double steps_per_worker, const nn::Score* first, const nn::Score* score) const {
    double most = 0;
    const auto consider = [&](double done, double all) { most = std::max(most, std::min(1.0, done / all)); };
    if (stop_.time) consider(now_s, stop_.time->value);
    if (stop_.iterations) consider(steps_per_worker, static_cast<double>(*stop_.iterations));
    if (most_samples_ < std::numeric_limits<double>::infinity()) consider(samples_, most_samples_);
    if (score != nullptr && stop_.accuracy) consider(score->accuracy, *stop_.accuracy);
    if (score != nullptr && stop_.loss && first->loss > *stop_.loss) {
      consider(std::max(0.0, first->loss - score->loss), first->loss - *stop_.loss);
    }
    return most;
  }

 private:
  bool refuse(const char* why) {
    if (reason_.empty()) reason_ = why;
    return false;
  }

  const scenario::StopSpec stop_;
  const double batch_size_;
  const std::int64_t sharing_;
  const double training_samples_;
  double most_samples_ = std::numeric_limits<double>::infinity();
  const char* samples_word_ = "samples";
  std::int64_t steps_ = 0;
  double samples_ = 0;                          // in finished steps
  double samples_before_ = 0, counted_s_ = -1;  // before the instant of the last one
  std::string reason_;
};

}  // namespace ddl::run
