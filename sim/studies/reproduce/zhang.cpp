#include "sim/studies/reproduce/zhang.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/studies/reproduce/figures.hpp"

namespace ddl::studies {
namespace zhang_study {

TablePosition time_at(const char* model, const std::string& slowdown, const char* system) {
  return {"epoch_time", {model, slowdown}, system};
}
TablePosition speed_at(const char* model, const std::string& slowdown, const char* system) {
  return {"speed_up", {model, slowdown}, system};
}

namespace {

using Json = nlohmann::ordered_json;

constexpr int learners = 16;
constexpr int training_images = 50000;

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

Cell accuracy_cell(const Preset& preset, const System& system, double published, int slowdown, const Scale& scale) {
  const bool wide = preset.batch == vgg.batch;
  Json json = scenario(preset, system, slowdown);
  const int images = scale.full ? training_images : 8000;
  json["data"] = scale.full ? Json{{"source", "cifar-10"}, {"path", scale.data}}
                            : Json{{"source", "synthetic"}, {"train", images}, {"test", 4000}};
  json["model"] = !scale.full ? Json("cnn") : wide ? vgg_network({2, 2, 3, 3, 3}) : Json("resnet20");
  const int epochs = scale.full ? (wide ? 100 : 164) : (wide ? 60 : 20);
  json["training"]["optimizer"] = {
      {"type", "momentum"},
      {"learning_rate", 0.1},
      {"momentum", 0.9},
      {"schedule", {{"type", "cosine"}, {"steps", epochs * images / preset.batch / learners}}}};
  json["compute"]["jitter"] = 0.1;
  json["stop"] = {{"epochs", epochs}};
  json["evaluate"] = {{"every_iterations", scale.full ? 500 : 50}, {"samples", scale.full ? 10000 : 4000}};
  json["record"] = {{"iterations", false}};
  return {fmt::format("{}_{}_accuracy_{}x", preset.slug, system.slug, slowdown),
          json.dump(),
          {{{"accuracy", {preset.name, std::to_string(slowdown) + "x"}, system.name},
            published,
            final_accuracy_percent(3)}}};
}

}  // namespace
}  // namespace zhang_study

Study zhang(const Scale& scale) {
  using namespace zhang_study;
  Study study;
  study.name = "zhang";
  study.title = "Zhang et al.: AllReduce, D-PSGD and AD-PSGD with a slow learner";
  study.source = "Zhang et al., decentralized distributed deep learning; Lian et al., NIPS 2017 and ICML 2018";
  study.seeds = scale.full ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{1, 2, 3, 4, 5};
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
  study.claims = claims();
  study.notes = zhang_study::notes(scale);
  return study;
}

}  // namespace ddl::studies
