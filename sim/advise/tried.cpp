#include "sim/advise/tried.hpp"

#include "sim/results/writing/csv.hpp"

namespace ddl::advise {

std::string tried_header(const std::vector<std::string>& columns, const SearchSpace& space) {
  std::string text;
  for (const std::string& column : columns) text += results::csv_field(column) + ",";
  for (const SearchSpace::Axis& axis : space.axes) text += results::csv_field(axis.path) + ",";
  if (space.rate) text += std::string(rate_path) + ",";
  return text + "seed,score,accuracy,time_to_target_s,bytes_to_target,failure,best\n";
}

std::string tried_rows(const std::vector<std::string>& values, const Tuning& tuning, std::size_t scheme, Lab& lab) {
  std::string start, text;
  for (const std::string& value : values) start += results::csv_field(value) + ",";
  const Halving search = tuning.search_of(scheme);
  for (std::size_t i = 0; i < search.tried.size(); ++i) {
    const Halving::Tried& tried = search.tried[i];
    for (std::size_t seed = 0; seed < tried.scores.size(); ++seed) {
      const TrialResult& trial = *lab.known(tuning.trial_of(scheme, tried.setting, tuning.seeds()[seed]));
      text += start;
      for (const scenario::Override& change : overrides_of(tuning.space_of(scheme), tried.setting)) {
        text += results::csv_field(change.value) + ",";
      }
      text += std::to_string(tuning.seeds()[seed]) + "," + results::csv_field(trial.score) + "," +
              results::csv_field(trial.accuracy) + "," + results::csv_field(trial.time_s) + "," +
              results::csv_field(trial.bytes) + "," + results::csv_field(trial.failure) + "," +
              (search.best == i ? "1" : "0") + "\n";
    }
  }
  return text;
}

}  // namespace ddl::advise
