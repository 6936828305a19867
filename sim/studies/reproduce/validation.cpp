// Simulation against real TCP on one machine: every measured cell of results/validation/measured.csv, simulated with
// the two ways of sharing links.
#include "sim/studies/reproduce/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/check.hpp"
#include "sim/results/reading/read_rows.hpp"

namespace ddl::studies {

extern const std::string_view validation_measured;

namespace validation {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

Json algorithm(const std::string& scheme) {
  constexpr std::string_view ako = "ako_p";
  if (!scheme.starts_with(ako)) return {{"name", scheme}};
  return {{"name", "ako"}, {"partitions", std::stoi(scheme.substr(ako.size()))}, {"overflow", "block"}};
}

// As scenario.json and measure.sh of results/validation have it.
Json scenario(const MeasuredCell& cell, const char* sharing) {
  Json json;
  json["platform"] = {{"topology", "star"},
                      {"workers", std::stoi(cell.workers)},
                      {"servers", 1},
                      {"bandwidth", cell.network == "uniform" ? Json("40Mbps") : Json{"40Mbps", "20Mbps", "10Mbps"}},
                      {"server_bandwidth", "40Mbps"},
                      {"latency", "100us"},
                      {"network", {{"sharing", sharing}}}};
  json["model"] = "none";
  json["wire"] = {{"model_bytes", cell.megabytes + "MB"}};
  json["compute"] = {{"seconds_per_batch", "100ms"}, {"jitter", 0.1}};
  json["algorithm"] = algorithm(cell.scheme);
  json["stop"] = {{"time", cell.stop_s + "s"}};
  return json;
}

// The mean over workers of each worker's mean time of a finished step.
Reading seconds_per_cycle() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    std::map<int, std::pair<double, double>> workers;  // sum, count
    results::NodeNames nodes;
    results::read_rows<experiment::IterationRow>(run.folder, nodes, [&](const experiment::IterationRow& row) {
      workers[row.worker].first += row.end_s - row.start_s;
      workers[row.worker].second += 1;
    });
    if (workers.empty()) return std::nullopt;
    double mean = 0;
    for (const auto& [worker, steps] : workers) mean += steps.first / steps.second;
    return mean / static_cast<double>(workers.size());
  };
}

}  // namespace

double MeasuredCell::mean() const {
  double sum = 0;
  for (const double value : cycles_s) sum += value;
  return sum / static_cast<double>(cycles_s.size());
}

std::vector<MeasuredCell> read_measured(std::string_view csv) {
  std::vector<MeasuredCell> cells;
  std::istringstream lines{std::string(csv)};
  std::string line;
  std::getline(lines, line);
  check(line.starts_with("network,workers,message_mb,scheme,queue_s,seed,stop_s,seconds_per_cycle,"),
        "a table of measure.sh");
  while (std::getline(lines, line)) {
    const auto fields = fields_of(line);
    check(fields.size() >= 8, "a whole row of measure.sh");
    const auto same = [&](const MeasuredCell& cell) {
      return cell.network == fields[0] && cell.workers == fields[1] && cell.megabytes == fields[2] &&
             cell.scheme == fields[3] && cell.queue_s == fields[4];
    };
    auto found = std::ranges::find_if(cells, same);
    if (found == cells.end()) {
      cells.push_back({fields[0], fields[1], fields[2], fields[3], fields[4], fields[6], {}});
      found = std::prev(cells.end());
    }
    found->cycles_s.push_back(std::strtod(fields[7].c_str(), nullptr));
  }
  // Rows come in the order in which runs ended.
  std::ranges::stable_sort(cells, {}, [](const MeasuredCell& cell) {
    return std::tuple(cell.network != "uniform", std::stoi(cell.workers), std::stod(cell.megabytes));
  });
  return cells;
}

TablePosition place_of(const MeasuredCell& cell, const char* sharing) {
  return {cell.queue_s == short_queue ? "cycles" : "long_queue_cycles",
          {cell.network, cell.workers, cell.megabytes, cell.scheme},
          sharing};
}

}  // namespace validation

Study validation_study(const Scale& scale) {
  using namespace validation;
  if (scale.full) throw InputError("reproduce validation: trains no network; expected it without --full");
  Study study;
  study.name = "validation";
  study.title = "Simulation against real TCP";
  study.source = "ddlsim emulate, Linux network namespaces: results/validation/measured.csv";
  study.seeds = {1, 2, 3};
  study.tables = {
      {"cycles", "Seconds per cycle, measured and simulated", {"network", "workers", "MB", "scheme"}, "sharing", 3},
      {"long_queue_cycles",
       "Seconds per cycle, measured where links have queues of 200 ms instead of 50, and simulated",
       {"network", "workers", "MB", "scheme"},
       "sharing",
       3}};
  const auto cells = read_measured(validation_measured);
  for (const MeasuredCell& cell : cells) {
    for (const char* sharing : {"fair", "tcp"}) {
      const std::string name =
          fmt::format("{}_{}_{}_{}_{}", cell.network, cell.workers, cell.megabytes, cell.scheme, sharing);
      const std::string text = scenario(cell, sharing).dump();
      auto known = std::ranges::find(study.cells, name, &Cell::name);
      if (known == study.cells.end()) known = study.cells.insert(known, {name, text, {}});
      check(known->scenario == text, "a cell is measured equally long with both queues");
      known->figures.push_back({place_of(cell, sharing), cell.mean(), seconds_per_cycle()});
    }
  }
  study.claims = claims(cells);
  study.notes = {
      {Note::modelled,
       "In the tables \"published\" is what was measured, the mean of three runs, whose seeds and lengths "
       "the simulation shares: the times of gradients are the same numbers in both."},
      {Note::modelled,
       "A cycle is a worker's step; its time is the mean over workers of each worker's mean over the steps "
       "that it finished in the run."},
      {Note::calibrated,
       "That a transfer counts as one to four flows in tcp sharing, and how acknowledgements are taken off, "
       "was settled with an earlier series of measurements of the same cells. Nothing was fitted to this one."},
      {Note::assumed,
       "TCP is cubic, the links drop what would wait for more than 50 ms (or 200), and there is no latency "
       "but that of the queues."}};
  return study;
}

}  // namespace ddl::studies
