// What IDDL claims of residual networks on CIFAR-10, with exits and without.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/studies/figures.hpp"
#include "lab/studies/iddl/iddl.hpp"

namespace ddl::studies::iddl_study {
namespace {

// Whether all figures of a table are near the published ones, as far as those are written out.
Verdict all_near(const Outcome& outcome, const char* table, double tolerance) {
  int all = 0, near = 0;
  std::string text;
  for (const Outcome::Value& value : outcome.values()) {
    if (value.place.table != table || !value.published) continue;
    const double difference = outcome.number(value.place) - *value.published;
    ++all;
    if (std::abs(difference) <= tolerance) ++near;
    text += fmt::format(", {} {} {:+.1f}", value.place.row.front(), value.place.column, difference);
  }
  return {near == all, out_of(near, all) + fmt::format(" within {} points", tolerance) + text};
}

// Whether in each of the forms that were published each exit is more accurate than the one before.
Verdict rises_from_exit_to_exit(const Outcome& outcome) {
  bool holds = true;
  std::string text;
  for (const char* form : {dense, grouped, bibd}) {
    const auto of = [&](std::size_t exit) { return outcome.number(exit_at(exits[exit], form)); };
    holds = holds && of(0) < of(1) && of(1) < of(2);
    text += fmt::format("{}{} {:.1f} / {:.1f} / {:.1f} %", text.empty() ? "" : ", ", form, of(0), of(1), of(2));
  }
  return {holds, text};
}

// Whether at each exit the first form is more accurate than the second, and that than the third.
Verdict ranked_at_each_exit(const Outcome& outcome, const std::array<const char*, 3>& ranked) {
  int so = 0;
  std::string text;
  for (const char* exit : exits) {
    const auto of = [&](std::size_t form) { return outcome.number(exit_at(exit, ranked[form])); };
    if (of(0) > of(1) && of(1) > of(2)) ++so;
    text += fmt::format(", {} {:.1f} / {:.1f} / {:.1f} %", exit, of(0), of(1), of(2));
  }
  const int all = static_cast<int>(exits.size());
  return {so == all, out_of(so, all) + " so: " + text.substr(2)};
}

Verdict both_cost_most(const Outcome& outcome) {
  const double both = outcome.number(exit_at(exits.back(), bibd_grouped));
  const double least =
      std::min(outcome.number(exit_at(exits.back(), bibd)), outcome.number(exit_at(exits.back(), grouped)));
  return {both < least, fmt::format("{:.1f} %, the lower of the two {:.1f} %", both, least)};
}

Verdict classifiers_near(const Outcome& outcome, double tolerance) {
  const double own = outcome.number(exit_at(exits.back(), own_classifiers));
  const double one = outcome.number(exit_at(exits.back(), grouped));
  return {std::abs(own - one) <= tolerance, fmt::format("{:.1f} % at the end, {:.1f} % with one classifier", own, one)};
}

constexpr std::array larger = {"ResNet-34", "ResNet-50"};

// Whether dense the larger residual networks are more accurate than in either sparse form, by more than `points`.
Verdict dense_leads(const Outcome& outcome, double points) {
  int ahead = 0;
  std::string text;
  for (const char* model : larger) {
    const double whole = outcome.number(few_at(model, dense));
    for (const char* form : {bibd, random}) {
      const double lead = whole - outcome.number(few_at(model, form));
      if (lead > points) ++ahead;
      text += fmt::format("{}dense {} {:+.1f} against {}", text.empty() ? "" : ", ", model, lead, form);
    }
  }
  return {ahead == 4, text + " points"};
}

Verdict leaves_chance(const Outcome& outcome, double least) {
  int left = 0;
  std::string text;
  for (const char* model : larger) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", model);
    for (const char* form : forms) {
      const double accuracy = outcome.number(few_at(model, form));
      if (accuracy >= least) ++left;
      text += fmt::format("{}{:.1f}", form == dense ? " " : " / ", accuracy);
    }
    text += " %";
  }
  return {left == 6, out_of(left, 6) + fmt::format(" are {:.0f} % or more accurate: ", least) + text};
}

}  // namespace

std::vector<Claim> claims_of_exits() {
  const auto published = Claim::published, check = Claim::check;
  return {
      {published, "early exits: accuracy rises from the first to the second to the end, in all forms",
       rises_from_exit_to_exit, "any more, in the three published forms: published steps are 0.9 to 4.9 points",
       "Dense networks and block designs do so. The second exit of grouped networks is 1.1 points behind the first; "
       "after 625 steps on images that were not cropped it was 2.2 behind, and that of dense ones 1.1. Probably 3,125 "
       "steps are too "
       "few for it still: published are some 29,000."},
      {published, "at every exit dense networks are more accurate than grouped ones, and these than block designs",
       [](const Outcome& o) {
         return ranked_at_each_exit(o, {dense, grouped, bibd});
       },
       "any more, at all three: published are 1.1 to 1.9 points between neighbours, in means of 20 runs",
       "Block designs keep more of a narrow layer's weights: 25 to 8 % of the weights here, 12.5 to 4 % in ResNet-18; "
       "four groups "
       "leave a quarter in both."},
      {check, "block designs within groups are less accurate at the end than either alone", both_cost_most,
       "any less: fewer weights are left than of either", ""},
      {check,
       "a classifier for each group, whose outputs a dense layer combines, is as accurate as one of all channels",
       [](const Outcome& o) { return classifiers_near(o, 3); },
       "within 3 points, about what seeds scatter: two linear layers in a row are one, of which groups keep all", ""}};
}

std::vector<Claim> claims_of_residual_networks(const Scale& scale) {
  const auto published = Claim::published, check = Claim::check;
  std::vector<Claim> claims;
  const char* residual = "ResNet-18 on CIFAR-10: .9067 dense, .8555 with block designs, .8641 at random places";
  if (scale.full) {
    claims.push_back({published, residual, [](const Outcome& o) { return all_near(o, "resnet_accuracy", 2); },
                      "all within 2 points: published are of one run each", ""});
  } else {
    claims.push_back({published, residual, nullptr, "",
                      "its 50 epochs take hours; `--full --data DIR` runs them and judges the figures."});
  }
  const char* of_exits =
      "early exits of ResNet-18: .853, .902 and .911 at the end, dense; .840, .883, .897 grouped; "
      ".829, .869, .886 with block designs";
  if (scale.full) {
    claims.push_back({published, of_exits, [](const Outcome& o) { return all_near(o, "exit_accuracy", 2); },
                      "all within 2 points: published are means of 20 runs, here of three", ""});
  } else {
    claims.push_back({published, of_exits, nullptr, "",
                      "the small network that trains here is another one; `--full --data DIR` trains ResNet-18 for the "
                      "published 75 epochs."});
  }
  const FewEpochs few = few_epochs(scale);
  if (!scale.data.empty()) {
    claims.push_back({published,
                      "ResNet-34 and ResNet-50 are more accurate dense than with block designs or at random places",
                      [](const Outcome& o) { return dense_leads(o, 3); },
                      fmt::format("by more than 3 points in all four comparisons: published are 4.2 to 6.4; two "
                                  "accuracies of {} test images differ by some {:.1g} points by chance",
                                  few.tests, 60 / std::sqrt(static_cast<double>(few.tests))),
                      fmt::format("{} steps tell how quickly a network learns, not what it learns in the published "
                                  "19,550.",
                                  few.epochs * few.images / few.batch)});
  }
  const char* accuracies =
      "ResNet-34: .9064 dense, .8643 with block designs, .8639 at random places; ResNet-50: .9001, .8362, .8442";
  claims.push_back(
      {published, accuracies, nullptr, "",
       scale.data.empty()
           ? "nothing was trained without a folder of data."
           : fmt::format(
                 "50 epochs of 50,000 images take days of a core; {} epochs of {} are shown. "
                 "That tells no difference as small as the published ones of the sparse forms, 0.04 and 0.8 points.",
                 few.epochs, few.images)});
  if (!scale.data.empty()) {
    claims.push_back({check, "the larger residual networks leave chance behind, which is 10 %, in every form",
                      [](const Outcome& o) { return leaves_chance(o, 15); },
                      fmt::format("15 % or more: half as many again as chance, of {} test images", few.tests),
                      "They were trained for too few steps."});
  }
  return claims;
}

}  // namespace ddl::studies::iddl_study
