#include "sim/runtime/losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/check.hpp"

namespace ddl {

namespace {

// What rules that hold at the same time do together, from where one of them begins to where one ends.
template <class Draws>
void refuse_near_certain_loss(const Draws& draws, const std::string& source, const std::string& target) {
  for (const auto& draw : draws) {
    const double from_s = draw.rule->from_s;
    double arrives = 1, until_s = draw.rule->until_s, retry_s = draw.rule->retry_s;
    for (const auto& other : draws) {
      if (other.rule->from_s > from_s || other.rule->until_s <= from_s) continue;
      arrives *= 1 - other.rule->probability;
      until_s = std::min(until_s, other.rule->until_s);
      retry_s = std::min(retry_s, other.rule->retry_s);
    }
    if (1 - arrives <= most_loss_probability || (until_s - from_s) / retry_s <= most_retries) continue;
    throw InputError(fmt::format(
        "$.faults: together lose a message from {} to {} with probability {:.6g} from {:g} s on; expected at most {:g}",
        source, target, 1 - arrives, from_s, most_loss_probability));
  }
}

}  // namespace

std::optional<double> Losses::retry_after_s(int source, int target, double now_s) {
  if (fabric_.changes().losses.empty()) return std::nullopt;
  const auto [found, is_new] = draws_.try_emplace({source, target});
  if (is_new) found->second = draws_of(source, target);
  std::optional<double> retry_s;
  for (Draw& draw : found->second) {
    if (now_s < draw.rule->from_s || now_s >= draw.rule->until_s) continue;
    if (draw.random.uniform() < draw.rule->probability) retry_s = std::max(retry_s.value_or(0), draw.rule->retry_s);
  }
  return retry_s;
}

std::vector<Losses::Draw> Losses::draws_of(int source, int target) const {
  std::vector<Draw> draws;
  const auto& rules = fabric_.changes().losses;
  const Route route = fabric_.find_route(source, target);
  const auto on_route = [&](int link) { return std::ranges::find(route.links, link) != route.links.end(); };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const LossRule& rule = rules[i];
    if (rule.source >= 0 && rule.source != source) continue;
    if (rule.target >= 0 && rule.target != target) continue;
    if (!rule.links.empty() && !std::ranges::any_of(rule.links, on_route)) continue;
    draws.push_back({&rule, stream(seed_, fabric_.name(source) + " to " + fabric_.name(target),
                                   "message_loss " + std::to_string(i))});
  }
  refuse_near_certain_loss(draws, fabric_.name(source), fabric_.name(target));
  return draws;
}

}  // namespace ddl
