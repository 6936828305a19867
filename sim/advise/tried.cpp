#include "sim/advise/tried.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/results/text/setting_column.hpp"

namespace ddl::advise {

TriedTable::TriedTable(std::vector<std::string> columns, const SearchSpace& space, const Goal& goal)
    : paths_(std::move(columns)), word_(goal.metric.word) {
  for (const SearchSpace::Axis& axis : space.axes) paths_.push_back(axis.path);
  if (space.rate) paths_.emplace_back(rate_path);
}

void TriedTable::add(const std::vector<std::string>& values, const Tuning& tuning, std::size_t scheme, Lab& lab) {
  const Halving search = tuning.search_of(scheme);
  for (std::size_t i = 0; i < search.tried.size(); ++i) {
    const Halving::Tried& tried = search.tried[i];
    for (std::size_t seed = 0; seed < tried.scores.size(); ++seed) {
      const TrialResult& trial = *lab.known(tuning.trial_of(scheme, tried.setting, tuning.seeds()[seed]));
      Row& row = rows_.emplace_back(Row{values, {}});
      for (const scenario::Override& change : overrides_of(tuning.space_of(scheme), tried.setting)) {
        row.settings.push_back(change.value);
      }
      row.rest = {std::to_string(tuning.seeds()[seed]),
                  {"", trial.score},
                  {"", trial.at_end},
                  {"", trial.time_s},
                  {"", trial.bytes},
                  trial.failure,
                  search.best == i ? "1" : "0"};
    }
  }
}

std::string TriedTable::csv() const {
  results::Table table;
  table.rows.resize(rows_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    std::vector<std::string> values;
    for (const Row& row : rows_) values.push_back(row.settings.at(i));
    const results::SettingColumn setting = results::setting_column(paths_[i], values);
    table.columns.push_back(setting.column);
    for (std::size_t row = 0; row < rows_.size(); ++row) table.rows[row].push_back(setting.cells[row]);
  }
  for (const std::string& key : {std::string("seed"), std::string("score"), word_, std::string("time_to_target_s"),
                                 std::string("bytes_to_target"), std::string("failure"), std::string("best")}) {
    table.columns.push_back({.key = key, .title = key});
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::ranges::copy(rows_[row].rest, std::back_inserter(table.rows[row]));
  }
  return results::csv_text(table);
}

}  // namespace ddl::advise
