#include "sim/run/learning/evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace ddl::run {
namespace {

// Models are kept until they are scored: at most so many points, and so many bytes if that is less.
constexpr std::size_t most_points_waiting = 8;
constexpr std::size_t most_bytes_waiting = std::size_t{512} << 20;

std::size_t most_waiting(const std::vector<WorkerPoint>& workers) {
  if (!workers.front().weights) return most_points_waiting;
  const std::size_t bytes = workers.size() * workers.front().weights->size() * sizeof(float);
  return std::clamp<std::size_t>(most_bytes_waiting / bytes, 1, most_points_waiting);
}

// Models by their bits; without learning there are none.
struct ByContent {
  bool operator()(const Payload& one, const Payload& other) const {
    if (one == other || !one || !other) return one < other;
    if (one->size() != other->size()) return one->size() < other->size();
    return std::memcmp(one->data(), other->data(), one->size() * sizeof(float)) < 0;
  }
};

}  // namespace

Evaluator::Evaluator(Trainer& trainer, std::vector<std::string> worker_names)
    : trainer_(trainer), worker_names_(std::move(worker_names)) {}

void Evaluator::add(double time_s, double bytes_sent, double epoch, std::vector<WorkerPoint> workers,
                    const std::vector<Voter>& ensemble) {
  if (!points_.empty() && points_.back().time_s == time_s) {
    // The losses since the point before are those of the replaced point, unless there are newer ones.
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (!workers[w].train_loss) workers[w].train_loss = points_.back().workers[w].train_loss;
    }
    scored_ = std::min(scored_, points_.size() - 1);
    points_.pop_back();
  }
  while (points_.size() - scored_ >= most_waiting(workers)) score(points_[scored_++]);
  Point& point = points_.emplace_back();
  point.time_s = time_s;
  point.bytes_sent = bytes_sent;
  point.epoch = epoch;
  point.workers = std::move(workers);
  if (const Learned* learned = trainer_.learned()) {
    replay(point, learned->evaluations.at(begun_.size()));
  } else {
    begin(point, ensemble);
  }
  begun_.push_back(point.scores);
  begun_.back().push_back(point.averaged);
}

void Evaluator::replay(Point& point, const std::vector<nn::Score>& scores) {
  for (const nn::Score& score : scores) point.scores.push_back(std::make_shared<Trainer::Evaluation>(score));
  point.averaged = std::move(point.scores.back());
  point.scores.pop_back();
}

std::vector<std::vector<nn::Score>> Evaluator::scores() {
  std::vector<std::vector<nn::Score>> all(begun_.size());
  for (std::size_t point = 0; point < all.size(); ++point) {
    for (const auto& evaluation : begun_[point]) all[point].push_back(evaluation->wait());
  }
  return all;
}

void Evaluator::begin(Point& point, const std::vector<Voter>& ensemble) {
  if (!ensemble.empty()) {
    point.averaged = trainer_.begin_evaluation(ensemble);
    point.scores.assign(point.workers.size(), point.averaged);
    for (WorkerPoint& worker : point.workers) worker.weights = nullptr;
    return;
  }
  const Payload first = point.workers.front().weights;
  const bool is_one = std::ranges::all_of(point.workers, [&](const auto& worker) { return worker.weights == first; });
  std::map<Payload, std::shared_ptr<Trainer::Evaluation>, ByContent> begun;  // workers agree after an all-reduce
  std::vector<Payload> models;
  for (WorkerPoint& worker : point.workers) {
    auto& evaluation = begun[worker.weights];
    if (!evaluation) evaluation = trainer_.begin_evaluation({worker.weights});
    point.scores.push_back(evaluation);
    if (worker.counts) models.push_back(std::move(worker.weights));
  }
  point.averaged = is_one ? point.scores[0] : trainer_.begin_evaluation(std::move(models));
}

void Evaluator::score(Point& point) {
  if (point.scored) return;
  for (const auto& evaluation : point.scores) evaluation->wait();
  point.averaged->wait();
  point.scored = true;
  known_ = mean_score(point);
  known_s_ = point.time_s;
  if (!first_) first_ = known_;
}

nn::Score Evaluator::mean_score(Point& point) {
  const auto n = static_cast<double>(std::ranges::count_if(point.workers, &WorkerPoint::counts));
  nn::Score mean;
  for (std::size_t w = 0; w < point.scores.size(); ++w) {
    if (!point.workers[w].counts) continue;
    const nn::Score& score = point.scores[w]->wait();
    mean.loss += score.loss / n;
    mean.accuracy += score.accuracy;
  }
  mean.accuracy /= n;
  return mean;
}

nn::Score Evaluator::last_score() {
  while (scored_ < points_.size()) score(points_[scored_++]);
  return mean_score(points_.back());
}

bool Evaluator::Point::is_known() const {
  return scored || (averaged->is_known() && std::ranges::all_of(scores, [](const auto& s) { return s->is_known(); }));
}

std::vector<CurveRow> Evaluator::take_known(bool all) {
  std::vector<CurveRow> rows;
  for (; taken_ < points_.size(); ++taken_) {
    if (!all && (taken_ + 1 == points_.size() || !points_[taken_].is_known())) break;
    score(points_[taken_]);
    rows.push_back(mean_row(points_[taken_]));
  }
  return rows;
}

CurveRow Evaluator::mean_row(Point& point) const {
  const auto n = static_cast<double>(std::ranges::count_if(point.workers, &WorkerPoint::counts));
  CurveRow mean;
  mean.worker = mean_of_workers;
  mean.time_s = point.time_s;
  mean.epoch = point.epoch;
  mean.bytes_sent = point.bytes_sent;
  double loss_sum = 0, losses = 0;
  for (std::size_t w = 0; w < point.workers.size(); ++w) {
    const WorkerPoint& worker = point.workers[w];
    mean.samples += worker.samples;
    if (!worker.counts) continue;
    mean.iteration += static_cast<double>(worker.steps) / n;
    if (worker.train_loss) loss_sum += *worker.train_loss, losses += 1;
  }
  const nn::Score score = mean_score(point);
  trainer_.put_score(mean, score);
  if (losses > 0) mean.train_loss = loss_sum / losses;
  return mean;
}

std::vector<CurveRow> Evaluator::curve() {
  std::vector<CurveRow> rows;
  for (Point& point : points_) {
    score(point);
    const CurveRow mean = mean_row(point);
    for (std::size_t w = 0; w < point.workers.size(); ++w) {
      const WorkerPoint& worker = point.workers[w];
      const nn::Score& score = point.scores[w]->wait();
      CurveRow row;
      row.time_s = point.time_s;
      row.epoch = point.epoch;
      row.bytes_sent = point.bytes_sent;
      row.worker = worker_names_[w];
      row.iteration = static_cast<double>(worker.steps);
      row.samples = worker.samples;
      row.train_loss = worker.train_loss;
      trainer_.put_score(row, score);
      rows.push_back(row);
    }
    rows.push_back(mean);
    CurveRow averaged = mean;
    averaged.worker = averaged_model;
    trainer_.put_score(averaged, point.averaged->wait());
    rows.push_back(averaged);
  }
  return rows;
}

}  // namespace ddl::run
