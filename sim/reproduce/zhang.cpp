// Zhang et al.: AllReduce, D-PSGD and AD-PSGD with 16 learners on 100 Gbit/s InfiniBand; VGG and ResNet-20 on
// CIFAR-10, and one learner slowed 1 to 10,000 times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/reproduce/figures.hpp"

namespace ddl {
namespace {

using Json = nlohmann::ordered_json;

constexpr int learners = 16;
constexpr int training_images = 50000;

struct System {
  const char* name;
  const char* slug;
  Json algorithm;
  double overhead_s;  // per iteration of ResNet-20 beyond one learner's 11.55 ms, as published, with the network
  double wire_share;  // of it on the wire at 100 Gbit/s, in models of 1 MB: what the simulation adds by itself
};

const char* const all_reduce = "AllReduce";
const char* const d_psgd = "D-PSGD";
const char* const ad_psgd = "AD-PSGD";

std::vector<System> systems() {
  return {{all_reduce, "ring_allreduce", {{"name", "ring_allreduce"}}, 3.51e-3, 2.0 * (learners - 1) / learners},
          {d_psgd, "d_psgd", {{"name", "d_psgd"}, {"topology", "ring"}}, 3.30e-3, 2},
          {ad_psgd, "ad_psgd", {{"name", "ad_psgd"}, {"topology", "ring"}}, 0.95e-3, 1}};
}

struct Preset {
  const char* name;
  const char* slug;
  double bytes;
  double bits_per_second;
  int batch;
  double compute_s;  // of one minibatch on one learner
  double epoch_s;    // of one learner
  double overheads;  // share of System::overhead_s that is charged
};
constexpr Preset vgg{"VGG", "vgg", 60e6, 25e9, 128, 34.8e-3, 13.60, 0};
constexpr Preset resnet{"ResNet-20", "resnet20", 1e6, 100e9, 32, 11.55e-3, 18.04, 1};

double seconds_per_batch(const Preset& preset, const System& system) {
  const double on_the_wire = system.wire_share * 8 * preset.bytes / preset.bits_per_second;
  return preset.compute_s + preset.overheads * (system.overhead_s - on_the_wire);
}

Json scenario(const Preset& preset, const System& system, double slowdown) {
  const double seconds = seconds_per_batch(preset, system);
  Json json;
  json["platform"] = {{"topology", "star"},
                      {"workers", learners},
                      {"latency", "1us"},
                      {"bandwidth", fmt::format("{}bps", preset.bits_per_second)}};
  json["training"] = {{"batch_size", preset.batch}};
  json["wire"] = {{"model_bytes", fmt::format("{}B", preset.bytes)}};
  json["compute"] = {{"seconds_per_batch", fmt::format("{}s", seconds)}, {"jitter", 0}};
  // Only computing is slowed, not the overhead that is charged with it.
  if (slowdown > 1) {
    json["compute"]["slowdown"] = {{"w5", (seconds + (slowdown - 1) * preset.compute_s) / seconds}};
  }
  json["algorithm"] = system.algorithm;
  return json;
}

// --- time per epoch ---

constexpr int timed_epochs = 4;

// When so many samples were trained, over the number of epochs: the end of the run itself waits for the slow learner.
Reading seconds_per_epoch(int batch) {
  return [batch](const Summary&, const RunResult& result) -> std::optional<double> {
    std::vector<double> ends;
    for (const IterationRow& row : result.iterations) ends.push_back(row.end_s);
    const auto needed =
        static_cast<std::size_t>(std::floor(static_cast<double>(timed_epochs) * training_images / batch));
    if (needed == 0 || ends.size() < needed) return std::nullopt;
    std::nth_element(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(needed) - 1, ends.end());
    return ends[needed - 1] / timed_epochs;
  };
}
Reading speed_up(const Preset& preset) {
  return [preset](const Summary& summary, const RunResult& result) -> std::optional<double> {
    const auto seconds = seconds_per_epoch(preset.batch)(summary, result);
    return seconds ? std::optional(preset.epoch_s / *seconds) : std::nullopt;
  };
}

Place time_at(const char* model, const std::string& slowdown, const char* system) {
  return {"epoch_time", {model, slowdown}, system};
}
Place speed_at(const char* model, const std::string& slowdown, const char* system) {
  return {"speed_up", {model, slowdown}, system};
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
          {{time_at(preset.name, label, system.name), seconds, seconds_per_epoch(preset.batch)},
           {speed_at(preset.name, label, system.name), speed, speed_up(preset)}}};
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

Json vgg_layers() {
  Json layers = Json::array();
  for (const auto& [filters, count] : {std::pair{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int i = 0; i < count; ++i) {
      layers.push_back({{"type", "conv"}, {"filters", filters}, {"kernel", 3}});
      layers.push_back({{"type", "relu"}});
    }
    layers.push_back({{"type", "max_pool"}});
  }
  layers.push_back({{"type", "flatten"}});
  layers.push_back({{"type", "dense"}, {"units", 10}, {"init", "zero"}});
  return {{"layers", layers}};
}

Cell accuracy_cell(const Preset& preset, const System& system, double published, int slowdown, const Scale& scale) {
  const bool wide = preset.batch == vgg.batch;
  Json json = scenario(preset, system, slowdown);
  json["data"] =
      scale.full ? Json{{"source", "cifar-10"}, {"path", scale.data}} : Json{{"source", "synthetic"}, {"test", 4000}};
  json["model"] = !scale.full ? Json("cnn") : wide ? vgg_layers() : Json("resnet20");
  json["training"]["optimizer"] = {{"type", "momentum"}, {"learning_rate", 0.1}, {"momentum", 0.9}};
  const double epochs = scale.full ? (wide ? 100 : 164) : 20;
  json["compute"]["jitter"] = 0.1;
  json["stop"] = {{"epochs", epochs}};
  json["evaluate"] = {{"every_iterations", scale.full ? 500 : 50}, {"samples", scale.full ? 10000 : 4000}};
  json["record"] = {{"iterations", false}};
  return {fmt::format("{}_{}_accuracy_{}x", preset.slug, system.slug, slowdown),
          json.dump(),
          {{{"accuracy", {preset.name, std::to_string(slowdown) + "x"}, system.name},
            published,
            final_accuracy_percent()}}};
}

// --- claims ---

Verdict accuracy_order(const Outcome& outcome, const char* model, const char* published) {
  const auto of = [&](const char* system) { return outcome.number({"accuracy", {model, "1x"}, system}); };
  const double tolerance = 0.5;  // points, about the scatter of seeds
  return {of(ad_psgd) >= of(d_psgd) - tolerance && of(d_psgd) >= of(all_reduce) - tolerance,
          fmt::format("{:.2f} / {:.2f} / {:.2f} % (published: {}; ties within half a point)", of(all_reduce),
                      of(d_psgd), of(ad_psgd), published)};
}

double seconds_of(const Outcome& outcome, const Preset& preset, int slowdown, const char* system) {
  return outcome.number(time_at(preset.name, std::to_string(slowdown) + "x", system));
}

Verdict ratio_between(double found, double low, double high, const char* published) {
  return {found >= low && found <= high,
          fmt::format("{:.2f} (published: {}; accepted: {} to {})", found, published, low, high)};
}

std::vector<Claim> claims() {
  return {
      {"Table 1, VGG: AD-PSGD is the most accurate, then D-PSGD, then AllReduce",
       [](const Outcome& o) { return accuracy_order(o, vgg.name, "84.04 / 84.48 / 88.58"); },
       "Which scheme generalises best depends on task and learning rate; the small task has no overfitting to cure."},
      {"Table 1, ResNet-20: AD-PSGD is the most accurate, then D-PSGD, then AllReduce",
       [](const Outcome& o) { return accuracy_order(o, resnet.name, "90.72 / 90.81 / 91.02"); },
       "The published differences are 0.1 and 0.2 points."},
      {"VGG: AD-PSGD is twice as fast as AllReduce",
       [](const Outcome& o) {
         return ratio_between(seconds_of(o, vgg, 1, all_reduce) / seconds_of(o, vgg, 1, ad_psgd), 1.6, 2.4, "2");
       },
       ""},
      {"VGG: AD-PSGD is 20 % faster than D-PSGD",
       [](const Outcome& o) {
         return ratio_between(seconds_of(o, vgg, 1, d_psgd) / seconds_of(o, vgg, 1, ad_psgd), 1.1, 1.4, "1.2");
       },
       "D-PSGD sends its model to two neighbours each iteration, as many bytes as a ring AllReduce; unless that "
       "overlaps "
       "with the gradient it can be no quicker."},
      {"ResNet-20: AD-PSGD speeds up nearly linearly, at least 14 times with 16 learners",
       [](const Outcome& o) {
         const double found = o.number(speed_at(resnet.name, "1x", ad_psgd));
         return Verdict{found >= 14, fmt::format("{:.2f} times (published: 14.78)", found)};
       },
       ""},
      {"a learner 10 times slower costs AD-PSGD less than 10 % of its time per epoch",
       [](const Outcome& o) {
         const double found = seconds_of(o, resnet, 10, ad_psgd) / seconds_of(o, resnet, 1, ad_psgd);
         return Verdict{found < 1.10, fmt::format("{:.3f} times as long (published: 1.09)", found)};
       },
       ""},
      {"and AllReduce and D-PSGD about eight times as long",
       [](const Outcome& o) {
         const double a = seconds_of(o, resnet, 10, all_reduce) / seconds_of(o, resnet, 1, all_reduce);
         const double d = seconds_of(o, resnet, 10, d_psgd) / seconds_of(o, resnet, 1, d_psgd);
         return Verdict{a >= 7 && a <= 9 && d >= 7 && d <= 9,
                        fmt::format("{:.2f} and {:.2f} (published: 7.83 and 7.75)", a, d)};
       },
       ""},
      {"a learner 10,000 times slower costs AD-PSGD no more than one 100 times slower, within 3 %",
       [](const Outcome& o) {
         const double found = seconds_of(o, resnet, 10000, ad_psgd) / seconds_of(o, resnet, 100, ad_psgd);
         return Verdict{found <= 1.03, fmt::format("{:.3f} times as long (published: 1.00)", found)};
       },
       "A neighbour that waits for the slow learner's model waits with it."},
      {"every published time per epoch but the 100x of AllReduce and D-PSGD within 5 %",
       [](const Outcome& o) {
         double worst = 0;
         bool all = true;
         for (const Outcome::Value& value : o.values()) {
           const bool impossible = value.place.row.back() == "100x" && value.place.column != ad_psgd;
           if (value.place.table != "epoch_time" || !value.published || impossible) continue;
           all = all && value.simulated;
           worst = std::max(worst, std::abs(value.simulated.value_or(0) / *value.published - 1));
         }
         return Verdict{all && worst <= 0.05, fmt::format("at most {:.1f} % off", 100 * worst)};
       },
       "D-PSGD at 2x (2.36 s) is below 16 learners' 1.1275 s times two plus its published overhead."},
      {"with a learner 10 times slower AD-PSGD's accuracy stays",
       [](const Outcome& o) {
         const double fall = o.number({"accuracy", {resnet.name, "1x"}, ad_psgd}) -
                             o.number({"accuracy", {resnet.name, "10x"}, ad_psgd});
         return Verdict{fall <= 1, fmt::format("{:+.2f} points (published: above 91 %)", -fall)};
       },
       ""},
  };
}

std::vector<Note> notes(const Scale& scale) {
  return {
      {Note::modelled,
       "16 learners, each with one full-duplex link to a switch. VGG travels as 60 MB and takes 34.8 ms a "
       "batch of 128; ResNet-20 travels as 1 MB and takes 11.55 ms a batch of 32: the published epochs of "
       "one learner over their batches."},
      {Note::modelled,
       "Times per epoch are of four epochs of 50,000 images without learning. " +
           std::string(scale.full ? "Accuracies are of VGG-16 without batch normalisation and ResNet-20 on CIFAR-10."
                                  : "Accuracies are of a small convolutional network on 8,000 generated "
                                    "images, 20 epochs, momentum 0.9 at 0.1: only their order means anything.")},
      {Note::calibrated,
       "ResNet-20's published iterations with 16 learners take 15.06, 14.85 and 12.50 ms; 1 MB at 100 Gbit/s "
       "is 0.08 ms. The rest (handshakes, software, waiting for jitter) is charged as computing, per "
       "scheme: 3.51, 3.30 and 0.95 ms less what the simulated network takes. The 1x row is "
       "therefore an input; the other rows follow from it."},
      {Note::calibrated,
       "VGG has no such overheads. Its links have an effective 25 Gbit/s instead of 100: at line rate an "
       "AllReduce of 60 MB takes 9 ms and could not double a batch of 34.8 ms."},
      {Note::assumed,
       "A slow learner computes that much slower; what is charged for the scheme is not slowed. No jitter where "
       "times are compared."},
      {Note::assumed,
       "The published 100x of AllReduce and D-PSGD (100.4 s) is below 100 times their compute time, 112.8 s; it "
       "is shown but not asked for."},
      {Note::assumed, "D-PSGD and AD-PSGD on a ring, AllReduce as a ring."},
  };
}

}  // namespace

Study zhang(const Scale& scale) {
  Study study;
  study.name = "zhang";
  study.title = "Zhang et al.: AllReduce, D-PSGD and AD-PSGD with a slow learner";
  study.source = "Zhang et al., decentralized distributed deep learning; Lian et al., NIPS 2017 and ICML 2018";
  study.tables = {{"epoch_time", "Time per epoch, s", {"model", "one learner slowed"}, "system", 2},
                  {"speed_up", "Speed-up over one learner", {"model", "one learner slowed"}, "system", 2},
                  {"accuracy", "Final accuracy, %", {"model", "one learner slowed"}, "system", 2}};
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
  study.notes = notes(scale);
  return study;
}

}  // namespace ddl
