#include "sim/network/losses.hpp"

#include <algorithm>
#include <string>

namespace ddl::network {

std::optional<double> Losses::retry_after_s(const Transmission& transmission, double now_s) {
  if (fabric_.changes().losses.empty()) return std::nullopt;
  std::vector<Draw>* draws = draws_.find(transmission.pair);
  if (draws == nullptr) draws = &(draws_.get(transmission.pair) = draws_of(transmission));
  std::optional<double> retry_s;
  for (Draw& draw : *draws) {
    if (now_s < draw.rule->from_s || now_s >= draw.rule->until_s) continue;
    if (draw.random.uniform() < draw.rule->probability) retry_s = std::max(retry_s.value_or(0), draw.rule->retry_s);
  }
  return retry_s;
}

std::vector<Losses::Draw> Losses::draws_of(const Transmission& transmission) const {
  std::vector<Draw> draws;
  if (transmission.route.within_host()) return draws;
  const auto& rules = fabric_.changes().losses;
  const auto [source, target] = transmission.pair;
  const std::vector<int>& links = transmission.route.links;
  const auto on_route = [&](int link) { return std::ranges::find(links, link) != links.end(); };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const platform::LossRule& rule = rules[i];
    if (rule.source >= 0 && rule.source != fabric_.first_on_host(source)) continue;
    if (rule.target >= 0 && rule.target != fabric_.first_on_host(target)) continue;
    if (!rule.links.empty() && !std::ranges::any_of(rule.links, on_route)) continue;
    draws.push_back({&rule, stream(seed_, fabric_.name(source) + " to " + fabric_.name(target),
                                   "message_loss " + std::to_string(i))});
  }
  return draws;
}

}  // namespace ddl::network
