// The learning curve: models as they are at given simulated times, scored whenever the math threads have time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/learning/trainer.hpp"
#include "sim/run/rows/run_result.hpp"

namespace ddl::run {

// A worker's state when a curve point is taken.
struct WorkerPoint {
  Payload weights;  // the model it would be judged by
  std::int64_t steps = 0;
  double samples = 0;
  std::optional<double> train_loss;  // mean since the last point
  bool counts = true;                // in means; at least one does
};

class Evaluator {
 public:
  Evaluator(Trainer& trainer, std::vector<std::string> worker_names);

  // A curve point. A point at the time of the last one replaces it. Blocks the simulation, not simulated time, while
  // more points wait to be scored than memory should hold.
  // An ensemble that is not empty is what all workers are judged by.
  void add(double time_s, double bytes_sent, double epoch, std::vector<WorkerPoint> workers,
           const std::vector<Voter>& ensemble = {});

  // Means over workers at the last point, now. There is one.
  nn::Score last_score();
  // The same of the newest point already scored, for display; none before.
  const std::optional<nn::Score>& known_score() const { return known_; }
  double known_s() const { return known_s_; }  // its simulated time
  const std::optional<nn::Score>& first_score() const { return first_; }

  // The mean rows of points that have not been asked for here yet, in order: of those whose scores are known, so that
  // this never waits, and without the newest, which another one may replace; or of `all`.
  std::vector<CurveRow> take_known(bool all);
  // The scores of all points, also those that were replaced: by worker, then of the averaged model.
  std::vector<std::vector<nn::Score>> scores();
  // The whole curve: per point a row per worker, then the mean and the averaged model.
  std::vector<CurveRow> curve();

 private:
  struct Point {
    double time_s = 0, bytes_sent = 0, epoch = 0;
    std::vector<WorkerPoint> workers;
    std::vector<std::shared_ptr<Trainer::Evaluation>> scores;  // per worker
    std::shared_ptr<Trainer::Evaluation> averaged;
    bool scored = false;

    bool is_known() const;
  };

  void begin(Point& point, const std::vector<Voter>& ensemble);
  void replay(Point& point, const std::vector<nn::Score>& scores);
  void score(Point& point);
  static nn::Score mean_score(Point& point);
  CurveRow mean_row(Point& point) const;

  Trainer& trainer_;
  const std::vector<std::string> worker_names_;
  std::deque<Point> points_;
  std::vector<std::vector<std::shared_ptr<Trainer::Evaluation>>> begun_;  // as scores() has them
  std::size_t scored_ = 0;                                                // points scored, in order
  std::size_t taken_ = 0;                                                 // by take_known
  std::optional<nn::Score> first_, known_;
  double known_s_ = 0;
};

}  // namespace ddl::run
