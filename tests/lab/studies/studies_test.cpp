// The shipped studies: every scenario is valid, no place is filled twice, and the published tables are whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/systems/table.hpp"
#include "lab/studies/figures.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/run_study.hpp"
#include "lab/studies/study.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/results/writing/files.hpp"

namespace ddl::studies {

TEST_CASE("every figure of every study has a place of its own, in a table that is there") {
  for (const StudyRow& row : study_table()) {
    const Study study = read_study(row.name, {});
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

TEST_CASE("Cui's times and training accuracy are read off the steps of a run") {
  const Study study = read_study("cui_2019", {});
  const auto read = [&](const std::string& rows, const TablePosition& place) {
    const results::TemporaryFolder folder;
    results::put(folder.path() / "iterations.csv",
                 "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,train_accuracy,staleness\n" + rows);
    results::FinishedRun run;
    run.folder = folder.path();
    for (const Cell& cell : study.cells) {
      for (const Figure& figure : cell.figures) {
        if (figure.place == place) return figure.read(run);
      }
    }
    return std::optional<double>();
  };
  std::string hundred;  // which take 0.01, 0.02, ..., 1 s, the longest first
  for (int i = 0; i < 100; ++i) hundred += fmt::format("w0,{},0,0,0,{},,,0\n", i, (100 - i) / 100.0);
  const auto time = [&](const char* table, const char* row) {
    return read(hundred, {table, {"literal", row}, "centralized"});
  };
  CHECK(time("time", "1st percentile, s") == 0.01);
  CHECK(time("time", "median, s") == 0.5);
  CHECK(time("time", "99th percentile, s") == 0.99);
  CHECK(time("time", "% of batches below 0.7 s") == 69);  // 0.7 s itself is not below
  CHECK(time("histogram", "0 to 0.6 s") == 59);
  CHECK(time("histogram", "0.6 to 0.7 s") == 10);
  CHECK(time("histogram", "0.7 to 1 s") == 30);
  CHECK(time("histogram", "1 to 1.5 s") == 1);
  // Four workers take 10,000 steps each, of which the last twentieth are those from 9,500 on.
  const std::string learning =
      "w0,9499,0,0,0,1,8,0,0\nw0,9500,0,0,0,1,1,0.5,0\nw1,9999,0,0,0,1,3,1,0\nw2,2499,0,0,0,1,5,0.25,0\n";
  CHECK(read(learning, {"learning", {"literal", "training loss"}, "decentralized"}) == 2);
  CHECK(read(learning, {"learning", {"literal", "training accuracy, %"}, "decentralized"}) == 75);
  CHECK(read(learning, {"curves", {"literal", "training accuracy, %", "10000"}, "decentralized"}) == 25);
  // The single machine takes all 40,000.
  CHECK(read("w0,37999,0,0,0,1,8,0,0\nw0,38000,0,0,0,1,2,1,0\n",
             {"learning", {"literal", "training loss"}, "single machine"}) == 2);
}

TEST_CASE("every claim says what is accepted and can be judged, even if nothing was reached, or why it is not") {
  for (const StudyRow& row : study_table()) {
    const Study study = read_study(row.name, {});
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
        const auto names_it = [&](const Cause& cause) { return std::ranges::count(cause.claims, claim.name) > 0; };
        CHECK(std::ranges::any_of(study.causes, names_it));
        continue;
      }
      CHECK_FALSE(claim.accepted.empty());
      CHECK_FALSE(claim.judge(Outcome(nothing)).holds());
      claim.judge(Outcome(published));
    }
  }
}

TEST_CASE("a published claim stands once on a page, however many presets and sizes it has") {
  for (const StudyRow& row : study_table()) {
    for (const Scale& scale : {Scale{}, Scale{.full = true, .data = "/data"}, Scale{.full = false, .data = "/data"}}) {
      if (!scale.data.empty() && (row.data == DataUse::none || (row.data == DataUse::full_alone && !scale.full)))
        continue;
      std::set<std::string> names;
      for (const Claim& claim : read_study(row.name, scale).claims) {
        if (claim.kind == Claim::published) CHECK_MESSAGE(names.insert(claim.name).second, row.name, ": ", claim.name);
      }
    }
  }
}

TEST_CASE("the published figures of TF.AKO satisfy the claims made of them") {
  const Study study = read_study("ako_2018", {});
  std::vector<Outcome::Value> values;
  for (const Cell& cell : study.cells) {
    for (const Figure& figure : cell.figures) values.push_back({figure.place, figure.published, figure.published});
  }
  CHECK(std::count_if(values.begin(), values.end(),
                      [](const auto& value) { return value.place.table == "accuracy"; }) == 48);
  const Outcome outcome(values);
  CHECK(rank_correlation(outcome, "accuracy") == doctest::Approx(1));
  for (const Claim& claim : study.claims) {
    if (claim.text.starts_with("(f)")) continue;            // no figures were published
    if (claim.name.starts_with("iterations on")) continue;  // no one reading of them has both
    if (claim.kind == Claim::input) continue;               // of what the chart of iterations leaves open
    CHECK_MESSAGE(claim.judge(outcome).holds(), claim.text, ": ", claim.judge(outcome).numbers);
  }
}

TEST_CASE("TF.AKO's P=1 is judged where n-1 models take the slowest link longer than n models the server's") {
  const Study study = read_study("ako_2018", {});
  std::vector<Outcome::Value> values;  // P=1 is below nowhere but there
  int cells = 0;
  for (const Cell& cell : study.cells) {
    const TablePosition& place = cell.figures[0].place;
    if (place.table != "accuracy" || (place.column != "P=1" && place.column != "centralized")) continue;
    std::vector<double> rates;  // Mbit/s, the server's last
    const nlohmann::json scenario = nlohmann::json::parse(cell.scenario);
    for (const auto& link : scenario["platform"]["bandwidth"]) {
      rates.push_back(std::stod(link.get<std::string>()));
    }
    const double server = rates.back(), n = static_cast<double>(rates.size()) - 1;
    rates.pop_back();
    const bool is_computed = (n - 1) / (n * *std::ranges::min_element(rates)) > 1 / server;
    values.push_back({place, std::nullopt, place.column == "centralized" ? 50 : is_computed ? 40 : 60});
    cells += place.column == "P=1" && is_computed ? 1 : 0;
  }
  for (const Claim& claim : study.claims) {
    if (!claim.text.starts_with("P=1 is below centralized where")) continue;
    const Verdict verdict = claim.judge(Outcome(values));
    CHECK(verdict.holds());
    CHECK(verdict.numbers.starts_with(fmt::format("{0} of {0}", cells)));
  }
}

TEST_CASE("accuracies of Zhang et al. are in order if no two are reversed by more than a tie") {
  const Study study = read_study("zhang", {});
  const auto holds = [&](double all_reduce, double d_psgd, double ad_psgd) {
    std::vector<Outcome::Value> values;
    for (const auto& [system, accuracy] :
         {std::pair("AllReduce", all_reduce), std::pair("D-PSGD", d_psgd), std::pair("AD-PSGD", ad_psgd)}) {
      values.push_back({{"accuracy", {"ResNet-20", "1x"}, system}, std::nullopt, accuracy});
    }
    for (const Claim& claim : study.claims) {
      if (claim.text.starts_with("Table 1, ResNet-20: ")) return claim.judge(Outcome(values)).holds();
    }
    FAIL("no such claim");
    return false;
  };
  CHECK(holds(90, 91, 92));
  CHECK(holds(90.4, 90.2, 90));        // reversed, by less than half a point in all
  CHECK_FALSE(holds(90.6, 90.3, 90));  // each of two steps is less than half a point, both together are not
  CHECK_FALSE(holds(90, 92, 91));
}

TEST_CASE("no claim of TF.AKO takes a missing figure for agreement") {
  const Study study = read_study("ako_2018", {});
  std::vector<Outcome::Value> all;
  std::set<std::string> columns;
  for (const Cell& cell : study.cells) {
    for (const Figure& figure : cell.figures) {
      all.push_back({figure.place, figure.published, figure.published});
      columns.insert(figure.place.column);
    }
  }
  for (const std::string& column : columns) {
    std::vector<Outcome::Value> values = all;
    for (Outcome::Value& value : values) {
      if (value.place.column != column) continue;
      value.simulated.reset();
      value.open = true;
    }
    for (const Claim& claim : study.claims) {
      if (!claim.judge) continue;
      bool asked = false;
      const bool holds = claim.judge(Outcome(values).noting(asked)).holds();
      CHECK_MESSAGE(!(asked && holds), column, ": ", claim.text);
    }
  }
}

TEST_CASE("the scenarios of every study are valid") {
  const data::ScratchFolder scratch;
  std::set<std::string> systems;
  for (const auto& system : systems::built_in()) systems.insert(system->facts().name);
  for (const StudyRow& row : study_table()) {
    const Study study = read_study(row.name, {});
    if (study.name == "zhang" && !systems.contains("ad_psgd")) {
      MESSAGE("zhang waits for the training system ad_psgd");
      continue;
    }
    for (const PlatformFile& platform : study.platforms) std::ofstream(scratch.file(platform.file)) << platform.text;
    for (const Cell& cell : study.cells) {
      INFO(cell.name);
      CHECK_NOTHROW(scenario::parse_scenario(systems::built_in(), cell.scenario, scratch.file(cell.name)));
    }
  }
}

// And in the weight of a gradient: a server takes a whole step of Adam for each.
TEST_CASE("the 48 cells differ in network, workers and training system only") {
  const Study study = read_study("ako_2018", {});
  const scenario::Scenario first = scenario::parse_scenario(systems::built_in(), study.cells[0].scenario, "cell.json");
  for (const Cell& cell : study.cells) {
    if (cell.figures[0].place.table != "accuracy") continue;
    scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), cell.scenario, "cell.json");
    scenario.platform = first.platform;
    scenario.algorithm = first.algorithm;
    scenario.training.gradient_scale = first.training.gradient_scale;
    CHECK(scenario::describe(scenario) == scenario::describe(first));
  }
}

TEST_CASE("every count of IDDL's models is the published one, and without data its perceptrons are left out") {
  const Study study = read_study("iddl", {});
  CHECK(study.derived.size() == 7 * 3 + 3 * 3);
  for (const Outcome::Value& value : study.derived) {
    const double unit = value.place.table == "operations" ? 0.01 : 1;
    CHECK(std::round(*value.simulated / unit) == std::round(*value.published / unit));
  }
  const auto of_perceptrons = [](const Study& of) {
    return std::ranges::count_if(of.cells, [](const Cell& cell) { return cell.name.starts_with("mlp-"); });
  };
  CHECK(of_perceptrons(study) == 0);
  CHECK(of_perceptrons(read_study("iddl", {.full = false, .data = "/data"})) == 12);
  CHECK(study.claims.size() < read_study("iddl", {.full = false, .data = "/data"}).claims.size());
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
