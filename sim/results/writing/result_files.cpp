#include "sim/results/writing/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
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

// The first are not compared; events come before what is computed from them.
constexpr std::size_t not_compared = 3;
constexpr std::string_view file_names[] = {"run.json",
                                           platform_file,
                                           "timing.json",
                                           file_of<run::IterationRow>,
                                           file_of<run::CurveRow>,
                                           file_of<run::PairRow>,
                                           file_of<run::TrafficRow>,
                                           file_of<Answer>,
                                           file_of<run::LinkPeriod>,
                                           "trace.json",
                                           "summary.json"};

template <class Row>
FileDictionary dictionary_of_table() {
  return {file_of<Row>, dictionary_of<Row>()};
}

}  // namespace

void write_result_files(const Scenario& scenario, const RunResult& result, const std::string& digest,
                        const WriteFile& write) {
  const auto write_table = [&]<class Row>(const std::vector<Row>& rows) {
    write(file_of<Row>, table_text(rows, result.nodes));
  };
  if (scenario.record.iterations) write_table(result.iterations);
  write_table(result.curve);
  write_table(result.pairs);
  write_table(result.traffic);
  if (!result.answers.empty()) write_table(result.answers);
  if (result.trace) {
    write_table(link_periods(result));
    write("trace.json", trace_json(scenario, result));
  }
  write("summary.json", summary_json(scenario, result, digest));
  write_recorded_files(scenario, result, write);
}

std::vector<std::string> compared_files(const std::filesystem::path& folder) {
  std::vector<std::string> there, files;
  for (const auto& path : paths_in(folder)) there.push_back(path.filename().string());
  std::ranges::sort(there);
  for (const std::string_view name : std::span(file_names).subspan(not_compared)) {
    if (std::ranges::binary_search(there, name)) files.emplace_back(name);
  }
  std::ranges::copy_if(there, std::back_inserter(files), is_recorded_file);
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

// Adds the version that a program has told during the run.
RunIdentity with_version(RunIdentity identity, const RunResult& result) {
  if (result.program) identity.model_version = result.program->version;
  return identity;
}

}  // namespace

void stage_result(const StagedFolder& folder, const Scenario& scenario, const RunIdentity& identity,
                  const RunResult& result) {
  const std::string digest = digest_of(result);
  folder.make();
  folder.write("run.json", {run_json(with_version(identity, result), digest, result)});
  folder.write(platform_file, {identity.platform});
  folder.write("timing.json", {timing_json(scenario, result, folder.target())});
  write_result_files(scenario, result, digest,
                     [&](const std::string& name, const std::string& text) { folder.write(name, {text}); });
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
