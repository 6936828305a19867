#include "core/nn/vote.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"

namespace ddl::nn {

Score score_of_votes(std::span<const std::vector<std::uint8_t>> answers, std::span<const double> weights,
                     std::span<const std::uint8_t> labels, int classes) {
  check(answers.size() == weights.size() && !answers.empty() && !labels.empty(), "a weight for each member");
  const double others = classes - 1;
  double loss = 0;
  std::size_t correct = 0;
  std::vector<double> votes(static_cast<std::size_t>(classes));
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    std::fill(votes.begin(), votes.end(), 0.0);
    for (std::size_t member = 0; member < answers.size(); ++member) {
      votes[answers[member][sample]] += weights[member];
    }
    const auto most = std::max_element(votes.begin(), votes.end());
    const std::size_t label = labels[sample];
    if (most == votes.begin() + static_cast<std::ptrdiff_t>(label)) ++correct;
    const double scale = classes / (others * others);
    double total = 0;
    for (const double of_class : votes) total += portable_exp(scale * (of_class - *most));
    loss += portable_log(total) - scale * (votes[label] - *most);
  }
  const auto count = static_cast<double>(labels.size());
  return {loss / count, static_cast<double>(correct) / count};
}

}  // namespace ddl::nn
