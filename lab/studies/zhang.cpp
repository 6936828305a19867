#include "lab/studies/zhang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/studies/figures.hpp"

namespace ddl::studies {
namespace zhang_study {

TablePosition time_at(const char* model, const std::string& slowdown, const char* system) {
  return {"epoch_time", {model, slowdown}, system};
}
TablePosition speed_at(const char* model, const std::string& slowdown, const char* system) {
  return {"speed_up", {model, slowdown}, system};
}

bool in_between(const Scale& scale) { return !scale.full && !scale.data.empty(); }

Learning learning_of(const Preset& preset, const Scale& scale) {
  const bool wide = preset.batch == vgg.batch;
  if (scale.full) return {training_images, wide ? 100 : 164, preset.batch, 10000};
  if (in_between(scale)) return {training_images, wide ? 3 : 2, 16, 500};
  return {8000, wide ? 60 : 20, preset.batch, 4000};
}

namespace {

using Json = nlohmann::ordered_json;

struct System {
  const char* name;
  const char* slug;
  Json algorithm;
  double overhead_s;  // per iteration of ResNet-20 beyond one learner's 11.55 ms, as published, with the network
  double wire_share;  // models an iteration that the simulated network sends while no worker computes
};

std::vector<System> systems() {
  return {{all_reduce, "ring_allreduce", {{"name", "ring_allreduce"}}, 3.51e-3, 2.0 * (learners - 1) / learners},
          {d_psgd, "d_psgd", {{"name", "d_psgd"}, {"topology", "ring"}, {"overlap", true}}, 3.30e-3, 0},
          {ad_psgd,
           "ad_psgd",
           {{"name", "ad_psgd"}, {"topology", "ring"}, {"update_order", "update_then_average"}},
           0.95e-3,
           0}};
}

// Of an iteration, beyond computing and what the simulated network adds to that.
double overhead_s(const Preset& preset, const System& system) {
  const double on_the_wire = system.wire_share * 8 * preset.bytes / preset.bits_per_second;
  return preset.overheads * (system.overhead_s - on_the_wire);
}

Json scenario(const Preset& preset, const System& system, double slowdown) {
  Json json;
  json["platform"] = {{"topology", "star"},
                      {"workers", learners},
                      {"latency", "1us"},
                      {"bandwidth", fmt::format("{}bps", preset.bits_per_second)},
                      {"network", {{"sharing", "fair"}}}};
  json["training"] = {{"batch_size", preset.batch}};
  json["wire"] = {{"model_bytes", fmt::format("{}B", preset.bytes)}};
  json["compute"] = {{"seconds_per_batch", fmt::format("{}s", preset.compute_s)},
                     {"overhead", fmt::format("{}s", overhead_s(preset, system))},
                     {"jitter", 0}};
  if (slowdown > 1) json["compute"]["slowdown"] = {{"w5", slowdown}};
  json["algorithm"] = system.algorithm;
  return json;
}

// --- time per epoch ---

constexpr int timed_epochs = 4;

Reading speed_up(const Preset& preset) {
  return [preset](const results::FinishedRun& run) -> std::optional<double> {
    const std::optional<double> epoch_s = run.measure("time_per_epoch_s");
    return epoch_s ? std::optional(preset.epoch_s / *epoch_s) : std::nullopt;
  };
}

Cell timing_cell(const Preset& preset, const System& system, int slowdown, std::optional<double> seconds,
                 std::optional<double> speed) {
  Json json = scenario(preset, system, slowdown);
  json["data"] = {{"train", training_images}};
  json["model"] = "none";
  json["stop"] = {{"epochs", timed_epochs}};
  const std::string label = std::to_string(slowdown) + "x";
  return {fmt::format("{}_{}_{}", preset.slug, system.slug, label),
          json.dump(),
          {{time_at(preset.name, label, system.name), seconds, measured("time_per_epoch_s")},
           {speed_at(preset.name, label, system.name), speed, speed_up(preset)}},
          {1}};  // without jitter all seeds are the same
}

struct Published {
  int slowdown;
  std::optional<double> seconds[3], speed[3];  // by system
};

std::vector<Published> slow_learner_table() {
  const auto no = std::nullopt;
  return {{1, {1.47, 1.45, 1.22}, {12.27, 12.44, 14.78}},
          {2, {2.6, 2.36, 1.28}, {6.93, 7.64, 14.09}},
          {10, {11.51, 11.24, 1.33}, {1.56, 1.60, 13.56}},
          {100, {100.4, 100.4, 1.33}, {0.18, 0.18, 13.56}},
          {1000, {no, no, 1.33}, {no, no, no}},
          {10000, {no, no, 1.33}, {no, no, no}}};
}

// --- final accuracy ---

// ResNet-20, whose first convolution is of stride 2: all its parameters, a quarter of its operations.
Json coarse_resnet20() {
  Json layers = Json::array(
      {{{"type", "conv"}, {"filters", 16}, {"kernel", 3}, {"stride", 2}, {"bias", false}, {"init", "he_out"}},
       {{"type", "batch_norm"}},
       {{"type", "relu"}}});
  for (const int filters : {16, 32, 64}) {
    for (int block = 0; block < 3; ++block) {
      layers.push_back({{"type", "residual"},
                        {"filters", filters},
                        {"stride", filters > 16 && block == 0 ? 2 : 1},
                        {"shortcut", "pad"}});
    }
  }
  for (const char* type : {"global_average_pool", "flatten"}) layers.push_back({{"type", type}});
  layers.push_back({{"type", "dense"}, {"units", 10}});
  return {{"layers", layers}};
}

Json model_of(bool wide, const Scale& scale) {
  if (scale.full) return wide ? vgg_network({2, 2, 3, 3, 3}) : Json("resnet20");
  if (in_between(scale)) return wide ? small_vgg_network(true) : coarse_resnet20();
  return "cnn";
}

// A run that measures accuracy; `slug`: "ring_allreduce", "d_psgd" or "ad_psgd"; one learner is so many times slower.
Json accuracy_scenario(const Preset& preset, const char* slug, int slowdown, const Scale& scale) {
  const std::vector<System> all = systems();
  const System& system = *std::ranges::find(all, std::string_view(slug), &System::slug);
  const Learning learning = learning_of(preset, scale);
  Json json = scenario(preset, system, slowdown);
  json["data"] = scale.data.empty()
                     ? Json{{"source", "synthetic"}, {"train", learning.images}, {"test", learning.test_images}}
                     : Json{{"source", "cifar-10"}, {"path", scale.data}};
  json["model"] = model_of(preset.batch == vgg.batch, scale);
  json["training"]["batch_size"] = learning.batch;
  json["training"]["optimizer"] = {{"type", "momentum"},
                                   {"learning_rate", 0.1},
                                   {"momentum", 0.9},
                                   {"schedule", {{"type", "cosine"}, {"steps", learning.rounds()}}}};
  if (in_between(scale)) json["training"]["optimizer"]["weight_decay"] = 1e-4;
  json["compute"]["jitter"] = 0.1;
  json["stop"] = {{"epochs", learning.epochs}};
  const int every = scale.full ? 500 : in_between(scale) ? learning.rounds() / 8 : 50;
  json["evaluate"] = {{"every_iterations", every}, {"samples", learning.test_images}};
  json["record"] = {{"iterations", false}};
  return json;
}

Cell accuracy_cell(const Preset& preset, const System& system, double published, int slowdown, const Scale& scale) {
  Cell cell{fmt::format("{}_{}_accuracy_{}x", preset.slug, system.slug, slowdown),
            accuracy_scenario(preset, system.slug, slowdown, scale).dump(),
            {{{"accuracy", {preset.name, std::to_string(slowdown) + "x"}, system.name},
              published,
              final_accuracy_percent(3)}}};
  if (in_between(scale) && preset.batch != vgg.batch) cell.cost = 2;
  return cell;
}

// --- what explains claims that fail ---

constexpr const char* slug_of_ad_psgd = "ad_psgd";

std::vector<Figure> figures_of_variant(const std::string& change) {
  return {{{"staleness", {change}, "accuracy, %"}, std::nullopt, final_accuracy_percent(3)},
          {{"staleness", {change}, "mean staleness"}, std::nullopt, measured("staleness.mean")}};
}

// AD-PSGD's staleness in the row of VGG, by bandwidth, rate and rule.
void add_variants(Study& study) {
  study.tables.push_back({"staleness",
                          "Experiment: AD-PSGD in the row of VGG, one change each; staleness in updates of the "
                          "learner's model",
                          {"change"},
                          "",
                          2});
  const auto scenario = [] { return accuracy_scenario(vgg, slug_of_ad_psgd, 1, {}); };
  const auto add = [&](const std::string& name, const std::string& change, const Json& json) {
    study.cells.push_back({"vgg_ad_psgd_" + name, json.dump(), figures_of_variant(change)});
  };
  for (Cell& cell : study.cells) {
    if (cell.name != "vgg_ad_psgd_accuracy_1x") continue;
    for (Figure& figure : figures_of_variant("none: 23 Gbit/s, rate 0.1, momentum 0.9")) {
      cell.figures.push_back(std::move(figure));
    }
  }
  for (const int rate : {36, 100, 2300}) {
    Json json = scenario();
    json["platform"]["bandwidth"] = fmt::format("{}Gbps", rate);
    add(fmt::format("{}gbps", rate), fmt::format("{} Gbit/s", rate), json);
  }
  Json at_once = scenario();
  at_once["algorithm"]["apply"] = "at_once";
  add("at_once", "a waiting gradient is in the learner's own model at once", at_once);
  Json half = scenario();
  half["training"]["optimizer"]["learning_rate"] = 0.05;
  add("half_rate", "rate 0.05", half);
  Json plain = scenario();
  plain["training"]["optimizer"]["momentum"] = 0;
  add("no_momentum", "rate 0.1 without momentum", plain);
  plain["training"]["optimizer"]["learning_rate"] = 1;
  add("no_momentum_rate_1", "rate 1 without momentum", plain);
}

// Whether the schemes still differ after three times as many epochs of ResNet-20, and with a slow learner.
void add_longer(Study& study) {
  study.tables.push_back({"longer",
                          "Experiment: accuracy after three times as many epochs in the rows of ResNet-20, %",
                          {"one learner slowed"},
                          "system",
                          2});
  struct Run {
    const char *slug, *system;
    int slowdown;
  };
  for (const Run& run : {Run{"ring_allreduce", all_reduce, 1}, Run{"d_psgd", d_psgd, 1},
                         Run{slug_of_ad_psgd, ad_psgd, 1}, Run{slug_of_ad_psgd, ad_psgd, 10}}) {
    Json json = accuracy_scenario(resnet, run.slug, run.slowdown, {});
    const Learning learning = learning_of(resnet, {});
    json["stop"]["epochs"] = 3 * learning.epochs;
    json["training"]["optimizer"]["schedule"]["steps"] = 3 * learning.rounds();
    const std::string label = std::to_string(run.slowdown) + "x";
    study.cells.push_back({fmt::format("resnet20_{}_longer_{}", run.slug, label),
                           json.dump(),
                           {{{"longer", {label}, run.system}, std::nullopt, final_accuracy_percent(3)}}});
  }
}

}  // namespace
}  // namespace zhang_study

Study zhang(const Scale& scale) {
  using namespace zhang_study;
  Study study;
  study.name = "zhang";
  study.title = "Zhang et al.: AllReduce, D-PSGD and AD-PSGD with a slow learner";
  study.source = "Zhang et al., decentralized distributed deep learning; Lian et al., NIPS 2017 and ICML 2018";
  study.size = size_text(scale);
  study.seeds = {1, 2, 3, 4, 5};
  if (in_between(scale)) study.seeds = {1, 2, 3};
  if (scale.full) study.seeds = {1};
  study.tables = {{"epoch_time", "Time per epoch, s", {"model", "one learner slowed"}, "system", 2},
                  {"speed_up", "Speed-up over one learner", {"model", "one learner slowed"}, "system", 2},
                  {"accuracy",
                   "Final accuracy, mean of the last three evaluations, %",
                   {"model", "one learner slowed"},
                   "system",
                   2}};
  const double vgg_accuracy[] = {84.04, 84.48, 88.58}, resnet_accuracy[] = {90.72, 90.81, 91.02};
  const auto all = systems();
  for (std::size_t i = 0; i < all.size(); ++i)
    study.cells.push_back(timing_cell(vgg, all[i], 1, std::nullopt, std::nullopt));
  for (const Published& row : slow_learner_table()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      study.cells.push_back(timing_cell(resnet, all[i], row.slowdown, row.seconds[i], row.speed[i]));
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    study.cells.push_back(accuracy_cell(vgg, all[i], vgg_accuracy[i], 1, scale));
  for (std::size_t i = 0; i < all.size(); ++i)
    study.cells.push_back(accuracy_cell(resnet, all[i], resnet_accuracy[i], 1, scale));
  study.cells.push_back(accuracy_cell(resnet, all[2], 91, 10, scale));
  if (scale.data.empty()) {
    add_variants(study);
    add_longer(study);
  }
  study.claims = claims(scale);
  study.notes = zhang_study::notes(scale);
  return study;
}

}  // namespace ddl::studies
