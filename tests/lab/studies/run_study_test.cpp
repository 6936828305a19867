// A study of three tiny timing-only runs: what is kept, what is run again, what an interruption leaves.
#include "lab/studies/run_study.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "core/systems/table.hpp"
#include "lab/studies/reading/readings.hpp"
#include "lab/studies/report.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies {
namespace {

namespace fs = std::filesystem;

Verdict found(bool holds, const std::string& numbers) { return {holds ? Finding::holds : Finding::fails, numbers}; }

// One worker, gradients of 100 ms without jitter, so many steps: ends at 0.1 s times the steps.
Cell timing_cell(const std::string& name, int steps, double published) {
  const std::string scenario = R"({"platform": {"workers": 1, "bandwidth": "8Mbps"}, "model": "none",
      "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "100ms", "jitter": 0},
      "algorithm": "single", "stop": {"iterations": )" +
                               std::to_string(steps) + "}}";
  const auto seconds = [](const results::FinishedRun& run) { return run.measure("simulated_seconds"); };
  return {name, scenario, {Figure{{{"times", {name}, "single"}, published, {}}, seconds}}};
}

Study example() {
  Study study;
  study.name = "example";
  study.title = "An example";
  study.source = "nobody, never";
  study.seeds = {1, 2};
  study.tables = {{"times", "Times, s", {"cell"}, "system", 1}};
  study.tables[0].on_page = true;
  study.cells = {timing_cell("short", 5, 1), timing_cell("long", 20, 2), timing_cell("longer", 40, 2)};
  study.claims = {{Claim::published, "longer", "long is longer than short",
                   [](const Outcome& outcome) {
                     const double ratio =
                         outcome.number({"times", {"long"}, "single"}) / outcome.number({"times", {"short"}, "single"});
                     return found(ratio > 1, "4 times");
                   },
                   "more than once"},
                  {Claim::published, "pigs", "pigs fly", [](const Outcome&) { return found(false, "0 of 3"); }, "one"},
                  {Claim::published, "cows", "cows sing", nullptr, ""},
                  {Claim::input, "short", "short takes 0.5 s",
                   [](const Outcome& outcome) {
                     const double seconds = outcome.number({"times", {"short"}, "single"});
                     return found(seconds == 0.5, "as given");
                   },
                   "exact"}};
  study.causes = {{{"longer", "pigs"}, "they have no wings"}, {{"cows"}, "nobody listened"}, {{"short"}, "never"}};
  study.notes = {{Note::assumed, "nothing"}};
  return study;
}

struct Seen {
  std::size_t kept = 0, finished = 0;
};
Outcome run_into(const fs::path& out, const Study& study, Seen& seen) {
  StudyOptions options;
  options.out = out.string();
  options.at_once = 2;
  options.progress = [&](const jobs::RunsProgress& progress) { seen = {progress.kept, progress.finished}; };
  return run_study(systems::built_in(), study, options);
}

// The results of the example's runs.
std::vector<fs::path> kept_results(const fs::path& out) {
  std::vector<fs::path> kept;
  for (const auto& entry : fs::recursive_directory_iterator(out / "cells" / "example")) {
    if (entry.path().filename() == "run.json") kept.push_back(entry.path().parent_path());
  }
  return kept;
}

}  // namespace

TEST_CASE("a study gives the mean over seeds of every figure, in its own order") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Seen seen;
  const Outcome outcome = run_into(out, example(), seen);
  REQUIRE(outcome.values().size() == 3);
  CHECK(outcome.values()[1].place == TablePosition{"times", {"long"}, "single"});
  CHECK(*outcome.values()[0].simulated == doctest::Approx(0.5));
  CHECK(*outcome.values()[1].simulated == doctest::Approx(2.0));
  CHECK(seen.finished == 6);
  CHECK(seen.kept == 0);
}

TEST_CASE("a figure has the 95 % interval of its seeds, and a cell may have seeds of its own") {
  const data::ScratchFolder scratch;
  Seen seen;
  Study study = example();
  const std::string jitter = R"("jitter": 0)";
  for (Cell& cell : study.cells) {
    cell.scenario.replace(cell.scenario.find(jitter), jitter.size(), R"("jitter": 0.5)");
  }
  study.cells[1].seeds = {3};
  const Outcome outcome = run_into(scratch.path(), study, seen);
  CHECK(seen.finished == 5);
  CHECK(outcome.values()[0].half_width.value_or(0) > 0);
  CHECK_FALSE(outcome.values()[1].half_width.has_value());
}

TEST_CASE("a cell may have several draws of the network, over which a seed's figure is the mean") {
  const data::ScratchFolder scratch;
  Seen seen;
  Study study = example();
  const auto contended = [](const std::string& name, int draw) {
    Cell cell = timing_cell(name, 10, 1);
    const std::string one = R"("workers": 1)", single = R"("single")";
    cell.scenario.replace(cell.scenario.find(one), one.size(),
                          R"("workers": 3, "servers": 1, "network": {"draw": )" + std::to_string(draw) + "}");
    cell.scenario.replace(cell.scenario.find(single), single.size(), R"("ps_async")");
    return cell;
  };
  study.seeds = {1, 2, 3};
  study.cells = {contended("both", 1), contended("first", 1), contended("second", 2)};
  study.cells[0].draws = 2;
  study.claims = {};
  const std::vector<Outcome::Value> values = run_into(scratch.path(), study, seen).values();
  CHECK(seen.finished == 12);
  CHECK(values[1].simulated.value() != values[2].simulated.value());
  CHECK(values[0].simulated.value() ==
        doctest::Approx((values[1].simulated.value() + values[2].simulated.value()) / 2));

  // The interval is that of the seeds' means.
  std::vector<double> of_seeds;
  for (const std::uint64_t seed : {1, 2, 3}) {
    study.cells[0].seeds = {seed};
    const Outcome::Value of_one = run_into(scratch.path(), study, seen).values()[0];
    CHECK_FALSE(of_one.half_width.has_value());
    of_seeds.push_back(of_one.simulated.value());
  }
  CHECK(values[0].half_width.value() == doctest::Approx(results::estimate(of_seeds).value().half_width.value()));
  CHECK(values[0].half_width.value() > 0);

  study.cells[0].seeds = {};
  fs::remove_all(fs::path(scratch.path()) / "cells" / "example" / "both_draw_2" / "1");
  StudyOptions options;
  options.out = scratch.path();
  options.finished_only = true;
  const Outcome part = run_study(systems::built_in(), study, options);
  CHECK(part.open() == std::vector<std::string>{"both"});
  CHECK_FALSE(part.values()[0].simulated.has_value());
  CHECK(part.values()[1].simulated == values[1].simulated);
}

TEST_CASE("a page says how the messages of its runs were carried, in how many of them") {
  const data::ScratchFolder scratch;
  Seen seen;
  Study study = example();
  std::string& scenario = study.cells[2].scenario;
  const std::string workers = R"("workers": 1)";
  scenario.replace(scenario.find(workers), workers.size(), workers + R"(, "network": {"model": "CM02"})");
  const Outcome outcome = run_into(scratch.path(), study, seen);
  REQUIRE(outcome.networks().size() == 2);
  const std::string page = study_page(study, outcome, "ddlsim reproduce example");
  CHECK(page.find("- **Network.** TCP, carried by SimGrid in 4 runs.") != std::string::npos);
  CHECK(page.find("- **Network.** CM02, carried by SimGrid in 2 runs.") != std::string::npos);
}

TEST_CASE("finished runs are kept: the same study runs only what is missing, and comes to the same bytes") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Seen seen;
  const Study study = example();
  const std::string first = study_page(study, run_into(out, study, seen), "again");
  REQUIRE(kept_results(out).size() == 6);
  fs::remove_all(kept_results(out).front());
  const std::string second = study_page(study, run_into(out, study, seen), "again");
  CHECK(seen.kept == 5);
  CHECK(first == second);
}

TEST_CASE("of a study that is not whole the page has what is finished, and judges no claim that needs the rest") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Seen seen;
  Study study = example();
  study.claims.push_back(
      {Claim::check, "near", "all is near",
       [](const Outcome& outcome) { return found(rank_correlation(outcome, "times") > 0, "so many"); },
       "more than nothing"});
  study.claims.push_back({Claim::check, "long", "how long is long",
                          [](const Outcome& outcome) {
                            const double seconds = outcome.number({"times", {"long"}, "single"});
                            return found(seconds > 1, std::to_string(seconds) + " s");
                          },
                          "more than 1 s"});
  StudyOptions options;
  options.out = out.string();
  options.finished_only = true;
  CHECK_THROWS_WITH_AS(run_study(systems::built_in(), study, options), doctest::Contains("holds no runs of the study"),
                       InputError);
  const std::string whole = study_page(study, run_into(out, study, seen), "again");
  CHECK(study_page(study, run_study(systems::built_in(), study, options), "again") == whole);

  fs::remove_all(out / "cells" / "example" / "long" / "2");
  const Outcome outcome = run_study(systems::built_in(), study, options);
  CHECK_FALSE(fs::exists(out / "cells" / "example" / "long" / "2"));
  CHECK(outcome.open() == std::vector<std::string>{"long"});
  CHECK(*outcome.values()[0].simulated == doctest::Approx(0.5));
  CHECK_FALSE(outcome.values()[1].simulated.has_value());
  const std::string page = study_page(study, outcome, "again");
  CHECK(page.find("**Not whole**: 1 of 3 cells are not finished and have no figures, and no claim that needs them is "
                  "judged. Open: long.") != std::string::npos);
  // Of the published claims the first needs "long", the second no cell, and the third is never judged.
  CHECK(page.find("**Published claims: 1 fails, 2 not judged. Checks of ours: 2 not judged. Inputs: 1 met.**") !=
        std::string::npos);
  CHECK(page.find("| 1 | long is longer than short | **not judged** |  |") != std::string::npos);
  CHECK(page.find("| 6 | how long is long | **not judged** |  |") != std::string::npos);
  CHECK(page.find("| 2 | pigs fly | **fails** |") != std::string::npos);
  CHECK(page.find("| 5 | all is near | **not judged** |") != std::string::npos);
  CHECK(page.find("*2.* they have no wings") != std::string::npos);  // the first claim may yet hold
  CHECK(page.find("| long | 2.0/- |") != std::string::npos);
  // The command alone makes a whole page, whichever runs were there before.
  CHECK(page.find("Made by `again --finished`; ") != std::string::npos);
  CHECK(whole.find("Made by `again`; ") != std::string::npos);
}

TEST_CASE("a result whose run.json is cut off, or of a scenario that changed, counts as not run") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Seen seen;
  Study study = example();
  run_into(out, study, seen);
  const fs::path any = kept_results(out).front() / "run.json";
  fs::resize_file(any, fs::file_size(any) / 2);
  run_into(out, study, seen);
  CHECK(seen.kept == 5);
  study.cells[0] = timing_cell("short", 6, 1);
  CHECK(*run_into(out, study, seen).values()[0].simulated == doctest::Approx(0.6));
  CHECK(seen.kept == 4);
}

TEST_CASE("runs on another platform under the same name are not the study's") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  const auto platform = [](const char* bandwidth) {
    return std::string(R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)") +
           R"(<platform version="4.1"><zone id="z" routing="Full"><host id="w0" speed="1Gf"/><host id="w1" speed="1Gf"/>)" +
           R"(<link id="l" bandwidth=")" + bandwidth + R"(" latency="0"/><route src="w0" dst="w1"><link_ctn id="l"/>)" +
           "</route></zone></platform>";
  };
  Study study = example();
  study.cells = {study.cells.front()};
  study.cells[0].scenario = R"({"platform": {"file": "p.xml"}, "model": "none", "wire": {"model_bytes": "1MB"},
      "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": "ring_allreduce",
      "stop": {"iterations": 3}})";
  study.platforms = {{"p.xml", platform("1MBps")}};
  Seen seen;
  const double quick = run_into(out, study, seen).number({"times", {"short"}, "single"});
  run_into(out, study, seen);
  CHECK(seen.kept == 2);
  study.platforms = {{"p.xml", platform("0.5MBps")}};
  StudyOptions finished;
  finished.out = out.string();
  finished.finished_only = true;
  study.claims.clear();
  CHECK(run_study(systems::built_in(), study, finished).open() == std::vector<std::string>{"short"});
  CHECK(run_into(out, study, seen).number({"times", {"short"}, "single"}) > 1.5 * quick);
  CHECK(seen.kept == 0);
}

TEST_CASE("a run whose math was another is not finished, whichever build wrote it") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Study study = example();
  study.cells = {study.cells.front()};
  study.claims.clear();
  study.seeds = {1};
  study.cells[0].scenario = R"({"platform": {"workers": 1, "bandwidth": "8Mbps"}, "model": "softmax",
      "data": {"train": 40, "test": 10}, "training": {"batch_size": 4}, "compute": {"seconds_per_batch": "100ms"},
      "algorithm": "single", "stop": {"iterations": 1}})";
  Seen seen;
  run_into(out, study, seen);
  StudyOptions options;
  options.out = out.string();
  options.finished_only = true;
  const fs::path run_json = kept_results(out).front() / "run.json";
  const auto rewrite = [&](const std::string& key, const std::string& value) {
    std::ifstream file(run_json);
    auto json = nlohmann::ordered_json::parse(file);
    json["provenance"][key] = value;
    std::ofstream(run_json) << json.dump();
  };
  rewrite("build", "of another build");
  CHECK(run_study(systems::built_in(), study, options).open().empty());
  rewrite("math_mode", "native");
  rewrite("math_kernels", "of no machine");
  CHECK(run_study(systems::built_in(), study, options).open() == std::vector<std::string>{"short"});
  run_into(out, study, seen);
  CHECK(seen.kept == 0);
}

TEST_CASE("what ends a study early leaves the runs that were finished") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  StudyOptions options;
  options.out = out.string();
  options.progress = [](const jobs::RunsProgress& progress) {
    if (progress.finished == 3) throw InputError("pulled the plug");
  };
  CHECK_THROWS_AS(run_study(systems::built_in(), example(), options), InputError);
  CHECK(kept_results(out).size() == 3);
  Seen seen;
  run_into(out, example(), seen);
  CHECK(seen.kept == 3);
  CHECK(seen.finished == 6);
}

TEST_CASE("every scenario is checked before the first one starts") {
  const data::ScratchFolder scratch;
  const fs::path out = scratch.path();
  Study study = example();
  study.cells[2].scenario = R"({"algorithm": "singel"})";
  Seen seen;
  CHECK_THROWS_AS(run_into(out, study, seen), scenario::ScenarioErrors);
  CHECK_FALSE(fs::exists(out / "cells" / "example"));
}

TEST_CASE("a page and its tables say published, simulated, ratio, and which claims fail why") {
  Study study = example();
  const Outcome outcome({{{"times", {"short"}, "single"}, 1.0, 0.5, 0.25},
                         {{"times", {"long"}, "single"}, 2.0, 2.0},
                         {{"times", {"longer"}, "single"}, std::nullopt, std::nullopt}});
  CHECK(table_csv(study.tables[0], outcome) ==
        "cell,system,published,simulated,ratio,half_width\nshort,single,1,0.5,0.5,0.25\nlong,single,2,2,1,\n"
        "longer,single,,,,\n");
  CHECK(claims_csv(study, outcome) ==
        "kind,claim,verdict,numbers,accepted\npublished,long is longer than short,holds,4 times,more than once\n"
        "published,pigs fly,fails,0 of 3,one\npublished,cows sing,not judged,,\n"
        "input,short takes 0.5 s,met,as given,exact\n");
  CHECK(study_page(study, outcome, "ddlsim reproduce example") == R"(# An example

**Published claims: 1 holds, 1 fails, 1 not judged. Inputs: 1 met.**

Source: nobody, never

Made by `ddlsim reproduce example`; figures are means of seeds 1, 2 with their 95 % intervals, where these differ.

## Published claims

| | claim | verdict | by | accepted |
| --- | --- | --- | --- | --- |
| 1 | long is longer than short | holds | 4 times | more than once |
| 2 | pigs fly | **fails** | 0 of 3 | one |
| 3 | cows sing | **not judged** |  |  |

## Inputs

| | claim | verdict | by | accepted |
| --- | --- | --- | --- | --- |
| 4 | short takes 0.5 s | met | as given | exact |

## Why

*2.* they have no wings

*3.* nobody listened

## Figures

Times, s, published/simulated:

| cell | single |
| --- | --- |
| short | 1.0/0.5 ±0.2 |
| long | 2.0/2.0 |
| longer | -/- |

All, with intervals: [times](tables/example_times.csv).

## What the figures rest on

- **Assumed.** nothing
)");
  study.seeds = {7};
  study.size = "tiny.";
  const std::string small = study_page(study, outcome, "x");
  CHECK(small.find("\n\nSize: tiny.\n\nMade by `x`; figures are of one run each, seed 7.\n\n") != std::string::npos);
  study.tables[0].on_page = false;
  CHECK(study_page(study, outcome, "x").find("| short |") == std::string::npos);
}

}  // namespace ddl::studies
