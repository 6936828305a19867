// An ensemble with members trained on different hosts, each on the samples that earlier members found hard: SAMME (Zhu,
// Zou, Rosset and Hastie, 2009), as in IDDL.
#pragma once

#include <memory>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/split/ensemble/boosting.hpp"

namespace ddl::split {

enum class SammeVote {
  answers,  // a byte per evaluated sample travels to the first worker, which counts the votes
  models    // the member itself does
};
constexpr auto enum_names(SammeVote) { return in_order<SammeVote>("answers", "models"); }

// Deviations of IDDL's code. Defaults follow SAMME's paper.
struct IddlParams {
  SammeWeighting weighting = SammeWeighting::standard;
  SammeSampling sampling = SammeSampling::resample;
};

struct SammeParams : SystemOf<SammeParams> {
  static constexpr SystemFacts facts{
      .name = "samme",
      .what = "an ensemble by boosting: each worker trains a member, the first counts votes",
      .paper = "Zhu et al., 2009; IDDL 2020",
      .chooses_samples = true};
  int local_epochs = 10;
  SammeVote vote = SammeVote::answers;
  IddlParams iddl;

  std::unique_ptr<Program> program(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  MemoryUse memory(std::size_t parameters, int workers) const override;
};

template <class Visitor>
void fields(Visitor& visit, IddlParams& params) {
  visit("weighting", params.weighting,
        Rule{.doc = "what weighs more for the next member: wrong samples, or (published) right ones"});
  visit("sampling", params.sampling, Rule{.doc = "how weights choose the samples of a member's batches"});
}

template <class Visitor>
void fields(Visitor& visit, SammeParams& params) {
  visit("local_epochs", params.local_epochs,
        Rule{.doc = "passes over the training set of one member, unless the run ends before", .at_least = 1});
  visit("vote", params.vote, Rule{.doc = "what travels to the first worker, which counts votes"});
  visit("iddl", params.iddl, Rule{.doc = "what the published code of IDDL does in ways of its own"});
}

}  // namespace ddl::split
