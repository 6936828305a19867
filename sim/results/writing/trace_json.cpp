#include "sim/results/writing/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/readable.hpp"

namespace ddl::results {
namespace {

using Nanoseconds = std::int64_t;

Nanoseconds in_ns(double seconds) { return std::llround(seconds * 1e9); }

std::string in_us(Nanoseconds ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string in_quotes_of_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct TraceBox {
  Nanoseconds start = 0, end = 0;
  std::string rest;                  // the event's name and arguments
  std::optional<std::size_t> arrow;  // number of the arrow that starts or ends in it
  bool receives = false;
};

// Puts intervals into as few lanes as keep them from overlapping; the lane of each, by start.
std::vector<std::size_t> lanes_of(std::vector<TraceBox>& intervals) {
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](const TraceBox& a, const TraceBox& b) { return a.start < b.start; });
  std::vector<Nanoseconds> free_from;
  std::vector<std::size_t> lanes;
  for (const TraceBox& interval : intervals) {
    std::size_t lane = 0;
    while (lane < free_from.size() && free_from[lane] > interval.start) ++lane;
    if (lane == free_from.size()) free_from.push_back(0);
    free_from[lane] = interval.end;
    lanes.push_back(lane);
  }
  return lanes;
}

class Writer {
 public:
  Writer(const scenario::Scenario& scenario, const run::RunResult& result)
      : scenario_(scenario), result_(result), trace_(*result.trace), nodes_(result.nodes.size()) {}

  std::string text() {
    sort_spans();
    for (std::size_t node = 0; node < nodes_.size(); ++node) write_node(node);
    write_link_counters();
    write_node_counters();
    write_learning();
    write_faults();
    nlohmann::ordered_json about = {{"program", "ddlsim"}, {"scenario", scenario_.name}, {"seed", scenario_.seed}};
    about["complete"] = !trace_.full_s.has_value();
    if (trace_.full_s) about["note"] = trace_note(result_);
    return "{\"displayTimeUnit\":\"ms\",\n\"otherData\":" +
           about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ",\n\"traceEvents\":[\n" + events_ +
           "\n]}\n";
  }

 private:
  struct NodeSpans {
    std::vector<TraceBox> sends, receives, work;
    std::map<std::int64_t, std::vector<TraceBox>> gradients;  // by step
  };

  void sort_spans() {
    for (std::size_t i = 0; i < trace_.spans.size(); ++i) {
      const run::TraceSpan& span = trace_.spans[i];
      const std::string cut = span.lost ? ",\"lost\":true" : span.finished ? "" : ",\"unfinished\":true";
      const Nanoseconds start = in_ns(span.start_s), end = in_ns(span.end_s);
      NodeSpans& node = nodes_.at(static_cast<std::size_t>(span.node));
      if (span.kind == run::TraceSpan::gradient) {
        node.gradients[span.step].push_back(
            {start, end, fmt::format("\"name\":\"compute\",\"args\":{{\"step\":{}{}}}", span.step, cut), {}, false});
      } else if (span.kind == run::TraceSpan::work) {
        node.work.push_back(
            {start, end, fmt::format("\"name\":\"work\",\"args\":{{\"step\":{}{}}}", span.step, cut), {}, false});
      } else {
        const auto event = [&](const char* what, int other) {
          const std::string name = fmt::format("{} {}", what, result_.nodes.at(static_cast<std::size_t>(other)));
          return fmt::format("\"name\":{},\"args\":{{\"step\":{},\"bytes\":{}{}}}", in_quotes_of_json(name), span.step,
                             csv_field(span.bytes), cut);
        };
        const Nanoseconds latency = in_ns(span.latency_s);
        node.sends.push_back({start, std::max(start, end - latency), event("send to", span.peer), i, false});
        nodes_.at(static_cast<std::size_t>(span.peer))
            .receives.push_back({std::min(end, start + latency), end, event("receive from", span.node), i, true});
      }
    }
    for (const run::IterationRow& row : result_.iterations) {
      if (is_kept(row.end_s)) steps_[row.worker].push_back(&row);
    }
  }

  bool is_kept(double time_s) const { return !trace_.full_s || time_s <= *trace_.full_s; }

  void add(const std::string& event) { events_ += (events_.empty() ? "{" : ",\n{") + event + "}"; }

  void name(const char* what, std::size_t pid, std::size_t tid, const std::string& text) {
    add(fmt::format("\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"name\":{}}}", pid, tid, what,
                    in_quotes_of_json(text)));
  }

  void span(std::size_t pid, std::size_t tid, const TraceBox& interval) {
    add(fmt::format("\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},{}", pid, tid, in_us(interval.start),
                    in_us(interval.end - interval.start), interval.rest));
    if (!interval.arrow) return;
    add(fmt::format(
        "\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"message\",\"name\":\"message\"{}",
        interval.receives ? 'f' : 's', *interval.arrow, pid, tid, in_us(interval.start),
        interval.receives ? ",\"bp\":\"e\"" : ""));
  }

  // Lanes after one another; returns the first thread after them.
  std::size_t write_lanes(std::size_t pid, std::size_t tid, const char* what, std::vector<TraceBox>& intervals) {
    const auto lanes = lanes_of(intervals);
    const std::size_t count = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end()) + 1;
    for (std::size_t lane = 0; lane < count; ++lane) {
      name("thread_name", pid, tid + lane, lane == 0 ? what : fmt::format("{} {}", what, lane + 1));
    }
    for (std::size_t i = 0; i < intervals.size(); ++i) span(pid, tid + lanes[i], intervals[i]);
    return tid + count;
  }

  // Numbers of threads differ between processes, too: readers may take them for the system's.
  void write_node(std::size_t node) {
    const std::size_t pid = node + 1;
    std::size_t tid = next_tid_;
    tids_.push_back(tid);
    name("process_name", pid, tid, result_.nodes[node]);
    name("thread_name", pid, tid, "steps");
    write_steps(pid, tid, nodes_[node]);
    for (const run::GivenUp& given_up : result_.given_up) {
      if (given_up.by == static_cast<int>(node) && is_kept(given_up.time_s)) write_given_up(pid, tid, given_up);
    }
    ++tid;
    tid = write_lanes(pid, tid, "send", nodes_[node].sends);
    tid = write_lanes(pid, tid, "receive", nodes_[node].receives);
    next_tid_ = write_lanes(pid, tid, "work", nodes_[node].work);
  }

  void write_given_up(std::size_t pid, std::size_t tid, const run::GivenUp& given_up) {
    add(fmt::format("\"ph\":\"i\",\"s\":\"p\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":{}", pid, tid,
                    in_us(in_ns(given_up.time_s)),
                    in_quotes_of_json("gives up " + result_.nodes.at(static_cast<std::size_t>(given_up.worker)))));
  }

  // The rest of a step, around its gradients, is waiting.
  void write_steps(std::size_t pid, std::size_t tid, NodeSpans& node) {
    const auto steps = steps_.find(static_cast<int>(pid) - 1);
    if (steps != steps_.end()) {
      for (const run::IterationRow* row : steps->second) {
        const std::string step = std::to_string(row->iteration);
        const Nanoseconds start = in_ns(row->start_s), end = in_ns(row->end_s);
        span(pid, tid, {start, end, "\"name\":\"step " + step + "\",\"args\":{\"step\":" + step + "}", {}, false});
        Nanoseconds here = start;
        const auto wait_until = [&](Nanoseconds until) {
          if (until > here)
            span(pid, tid, {here, until, "\"name\":\"wait\",\"args\":{\"step\":" + step + "}", {}, false});
        };
        for (const TraceBox& gradient : node.gradients[row->iteration]) {
          wait_until(gradient.start);
          span(pid, tid, gradient);
          here = gradient.end;
        }
        wait_until(end);
        node.gradients.erase(row->iteration);
      }
    }
    // Gradients of steps that do not count, because the run or the trace ended in them.
    for (const auto& [step, gradients] : node.gradients) {
      for (const TraceBox& gradient : gradients) span(pid, tid, gradient);
    }
  }

  // Something that changes with time, in a process.
  struct Counter {
    std::size_t pid = 0, tid = 0;
    std::string title, unit;  // JSON texts
    double last = std::numeric_limits<double>::quiet_NaN();
  };
  Counter counter(std::size_t pid, std::size_t tid, const std::string& title, const std::string& unit) {
    return {pid, tid, in_quotes_of_json(title), in_quotes_of_json(unit)};
  }
  void count(Counter& counter, double time_s, double value) {
    if (value == counter.last || !std::isfinite(value)) return;
    counter.last = value;
    add(fmt::format("\"ph\":\"C\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":{},\"args\":{{{}:{:.4g}}}", counter.pid,
                    counter.tid, in_us(in_ns(time_s)), counter.title, counter.unit, value));
  }

  void write_link_counters() {
    const std::size_t pid = result_.nodes.size() + 1;
    if (!trace_.links.empty()) name("process_name", pid, next_tid_, std::string(run::process_of_links));
    for (const run::LinkLoad& load : trace_.links) {
      const run::TrafficRow& link = result_.traffic.at(static_cast<std::size_t>(load.link));
      Counter busy = counter(pid, next_tid_, link.link + " " + link.direction, "busy (%)");
      for (std::size_t i = 0; i < load.bytes.size(); ++i) {
        const double start_s = static_cast<double>(i) * trace_.period_s;
        const double length_s = std::min(trace_.period_s, result_.simulated_s - start_s);
        if (length_s <= 0) break;
        count(busy, start_s, 100 * load.bytes[i] / (link.bandwidth_bytes_per_s * length_s));
      }
      count(busy, std::min(result_.simulated_s, static_cast<double>(load.bytes.size()) * trace_.period_s), 0);
    }
  }

  // Counters of nodes: the staleness of each step, and the messages waiting to be sent.
  void write_node_counters() {
    for (const auto& [worker, rows] : steps_) {
      const auto node = static_cast<std::size_t>(worker);
      Counter staleness = counter(node + 1, tids_.at(node), "staleness", "updates");
      for (const run::IterationRow* row : rows) count(staleness, row->end_s, row->staleness);
    }
    std::map<int, Counter> queues;
    for (const run::TraceQueue& queue : trace_.queues) {
      const auto node = static_cast<std::size_t>(queue.node);
      const auto known = queues.find(queue.node);
      Counter& waiting =
          known != queues.end()
              ? known->second
              : queues.emplace(queue.node, counter(node + 1, tids_.at(node), "queue", "messages")).first->second;
      count(waiting, queue.time_s, static_cast<double>(queue.messages));
    }
  }

  // Learning curves: a worker's in its own process, the mean in a process of all, which marks the evaluations, too.
  void write_learning() {
    if (result_.curve.empty()) return;
    std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // process and thread
    for (std::size_t node = 0; node < static_cast<std::size_t>(result_.workers); ++node) {
      places[result_.nodes[node]] = {node + 1, tids_[node]};
    }
    const std::pair<std::size_t, std::size_t> all{result_.nodes.size() + 3, next_tid_ + 2};
    places[std::string(run::mean_of_workers)] = all;
    name("process_name", all.first, all.second, std::string(run::process_of_all));
    std::map<std::string, std::pair<Counter, Counter>> counters;
    for (const run::CurveRow& row : result_.curve) {
      const auto place = places.find(row.worker);
      if (place == places.end()) continue;
      const auto [pid, tid] = place->second;
      auto& [accuracy, loss] = counters
                                   .try_emplace(row.worker, counter(pid, tid, "test accuracy", "share"),
                                                counter(pid, tid, "test loss", "nats"))
                                   .first->second;
      if (row.test_accuracy) count(accuracy, row.time_s, *row.test_accuracy);
      if (row.test_loss) count(loss, row.time_s, *row.test_loss);
      if (place->second != all) continue;
      add(fmt::format("\"ph\":\"i\",\"s\":\"g\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"evaluation\"", pid, tid,
                      in_us(in_ns(row.time_s))));
    }
  }

  void write_faults() {
    if (trace_.faults.empty()) return;
    const std::size_t pid = result_.nodes.size() + 2;
    std::vector<TraceBox> intervals;
    for (const run::TraceInterval& fault : trace_.faults) {
      intervals.push_back(
          {in_ns(fault.start_s), in_ns(fault.end_s), "\"name\":" + in_quotes_of_json(fault.what), {}, false});
    }
    name("process_name", pid, next_tid_ + 1, std::string(run::process_of_faults));
    write_lanes(pid, next_tid_ + 1, "changed", intervals);
  }

  const scenario::Scenario& scenario_;
  const run::RunResult& result_;
  const run::Trace& trace_;
  std::vector<NodeSpans> nodes_;
  std::map<int, std::vector<const run::IterationRow*>> steps_;  // by worker
  std::vector<std::size_t> tids_;                               // the thread of each node's steps
  std::size_t next_tid_ = 1;
  std::string events_;
};

}  // namespace

std::string trace_note(const run::RunResult& result) {
  if (!result.trace || !result.trace->full_s) return "";
  return fmt::format("the trace was full at {} of {}: it holds the first {} gradients and messages",
                     readable_seconds(*result.trace->full_s), readable_seconds(result.simulated_s),
                     result.trace->spans.size());
}

std::string trace_json(const scenario::Scenario& scenario, const run::RunResult& result) {
  return Writer(scenario, result).text();
}

std::vector<run::LinkPeriod> link_periods(const run::RunResult& result) {
  std::vector<run::LinkPeriod> periods;
  for (const run::LinkLoad& load : result.trace->links) {
    const run::TrafficRow& link = result.traffic.at(static_cast<std::size_t>(load.link));
    for (std::size_t i = 0; i < load.bytes.size(); ++i) {
      const double start_s = static_cast<double>(i) * result.trace->period_s;
      const double end_s = std::min(start_s + result.trace->period_s, result.simulated_s);
      if (end_s <= start_s) break;
      const double most = link.bandwidth_bytes_per_s * (end_s - start_s);
      periods.push_back({link.link, link.direction, start_s, end_s, load.bytes[i] / most});
    }
  }
  return periods;
}

}  // namespace ddl::results
