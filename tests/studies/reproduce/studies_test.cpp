// The shipped studies: every scenario is valid, no place is filled twice, and the published tables are whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "core/systems/table.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/studies/reproduce/figures.hpp"
#include "sim/studies/reproduce/run_study.hpp"
#include "sim/studies/reproduce/study.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies {

TEST_CASE("every figure of every study has a place of its own, in a table that is there") {
  for (const StudyRow& row : study_table()) {
    const Study study = row.make({});
    CHECK(study.name == row.name);
    std::set<std::string> tables, cells;
    for (const TableLayout& table : study.tables) tables.insert(table.name);
    std::set<TablePosition> places;
    for (const Outcome::Value& value : study.derived) {
      CHECK(places.insert(value.place).second);
      CHECK(tables.contains(value.place.table));
    }
    for (const Cell& cell : study.cells) {
      CHECK(cells.insert(cell.name).second);
      for (const Figure& figure : cell.figures) {
        CHECK(places.insert(figure.place).second);
        CHECK(tables.contains(figure.place.table));
      }
    }
    for (const TableLayout& table : study.tables) {
      for (const TablePosition& place : places)
        CHECK((place.table != table.name || place.row.size() == table.row.size()));
    }
  }
}

TEST_CASE("every claim says what is accepted and can be judged, even if nothing was reached, or why it is not") {
  for (const StudyRow& row : study_table()) {
    const Study study = row.make({});
    std::vector<Outcome::Value> published, nothing;
    for (const Outcome::Value& value : study.derived) {
      published.push_back({value.place, value.published, value.published});
      nothing.push_back({value.place, value.published, std::nullopt});
    }
    for (const Cell& cell : study.cells) {
      for (const Figure& figure : cell.figures) {
        published.push_back({figure.place, figure.published, figure.published});
        nothing.push_back({figure.place, figure.published, std::nullopt});
      }
    }
    for (const Claim& claim : study.claims) {
      INFO(study.name, ": ", claim.text);
      if (!claim.judge) {
        CHECK_FALSE(claim.if_not.empty());
        continue;
      }
      CHECK_FALSE(claim.accepted.empty());
      CHECK_FALSE(claim.judge(Outcome(nothing)).holds);
      claim.judge(Outcome(published));
    }
  }
}

TEST_CASE("the published figures of TF.AKO satisfy the claims made of them") {
  const Study study = ako_2018({});
  std::vector<Outcome::Value> values;
  for (const Cell& cell : study.cells) {
    for (const Figure& figure : cell.figures) values.push_back({figure.place, figure.published, figure.published});
  }
  CHECK(std::count_if(values.begin(), values.end(),
                      [](const auto& value) { return value.place.table == "accuracy"; }) == 48);
  const Outcome outcome(values);
  CHECK(rank_correlation(outcome, "accuracy") == doctest::Approx(1));
  for (const Claim& claim : study.claims) {
    if (claim.text.starts_with("(f)")) continue;  // no figures were published
    if (claim.kind == Claim::input) continue;     // of what the chart of iterations leaves open
    CHECK_MESSAGE(claim.judge(outcome).holds, claim.text, ": ", claim.judge(outcome).numbers);
  }
}

TEST_CASE("the scenarios of every study are valid") {
  const data::ScratchFolder scratch;
  std::set<std::string> systems;
  for (const auto& system : systems::all_systems()) systems.insert(system->facts().name);
  for (const StudyRow& row : study_table()) {
    const Study study = row.make({});
    if (study.name == "zhang" && !systems.contains("ad_psgd")) {
      MESSAGE("zhang waits for the training system ad_psgd");
      continue;
    }
    for (const PlatformFile& platform : study.platforms) std::ofstream(scratch.file(platform.file)) << platform.text;
    for (const Cell& cell : study.cells) {
      INFO(cell.name);
      CHECK_NOTHROW(scenario::parse_scenario(cell.scenario, scratch.file(cell.name)));
    }
  }
}

TEST_CASE("the 48 cells differ in network, workers and training system only") {
  const Study study = ako_2018({});
  const scenario::Scenario first = scenario::parse_scenario(study.cells[0].scenario, "cell.json");
  for (const Cell& cell : study.cells) {
    if (cell.figures[0].place.table != "accuracy") continue;
    scenario::Scenario scenario = scenario::parse_scenario(cell.scenario, "cell.json");
    scenario.platform = first.platform;
    scenario.algorithm = first.algorithm;
    CHECK(scenario::describe(scenario) == scenario::describe(first));
  }
}

TEST_CASE("every count of IDDL's models is the published one, and without data its perceptrons are left out") {
  const Study study = iddl({});
  CHECK(study.derived.size() == 7 * 3 + 3 * 3);
  for (const Outcome::Value& value : study.derived) {
    const double unit = value.place.table == "operations" ? 0.01 : 1;
    CHECK(std::round(*value.simulated / unit) == std::round(*value.published / unit));
  }
  const auto of_perceptrons = [](const Study& of) {
    return std::ranges::count_if(of.cells, [](const Cell& cell) { return cell.name.starts_with("mlp-"); });
  };
  CHECK(of_perceptrons(study) == 0);
  CHECK(of_perceptrons(iddl({.full = false, .data = "/data"})) == 12);
  CHECK(study.claims.size() < iddl({.full = false, .data = "/data"}).claims.size());
}

TEST_CASE("ranks that run against each other correlate at -1, ties share theirs") {
  const auto outcome = [](std::vector<double> published, std::vector<double> simulated) {
    std::vector<Outcome::Value> values;
    for (std::size_t i = 0; i < published.size(); ++i) {
      values.push_back({{"t", {std::to_string(i)}, "c"}, published[i], simulated[i]});
    }
    return Outcome(values);
  };
  CHECK(rank_correlation(outcome({1, 2, 3}, {30, 20, 10}), "t") == doctest::Approx(-1));
  // Ranks 0, 1, 2 against 0.5, 0.5, 2: covariance 1.5, variances 2 and 1.5.
  CHECK(rank_correlation(outcome({1, 2, 3}, {7, 7, 9}), "t") == doctest::Approx(1.5 / std::sqrt(2 * 1.5)));
}

}  // namespace ddl::studies
