// What Cui claims, and what the reproduction rests on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lab/studies/cui_2019.hpp"
#include "lab/studies/figures.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::studies::cui_study {
namespace {

double learnt_by(const Outcome& outcome, const char* preset, const char* quantity, const char* system) {
  return outcome.number(learnt(preset, quantity, system));
}

// How widely a histogram spreads. Of 40,000 batches the extremes are a few; the percentiles leave out 400 at each end.
double spread(const Outcome& outcome, const char* preset, const char* system) {
  return outcome.number(time_of(preset, last_percentile, system)) /
         outcome.number(time_of(preset, first_percentile, system));
}

// "See the experiment", which is on the page of the default size.
std::string see(const Scale& scale, const std::string& experiment) {
  return " See the experiment " + experiment + (scale.data.empty() ? "." : " on the page of the default size.");
}

// Why no centralized batch is as quick as a peer's.
std::string why_none_is_quick(const Preset& preset) {
  const double bytes = scenario::parse_quantity(preset.bytes, scenario::Dimension::size).value;
  const double rate = scenario::parse_quantity(preset.server_rate, scenario::Dimension::bandwidth).value;
  const double computing_s = scenario::parse_quantity(preset.computing, scenario::Dimension::time).value;
  return fmt::format(
      "With all four workers behind the server's link none of them is ever as quick as a peer: to pull and to push "
      "{:.1f} MB over {:.0f} Mbit/s takes {:.2f} s without any wait, beside some {:.2f} s of computing; the published "
      "least is 0.62 s in all. A worker on the server's own machine is quicker than a peer.",
      bytes / 1e6, 8 * rate / 1e6, 2 * bytes / rate, computing_s);
}

std::vector<Claim> claims_of_times(const Preset& given, const Scale& scale) {
  const char* const preset = given.name;
  const bool literal = std::string_view(preset) == presets[0].name;
  const auto named = [&](const char* text) { return fmt::format("{}: {}", preset, text); };
  const auto published = Claim::published;
  return {
      {published, named("a decentralized batch is 1.06 to 5.81 times as quick as a centralized one"),
       [preset](const Outcome& o) {
         // 0.62 / 0.58 and 3.43 / 0.59
         const double of_peers = o.number(time_of(preset, first_percentile, decentralized));
         const double quickest = o.number(time_of(preset, first_percentile, centralized)) / of_peers;
         const double slowest = o.number(time_of(preset, last_percentile, centralized)) / of_peers;
         return Verdict{quickest >= 1 && quickest <= 1.2 && slowest >= 2.9 && slowest <= 5.81,
                        fmt::format("{:.2f} to {:.2f} times: 1st and 99th percentile over the 1st decentralized",
                                    quickest, slowest)};
       },
       "1 to 1.2 at the 1st percentile; half of 5.81 to 5.81 at the 99th: the published figures are of the extremes, "
       "which bound it",
       why_none_is_quick(given) + see(scale, "with one worker there")},
      {literal ? Claim::input : published, named("centralized seconds per batch spread widely, 0.62 to 3.43 s"),
       [preset](const Outcome& o) {
         const double found = spread(o, preset, centralized);
         return Verdict{found >= 2.77 && found <= 5.53,
                        fmt::format("99th over 1st percentile {:.2f} (published extremes: 5.53)", found)};
       },
       std::string("half of 5.53 to 5.53 times, for the published extremes bound the percentiles") +
           (literal ? "; the bytes were chosen for the largest" : ""),
       "Four workers share the server's link, and wait in turn for about as long: a batch takes at most about four "
       "turns to pull, four to push and the computing between, 8 N/B + c, and never less than a third of that. With "
       "one worker on the server's own machine the histogram is far wider." +
           see(scale, "with one worker there")},
      {Claim::input, named("decentralized seconds per batch are stable, 0.58 to 0.73 s"),
       [preset](const Outcome& o) {
         const double found = spread(o, preset, decentralized);
         return Verdict{found <= 1.26,
                        fmt::format("99th over 1st percentile {:.2f} (published extremes: 1.26)", found)};
       },
       "at most 1.26 times, the published extremes; computing time and jitter were chosen for it", ""},
      {published, named("about a quarter of the centralized batches takes less than 0.7 s"),
       [preset](const Outcome& o) {
         const double found = o.number(time_of(preset, quick, centralized));
         return Verdict{found >= 15 && found <= 35, fmt::format("{:.1f} % (published: about 25 %)", found)};
       },
       "15 to 35 %: the share was read off a histogram",
       "With four equal workers no quarter of the batches is quick: it takes a worker that is not behind the server's "
       "link, as one on the server's own machine, with which it is exactly a quarter in either preset. But the source "
       "has four workers and one server on five machines." +
           see(scale, "with one worker there")},
  };
}

// Why claims of what is learnt fail, from the tables of the default size and of the one between; the full size has the
// reasons of the default one. The experiments are on that page.
std::string of_default_size(const Scale& scale) { return scale.data.empty() ? "" : "At the default size: "; }

std::string why_accuracies_differ(const Scale& scale) {
  if (in_between(scale)) {
    return "The centralized system is 12 points behind the peers and 13 behind the single machine, from which it "
           "differs by staleness alone: its gradients are three updates old on average. After 600 batches its loss is "
           "2.34, the single machine's 1.67; its seeds end at 52 to 60 %. The source gives no rate: 0.01 with a "
           "momentum of 0.9 is presumably too much for gradients so old in this network, as 0.03 is at the default "
           "size; no other was tried." +
           see(scale, "by learning rate");
  }
  return of_default_size(scale) +
         "Three causes set a peer back: it computes a quarter of the batches, averages with models of peers that have "
         "seen as few, and drops gradient values below their mean magnitude. No gradient of the centralized system is "
         "lost. So it has not learnt as much." +
         see(scale, "from one machine to peers") +
         " The source gives no rate: the decentralized system is behind at 0.01, too, and ahead at 0.03. That rate is "
         "too large for the single machine, too, which loses 1.9 points from 0.01 to 0.03; the centralized system, "
         "with its staleness, loses 3.0." +
         see(scale, "by learning rate");
}

std::string why_one_machine_is_not_ahead(const Scale& scale) {
  if (in_between(scale)) {
    return "It is the most accurate, with each seed, but of the point over the peers three seeds tell neither way: "
           "paired, the interval is 1.2 points to either side. Over the centralized system it is 13 points ahead.";
  }
  return of_default_size(scale) +
         "Where four workers lose nothing by their staleness, the single machine is level with the centralized "
         "system, and ahead of the peers alone, by 6 points. At a rate of 0.03 they lose, and it is ahead of the "
         "centralized system, but no longer of the peers." +
         see(scale, "by learning rate");
}

std::string why_loss_is_in_another_order(const Scale& scale) {
  if (in_between(scale)) {
    return "The centralized system has the largest loss, as published, for its staleness. The peers' is 0.04 above "
           "that of the single machine, about as much as the half widths: three causes set them back at the default "
           "size, where it is 0.21." +
           see(scale, "from one machine to peers");
  }
  return of_default_size(scale) +
         "The same three causes set the peers' loss back: it is 0.27 on one machine, 0.38 there after a quarter of "
         "the batches, 0.42 with averaging, 0.48 with masked gradients." +
         see(scale, "from one machine to peers") +
         " At a rate of 0.03 the order is the published one: from 0.01 to 0.03 the peers' loss goes on falling, while "
         "that of the single machine rises by 0.10 and that of the centralized system, with its staleness, by 0.16." +
         see(scale, "by learning rate") +
         " The published training accuracies are in the order of the losses: the least loss has the least accuracy.";
}

std::vector<Claim> claims_of_learning(const Preset& given, const Scale& scale) {
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
       "within half a point, twice the published difference", why_accuracies_differ(scale)},
      {published, named("a single machine is the most accurate in the test"),
       [preset](const Outcome& o) {
         const double found =
             learnt_by(o, preset, accuracy, single) -
             std::max(learnt_by(o, preset, accuracy, decentralized), learnt_by(o, preset, accuracy, centralized));
         return Verdict{found >= 1, fmt::format("{:+.2f} points (published: +4.0)", found)};
       },
       "by a point or more, a quarter of the published distance", why_one_machine_is_not_ahead(scale)},
      {published, named("the training loss is least decentralized, then on a single machine, then centralized"),
       [preset](const Outcome& o) {
         const double d = learnt_by(o, preset, loss, decentralized), s = learnt_by(o, preset, loss, single),
                      c = learnt_by(o, preset, loss, centralized);
         return Verdict{d < s && s < c, fmt::format("{:.2f}, {:.2f}, {:.2f} (published: 0.23, 0.42, 0.49)", d, s, c)};
       },
       "this order, in the means of seeds", why_loss_is_in_another_order(scale)},
      {published, named("the training accuracy is least decentralized, and the same centralized and single"),
       [preset](const Outcome& o) {
         const double d = learnt_by(o, preset, training_accuracy, decentralized),
                      c = learnt_by(o, preset, training_accuracy, centralized),
                      s = learnt_by(o, preset, training_accuracy, single);
         return Verdict{d <= std::min(c, s) - 1.1 && std::abs(c - s) <= 0.5,
                        fmt::format("{:.1f}, {:.1f}, {:.1f} % (published: 92.2, 96.7, 96.5)", d, c, s)};
       },
       "decentralized lower than both by 1.1 points or more, a quarter of the published distance; the others within "
       "half a point of each other, more than twice the published difference",
       "What differs between the others is staleness alone." +
           std::string(in_between(scale) ? " It costs the centralized system 18 points: see the test accuracy." : "")},
  };
}

// Of the single machine, whose one run stands for all presets. The task of the default size was chosen for it.
Claim learning_goes_on(const Scale& scale) {
  const bool chosen = scale.data.empty();
  const char* const preset = learning_presets(scale).front().name;
  const int batches = batches_of(scale);
  return {chosen ? Claim::input : Claim::check,
          fmt::format("learning goes on after {} of the {} batches", batches * 3 / 20, batches),
          [preset](const Outcome& o) {
            const double found = learnt_by(o, preset, late, single);
            return Verdict{found >= 3, fmt::format("the single machine rises by {:.1f} points after them", found)};
          },
          std::string("by three points of test accuracy or more, on a single machine") +
              (chosen ? "; the task was chosen for it" : ""),
          ""};
}

std::string what_learns(const Scale& scale) {
  if (scale.full) return "VGG-19 without batch normalisation, 20.0 M parameters, on CIFAR-10; 40,000 batches.";
  if (in_between(scale)) {
    return "What is learnt is CIFAR-10, by four convolutions of 3x3 with 16, 32, 64 and 128 filters, each with ReLU "
           "and 2x2 max-pooling, and one dense layer; no batch normalisation, no augmentation.";
  }
  return "What is learnt is the perceptron `mlp` (4,970 parameters) on 50,000 generated images, 10,000 others for the "
         "test, as many as CIFAR-10 has; 40,000 batches in all, as published. Absolute accuracies are another task's.";
}

}  // namespace

std::string size_text(const Scale& scale) {
  if (scale.full) return "full. VGG-19 on CIFAR-10, 40,000 batches in all, as published, by one seed.";
  if (in_between(scale)) {
    return fmt::format(
        "small networks on CIFAR-10 (`--data DIR`), seeds 1 to 3. Smaller than published: a VGG of four convolutions "
        "and 102,570 parameters instead of VGG-19's 20.0 M; {} batches of 32 in all, {:.1f} epochs, instead of 40,000 "
        "(25.6 epochs); evaluations are of {} of the 10,000 test images. What is learnt is of the preset `{}` alone. "
        "As published: all 50,000 training images; times, which are of 40,000 batches without learning.",
        batches_of(scale), batches_of(scale) * 32 / 50000.0, test_images_in_between, learning_presets(scale)[0].name);
  }
  return "default. A perceptron of 4,970 parameters on generated images instead of VGG-19 on CIFAR-10; as published: "
         "40,000 batches in all, 50,000 training and 10,000 test images.";
}

std::vector<Claim> claims(const Scale& scale) {
  std::vector<Claim> all;
  for (const Preset& preset : presets) {
    for (Claim& claim : claims_of_times(preset, scale)) all.push_back(std::move(claim));
  }
  for (const Preset& preset : learning_presets(scale)) {
    for (Claim& claim : claims_of_learning(preset, scale)) all.push_back(std::move(claim));
  }
  all.push_back(learning_goes_on(scale));
  return all;
}

std::vector<Note> notes(const Scale& scale) {
  return {
      {Note::modelled,
       "Decentralized: Algorithm 1. A peer computes a gradient, drops its values below their tensor's mean magnitude, "
       "applies the rest, then pulls the next peer's model, waits for it, and averages. Centralized: an asynchronous "
       "parameter server, which applies each gradient whole, as TensorFlow's does (`gradient_scale: sum`), and keeps "
       "the momentum. All workers sample the whole training set, each in an order of its own (`data.partition: "
       "full`)."},
      {Note::modelled,
       "What is judged of seconds per batch is their histogram: percentiles, and the share below 0.7 s. The least and "
       "the largest of 40,000 are shown beside them."},
      {Note::modelled,
       "Training loss and accuracy are means over the minibatches of all workers in the last twentieth of the batches "
       "up to there, at the weights each was computed at."},
      {Note::modelled, what_learns(scale)},
      {Note::calibrated,
       "A decentralized batch takes 0.655 s, the middle of the published range: 8 N/b to pull N bytes over b bit/s, "
       "and the rest to compute. Computing has log-normal jitter of sigma 0.03, such that 0.58 to 0.73 s are the "
       "extremes."},
      {Note::calibrated,
       "Two presets, because the published figures contradict each other: VGG-19 is 80.1 MB and takes 2.14 s at 300 "
       "Mbit/s, three times the published decentralized batch. `literal` keeps 300 Mbit/s at the server and sends "
       "13.5 MB, such that a worker that waits for three others when it pulls and when it pushes takes 8 N/B + c = "
       "3.43 s, of which it computes c = 0.547 s; `bytes` sends 80.1 MB, reads \"300M/bps\" as 300 MB/s, and computes "
       "for 0.591 s."},
      {Note::modelled,
       "Five machines: four workers and one server, or four peers. Only the server's link is held to that rate, as "
       "the source says; the workers' are of 1 Gbit/s, or 10 Gbit/s where the server's has 2.4."},
      {Note::assumed, std::string("Batches of 32, momentum 0.9, learning rate ") +
                          (scale.data.empty() ? "0.003" : "0.01") +
                          ": the source gives none. No contribution rates, no timeouts; peers in a ring."},
      {Note::assumed, "The single machine trains as many batches as all workers together."},
  };
}

}  // namespace ddl::studies::cui_study
