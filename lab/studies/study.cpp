#include "lab/studies/study.hpp"

#include "core/base/check.hpp"

namespace ddl::studies {

Outcome::Outcome(std::vector<Value> values, std::vector<Network> networks, std::vector<std::string> open)
    : values_(std::move(values)), networks_(std::move(networks)), open_(std::move(open)) {
  for (std::size_t i = 0; i < values_.size(); ++i) index_.try_emplace(values_[i].place, i);
}

const Outcome::Value& Outcome::at(const TablePosition& place) const {
  const auto found = index_.find(place);
  if (found == index_.end()) throw InternalError("no such place in table " + place.table);
  const Value& value = values_[found->second];
  if (value.open) throw Unfinished();
  return value;
}

std::vector<Outcome::Value> Study::places() const {
  std::vector<Outcome::Value> places = derived;
  for (Outcome::Value& value : places) value.simulated.reset();
  for (const Cell& cell : cells) places.insert(places.end(), cell.figures.begin(), cell.figures.end());
  return places;
}

std::vector<Verdict> judge(const Study& study, const Outcome& outcome) {
  std::vector<Verdict> verdicts;
  for (const Claim& claim : study.claims) {
    try {
      verdicts.push_back(claim.judge ? claim.judge(outcome) : Verdict{});
    } catch (const Outcome::Unfinished&) {
      verdicts.push_back({.numbers = "", .unfinished = true});
    }
  }
  return verdicts;
}

}  // namespace ddl::studies
