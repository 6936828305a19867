// `ddlsim --trace`: trace.json against the Trace Event Format and against the run's other tables.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/results/reading/read_rows.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::trace_test {
namespace {

using Json = nlohmann::json;
using Thread = std::pair<int, int>;  // process, thread

struct Span {
  double begin = 0, end = 0;  // microseconds
  std::string name;
  std::int64_t step = 0;
};

struct Arrow {
  int starts = 0, ends = 0, from = 0, to = 0;
  double start = 0, end = 0;
};

struct ReadTrace {
  std::map<Thread, std::vector<Span>> spans;
  std::map<int, std::string> processes;
  std::map<Thread, std::string> threads;
  std::map<int, Arrow> arrows;
  struct Value {
    double at = 0, value = 0;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Value>> counters;  // by process and name
  std::vector<double> evaluations;
};

bool lies_in_a_span(const std::vector<Span>& spans, double at) {
  for (const Span& span : spans) {
    if (span.begin <= at && at <= span.end) return true;
  }
  return false;
}

// Reads events and checks them against the format.
ReadTrace read_trace(const std::filesystem::path& file) {
  const Json json = Json::parse(text_of(file));
  REQUIRE(json.at("traceEvents").is_array());
  ReadTrace trace;
  for (const Json& event : json["traceEvents"]) {
    const std::string kind = event.at("ph");
    const int process = event.at("pid");
    const Thread thread{process, event.at("tid").get<int>()};
    const std::string name = event.at("name");
    if (kind == "M") {
      const std::string text = event.at("args").at("name");
      name == "process_name" ? trace.processes[process] = text : trace.threads[thread] = text;
      continue;
    }
    const double at = event.at("ts");
    CHECK(at >= 0);
    if (kind == "X") {
      const double length = event.at("dur");
      CHECK(length >= 0);
      trace.spans[thread].push_back({at, at + length, name, event.at("args").at("step")});
    } else if (kind == "s" || kind == "f") {
      CHECK(lies_in_a_span(trace.spans[thread], at));
      Arrow& arrow = trace.arrows[event.at("id")];
      if (kind == "s") {
        ++arrow.starts, arrow.from = process, arrow.start = at;
      } else {
        ++arrow.ends, arrow.to = process, arrow.end = at;
        CHECK(event.at("bp") == "e");
      }
    } else if (kind == "i") {
      if (name == "evaluation") trace.evaluations.push_back(at);
    } else {
      REQUIRE(kind == "C");
      const Json& values = event.at("args");
      REQUIRE(values.size() == 1);
      auto& counter = trace.counters[{trace.processes.at(process), name}];
      if (!counter.empty()) CHECK(counter.back().at <= at);
      counter.push_back({at, values.begin().value()});
    }
  }
  return trace;
}

// Two spans of a thread are nested or disjoint.
void check_nesting(std::vector<Span> spans) {
  constexpr double rounding_us = 1e-3;  // decimals read back
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  std::vector<double> open;
  for (const Span& span : spans) {
    while (!open.empty() && open.back() <= span.begin + rounding_us / 2) open.pop_back();
    if (!open.empty()) CHECK(span.end <= open.back() + rounding_us);
    open.push_back(span.end);
  }
}

// The value that a counter has at a time; 0 before the first.
double value_at(const std::vector<ReadTrace::Value>& counter, double at) {
  double value = 0;
  for (const ReadTrace::Value& entry : counter) {
    if (entry.at <= at + 1e-3) value = entry.value;
  }
  return value;
}

// Counters have four significant digits, and times those of nanoseconds.
void check_learning(const std::filesystem::path& folder, const ReadTrace& trace) {
  std::vector<double> evaluations;
  results::read_rows<run::CurveRow>(folder, [&](const run::CurveRow& row) {
    if (row.worker == "averaged_model") return;
    const std::string process = row.worker == "mean" ? "all workers" : row.worker;
    if (row.worker == "mean") evaluations.push_back(row.time_s * 1e6);
    const double at = row.time_s * 1e6;
    CHECK(value_at(trace.counters.at({process, "test accuracy"}), at) ==
          doctest::Approx(*row.test_accuracy).epsilon(1e-3));
    CHECK(value_at(trace.counters.at({process, "test loss"}), at) == doctest::Approx(*row.test_loss).epsilon(1e-3));
  });
  REQUIRE(evaluations.size() == trace.evaluations.size());
  for (std::size_t i = 0; i < evaluations.size(); ++i) CHECK(std::abs(evaluations[i] - trace.evaluations[i]) < 2e-3);
}

void check_staleness(const std::filesystem::path& folder, const ReadTrace& trace) {
  results::NodeNames nodes;
  std::map<std::pair<std::string, double>, double> last;  // by worker and end: a worker may end several at once
  results::read_rows<run::IterationRow>(folder, nodes, [&](const run::IterationRow& row) {
    last[{nodes[row.worker], row.end_s}] = row.staleness;
  });
  for (const auto& [place, staleness] : last) {
    const auto counter = trace.counters.find({place.first, "staleness"});
    REQUIRE(counter != trace.counters.end());
    CHECK(value_at(counter->second, place.second * 1e6) == doctest::Approx(staleness).epsilon(1e-3));
  }
}

// Never negative, and at least as large at some time as the longest queue to one destination.
void check_queues(const std::filesystem::path& folder, const ReadTrace& trace) {
  double largest = 0;
  for (const auto& [place, counter] : trace.counters) {
    if (place.second != "queue") continue;
    for (const ReadTrace::Value& entry : counter) {
      CHECK(entry.value >= 0);
      CHECK(entry.value == std::round(entry.value));
      largest = std::max(largest, entry.value);
    }
  }
  // A message counts as queued in the instant in which it is sent, if only then.
  const double longest = Json::parse(text_of(folder / "summary.json")).at("longest_queue");
  CHECK(largest + 1 >= longest);
}

}  // namespace

TEST_CASE("a trace's spans nest, its arrows begin and end, and its numbers are those of the tables") {
  const Workplace place;
  for (const char* scenario : {"ako_rotate", "ps_async", "gossip_pull", "ad_psgd", "ako_tf", "ring_allreduce"}) {
    CAPTURE(scenario);
    const Reply answer = place.call("'" DDLSIM_SOURCE_DIR "/scenarios/smoke/" + std::string(scenario) +
                                    ".json' --quiet --trace --set name=traced --out " + scenario);
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    CHECK(answer.err == "");
    const auto folder = std::filesystem::directory_iterator(place.at(std::string(scenario) + "/traced"))->path();
    const ReadTrace trace = read_trace(folder / "trace.json");
    for (const auto& [thread, spans] : trace.spans) check_nesting(spans);
    for (const auto& [id, arrow] : trace.arrows) {
      CHECK(arrow.starts == 1);
      CHECK(arrow.ends == 1);
      CHECK(arrow.from != arrow.to);
      CHECK(arrow.start <= arrow.end);
    }
    const bool has_work = std::ranges::any_of(trace.threads, [](const auto& row) { return row.second == "work"; });
    // Every step once, where iterations.csv has it, with its computing and its waiting in it.
    std::map<std::string, int> process_of;
    for (const auto& [process, name] : trace.processes) process_of[name] = process;
    std::map<std::pair<std::string, std::int64_t>, std::map<std::string, double>> spent_us;
    std::map<std::pair<std::string, std::int64_t>, Span> steps;
    for (const auto& [thread, spans] : trace.spans) {
      if (trace.threads.at(thread) != "steps") continue;
      for (const Span& span : spans) {
        const auto key = std::pair(trace.processes.at(thread.first), span.step);
        if (span.name.starts_with("step ")) {
          CHECK(steps.emplace(key, span).second);
        } else {
          spent_us[key][span.name] += span.end - span.begin;
        }
      }
    }
    std::size_t rows = 0;
    results::NodeNames nodes;
    REQUIRE(results::read_rows<run::IterationRow>(folder, nodes, [&](const run::IterationRow& row) {
      ++rows;
      const auto key = std::pair(nodes[row.worker], row.iteration);
      REQUIRE(steps.contains(key));
      CHECK(std::abs(steps[key].begin - row.start_s * 1e6) < 2e-3);
      CHECK(std::abs(steps[key].end - row.end_s * 1e6) < 2e-3);
      const double compute_us = spent_us[key]["compute"], wait_us = spent_us[key]["wait"];
      CHECK(std::abs(compute_us + wait_us - (row.compute_s + row.wait_s()) * 1e6) < 1e-2);
      // A gradient that shares its processor with other work takes longer than it costs.
      const double longer_us = compute_us - row.compute_s * 1e6;
      CHECK(longer_us > -1e-2);
      if (!has_work) CHECK(longer_us < 1e-2);
    }));
    CHECK(rows == steps.size());
    // As many arrows between two nodes as messages.
    std::map<std::pair<int, int>, std::int64_t> messages;
    for (const auto& [id, arrow] : trace.arrows) ++messages[{arrow.from, arrow.to}];
    results::read_rows<run::PairRow>(folder, nodes, [&](const run::PairRow& pair) {
      CHECK(messages[{process_of.at(nodes[pair.source]), process_of.at(nodes[pair.target])}] == pair.messages);
    });
    // A link's periods add up to the whole run's totals in traffic.csv, and it has a counter.
    std::map<std::string, double> busy_s, busy_in_all;
    double end_s = 0;
    REQUIRE(results::read_rows<run::LinkPeriod>(folder, [&](const run::LinkPeriod& period) {
      busy_s[period.link + " " + period.direction] += period.utilisation * (period.end_s - period.start_s);
      end_s = std::max(end_s, period.end_s);
    }));
    const double simulated_s = Json::parse(text_of(folder / "summary.json")).at("simulated_seconds");
    CHECK(end_s <= simulated_s);
    results::read_rows<run::TrafficRow>(folder, [&](const run::TrafficRow& row) {
      if (row.bytes == 0) return;
      const std::string link = row.link + " " + row.direction;
      CHECK(busy_s[link] == doctest::Approx(row.utilisation * simulated_s));
      CHECK(trace.counters.contains({"links", link}));
    });
    check_learning(folder, trace);
    check_staleness(folder, trace);
    check_queues(folder, trace);
  }
}

TEST_CASE("a trace has a largest size, and says where it ends, but links are counted to the end") {
  const Workplace place;
  const Reply answer = place.call("good.json --quiet --trace --set name=good --set stop.iterations=40000");
  CHECK(answer.code == 0);
  CHECK(answer.err.starts_with("ddlsim: results/good/1/trace.json: the trace was full at "));
  CHECK(answer.err.find(" it holds the first 50000 gradients and messages\n") != std::string::npos);
  CHECK(std::filesystem::file_size(place.at("results/good/1/trace.json")) < 40e6);
  const Json json = Json::parse(text_of(place.at("results/good/1/trace.json")));
  CHECK(json.at("otherData").at("complete") == false);
  CHECK(answer.err.find(json.at("otherData").at("note").get<std::string>()) != std::string::npos);
  const double simulated_s = Json::parse(text_of(place.at("results/good/1/summary.json"))).at("simulated_seconds");
  double last_span_s = 0, last_period_s = 0;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "X")
      last_span_s = std::max(last_span_s, 1e-6 * (event["ts"].get<double>() + event["dur"].get<double>()));
  }
  results::read_rows<run::LinkPeriod>(place.at("results/good/1"),
                                      [&](const run::LinkPeriod& period) { last_period_s = period.end_s; });
  CHECK(last_span_s < 0.9 * simulated_s);
  CHECK(last_period_s > 0.99 * simulated_s);
}

}  // namespace ddl::cli::trace_test
