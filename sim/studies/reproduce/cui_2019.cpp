// Cui (2019): four peers that pull models from each other and drop small gradients, against four workers with a
// parameter server on a fifth machine, whose link alone is held to 300 Mbit/s; VGG-19 on CIFAR-10, 10,000 batches each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/studies/reproduce/figures.hpp"

namespace ddl::studies {
namespace {

using Json = nlohmann::ordered_json;

const char* const decentralized = "decentralized";
const char* const centralized = "centralized";
const char* const single = "single machine";

struct Preset {
  const char* name;
  const char* rate;         // of the workers' links
  const char* server_rate;  // of the server's
  const char* bytes;        // of a model on the wire
};
constexpr Preset presets[] = {{"literal", "1Gbps", "300Mbps", "13MB"}, {"bytes", "10Gbps", "2.4Gbps", "80118056B"}};

int steps_of_all(const Scale& scale) { return scale.full ? 40000 : 10000; }

Json scenario(const Preset& preset, int workers, const Scale& scale) {
  Json json;
  json["data"] =
      scale.full ? Json{{"source", "cifar-10"}, {"path", scale.data}} : Json{{"source", "synthetic"}, {"test", 4000}};
  json["model"] = scale.full ? vgg_network({2, 2, 4, 4, 4}) : Json("cnn");
  json["training"] = {{"batch_size", 32},
                      {"optimizer", {{"type", "momentum"}, {"learning_rate", 0.01}, {"momentum", 0.9}}}};
  json["wire"] = {{"model_bytes", preset.bytes}};
  json["compute"] = {{"seconds_per_batch", "650ms"}, {"jitter", 0.03}};
  const int steps = steps_of_all(scale) / workers;
  json["stop"] = {{"iterations", steps}};
  json["evaluate"] = {{"every_iterations", steps / 20}};
  return json;
}

Json decentralized_scenario(const Preset& preset, const Scale& scale) {
  Json json = scenario(preset, 4, scale);
  json["platform"] = {{"topology", "star"}, {"workers", 4}, {"bandwidth", preset.rate}, {"latency", "0.1ms"}};
  json["algorithm"] = {
      {"name", "gossip"}, {"mode", "pull"}, {"peer", "ring"}, {"order", "overlap"}, {"threshold", "abs_mean"}};
  return json;
}

Json centralized_scenario(const Preset& preset, const Scale& scale) {
  Json json = scenario(preset, 4, scale);
  json["platform"] = {{"topology", "star"},
                      {"workers", 4},
                      {"servers", 1},
                      {"bandwidth", preset.rate},
                      {"server_bandwidth", preset.server_rate},
                      {"latency", "0.1ms"}};
  json["algorithm"] = {{"name", "ps_async"}};
  return json;
}

// --- figures ---

Reading percent_of_steps_below(double seconds) {
  return [seconds](const results::FinishedRun& run) -> std::optional<double> {
    std::int64_t steps = 0, quick = 0;
    results::read_rows<experiment::IterationRow>(run.folder, [&](const experiment::IterationRow& row) {
      ++steps;
      quick += row.end_s - row.start_s < seconds;
    });
    if (steps == 0) return std::nullopt;
    return 100 * static_cast<double>(quick) / static_cast<double>(steps);
  };
}
// Mean minibatch loss of all workers over the last twentieth of the run.
Reading training_loss() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    std::optional<double> last;
    for (const experiment::CurveRow& row : results::read_mean_curve(run.folder)) {
      if (row.train_loss) last = row.train_loss;
    }
    return last;
  };
}

TablePosition time_of(const char* preset, const char* quantity, const char* system) {
  return {"time", {preset, quantity}, system};
}
TablePosition learnt(const char* preset, const char* quantity, const char* system) {
  return {"learning", {preset, quantity}, system};
}
const char* const least = "least s/batch";
const char* const most = "largest s/batch";
const char* const quick = "% of batches below 0.7 s";
const char* const accuracy = "test accuracy, %";
const char* const loss = "training loss";

std::vector<Figure> figures(const Preset& preset, const char* system, std::optional<double> shortest,
                            std::optional<double> longest, std::optional<double> share, double test_accuracy,
                            double train_loss) {
  return {{time_of(preset.name, least, system), shortest, measured("seconds_per_batch.min")},
          {time_of(preset.name, most, system), longest, measured("seconds_per_batch.max")},
          {time_of(preset.name, quick, system), share, percent_of_steps_below(0.7)},
          {learnt(preset.name, accuracy, system), test_accuracy, final_accuracy_percent(3)},
          {learnt(preset.name, loss, system), train_loss, training_loss()}};
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> list;
  for (const Preset& preset : presets) {
    list.push_back({fmt::format("{}_decentralized", preset.name), decentralized_scenario(preset, scale).dump(),
                    figures(preset, decentralized, 0.58, 0.73, std::nullopt, 79.775, 0.230875)});
    list.push_back({fmt::format("{}_centralized", preset.name), centralized_scenario(preset, scale).dump(),
                    figures(preset, centralized, 0.62, 3.43, 25, 79.5, 0.4877)});
    Json json = scenario(preset, 1, scale);
    json["platform"] = {{"topology", "star"}, {"workers", 1}, {"bandwidth", preset.rate}};
    json["algorithm"] = "single";
    list.push_back({fmt::format("{}_single", preset.name),
                    json.dump(),
                    {{learnt(preset.name, accuracy, single), 83.8, final_accuracy_percent(3)},
                     {learnt(preset.name, loss, single), 0.4192, training_loss()}}});
  }
  return list;
}

// --- claims ---

double learnt_by(const Outcome& outcome, const char* preset, const char* quantity, const char* system) {
  return outcome.number(learnt(preset, quantity, system));
}

double spread(const Outcome& outcome, const char* preset, const char* system) {
  return outcome.number(time_of(preset, most, system)) / outcome.number(time_of(preset, least, system));
}

std::vector<Claim> claims_of_times(const Preset& given) {
  const char* const preset = given.name;
  const bool literal = preset == presets[0].name;
  const auto named = [&](const char* text) { return fmt::format("{}: {}", preset, text); };
  const auto published = Claim::published;
  return {
      {published, named("a decentralized batch is 1.06 to 5.81 times as quick as a centralized one"),
       [preset](const Outcome& o) {
         // 0.62 / 0.58 and 3.43 / 0.59
         const double quickest =
             o.number(time_of(preset, least, centralized)) / o.number(time_of(preset, least, decentralized));
         const double slowest =
             o.number(time_of(preset, most, centralized)) / o.number(time_of(preset, least, decentralized));
         return Verdict{
             quickest >= 1 && quickest <= 1.2 && slowest >= 4.4 && slowest <= 7.3,
             fmt::format("{:.2f} to {:.2f} times: least and largest over the least decentralized", quickest, slowest)};
       },
       "1 to 1.2 at the least, 5.81 within a quarter at the most",
       "With all four workers behind the server's link none of them is ever as quick as a peer: the published least, "
       "0.62 s, leaves 0.04 s for two transfers, which 300 Mbit/s make only of 0.8 MB."},
      {literal ? Claim::input : published, named("centralized seconds per batch spread widely, 0.62 to 3.43 s"),
       [preset](const Outcome& o) {
         const double found = spread(o, preset, centralized);
         return Verdict{found >= 4 && found <= 7.5, fmt::format("worst over best {:.2f} (published: 5.53)", found)};
       },
       literal ? "4 to 7.5 times; the bytes were chosen for the largest"
               : "4 to 7.5 times: a quarter to either side, and "
                 "some for extremes of another number of batches",
       "Four workers share the server's link, and wait in turn for about as long: a batch takes at most four turns to "
       "pull, four to push and the computing between, 8 N/B + c, and rarely much less than half of that."},
      {Claim::input, named("decentralized seconds per batch are stable, 0.58 to 0.73 s"),
       [preset](const Outcome& o) {
         const double found = spread(o, preset, decentralized);
         return Verdict{found <= 1.6, fmt::format("worst over best {:.2f} (published: 1.26)", found)};
       },
       "at most 1.6 times; computing time and jitter were chosen for it", ""},
      {published, named("about a quarter of the centralized batches takes less than 0.7 s"),
       [preset](const Outcome& o) {
         const double found = o.number(time_of(preset, quick, centralized));
         return Verdict{found >= 15 && found <= 35, fmt::format("{:.1f} % (published: about 25 %)", found)};
       },
       "15 to 35 %: the share was read off a histogram",
       "With four equal workers no quarter of the batches is quick. One worker on the server's own machine would give "
       "it, as this study had it before; the source has four workers and one server on five machines."},
  };
}

std::vector<Claim> claims_of_learning(const Preset& given) {
  const char* const preset = given.name;
  const auto named = [&](const char* text) { return fmt::format("{}: {}", preset, text); };
  const auto published = Claim::published;
  return {
      {published, named("test accuracy is the same, decentralized and centralized"),
       [preset](const Outcome& o) {
         const double found =
             learnt_by(o, preset, accuracy, decentralized) - learnt_by(o, preset, accuracy, centralized);
         return Verdict{std::abs(found) <= 0.5, fmt::format("{:+.2f} points (published: +0.28)", found)};
       },
       "within half a point, twice the published difference",
       "Dropping gradients below their mean magnitude slows the decentralized learner, and neither has learnt all "
       "there "
       "is after so few batches."},
      {published, named("a single machine is the most accurate in the test"),
       [preset](const Outcome& o) {
         const double found =
             learnt_by(o, preset, accuracy, single) -
             std::max(learnt_by(o, preset, accuracy, decentralized), learnt_by(o, preset, accuracy, centralized));
         return Verdict{found >= 1, fmt::format("{:+.2f} points (published: +4.0)", found)};
       },
       "by a point or more, a quarter of the published distance",
       "The small task has less left to learn than CIFAR-10."},
      {published, named("the training loss is least decentralized, then on a single machine, then centralized"),
       [preset](const Outcome& o) {
         const double d = learnt_by(o, preset, loss, decentralized), s = learnt_by(o, preset, loss, single),
                      c = learnt_by(o, preset, loss, centralized);
         return Verdict{d < s && s < c, fmt::format("{:.2f}, {:.2f}, {:.2f} (published: 0.23, 0.42, 0.49)", d, s, c)};
       },
       "this order, in the means of seeds",
       "Masked gradients carry less, so the decentralized learner is behind after as many batches, in loss as in "
       "accuracy. The published order contradicts the source's own training accuracies, where it is reversed."},
      {published,
       named("training accuracy: 86.7 to 95.3 % decentralized, 96.7 % centralized, 96.5 % on a single machine"),
       nullptr, "", "runs evaluate test samples only."},
  };
}

std::vector<Note> notes(const Scale& scale) {
  return {
      {Note::modelled,
       "Decentralized: a peer pulls the next peer's model while it computes, averages, and drops gradient "
       "values below their tensor's mean magnitude. Centralized: an asynchronous parameter server; each of "
       "its gradients weighs a quarter, as in every scheme of this program."},
      {Note::modelled, scale.full
                           ? "VGG-19 without batch normalisation, 20.0 M parameters, on CIFAR-10; 40,000 batches."
                           : "What is learnt is a small convolutional network on generated images: 10,000 batches "
                             "in all instead of 40,000; absolute accuracies are another task's."},
      {Note::calibrated,
       "Computing a batch takes 0.65 s, the middle of the published decentralized range, with log-normal "
       "jitter of sigma 0.03, whose extremes over 10,000 batches are that range."},
      {Note::calibrated,
       "Two presets, because the published figures contradict each other: VGG-19 is 80.1 MB and takes "
       "2.14 s at 300 Mbit/s, three times the published decentralized batch. `literal` keeps 300 "
       "Mbit/s at the server and sends 13 MB, such that a worker that waits for three others when it pulls and when it "
       "pushes takes 8 N/B + 0.65 = 3.43 s; `bytes` sends 80.1 MB and reads \"300M/bps\" as 300 MB/s."},
      {Note::modelled,
       "Five machines: four workers and one server, or four peers. Only the server's link is held to that rate, as the "
       "source says; the workers' are of 1 Gbit/s, or 10 Gbit/s where the server's has 2.4."},
      {Note::assumed,
       "Batches of 32, momentum 0.9, learning rate 0.01: the source gives none. No contribution rates, no "
       "timeouts; peers in a ring; training accuracy is not measured."},
      {Note::assumed, "The single machine trains as many batches as all workers together."},
  };
}

}  // namespace

Study cui_2019(const Scale& scale) {
  Study study;
  study.name = "cui_2019";
  study.title = "Cui (2019): pulling models from peers against a parameter server";
  study.source = "Cui, peer-to-peer deep learning with gradient compression, 2019: testbed of five machines";
  study.seeds = scale.full ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{1, 2, 3, 4, 5};
  study.tables = {{"time", "Seconds per batch", {"preset", "quantity"}, "system", 2},
                  {"learning", "What is learnt", {"preset", "quantity"}, "system", 2}};
  study.cells = cells(scale);
  for (const Preset& preset : presets) {
    for (Claim& claim : claims_of_times(preset)) study.claims.push_back(std::move(claim));
    for (Claim& claim : claims_of_learning(preset)) study.claims.push_back(std::move(claim));
  }
  study.notes = notes(scale);
  return study;
}

}  // namespace ddl::studies
