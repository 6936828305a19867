// What IDDL claims, what follows from it on a network, and what the reproduction rests on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/studies/figures.hpp"
#include "lab/studies/iddl/iddl.hpp"

namespace ddl::studies::iddl_study {
namespace {

// Whether all figures of a table are the published ones, as far as those are written out.
Verdict all_equal(const Outcome& outcome, const char* table, double unit) {
  int all = 0, equal = 0;
  for (const Outcome::Value& value : outcome.values()) {
    if (value.place.table != table || !value.published) continue;
    ++all;
    if (value.simulated && std::round(*value.simulated / unit) == std::round(*value.published / unit)) ++equal;
  }
  return {equal == all, out_of(equal, all) + " figures are the same"};
}

// Whether the perceptrons of these forms are as accurate as published.
Verdict perceptrons_near(const Outcome& outcome, double tolerance, const std::vector<const char*>& of_forms) {
  std::vector<std::string> off;
  double worst = 0;
  int all = 0;
  for (const char* model : perceptrons) {
    for (const char* form : of_forms) {
      const Outcome::Value& value = outcome.at(perceptron_at(model, form));
      const double difference = outcome.number(value.place) - *value.published;
      ++all;
      if (std::abs(difference) <= tolerance) {
        worst = std::max(worst, std::abs(difference));
      } else {
        off.push_back(fmt::format("{} {} {:+.1f}", model, form, difference));
      }
    }
  }
  std::string text = fmt::format("{} within {} points", out_of(all - static_cast<int>(off.size()), all), tolerance);
  if (off.empty()) text += fmt::format(", at most {:.2f} off", worst);
  if (!off.empty()) text += fmt::format("; beyond: {}", fmt::join(off, ", "));
  return {off.empty(), text};
}

Verdict larger_is_better(const Outcome& outcome) {
  bool holds = true;
  std::string text;
  for (const char* form : forms) {
    const double first = outcome.number(perceptron_at(perceptrons.front(), form));
    const double last = outcome.number(perceptron_at(perceptrons.back(), form));
    holds = holds && last > first;
    text += fmt::format("{}{} {:+.1f} points from 3-1 to 3-4", text.empty() ? "" : ", ", form, last - first);
  }
  return {holds, text};
}

Verdict order_of_forms(const Outcome& outcome) {
  int ahead = 0;
  for (const char* model : perceptrons) {
    const auto of = [&](const char* form) { return outcome.number(perceptron_at(model, form)); };
    if (of(dense) > std::max(of(bibd), of(random)) + 3) ++ahead;
  }
  return {ahead == static_cast<int>(perceptrons.size()),
          "in " + out_of(ahead, static_cast<int>(perceptrons.size())) + " networks by more than 3 points"};
}

Verdict design_against_chance(const Outcome& outcome) {
  int ahead = 0;
  std::string text;
  for (const char* model : perceptrons) {
    const double gain = outcome.number(perceptron_at(model, bibd)) - outcome.number(perceptron_at(model, random));
    if (gain > 0) ++ahead;
    text += fmt::format("{}{:+.1f}", text.empty() ? "" : ", ", gain);
  }
  return {ahead == static_cast<int>(perceptrons.size()), text + " points (published: +1.1, +2.0, +0.5, +0.9)"};
}

Verdict gain(double from, double to, double least) {
  return {to - from >= least, fmt::format("{:.1f} % instead of {:.1f} %", to, from)};
}

Verdict both_best(const Outcome& outcome) {
  const double both = outcome.number(wan_at(bibd, ako));
  const double others = std::max({outcome.number(wan_at(dense, server)), outcome.number(wan_at(dense, ako)),
                                  outcome.number(wan_at(bibd, server))});
  return {both >= others - 0.5, fmt::format("{:.1f} %, the best other {:.1f} %", both, others)};
}

Verdict members_help(const Outcome& outcome, const char* weighting) {
  bool rises = true;
  std::string text;
  double best = 0;
  for (const int members : member_counts) {
    const double accuracy = outcome.number(ensemble_at(members, weighting));
    rises = rises && accuracy >= best - 1;  // one point is about what seeds scatter
    best = std::max(best, accuracy);
    text += fmt::format("{}{:.1f}", text.empty() ? "" : " / ", accuracy);
  }
  const double gained = outcome.number(ensemble_at(member_counts.back(), weighting)) -
                        outcome.number(ensemble_at(member_counts.front(), weighting));
  return {rises && gained > 1, fmt::format("{} % with 1 / 3 / 5 / 7 / 9 members", text)};
}

}  // namespace

std::vector<Claim> claims(const Scale& scale) {
  const auto published = Claim::published, check = Claim::check;
  std::vector<Claim> claims = {
      {published, "every published number of parameters, dense and sparse",
       [](const Outcome& o) { return all_equal(o, "parameters", 1); }, "exact: they are counted", ""},
      {published, "every published number of operations",
       [](const Outcome& o) { return all_equal(o, "operations", 0.01); }, "exact in millions to two digits", ""}};
  if (!scale.data.empty()) {
    const std::vector<Claim> of_perceptrons = {
        {published, "dense perceptrons are more accurate than sparse ones", order_of_forms,
         "in all four networks by more than 3 points: published are 6 to 12", ""},
        {published, "larger perceptrons are more accurate in every form", larger_is_better, "any more, 3-4 over 3-1",
         ""},
        {published, "block designs are more accurate than random places in all four perceptrons", design_against_chance,
         "any more",
         "The published differences are of one run each, and are smaller than what seeds of one form scatter."},
        {check, "the dense perceptrons are as accurate on MNIST as published",
         [](const Outcome& o) { return perceptrons_near(o, 1.5, {dense}); },
         "within 1.5 points: published are single runs", ""},
        {check, "and the sparse ones",
         [](const Outcome& o) {
           return perceptrons_near(o, 3, {bibd, random});
         },
         "within 3 points: seeds of these scatter more",
         "The published figures are of one run each, and a run hangs on its start: the first layer of MLP-3-1 reads "
         "one row of the image per unit, the topmost of which are black, and units that start dead stay so. Six seeds "
         "of it with block designs came to 75.8 to 82.9 %."}};
    claims.insert(claims.end(), of_perceptrons.begin(), of_perceptrons.end());
  }
  if (!scale.data.empty()) {
    const std::vector<Claim> of_exits = claims_of_exits();
    claims.insert(claims.end(), of_exits.begin(), of_exits.end());
  }
  const std::vector<Claim> here = {
      {published, "an ensemble is more accurate the more members it has, right samples weighing more for the next one",
       [](const Outcome& o) { return members_help(o, as_published); },
       "never a point below the best so far, about what seeds scatter, and one point gained at least; the published "
       "nine "
       "are 0.7 points below the seven",
       ""},
      {check, "an ensemble by standard SAMME, where wrong samples weigh more, gains with its members, too",
       [](const Outcome& o) { return members_help(o, standard); }, "as the published claim of ensembles", ""},
      {check, "at 40 Mbit/s a sparse model gains an asynchronous parameter server accuracy in 300 s",
       [](const Outcome& o) { return gain(o.number(wan_at(dense, server)), o.number(wan_at(bibd, server)), 10); },
       "at least 10 points, more than TF.AKO's largest error bar", ""},
      {check, "and Ako with four partitions too",
       [](const Outcome& o) { return gain(o.number(wan_at(dense, ako)), o.number(wan_at(bibd, ako)), 10); }, "likewise",
       "A step of Ako with block designs takes a quarter of the time, and so it trains four times as many minibatches. "
       "What that gains is about the 10 points asked for, where five seeds tell it to some 5 points, so that it may "
       "come out on either side of them."},
      {check, "sparsity and partial exchange together are the best of the four", both_best, "ties within 0.5 points",
       ""}};
  claims.insert(claims.end(), here.begin(), here.end());
  const std::vector<Claim> of_residual_networks = claims_of_residual_networks(scale);
  claims.insert(claims.end(), of_residual_networks.begin(), of_residual_networks.end());
  return claims;
}

std::vector<Note> notes(const Scale& scale) {
  std::vector<Note> notes = {
      {Note::modelled,
       "Counts need no run. Those of perceptrons are of weights without biases, those of residual networks of all "
       "parameters; operations as thop counts them. The design of order q is the published one, modulo q."},
      {Note::modelled,
       "The wide-area network: a small convolutional network on generated images learns; dense it travels as 17.05 MB "
       "and takes 340 ms a batch of 64, as TF.AKO's. With block designs in all layers but the first and the last it "
       "travels and computes as its own share of weights and of operations says (21 % and 58 %)."},
      {Note::modelled,
       "Ensembles: MLP-3-1 with block designs on 8,000 generated images stands in for B-ResNet-18 on CIFAR-10, so that "
       "nine members train in seconds; only the trends of published and simulated figures compare. Each member is "
       "trained on a host of its own for 10 epochs. Sample weights (4 bytes a sample) go from host to host, answers (a "
       "byte a test sample) to the first host."},
      {Note::assumed,
       "As published means: the weights of samples that a member gets right are multiplied by (1 - e) (K - 1) / e, and "
       "those of the largest weight come twice in a pass. Standard SAMME raises the wrong ones, and batches are drawn "
       "by "
       "the weights. Published weights are those of batches, here of samples."}};
  if (scale.data.empty()) {
    notes.push_back(
        {Note::assumed,
         "The twelve perceptrons on MNIST and the networks with exits on CIFAR-10 are left out: no folder of "
         "data was given (--data DIR with DIR/mnist and DIR/cifar-10, or DDLSIM_DATA)."});
  } else {
    notes.push_back(
        {Note::modelled,
         "Perceptrons: MNIST with inputs in [0, 1], batches of 32, SGD 0.01 with momentum 0.5, 10 epochs. The "
         "published figures are of one run each. Their loss takes the logarithm of softmax twice, which "
         "changes nothing: the second finds its input normalised."});
    notes.push_back(
        {Note::modelled,
         std::string(
             "Early exits: two, after the second and the third of four stages, each on a host of its own: a 3x3 "
             "convolution to 32 channels and a dense layer, trained by plain SGD 0.01 on a loss of its own from "
             "which nothing goes back. SGD 0.01 with momentum 0.9 and weight decay 0.0005. Grouped: four groups in "
             "the 3x3 convolutions of the blocks. Each exit answers for every test image. ") +
             (scale.full
                  ? "ResNet-18, batches of 128, 75 epochs."
                  : "A small residual network on CIFAR-10 stands in for ResNet-18: 16, 32, 64 and 128 filters, one "
                    "block each, a first layer of stride 2; two epochs in batches of 32 instead of 75 in batches of "
                    "128; 5,000 test images. Only the order of published and simulated figures compares.")});
    notes.push_back(
        {Note::modelled,
         "Own classifiers: each of four groups of channels of the pooled image has one, and a dense layer combines "
         "their 40 outputs to ten. The source has that network, and no figure of it."});
    const FewEpochs few = few_epochs(scale);
    notes.push_back(
        {Note::modelled,
         fmt::format(
             "ResNet-34 and ResNet-50 are the published networks, by SGD 0.01 with momentum 0.5 as published; "
             "they train for {} epochs of the first {} images in batches of {}, {} steps instead of 19,550, and "
             "are tested on {} images.",
             few.epochs, few.images, few.batch, few.epochs * few.images / few.batch, few.tests)});
    notes.push_back(
        {Note::assumed,
         "Training images of CIFAR-10 are cropped and flipped as published. Inputs are divided by the deviations of "
         "all pixels, 0.25, 0.24 and 0.26 of the range, the published ones by 0.20, which the first batch "
         "normalisation undoes."});
    notes.push_back(
        {Note::assumed,
         "The stored results of the exits do not name their columns; that they are the end, the first and the "
         "second exit is inferred from their sizes. Published are means of 20 runs."});
  }
  return notes;
}

}  // namespace ddl::studies::iddl_study
