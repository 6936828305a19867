// Simulation against real TCP on one machine: every measured cell of results/validation, simulated with the models TCP
// and packets. Beside them stands what models gave that ddlsim had once: TCP with equal shares of links, SimGrid's
// LV08, and CM02 with its cross-traffic (results/validation/former_models.csv).
#include "lab/studies/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "core/base/check.hpp"
#include "lab/studies/lab_file.hpp"
#include "sim/results/reading/read_rows.hpp"

namespace ddl::studies {

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

// As results/validation/scenario.json and the scripts there have it.
Json scenario(const MeasuredCell& cell, const Json& network) {
  const std::size_t digits = cell.network.find_first_of("0123456789");
  const double widest = digits == std::string::npos ? 40 : std::stod(cell.network.substr(digits));
  const auto rate = [](double megabits) { return fmt::format("{}Mbps", megabits); };
  const bool equal = cell.network.starts_with("uniform");
  Json json;
  json["platform"] = {
      {"topology", "star"},
      {"workers", std::stoi(cell.workers)},
      {"servers", 1},
      {"bandwidth", equal ? Json(rate(widest)) : Json{rate(widest), rate(widest / 2), rate(widest / 4)}},
      {"server_bandwidth", rate(widest)},
      {"latency", cell.latency_ms + "ms"},
      {"network", network}};
  json["model"] = "none";
  json["wire"] = {{"model_bytes", cell.megabytes + "MB"}};
  json["compute"] = {{"seconds_per_batch", cell.compute_ms + "ms"}, {"jitter", 0.1}};
  json["algorithm"] = algorithm(cell.scheme);
  json["stop"] = {{"time", cell.stop_s + "s"}};
  return json;
}

constexpr int draws = 4;  // what the network leaves to chance is another draw each time that it is measured

// What former models gave, in the places of these cells.
std::vector<Outcome::Value> former_values(const std::vector<MeasuredCell>& cells) {
  std::map<TablePosition, const MeasuredCell*> places;
  for (const MeasuredCell& cell : cells) {
    for (const char* column : {"fair", "LV08", "CM02"}) places[place_of(cell, column)] = &cell;
  }
  std::vector<Outcome::Value> values;
  std::istringstream lines(lab_text("results/validation/former_models.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of(line);
    check(fields.size() == 9, "a whole row of what former models gave");
    TablePosition place{fields[0], {fields[1], fields[2], fields[3]}, fields[6]};
    if (!fields[4].empty()) place.row.push_back(fields[4]);
    place.row.push_back(fields[5]);
    values.push_back({place, places.at(place)->mean(), std::stod(fields[7]), std::stod(fields[8])});
  }
  return values;
}

// The mean over workers of each worker's mean time of a finished step.
Reading seconds_per_cycle() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    std::map<int, std::pair<double, double>> workers;  // sum, count
    results::NodeNames nodes;
    results::read_rows<run::IterationRow>(run.folder, nodes, [&](const run::IterationRow& row) {
      workers[row.worker].first += row.end_s - row.start_s;
      workers[row.worker].second += 1;
    });
    if (workers.empty()) return std::nullopt;
    double mean = 0;
    for (const auto& [worker, steps] : workers) mean += steps.first / steps.second;
    return mean / static_cast<double>(workers.size());
  };
}

std::vector<Note> notes() {
  return {
      {Note::modelled,
       "Measured is the mean of three runs, of more where three say too little, and of six at least on local networks "
       "and at 50 ms "
       "(results/validation/README.md). The simulation has the seeds and lengths of these runs: the times of gradients "
       "are the same numbers in both. For each seed what the network leaves to chance is drawn four times; "
       "simulated is the mean over seeds of the mean over draws."},
      {Note::modelled,
       "The columns fair (the model TCP with equal shares of links), LV08 and CM02 (with SimGrid's cross-traffic) are "
       "of "
       "models that ddlsim had until they were judged here. Their figures stay as they were simulated then "
       "(results/validation/former_models.csv)."},
      {Note::modelled,
       "A cycle is a worker's step; its time is the mean over workers of each worker's mean over the steps "
       "that it finished in the run."},
      {Note::calibrated,
       "That a transfer counts as one to four flows in the model TCP (the column tcp), and how acknowledgements are "
       "taken off, "
       "was settled with an earlier series of measurements of the same cells on local networks. Of the model TCP no "
       "number was fitted, but what it accounts for was chosen while looking at the cells over distances. What the "
       "model packets has of Linux's buffers (its receiver's window, the buffer into which a sender writes) was read "
       "off the captured packets of six cells: uniform, 4 workers, 0.25 MB, 50 ms, D-PSGD and synchronous PS; uniform, "
       "2 workers, 1 MB, 50 ms, gossip; heterogeneous, 2 workers, 0.25 MB, 50 ms, gossip; uniform, 2 workers, 0.25 MB, "
       "20 ms, D-PSGD; uniform, 2 workers, 0.25 MB, 50 ms, Ako P=1; and of a host's own device, off the sockets of an "
       "asynchronous server with two workers and 4 MB on the uniform local network. The order in which messages "
       "that a host begins at one instant send was read off 4,294 captured runs of bursts in six cells, one of them "
       "held out (uniform100, 3 workers, 0.5 MB, 30 ms, D-PSGD)."},
      {Note::modelled,
       "Held-out cells have other bandwidths, latencies, sizes and numbers of workers. They were measured when "
       "the models' rules of that time were settled. Rules that packets got since (results/validation/README.md names "
       "them) contain no number that was fitted to times, but for those rules these cells are not held out."},
      {Note::assumed,
       "TCP is cubic, and links drop what would wait for more than 50 ms (or 200). Local networks have no latency "
       "but that of the queues and 0.1 ms."},
      {Note::assumed,
       "Where the measured TCP is bbr, the simulated one is cubic: the models have no other congestion control."}};
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
  const std::vector<std::string> header = fields_of(line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of(line);
    check(fields.size() == header.size(), "a whole row of a table of measurements");
    // What a table has no column for is the same in all its cells.
    const auto text = [&](const char* name, const char* otherwise) {
      const auto column = std::ranges::find(header, name);
      return column == header.end() ? otherwise : fields[static_cast<std::size_t>(column - header.begin())];
    };
    const auto key = [](const MeasuredCell& cell) {
      return std::tie(cell.network, cell.workers, cell.megabytes, cell.scheme, cell.queue_s, cell.latency_ms,
                      cell.compute_ms, cell.stop_s, cell.congestion, cell.after_idle);
    };
    const MeasuredCell row{text("network", ""),
                           text("workers", ""),
                           text("message_mb", ""),
                           text("scheme", ""),
                           text("queue_s", short_queue),
                           text("latency_ms", local_ms),
                           text("compute_ms", "100"),
                           text("stop_s", ""),
                           text("congestion", usual_congestion),
                           text("slow_start_after_idle", usual_after_idle),
                           {},
                           {}};
    auto found = std::ranges::find_if(cells, [&](const MeasuredCell& cell) { return key(cell) == key(row); });
    if (found == cells.end()) found = cells.insert(found, row);
    found->seeds.push_back(std::stoull(text("seed", "")));
    found->cycles_s.push_back(std::stod(text("seconds_per_cycle", "")));
  }
  // Rows come in the order in which runs ended.
  std::ranges::stable_sort(cells, {}, [](const MeasuredCell& cell) {
    return std::tuple(cell.network != "uniform", std::stoi(cell.workers), std::stod(cell.megabytes),
                      std::stod(cell.latency_ms));
  });
  return cells;
}

TablePosition place_of(const MeasuredCell& cell, const char* column) {
  if (!cell.has_usual_tcp()) {
    return {
        "other_tcp",
        {cell.network, cell.workers, cell.megabytes, cell.latency_ms, cell.scheme, cell.congestion, cell.after_idle},
        column};
  }
  if (cell.is_held_out || !cell.is_local()) {
    return {cell.is_held_out ? "held_out" : "distances",
            {cell.network, cell.workers, cell.megabytes, cell.latency_ms, cell.scheme},
            column};
  }
  return {cell.queue_s == short_queue ? "cycles" : "long_queue_cycles",
          {cell.network, cell.workers, cell.megabytes, cell.scheme},
          column};
}

}  // namespace validation

Study validation_study(const Scale& scale) {
  using namespace validation;
  if (scale.full) throw InputError("reproduce validation: trains no network; expected it without --full");
  Study study;
  study.name = "validation";
  study.title = "Simulation against real TCP";
  study.source = "ddlsim emulate, Linux network namespaces: results/validation/measured.csv, wan.csv and held_out*.csv";
  study.seeds = {1, 2, 3};
  study.tables = {
      {"cycles", "Seconds per cycle, measured and simulated", {"network", "workers", "MB", "scheme"}, "sharing", 3},
      {"long_queue_cycles",
       "Seconds per cycle, measured where links have queues of 200 ms instead of 50, and simulated",
       {"network", "workers", "MB", "scheme"},
       "sharing",
       3},
      {"distances",
       "Seconds per cycle over distances, measured and simulated",
       {"network", "workers", "MB", "ms one way", "scheme"},
       "model",
       3},
      {"held_out",
       "Seconds per cycle in held-out cells, measured and simulated",
       {"network", "workers", "MB", "ms one way", "scheme"},
       "model",
       3},
      {"other_tcp",
       "Seconds per cycle where TCP is bbr, or keeps its windows while idle, measured and simulated",
       {"network", "workers", "MB", "ms one way", "scheme", "congestion control", "slow start after idle"},
       "model",
       3}};
  for (TableLayout& table : study.tables) table.reference = "measured";
  std::vector<MeasuredCell> cells = read_measured(lab_text("results/validation/measured.csv"));
  std::ranges::copy(read_measured(lab_text("results/validation/wan.csv")), std::back_inserter(cells));
  for (const char* name : {"held_out_lan.csv", "held_out.csv"}) {
    for (MeasuredCell& cell : read_measured(lab_text(std::string("results/validation/") + name))) {
      cell.is_held_out = true;
      cells.push_back(cell);
    }
  }
  const auto add = [&](const MeasuredCell& cell, const char* column, const Json& network) {
    study.cells.push_back(
        {.name = fmt::format("{}_{}_{}_{}_{}_{}_{}_{}_{}", cell.network, cell.workers, cell.megabytes, cell.scheme,
                             cell.queue_s, cell.latency_ms, cell.congestion, cell.after_idle, column),
         .scenario = scenario(cell, network).dump(),
         .figures = {{place_of(cell, column), cell.mean(), seconds_per_cycle()}},
         .seeds = cell.seeds,
         .draws = draws});
  };
  for (const MeasuredCell& cell : cells) {
    const std::string queue = cell.queue_s + "s";
    if (!cell.has_usual_tcp()) {
      // Of congestion controls the models have cubic.
      for (const char* model : {"TCP", "packets"}) {
        add(cell, model,
            {{"model", model}, {"queue", queue}, {"slow_start_after_idle", cell.after_idle == usual_after_idle}});
      }
    } else if (cell.is_local() && !cell.is_held_out) {
      add(cell, "tcp", {{"model", "TCP"}, {"queue", queue}});
      add(cell, "packets", {{"model", "packets"}, {"queue", queue}});
    } else {
      for (const char* model : {"TCP", "packets"}) add(cell, model, {{"model", model}, {"queue", queue}});
    }
  }
  study.derived = former_values(cells);
  study.claims = claims(cells);
  study.notes = notes();
  return study;
}

}  // namespace ddl::studies
