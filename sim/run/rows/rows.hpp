// Rows of a result's tables. A row's columns stand in it, once; writer, reader and dictionary (ddlsim describe
// curve.csv) follow.
//
//   struct LinkPeriod {
//     std::string link;
//     ...
//     static constexpr const char* file = "links.csv";
//     static constexpr bool always = false;  // whether every result has it
//     template <class Visit>
//     static void columns(Visit&& column) {
//       column("link", "", "as in traffic.csv", &LinkPeriod::link);
//       ...
//
// A column has a name, a unit ("" for none), a meaning, and where its value is: a member (double, int64, bool,
// std::string, optional<double>, whose absence is an empty field); node(member), a node's number, which is its host's
// name in the file; or a function of the row, which is written and not kept when it is read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/node/record.hpp"
#include "sim/network/totals.hpp"

namespace ddl::run {

// A row's own columns; specialised for rows whose structs know of no files.
template <class Row>
struct Table : Row {};

template <class Row>
struct NodeColumn {
  int Row::*index;
};
template <class Row>
constexpr NodeColumn<Row> node(int Row::*index) {
  return {index};
}

// In the place of a worker's name, the rows for all of them: no worker may be called so.
inline constexpr std::string_view mean_of_workers = "mean", averaged_model = "averaged_model";

struct CurveRow {
  double time_s = 0;
  std::string worker;  // a host's name, mean_of_workers or averaged_model
  double iteration = 0;
  double samples = 0;                     // this worker's; all workers' together in the mean and averaged rows
  double epoch = 0;                       // over all workers together
  double bytes_sent = 0;                  // by all nodes
  std::optional<double> train_loss = {};  // mean minibatch loss of the steps since the last evaluation
  std::optional<double> test_loss = {}, test_accuracy = {};  // a program's evaluations may lack one of the two

  static constexpr const char* file = "curve.csv";
  static constexpr bool always = true;
  template <class Visit>
  static void columns(Visit&& column) {
    column("time_s", "s",
           "when the weights were taken; by evaluate.every_iterations, when the last worker had taken its steps",
           &CurveRow::time_s);
    column("worker", "", "a host's name, mean or averaged_model", &CurveRow::worker);
    column("iteration", "steps", "steps finished by this worker; in the rows for all, the workers' mean",
           &CurveRow::iteration);
    column("samples", "samples",
           "samples of this worker's finished steps; in the rows for all, of all workers together", &CurveRow::samples);
    column("epoch", "epochs", "passes over the training set, all workers together", &CurveRow::epoch);
    column("bytes_sent", "bytes", "sent by all nodes so far", &CurveRow::bytes_sent);
    column("train_loss", "nats", "mean minibatch loss of the steps since the last evaluation; empty without one",
           &CurveRow::train_loss);
    column("test_loss", "nats",
           "mean cross-entropy over the test samples; empty where a program's evaluations have no loss",
           &CurveRow::test_loss);
    column(
        "test_accuracy", "share",
        "share of test samples whose largest output is the label; empty where a program's evaluations have no accuracy",
        &CurveRow::test_accuracy);
  }
};

struct IterationRow {
  int worker = 0;
  std::int64_t iteration = 0;
  double start_s = 0, compute_s = 0, end_s = 0;
  std::optional<double> train_loss, train_accuracy;
  double staleness = 0;

  // Rounding alone can make the difference a hair less than nothing.
  double wait_s() const { return std::max(0.0, end_s - start_s - compute_s); }

  static constexpr const char* file = "iterations.csv";
  static constexpr bool always = false;  // "record": {"iterations": false}
  template <class Visit>
  static void columns(Visit&& column) {
    column("worker", "", "host's name", node(&IterationRow::worker));
    column("iteration", "", "number of the worker's step, from 0", &IterationRow::iteration);
    column("start_s", "s", "when the step began, or the one before it was over, if that was later",
           &IterationRow::start_s);
    column("compute_s", "s", "time spent computing in the step", &IterationRow::compute_s);
    column("wait_s", "s", "time spent waiting in the step: for messages, room in a queue, or other workers",
           [](const IterationRow& row) { return row.wait_s(); });
    column("end_s", "s", "when the step was finished", &IterationRow::end_s);
    column("train_loss", "nats",
           "loss of its minibatch, at the weights it started from; empty where a worker has none: in a timing-only "
           "run, and at "
           "stages of early_exit before the last",
           &IterationRow::train_loss);
    column("train_accuracy", "share",
           "share of its minibatch's samples whose largest output, with dropout, is the label; empty without a loss, "
           "in systems whose workers share one model, and of a program's model",
           &IterationRow::train_accuracy);
    column("staleness", "updates",
           "age of the gradient or model that the step used, as its system counts it (docs/glossary.md); 0 in systems "
           "that do not count",
           &IterationRow::staleness);
  }
};

struct TrafficRow {
  std::string link, direction;
  double bytes = 0, utilisation = 0;  // over the whole run; the second as a share of nominal bandwidth
  double bandwidth_bytes_per_s = 0;   // nominal

  static constexpr const char* file = "traffic.csv";
  static constexpr bool always = true;
  template <class Visit>
  static void columns(Visit&& column) {
    column("link", "", "its name in the platform", &TrafficRow::link);
    column("direction", "",
           "up or down (halves of a full-duplex link), both (one capacity for both ways), free (flows do not "
           "share it)",
           &TrafficRow::direction);
    column("bytes", "bytes", "carried in the whole run", &TrafficRow::bytes);
    column("utilisation", "share",
           "share of the nominal bandwidth, over the whole run, whatever profiles and faults made of it meanwhile",
           &TrafficRow::utilisation);
  }
};

using PairRow = network::PairTotals;

template <>
struct Table<PairRow> {
  static constexpr const char* file = "pairs.csv";
  static constexpr bool always = true;
  template <class Visit>
  static void columns(Visit&& column) {
    column("source", "", "sending host", node(&PairRow::source));
    column("target", "", "receiving host", node(&PairRow::target));
    column("messages", "", "messages sent from source to target", &PairRow::messages);
    column("bytes", "bytes", "bytes in them", &PairRow::bytes);
  }
};

template <>
struct Table<Answer> {
  static constexpr const char* file = "requests.csv";
  static constexpr bool always = false;  // only for systems that are asked for predictions
  template <class Visit>
  static void columns(Visit&& column) {
    column("request", "", "its number, from 0 for each threshold, or exit in turn", &Answer::request);
    column("threshold", "", "threshold of early exits; empty without", &Answer::threshold);
    column("exit", "", "host that gave the answer", node(&Answer::exit));
    column("arrival_s", "s", "when the request arrived, at worker 0", &Answer::arrival_s);
    column("answer_s", "s", "when the answer was there", &Answer::answer_s);
    column("latency_s", "s", "time between the two",
           [](const Answer& answer) { return answer.answer_s - answer.arrival_s; });
    column("bytes", "bytes", "sent for it by all nodes, without headers", &Answer::bytes);
    column("correct", "", "1 if the answer is the sample's label, else 0", &Answer::correct);
  }
};

// How busy a link was in one of equal periods.
struct LinkPeriod {
  std::string link, direction;
  double start_s = 0, end_s = 0, utilisation = 0;

  static constexpr const char* file = "links.csv";
  static constexpr bool always = false;  // "record": {"trace": true}
  template <class Visit>
  static void columns(Visit&& column) {
    column("link", "", "as in traffic.csv; links that carried nothing have no rows", &LinkPeriod::link);
    column("direction", "", "likewise", &LinkPeriod::direction);
    column("start_s", "s", "start of the period", &LinkPeriod::start_s);
    column("end_s", "s", "end of the period", &LinkPeriod::end_s);
    column("utilisation", "share", "share of the nominal bandwidth, in the period", &LinkPeriod::utilisation);
  }
};

}  // namespace ddl::run
