#include "sim/results/writing/requests.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace ddl::results {
namespace {

RequestSummary summary_of(const std::vector<const Answer*>& answers) {
  RequestSummary summary;
  summary.threshold = answers.front()->threshold;
  summary.requests = static_cast<std::int64_t>(answers.size());
  const auto count = static_cast<double>(answers.size());
  std::vector<double> latencies;
  std::map<int, std::pair<double, double>> exits;  // answers and right ones, by node
  double correct = 0;
  for (const Answer* answer : answers) {
    latencies.push_back(answer->answer_s - answer->arrival_s);
    summary.bytes_per_request += answer->bytes / count;
    auto& [given, right] = exits[answer->exit];
    given += 1;
    right += answer->correct ? 1 : 0;
    correct += answer->correct ? 1 : 0;
  }
  summary.accuracy = correct / count;
  summary.latency_s = distribution_of(std::move(latencies));
  for (const auto& [node, of_node] : exits) {
    summary.exits.push_back({node, of_node.first / count, of_node.second / of_node.first});
  }
  return summary;
}

}  // namespace

std::vector<RequestSummary> summarise_requests(const std::vector<Answer>& answers) {
  // Thresholds in the order in which they were tried.
  std::vector<std::vector<const Answer*>> groups;
  for (const Answer& answer : answers) {
    if (groups.empty() || groups.back().front()->threshold != answer.threshold) groups.emplace_back();
    groups.back().push_back(&answer);
  }
  std::vector<RequestSummary> summaries;
  for (const auto& group : groups) summaries.push_back(summary_of(group));
  return summaries;
}

}  // namespace ddl::results
