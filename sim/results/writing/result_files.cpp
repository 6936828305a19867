#include "sim/results/writing/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "core/base/digest.hpp"
#include "sim/results/writing/recorded/recorded_files.hpp"
#include "sim/results/writing/run_json.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/results/writing/trace_json.hpp"
#include "sim/run/recorded/recordings.hpp"

namespace ddl::results {
namespace {

using run::RunResult;
using scenario::Scenario;

template <class Row>
constexpr const char* file_of = run::Table<Row>::file;

constexpr std::string_view file_names[] = {"run.json",
                                           platform_file,
                                           "summary.json",
                                           "timing.json",
                                           "trace.json",
                                           file_of<run::CurveRow>,
                                           file_of<run::IterationRow>,
                                           file_of<run::TrafficRow>,
                                           file_of<run::PairRow>,
                                           file_of<run::LinkPeriod>,
                                           file_of<Answer>};

template <class Row>
ResultFile table_file(const std::vector<Row>& rows, const RunResult& result) {
  return {file_of<Row>, [&] { return table_text(rows, result.nodes); }};
}

template <class Row>
FileDictionary dictionary_of_table() {
  return {file_of<Row>, dictionary_of<Row>()};
}

}  // namespace

std::vector<ResultFile> result_files(const Scenario& scenario, const RunResult& result, const std::string& digest) {
  std::vector<ResultFile> files;
  if (scenario.record.iterations) files.push_back(table_file(result.iterations, result));
  files.push_back(table_file(result.curve, result));
  files.push_back(table_file(result.pairs, result));
  files.push_back(table_file(result.traffic, result));
  if (!result.answers.empty()) files.push_back(table_file(result.answers, result));
  if (result.trace) {
    files.push_back({file_of<run::LinkPeriod>, [&] { return table_text(link_periods(result), result.nodes); }});
    files.push_back({"trace.json", [&] { return trace_json(scenario, result); }});
  }
  files.push_back({"summary.json", [&, digest] { return summary_json(scenario, result, digest); }});
  add_recorded_files(files, scenario, result);
  return files;
}

bool is_in_digest(std::string_view name) {
  return name == file_of<run::CurveRow> || name == file_of<run::PairRow> || name == file_of<Answer>;
}

bool is_result_file(std::string_view name) {
  for (const std::string_view ours : file_names) {
    if (name == ours) return true;
  }
  return is_recorded_file(name);
}

std::vector<FileDictionary> result_dictionary() {
  return {dictionary_of_table<run::CurveRow>(),
          dictionary_of_table<run::IterationRow>(),
          dictionary_of_table<run::TrafficRow>(),
          dictionary_of_table<run::PairRow>(),
          dictionary_of_table<Answer>(),
          {"summary.json", dictionary_of(summary_keys({}, {}, {}, ""))},
          {"run.json", run_json_keys()},
          {"timing.json", timing_json_keys()},
          dictionary_of_table<run::LinkPeriod>(),
          dictionary_of_table<run::ShardRow>(),
          dictionary_of_table<run::MinibatchRow>(),
          dictionary_of_table<run::DrawRow>()};
}

namespace {

// What a program has said of its model in the run.
RunIdentity with_version(RunIdentity identity, const RunResult& result) {
  if (result.program) identity.model_version = result.program->version;
  return identity;
}

}  // namespace

void stage_result(StagedFolder& folder, const Scenario& scenario, const RunIdentity& identity,
                  const RunResult& result) {
  const std::string digest = digest_of(result);
  folder.make();
  folder.write("run.json", {run_json(with_version(identity, result), digest, result)});
  folder.write(platform_file, {identity.platform});
  folder.write("timing.json", {timing_json(scenario, result, folder.target())});
  for (const ResultFile& file : result_files(scenario, result, digest)) folder.write(file.name, {file.text()});
}

std::string digest_of(const RunResult& result) {
  Digest digest;
  digest.add(fmt::format("steps {}\nmessages {}\nbytes {}\n", fmt::join(result.steps, " "), result.messages_sent,
                         result.bytes_sent));
  digest.add("curve\n" + untimed_rows(result.curve, result.nodes));
  digest.add("pairs\n" + untimed_rows(result.pairs, result.nodes));
  if (!result.answers.empty()) digest.add("requests\n" + untimed_rows(result.answers, result.nodes));
  // Lengths go in too: two vectors must not pass for one.
  digest.add(std::to_string(result.weights.size()));
  for (const std::vector<float>& weights : result.weights) {
    digest.add(" " + std::to_string(weights.size()) + " ");
    digest.add(std::span<const float>(weights));
  }
  return digest.hex();
}

}  // namespace ddl::results
