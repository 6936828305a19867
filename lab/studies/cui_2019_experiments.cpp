// What explains those of Cui's claims that fail: a worker on the server's machine, what a peer loses step by step, and
// what the learning rate does to staleness.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/check.hpp"
#include "lab/studies/cui_2019.hpp"
#include "lab/studies/figures.hpp"

namespace ddl::studies::cui_study {
namespace {

using Json = nlohmann::ordered_json;

// --- a worker on the server's machine ---

constexpr const char* beside = "w0 on the server's machine";

// As the star, but for a link of w0's own to the server, which no limit holds.
std::string platform_beside(const Preset& preset) {
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\">\n<zone id=\"beside\" routing=\"Floyd\">\n";
  const std::vector<std::string> hosts = {"w0", "w1", "w2", "w3", "ps0"};
  for (const std::string& host : hosts) text += fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", host);
  text += "<router id=\"switch\"/>\n";
  for (const std::string& host : hosts) {
    text += fmt::format("<link id=\"{}\" bandwidth=\"{}\" latency=\"0.05ms\" sharing_policy=\"SPLITDUPLEX\"/>\n", host,
                        host == "ps0" ? preset.server_rate : preset.rate);
  }
  text += "<link id=\"machine\" bandwidth=\"100Gbps\" latency=\"0.01ms\" sharing_policy=\"SPLITDUPLEX\"/>\n";
  for (const std::string& host : hosts) {
    text += fmt::format("<route src=\"{0}\" dst=\"switch\"><link_ctn id=\"{0}\" direction=\"UP\"/></route>\n", host);
  }
  return text +
         "<route src=\"w0\" dst=\"ps0\"><link_ctn id=\"machine\" direction=\"UP\"/></route>\n</zone>\n</platform>\n";
}

void add_worker_beside(Study& study) {
  study.tables.push_back({"beside",
                          "Experiment: one of the four workers on the server's machine, centralized, seconds per batch",
                          {"preset", "quantity"},
                          "workers",
                          2});
  for (const Preset& preset : presets) {
    const std::string file = fmt::format("{}_beside.xml", preset.name);
    study.platforms.push_back({file, platform_beside(preset)});
    Json json = timed(centralized_scenario(preset, {}));
    json["platform"] = {{"file", file}, {"workers", 4}, {"servers", Json::array({"ps0"})}};
    const auto place = [&](const char* quantity) { return TablePosition{"beside", {preset.name, quantity}, beside}; };
    study.cells.push_back({fmt::format("{}_beside", preset.name),
                           json.dump(),
                           {{place(least), 0.62, measured("seconds_per_batch.min")},
                            {place(first_percentile), std::nullopt, percentile(1)},
                            {place(median), std::nullopt, percentile(50)},
                            {place(last_percentile), std::nullopt, percentile(99)},
                            {place(most), 3.43, measured("seconds_per_batch.max")},
                            {place(quick), 25, percent_of_batches(0, 0.7)}}});
  }
}

// --- what peers lose ---

std::vector<Figure> figures_of(const std::string& table, const std::string& row, int steps) {
  const auto place = [&](const char* column) { return TablePosition{table, {row}, column}; };
  return {{place(accuracy), std::nullopt, final_accuracy_percent(3)},
          {place(training_accuracy), std::nullopt, final_training_accuracy(steps)},
          {place(loss), std::nullopt, final_training_loss(steps)}};
}

Cell& cell_named(Study& study, const std::string& name) {
  for (Cell& cell : study.cells) {
    if (cell.name == name) return cell;
  }
  throw InternalError("no cell " + name);
}

// From the single machine to Algorithm 1, one change at a time; the first and the last are the study's own runs.
void add_losses_of_peers(Study& study) {
  const char* const table = "peers";
  const char* const rows[] = {"one machine, 40,000 batches", "one machine, 10,000 batches, as many as each peer",
                              "four peers of 10,000, whole gradients", "four peers of 10,000, small gradients dropped"};
  study.tables.push_back({table,
                          "Experiment: from one machine to peers, preset literal",
                          {"what trains"},
                          "",
                          2,
                          {std::begin(rows), std::end(rows)}});
  const auto add_to = [&](const char* cell, const char* row, int steps) {
    for (Figure& figure : figures_of(table, row, steps)) cell_named(study, cell).figures.push_back(std::move(figure));
  };
  add_to("single", rows[0], published_batches);
  const int steps = published_batches / 4;
  study.cells.push_back({"single_10000", single_scenario(steps, {}).dump(), figures_of(table, rows[1], steps)});
  Json whole = decentralized_scenario(presets[0], {});
  whole["algorithm"]["threshold"] = "none";
  study.cells.push_back({"literal_decentralized_whole", whole.dump(), figures_of(table, rows[2], steps)});
  add_to("literal_decentralized", rows[3], steps);
}

// --- the learning rate ---

void add_rates(Study& study) {
  const char* const tables[] = {"rates_accuracy", "rates_loss"};
  study.tables.push_back(
      {tables[0], "Experiment: test accuracy by learning rate, preset literal, %", {"rate"}, "system", 2});
  study.tables.push_back(
      {tables[1], "Experiment: training loss by learning rate, preset literal", {"rate"}, "system", 3});
  const auto figures = [&](const std::string& rate, const char* system, int steps) {
    return std::vector<Figure>{{{tables[0], {rate}, system}, std::nullopt, final_accuracy_percent(3)},
                               {{tables[1], {rate}, system}, std::nullopt, final_training_loss(steps)}};
  };
  const int steps = published_batches / 4;
  for (const double rate : {0.003, 0.01, 0.03}) {
    const std::string row = fmt::format("{}", rate);
    for (const auto& [slug, system, json, steps_of_one] :
         {std::tuple("literal_decentralized", decentralized, decentralized_scenario(presets[0], {}), steps),
          std::tuple("literal_centralized", centralized, centralized_scenario(presets[0], {}), steps),
          std::tuple("single", single, single_scenario(published_batches, {}), published_batches)}) {
      if (rate == 0.003) {  // the study's own
        for (Figure& figure : figures(row, system, steps_of_one)) {
          cell_named(study, slug).figures.push_back(std::move(figure));
        }
        continue;
      }
      Json other = json;
      other["training"]["optimizer"]["learning_rate"] = rate;
      study.cells.push_back({fmt::format("{}_rate_{}", slug, rate), other.dump(), figures(row, system, steps_of_one)});
    }
  }
}

}  // namespace

void add_experiments(Study& study) {
  add_worker_beside(study);
  add_losses_of_peers(study);
  add_rates(study);
}

}  // namespace ddl::studies::cui_study
