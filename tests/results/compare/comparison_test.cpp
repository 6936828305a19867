// Comparisons of runs made by hand, whose noise is known.
#include "sim/results/compare/comparison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/check.hpp"
#include "sim/results/compare/comparison_table.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"

namespace ddl::results {
namespace {

std::string compared(const Comparison& comparison) { return comparison_text(comparison, text_columns); }

FinishedRun run_of(const std::string& scheme, const std::string& bandwidth, std::uint64_t seed, double accuracy,
                   std::optional<double> time_s) {
  FinishedRun run;
  run.folder = scheme + bandwidth + std::to_string(seed);
  run.seed = seed;
  run.settings = {{"platform.bandwidth", bandwidth}, {"algorithm.name", scheme}};
  run.digest = run.folder.string();
  run.targets = {0.5};
  run.busiest_link = "w0 up";
  run.measures = {{time_to(0.5), time_s}, {"final_accuracy.mean", accuracy}, {"busiest_link.utilisation", 0.5}};
  return run;
}

// Far apart: a and c; a and b overlap.
std::vector<FinishedRun> three_schemes(const std::string& bandwidth) {
  return {run_of("a", bandwidth, 1, 0.90, 10), run_of("a", bandwidth, 2, 0.92, 12),
          run_of("a", bandwidth, 3, 0.91, 11), run_of("b", bandwidth, 1, 0.89, 10),
          run_of("b", bandwidth, 2, 0.93, 14), run_of("b", bandwidth, 3, 0.90, std::nullopt),
          run_of("c", bandwidth, 1, 0.50, 90), run_of("c", bandwidth, 2, 0.52, 92),
          run_of("c", bandwidth, 3, 0.51, 91)};
}

std::size_t measure_index(const Comparison& comparison, const std::string& key) {
  for (std::size_t i = 0; i < comparison.measures.size(); ++i) {
    if (comparison.measures[i].key == key) return i;
  }
  FAIL("no such measure");
  return 0;
}

}  // namespace

TEST_CASE("differences within the scatter of seeds are called noise, others are not") {
  const Comparison comparison = compare(three_schemes("5Mbps"), true);
  REQUIRE(comparison.conditions.size() == 1);
  const Condition& all = comparison.conditions[0];
  const std::size_t accuracy = measure_index(comparison, "final_accuracy.mean");
  CHECK(*all.best[accuracy] == 0);
  std::size_t seen = 0;
  for (const ComparedPair& pair : all.pairs) {
    if (pair.measure != accuracy) continue;
    ++seen;
    CHECK(pair.within_noise() == (pair.better == 0 && pair.other == 1));
  }
  CHECK(seen == 3);
  const std::string text = compared(comparison);
  CHECK(text.find("final accuracy: best a; within noise of it: b\n") != std::string::npos);
}

TEST_CASE("the sign between schemes that noise does not tell apart is explained where it is used") {
  const std::string sign = "\na ~ b: within noise of each other.\n";
  std::vector<FinishedRun> runs = three_schemes("5Mbps");
  CHECK(compared(compare(runs, true)).find(sign) == std::string::npos);
  for (const std::uint64_t seed : {1, 2, 3}) {
    runs.push_back(run_of("d", "5Mbps", seed, 0.50 + 0.01 * static_cast<double>((seed + 1) % 3), 91));
  }
  const std::string text = compared(compare(runs, true));
  CHECK(text.find("among the others: c ~ d") != std::string::npos);
  CHECK(text.find(sign) != std::string::npos);
}

TEST_CASE("step times are compared where nothing is learned, and only told where something is") {
  std::vector<FinishedRun> learning, timing;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const std::string scheme : {"a", "b"}) {
      FinishedRun run = run_of(scheme, "5Mbps", seed, 0.9, 10);
      const double step_s = (scheme == "a" ? 1 : 2) + 0.01 * static_cast<double>(seed % 2);
      run.measures.push_back({"seconds_per_batch.mean", step_s});
      learning.push_back(run);
      run.targets.clear();
      run.measures = {{"seconds_per_batch.mean", step_s}, {"busiest_link.utilisation", 0.5}};
      timing.push_back(run);
    }
  }
  const std::string of_learning = compared(compare(learning, true));
  CHECK(of_learning.find("step time") != std::string::npos);
  CHECK(of_learning.find("step time: best") == std::string::npos);
  const std::string of_timing = compared(compare(timing, true));
  CHECK(of_timing.find("step time: best a, beyond noise") != std::string::npos);
  CHECK(of_timing.find("accuracy") == std::string::npos);
}

TEST_CASE("a scheme whose runs did not all reach a target is not ranked by the time to it") {
  const Comparison comparison = compare(three_schemes("5Mbps"), true);
  const std::size_t time = measure_index(comparison, time_to(0.5));
  std::size_t seen = 0;
  for (const ComparedPair& pair : comparison.conditions[0].pairs) {
    if (pair.measure != time) continue;
    ++seen;
    CHECK(pair.better == 0);
    CHECK(pair.other == 2);
    CHECK(pair.difference == doctest::Approx(80));
  }
  CHECK(seen == 1);
  CHECK(compared(comparison).find("(2 of 3)") != std::string::npos);
}

TEST_CASE("schemes are compared where everything else is alike") {
  std::vector<FinishedRun> runs = three_schemes("5Mbps");
  for (FinishedRun& run : three_schemes("40Mbps")) runs.push_back(run);
  const Comparison comparison = compare(runs, true);
  REQUIRE(comparison.conditions.size() == 2);
  CHECK(comparison.conditions[1].label == "platform.bandwidth 40Mbps");
  CHECK(comparison.conditions[1].groups == std::vector<std::size_t>{3, 4, 5});
  CHECK(compared(comparison).find("platform.bandwidth 40Mbps\n  time to 0.5: best a") != std::string::npos);
}

TEST_CASE("headings leave out keys that a condition lacks, where the others tell it apart") {
  std::vector<FinishedRun> runs = three_schemes("5Mbps");
  for (FinishedRun run : three_schemes("5Mbps")) {
    std::erase_if(run.settings, [](const Setting& setting) { return setting.path == "platform.bandwidth"; });
    run.settings.push_back({"platform.topology", "ring"});
    runs.push_back(run);
  }
  const Comparison two = compare(runs, true);
  REQUIRE(two.conditions.size() == 2);
  CHECK(two.conditions[0].label == "platform.bandwidth 5Mbps");
  CHECK(two.conditions[1].label == "platform.topology ring");
  // A third has both.
  for (FinishedRun run : three_schemes("5Mbps")) {
    run.settings.push_back({"platform.topology", "ring"});
    runs.push_back(run);
  }
  const Comparison three = compare(runs, true);
  REQUIRE(three.conditions.size() == 3);
  CHECK(three.conditions[0].label == "platform.bandwidth 5Mbps");
  CHECK(three.conditions[1].label == "platform.topology ring");
  CHECK(three.conditions[2].label == "platform.bandwidth 5Mbps, platform.topology ring");
  // One that has neither can only be told by what it lacks.
  for (FinishedRun run : three_schemes("5Mbps")) {
    std::erase_if(run.settings, [](const Setting& setting) { return setting.path == "platform.bandwidth"; });
    runs.push_back(run);
  }
  CHECK(compare(runs, true).conditions.back().label == "platform.bandwidth none, platform.topology none");
}

TEST_CASE("where only the platform differs, it is what is compared") {
  const Comparison comparison = compare({run_of("a", "5Mbps", 1, 0.5, 1), run_of("a", "5Mbps", 2, 0.6, 1),
                                         run_of("a", "9Mbps", 1, 0.7, 1), run_of("a", "9Mbps", 2, 0.8, 1)},
                                        true);
  REQUIRE(comparison.conditions.size() == 1);
  CHECK(compared(comparison).find("final accuracy: best a, platform.bandwidth 9Mbps") != std::string::npos);
}

TEST_CASE("single runs are not said to differ beyond noise") {
  const Comparison comparison = compare({run_of("a", "5Mbps", 1, 0.5, 1), run_of("b", "5Mbps", 1, 0.9, 2)}, true);
  CHECK_FALSE(comparison.conditions[0].pairs[0].p.has_value());
  CHECK_FALSE(comparison.conditions[0].pairs[0].within_noise());
  CHECK(compared(comparison)
            .find("final accuracy: best b; fewer than three seeds do not tell whether that is\n    noise") !=
        std::string::npos);
}

TEST_CASE("a best of which there is only one run is not said to be beyond noise") {
  const Comparison comparison =
      compare({run_of("a", "5Mbps", 1, 0.9, 1), run_of("b", "5Mbps", 1, 0.5, 1), run_of("b", "5Mbps", 2, 0.501, 1),
               run_of("c", "5Mbps", 1, 0.1, 1), run_of("c", "5Mbps", 2, 0.101, 1)},
              true);
  CHECK(compared(comparison)
            .find("final accuracy: best a; fewer than three seeds do not tell whether that is\n    noise") !=
        std::string::npos);
}

TEST_CASE("two seeds give no verdict, however far apart they are") {
  const Comparison comparison = compare({run_of("a", "5Mbps", 1, 0.9685, 1), run_of("a", "5Mbps", 2, 0.9690, 1),
                                         run_of("b", "5Mbps", 1, 0.2995, 2), run_of("b", "5Mbps", 2, 0.2990, 2)},
                                        true);
  for (const ComparedPair& pair : comparison.conditions[0].pairs) CHECK_FALSE(pair.p.has_value());
  CHECK(compared(comparison).find("best a; fewer than three seeds do not tell") != std::string::npos);
}

TEST_CASE("runs are paired by seed, so that what a seed does to all schemes is no noise") {
  std::vector<FinishedRun> runs;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const double shared = 0.1 * static_cast<double>(seed), own = 0.001 * static_cast<double>(seed % 2);
    runs.push_back(run_of("a", "5Mbps", seed, 0.32 + shared + own, 1));
    runs.push_back(run_of("b", "5Mbps", seed, 0.30 + shared, 1));
  }
  const Comparison comparison = compare(runs, true);
  const std::size_t accuracy = measure_index(comparison, "final_accuracy.mean");
  for (const ComparedPair& pair : comparison.conditions[0].pairs) {
    if (pair.measure != accuracy) continue;
    // Differences 0.021, 0.02, 0.021, 0.02: t = 0.0205 / (0.000577 / 2) = 71 with three degrees of freedom.
    CHECK(*pair.p < 1e-4);
    CHECK(*welch_p(*comparison.grouped.groups[0].estimate_of("final_accuracy.mean"),
                   *comparison.grouped.groups[1].estimate_of("final_accuracy.mean")) > 0.5);
  }
}

TEST_CASE("each pair is corrected for the others") {
  const Comparison comparison = compare(three_schemes("5Mbps"), true);
  const auto& groups = comparison.grouped.groups;
  const std::size_t accuracy = measure_index(comparison, "final_accuracy.mean");
  std::vector<double> p, corrected;
  for (const ComparedPair& pair : comparison.conditions[0].pairs) {
    if (pair.measure != accuracy) continue;
    p.push_back(*difference_p(groups[pair.better], groups[pair.other], "final_accuracy.mean"));
    corrected.push_back(*pair.p);
  }
  REQUIRE(p.size() == 3);
  CHECK(corrected == holm(p));
}

TEST_CASE("an exact tie has no best") {
  std::vector<FinishedRun> runs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const char* scheme : {"a", "b"}) {
      runs.push_back(run_of(scheme, "5Mbps", seed, 0.9 + 0.01 * static_cast<double>(seed), 10));
    }
    runs.push_back(run_of("c", "5Mbps", seed, 0.1 + 0.01 * static_cast<double>(seed % 2), 10));
  }
  const std::string text = compared(compare(runs, true));
  CHECK(text.find("final accuracy: a tie of a, b\n") != std::string::npos);
  CHECK(text.find("time to 0.5: a tie of a, b, c\n") != std::string::npos);
}

TEST_CASE("an interval ends where accuracies do") {
  std::vector<FinishedRun> runs;
  for (const auto& [seed, accuracy] : {std::pair(1, 0.90), std::pair(2, 0.99), std::pair(3, 0.99)}) {
    runs.push_back(run_of("a", "5Mbps", static_cast<std::uint64_t>(seed), accuracy, 1));
  }
  const Comparison comparison = compare(runs, true);
  // 0.96 and 4.302653 x 0.05196 / sqrt(3) = 0.1291 to each side.
  CHECK(compared(comparison).find("0.9600 (0.8309 .. 1.0000)") != std::string::npos);
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  CHECK(json["groups"][0]["measures"]["final_accuracy.mean"]["high"] == 1);
}

TEST_CASE("a scheme that ends below half of its best has collapsed, and the table says so") {
  std::vector<FinishedRun> runs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    runs.push_back(run_of("a", "5Mbps", seed, seed == 2 ? 0.1 : 0.8, 1));
    runs.back().measures.push_back({"best_accuracy", 0.82});
    runs.push_back(run_of("b", "5Mbps", seed, 0.6, 1));
    runs.back().measures.push_back({"best_accuracy", 0.7});
  }
  const Comparison comparison = compare(runs, true);
  CHECK(comparison.grouped.groups[0].collapsed() == 1);
  CHECK(comparison.grouped.groups[1].collapsed() == 0);
  CHECK(compared(comparison).find("a (1 collapsed)") != std::string::npos);
  CHECK(compared(comparison).find("b  ") != std::string::npos);
}

TEST_CASE("schemes are set beside one worker alone on the same platform, and what it beats is marked") {
  std::vector<FinishedRun> runs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    runs.push_back(run_of("single", "5Mbps", seed, 0.9, 30));
    runs.push_back(run_of("quick", "5Mbps", seed, 0.9, 10));
    runs.push_back(run_of("slow", "5Mbps", seed, 0.9, 40));
    runs.push_back(run_of("never", "5Mbps", seed, 0.4, std::nullopt));
    runs.push_back(run_of("quick", "9Mbps", seed, 0.9, 5));
    runs.push_back(run_of("slow", "9Mbps", seed, 0.9, 6));
  }
  const Comparison comparison = compare(runs, true);
  const auto of = [&](std::size_t group) { return comparison.against_one(group, 0.5); };
  CHECK_FALSE(of(0).has_value());  // itself
  CHECK(*of(1)->speed_up == doctest::Approx(3));
  CHECK(of(1)->beats);
  CHECK(*of(2)->speed_up == doctest::Approx(0.75));
  CHECK_FALSE(of(2)->beats);
  CHECK_FALSE(of(3)->speed_up.has_value());
  CHECK_FALSE(of(3)->beats);
  CHECK_FALSE(of(4).has_value());  // there is no such run there
  const std::string text = compared(comparison);
  CHECK(text.find("time to 0.5  over one worker") != std::string::npos);
  CHECK(text.find("3.00x\n") == std::string::npos);
  CHECK(text.find("3.00x") != std::string::npos);
  CHECK(text.find("0.75x !") != std::string::npos);
  CHECK(text.find("never !") != std::string::npos);
  CHECK(text.find("time to 0.5: not sooner than one worker alone: slow, never\n") != std::string::npos);
  CHECK(text.find("\n!: not sooner than one worker alone.\n") != std::string::npos);
  CHECK(text.find("\nnever: one worker gets there with all seeds, this does not.\n") != std::string::npos);
  CHECK(text.find("only this:") == std::string::npos);
  CHECK(comparison_markdown(comparison).find("| time to 0.5 | over one worker, to 0.5 |") != std::string::npos);
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  CHECK(json["groups"][1]["over_one_worker"][time_to(0.5)]["speed_up"] == doctest::Approx(3));
  CHECK(json["groups"][1]["over_one_worker"][time_to(0.5)]["baseline"] == 0);
  CHECK_FALSE(json["groups"][4].contains("over_one_worker"));
  CHECK(comparison_csv(comparison).find("time_to_accuracy_s.0.5.speed_up_over_one_worker") != std::string::npos);
  // Without such a run there is no such column.
  CHECK(compared(compare(three_schemes("5Mbps"), true)).find("one worker") == std::string::npos);
}

TEST_CASE("every form has the same rows") {
  const Comparison comparison = compare(three_schemes("5Mbps"), true);
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  REQUIRE(json["groups"].size() == 3);
  CHECK(json["groups"][0]["measures"]["final_accuracy.mean"]["mean"] == doctest::Approx(0.91));
  // t of two degrees of freedom is 4.302653 (any table), the deviation 0.01.
  CHECK(json["groups"][0]["measures"]["final_accuracy.mean"]["low"] ==
        doctest::Approx(0.91 - 4.302653 * 0.01 / std::sqrt(3)));
  CHECK(json["groups"][1]["measures"][time_to(0.5)]["count"] == 2);
  CHECK(json["pairs"].size() == 4);
  const std::string csv = comparison_csv(comparison);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  CHECK(csv.starts_with("scheme,runs,time_to_accuracy_s.0.5,time_to_accuracy_s.0.5.low,"));
  const std::string markdown = comparison_markdown(comparison);
  CHECK(markdown.starts_with("| scheme | seeds | time to 0.5 |"));
  CHECK(markdown.find("\n| c | 3 | 91 s ± 2.48 s |") != std::string::npos);
}

TEST_CASE("each run by itself is a row with its seed") {
  const Comparison comparison = compare(three_schemes("5Mbps"), false);
  CHECK(comparison.grouped.groups.size() == 9);
  CHECK(comparison_csv(comparison).starts_with("scheme,seed,runs,"));
}

TEST_CASE("folders of one scenario compare as one group, with what the files say") {
  const TemporaryFolder out;
  scenario::Scenario scenario = example_scenario();
  for (const std::uint64_t seed : {1, 2}) {
    scenario.seed = seed;
    write_results(out.path().string(), scenario, example_result(), false);
  }
  const Comparison comparison = compare_folders({out.path().string()}, true);
  REQUIRE(comparison.grouped.groups.size() == 1);
  const std::string text = compared(comparison);
  CHECK(text.find("ako") != std::string::npos);
  CHECK(text.find("0.6250 ± 0.0000") != std::string::npos);
  CHECK(text.find("w1 down 50 %") != std::string::npos);
  CHECK(text.find("not reached") != std::string::npos);
}

TEST_CASE("a measured run is held against every simulation of its network") {
  const auto simulated = [](const std::string& queue, double steps) {
    FinishedRun run = run_of("a", "5Mbps", 1, 0.9, 10);
    run.settings.insert(run.settings.begin() + 1, {"platform.network.queue", queue});
    run.settings.insert(run.settings.begin() + 1, {"platform.network.model", "TCP"});
    run.digest += queue;
    run.measures.push_back({"iterations", steps});
    return run;
  };
  FinishedRun measured = run_of("a", "5Mbps", 1, 0.9, 10);
  measured.measured = true;
  measured.settings.push_back({"measured", "cubic"});
  measured.measures.push_back({"iterations", 100});
  FinishedRun elsewhere = measured;
  elsewhere.settings[0].value = "9Mbps";
  const Comparison comparison = compare({simulated("50ms", 90), measured, elsewhere, simulated("200ms", 95)}, true);
  REQUIRE(comparison.fidelities.size() == 2);
  CHECK(std::ranges::count(comparison.grouped.varied, "platform.network.queue") == 1);
  CHECK(std::ranges::count(comparison.grouped.varied, "platform.network.model") == 0);  // all simulations have one
  const auto error_of_steps = [&](std::size_t at) { return comparison.fidelities[at].rows.front().error().value(); };
  CHECK(error_of_steps(0) == doctest::Approx(-0.1));
  CHECK(error_of_steps(1) == doctest::Approx(-0.05));
  std::string text = compared(comparison);
  std::ranges::replace(text, '\n', ' ');  // long lines are broken at blanks
  CHECK(text.find("platform.network.queue 50ms (simulated) against a") != std::string::npos);
  CHECK(text.find("platform.network.queue 200ms (simulated) against a") != std::string::npos);
}

TEST_CASE("a measured run and a simulated one are of one scenario if platforms and data are, wherever they lay") {
  const auto on = [](const std::string& file, const std::string& platform, bool measured) {
    FinishedRun run = run_of("a", "5Mbps", 1, 0.9, 10);
    run.settings.insert(run.settings.begin(), {{"platform.file", file}, {"platform_digest", platform}});
    run.measured = measured;
    if (measured) run.settings.push_back({"measured", "cubic"});
    return run;
  };
  CHECK(compare({on("a.xml", "one", false), on("moved/b.xml", "one", true)}, true).fidelities.size() == 1);
  CHECK(compare({on("a.xml", "one", false), on("a.xml", "edited", true)}, true).fidelities.empty());
  // A digest alone would not tell what of.
  const Comparison edited = compare({on("nets/a.xml", "one", false), on("nets/a.xml", "edited", false)}, true);
  REQUIRE(edited.grouped.varied == std::vector<std::string>{"platform_digest"});
  CHECK(edited.grouped.groups[0].varied == std::vector<std::string>{"a.xml one"});
  CHECK(edited.grouped.groups[1].varied == std::vector<std::string>{"a.xml edited"});
}

namespace {

std::vector<std::string> titles(const Comparison& comparison) {
  std::vector<std::string> list;
  for (const Column& column : comparison_table(comparison, Readers::people, false).columns)
    list.push_back(column.title);
  return list;
}

std::vector<std::string> schemes(const Comparison& comparison) {
  std::vector<std::string> list;
  for (const RunGroup& group : comparison.grouped.groups) list.push_back(group.scheme);
  return list;
}

std::string problem(const ComparisonLook& look) {
  try {
    compare(three_schemes("5Mbps"), true, look);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a comparison has the columns that are asked for, in their order, and judges by these alone") {
  const auto with = [](const std::vector<std::string>& columns) {
    return compare(three_schemes("5Mbps"), true, {.columns = columns});
  };
  using List = std::vector<std::string>;
  const Comparison chosen = with({"accuracy", "time", "platform.bandwidth"});
  CHECK(titles(chosen) == List{"scheme", "seeds", "final accuracy", "time to 0.5", "platform.bandwidth"});
  CHECK(compared(chosen).find("final accuracy: best a") != std::string::npos);
  CHECK(compared(with({"time"})).find("accuracy") == std::string::npos);
  // An object stands for its mean, or its members; a title for its column; other numbers are told.
  CHECK(titles(with({"final_accuracy", "busiest_link", "final accuracy", "busiest_link.name", "samples"})) ==
        List{"scheme", "seeds", "final accuracy", "busiest link", "final accuracy", "busiest_link.name", "samples"});
  CHECK(titles(with({"time_to_accuracy_s"})) == titles(with({"time_to_accuracy_s.0.5"})));
  const auto json = nlohmann::json::parse(comparison_json(chosen));
  CHECK(json["groups"][0]["measures"].size() == 2);
  CHECK(json["groups"][0]["settings"]["platform.bandwidth_bit_per_s"] == 5e6);
  CHECK(problem({.columns = {"acuracy"}}) ==
        "compare: --columns: \"acuracy\" is no column of these results; did you mean \"accuracy\"?");
  CHECK(problem({.columns = {""}}).starts_with("compare: --columns: \"\" is no column"));
  CHECK(problem({.columns = {"platform.bandwith"}}).ends_with("did you mean \"platform.bandwidth\"?"));
}

TEST_CASE("rows are called by a setting: one that varies changes places with the scheme") {
  std::vector<FinishedRun> runs = three_schemes("5Mbps");
  for (FinishedRun& run : three_schemes("40Mbps")) runs.push_back(run);
  using List = std::vector<std::string>;
  const Comparison swapped = compare(runs, true, {.label = "platform.bandwidth"});
  CHECK(schemes(swapped) == List{"5Mbps", "5Mbps", "5Mbps", "40Mbps", "40Mbps", "40Mbps"});
  CHECK(titles(swapped)[0] == "platform.bandwidth");
  CHECK(swapped.grouped.varied == List{"scheme"});
  REQUIRE(swapped.conditions.size() == 3);
  CHECK(swapped.conditions[0].label == "scheme a");
  // Of one scheme nothing else is left to tell.
  std::vector<FinishedRun> one;
  std::ranges::copy_if(runs, std::back_inserter(one), [](const FinishedRun& run) { return run.folder < "b"; });
  CHECK(compare(one, true, {.label = "platform.bandwidth"}).grouped.varied.empty());
  // One that does not vary leaves rows that would have one name, which have the scheme in it.
  CHECK(schemes(compare(three_schemes("5Mbps"), true, {.label = "platform.bandwidth"})) ==
        List{"5Mbps (a)", "5Mbps (b)", "5Mbps (c)"});
  CHECK(schemes(compare(three_schemes("5Mbps"), true, {.label = "algorithm.name"})) == List{"a", "b", "c"});
  CHECK(schemes(compare(three_schemes("5Mbps"), true, {.renamed = {{"a", "Ako"}}})) == List{"Ako", "b", "c"});
  CHECK(compared(compare(three_schemes("5Mbps"), true, {.renamed = {{"a", "Ako"}}})).find("best Ako") !=
        std::string::npos);
  CHECK(problem({.label = "platform.bandwith"}) ==
        "compare: --label: \"platform.bandwith\" is no setting of these results; did you mean "
        "\"platform.bandwidth\"?");
  CHECK(problem({.renamed = {{"d", "x"}}}).starts_with("compare: --label: \"d\" is no row here; "));
}

TEST_CASE("where runs are judged by their loss, less is better everywhere") {
  using scenario::by_loss;
  std::vector<FinishedRun> runs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const auto& [scheme, loss, time_s] : {std::tuple("a", 0.2, 10.0), std::tuple("b", 2.0, 30.0)}) {
      FinishedRun run = run_of(scheme, "5Mbps", seed, 0.9, std::nullopt);
      const double scatter = 0.001 * static_cast<double>(seed);
      run.metric = by_loss;
      run.measures = {{time_to(0.5, by_loss), time_s + scatter}, {final_of(by_loss), loss + scatter}};
      runs.push_back(run);
    }
  }
  const std::string text = compared(compare(runs, true));
  CHECK(text.find("time to 0.5: best a, beyond noise") != std::string::npos);
  CHECK(text.find("final loss: best a, beyond noise") != std::string::npos);
  CHECK(text.find("accuracy") == std::string::npos);
  CHECK(time_to(0.5, by_loss) == "time_to_target_s.0.5");
  // Beside one worker.
  for (FinishedRun& run : runs) {
    if (run.setting("algorithm.name") == "b") run.settings.back().value = "single";
  }
  const Comparison beside = compare(runs, true);
  CHECK(beside.has_baselines());
  CHECK(compared(beside).find("3.00x") != std::string::npos);
  // Any other number of a metric is judged by it, too.
  for (FinishedRun& run : runs) run.metric = scenario::by_accuracy;
  CHECK(compared(compare(runs, true, {.columns = {"loss"}})).find("final_loss.mean: best a") != std::string::npos);
}

}  // namespace ddl::results
