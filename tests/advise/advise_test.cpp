// Advice and tuning by tiny runs: what is run, what is kept, and what the page says.
#include "sim/advise/advise.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/counted.hpp"
#include "sim/advise/tune.hpp"
#include "sim/results/text/layout.hpp"
#include "tests/advise/results_below.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/results/writing/files.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Two workers, gradients of 100 ms. At 1 Mbit/s a model takes 80 s: what exchanges models in step cannot be the best,
// and what waits for the network learns nothing.
std::string scenario_text(const std::string& bandwidth) {
  return R"({"platform": {"workers": 2, "bandwidth": ")" + bandwidth + R"("}, "model": "softmax",
    "data": {"train": 400, "test": 100}, "wire": {"model_bytes": "10MB"},
    "training": {"batch_size": 20, "optimizer": {"type": "sgd", "learning_rate": 0.1}},
    "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": "single",
    "stop": {"time": "2s"}, "evaluate": {"every": "200ms"}})";
}

class Place {
 public:
  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = scratch_.path() / name;
    std::ofstream(file) << text;
    return file;
  }
  AdviseRequest request(const fs::path& file, std::vector<std::string> systems,
                        std::optional<double> target = {}) const {
    return {file.string(), {}, {target}, {1, 2, 3}, std::move(systems), (scratch_.path() / "out").string()};
  }
  fs::path path() const { return scratch_.path(); }

 private:
  results::TemporaryFolder scratch_;
};

// At the end of a run of a system, by what it was told to stop at.
double lab_accuracy(const fs::path& folder, const std::string& system, const std::string& time) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(system) == std::string::npos || name.find("time=" + time) == std::string::npos) continue;
    return read_trial(entry.path() / "1000001", {}, std::nullopt).at_end;
  }
  FAIL("no run of " << system << " until " << time);
  return 0;
}

// How many runs a call made.
struct Counted {
  std::size_t made = 0;
  AdviseOptions options(std::function<double()> used = {}) {
    return {2, [this](const jobs::RunsProgress& progress) { made = progress.finished - progress.kept; },
            std::move(used)};
  }
};

}  // namespace

TEST_CASE("a trial is judged by its goal's metric, of which more or less may be better") {
  const results::TemporaryFolder scratch;
  // Mean losses 2.5, 1.75, 1.125 and accuracies 0.125, 0.375, 0.625 at 0, 5, 10 s.
  const std::string folder =
      results::write_results(scratch.path().string(), results::example_scenario(), results::example_result(), false);
  const auto trial = [&](std::optional<double> target, const scenario::Metric& metric) {
    return read_trial(folder, {target, metric}, 10);
  };
  CHECK(trial(std::nullopt, scenario::by_loss).at_end == 1.125);
  CHECK(trial(std::nullopt, scenario::by_loss).score == 1.125);
  CHECK(trial(std::nullopt, scenario::by_accuracy).score == 1 - 0.625);
  CHECK(trial(1.75, scenario::by_loss).score == 5);
  CHECK(trial(0.375, scenario::by_accuracy).score == 5);
  CHECK(trial(1.0, scenario::by_loss).score == 10 * (1 + 0.125));
  CHECK_FALSE(trial(1.0, scenario::by_loss).time_s.has_value());
  CHECK(trial(0.75, scenario::by_accuracy).score == 10 * (1 + 0.125));
}

TEST_CASE("on a network too slow for anything one worker alone is recommended, and what cannot win is not run") {
  const Place place;
  Adviser adviser(
      systems::built_in(),
      place.request(place.write("slow.json", scenario_text("1Mbps")), {"gossip", "ring_allreduce", "ps_sync"}), 2);
  Counted counted;
  AdviseOptions options = counted.options();
  std::vector<std::string> stages;
  options.stage = [&stages](const std::string& name) { stages.push_back(name); };
  adviser.run(options);
  REQUIRE(stages.size() > 4);
  CHECK(stages[0] == "probes of 1/16 of the time");
  CHECK(stages[1] == "probes of 1/4 of the time");
  CHECK(std::ranges::count(stages, "race, the first seeds") == 1);
  CHECK(stages.back() == "other conditions");
  const Advice advice = adviser.advice();
  REQUIRE(advice.recommended.has_value());
  CHECK(advice.candidates[advice.advised[*advice.recommended].candidate].name == "single");
  for (const Candidate& candidate : advice.candidates) {
    CAPTURE(candidate.name);
    // 40 s a step of both workers against a tenth of one alone, 0.1 s; and there is no server.
    if (candidate.name == "ring_allreduce") {
      CHECK(candidate.excluded.find("at most 0.025 gradients/s in all") != std::string::npos);
      CHECK(candidate.excluded.find("less than a tenth of the 10 of one worker alone") != std::string::npos);
    }
    if (candidate.name == "ps_sync") CHECK(candidate.excluded.find("needs a server") != std::string::npos);
    if (candidate.name == "gossip") CHECK(candidate.excluded == "");
  }
  CHECK(advice.open_tuning + advice.open_race + advice.open_conditions == 0);
  // Two probes and eight runs to tune each of two, three seeds to race, and four networks for gossip, which alone uses
  // one.
  CHECK(counted.made == 2 * (2 + 8) + 2 * 3 + 4 * 3);
  CHECK(results_below(adviser.folder() / "conditions") == 12);
}

TEST_CASE("the same question again makes no run, and gives the same page to the byte") {
  const Place place;
  const fs::path file = place.write("quick.json", scenario_text("800Mbps"));
  Counted first, second;
  Adviser adviser(systems::built_in(), place.request(file, {"gossip"}, 0.3), 2);
  adviser.run(first.options());
  write_advice(adviser);
  CHECK(first.made > 0);
  const std::string page = results::text_of(adviser.folder() / "advice.md");
  Adviser again(systems::built_in(), place.request(file, {"gossip"}, 0.3), 1);
  again.run(second.options());
  write_advice(again);
  CHECK(second.made == 0);
  CHECK(results::text_of(adviser.folder() / "advice.md") == page);
  CHECK(page.find("time to 0.3") != std::string::npos);
  CHECK(page.find("results/") == std::string::npos);
}

TEST_CASE("a budget that is spent leaves what was done, says what was cut off, and more of it goes on from there") {
  const Place place;
  const fs::path file = place.write("cut.json", scenario_text("800Mbps"));
  Counted first, second;
  Adviser cut(systems::built_in(), place.request(file, {"gossip"}), 1);
  // The two probes of each, and one whole run of one worker alone: then time is up.
  cut.run({1, first.options().progress, [&] { return results_below(cut.folder()) >= 5 ? 1.0 : 0.0; }});
  const Advice part = cut.advice();
  CHECK(first.made == 5);
  CHECK(part.open_tuning > 0);
  CHECK(advice_text(cut, results::text_columns).find("1 of 16 runs") != std::string::npos);
  CHECK(part.recommended.has_value());

  Adviser whole(systems::built_in(), place.request(file, {"gossip"}), 1);
  whole.run(second.options());
  CHECK(second.made == 2 * (2 + 8) + 2 * 3 + 4 * 3 - 5);
  CHECK(whole.advice().recommended.has_value());
}

TEST_CASE("a best rate at the edge of those tried is told of by name, also where tuning was cut off") {
  const Place place;
  Adviser adviser(systems::built_in(), place.request(place.write("edge.json", scenario_text("800Mbps")), {"gossip"}),
                  1);
  // Until both have had three rates with one seed.
  adviser.run({1, {}, [&] { return results_below(adviser.folder() / "tuning") >= 6 ? 1.0 : 0.0; }});
  const Advice advice = adviser.advice();
  REQUIRE(advice.open_tuning > 0);
  std::string names;
  for (const std::size_t i : advice.standing) {
    const Advised& advised = advice.advised[i];
    std::vector<double> rates;
    for (const Halving::Tried& tried : advised.tuning.tried) {
      if (!tried.scores.empty()) rates.push_back(std::exp2(tried.setting.quarters / 4.0));
    }
    REQUIRE(rates.size() == 3);
    const auto [low, high] = std::ranges::minmax(rates);
    const double best = *advised.rate / 0.1;  // the scenario's own
    const bool edge = best < 1.001 * low || best > 0.999 * high;
    if (edge) names += (names.empty() ? "" : ", ") + advice.candidates[advised.candidate].name;
    CHECK(advised.tuning.at_edge == edge);
  }
  REQUIRE(names != "");  // in 20 steps a rate of 0.1 is too small for either
  CHECK(advice_markdown(adviser).find("Best rate at the edge of those tried: " + names +
                                      "; one beyond may be better") != std::string::npos);
}

TEST_CASE("where no run of tuning was made the page says that rates are the scenario's own") {
  const Place place;
  Adviser adviser(systems::built_in(), place.request(place.write("untuned.json", scenario_text("800Mbps")), {"gossip"}),
                  1);
  adviser.run({1, {}, [&] { return results_below(adviser.folder()) >= 4 ? 1.0 : 0.0; }});  // the probes
  const std::string page = advice_text(adviser, results::text_columns);
  CHECK(page.find("none of 16 runs was made; rates are the scenario's own") != std::string::npos);
  CHECK(page.find("the best of these") == std::string::npos);
}

TEST_CASE("without a race systems are compared by the longest runs that two have had, whichever has longer ones") {
  const Place place;
  // On the fast network gossip learns more than one worker alone, on the slow one less.
  for (const bool fast : {true, false}) {
    CAPTURE(fast);
    const std::string name = fast ? "fast" : "slow";
    Adviser adviser(systems::built_in(),
                    place.request(place.write(name + ".json", scenario_text(fast ? "800Mbps" : "1Mbps")), {"gossip"}),
                    1);
    // Again the two probes of each and a whole run of one worker alone.
    adviser.run({1, {}, [&] { return results_below(adviser.folder()) >= 5 ? 1.0 : 0.0; }});
    const Advice advice = adviser.advice();
    CHECK(advice.advised[0].standing.length == 1);
    CHECK(advice.advised[1].standing.length == 0.25);
    const double single = lab_accuracy(adviser.folder() / "probes", "single", "0.5s");
    const double gossip = lab_accuracy(adviser.folder() / "probes", "gossip", "0.5s");
    REQUIRE((fast ? single < gossip : single > gossip));
    CHECK(advice.recommended == std::size_t{fast ? 1u : 0u});
    CHECK(advice_json(adviser).find("best of 2 systems after one run of 1/4") != std::string::npos);
  }
}

TEST_CASE("of fewer seeds than a test needs the best mean is named, and seeds are asked for, not more budget") {
  const Place place;
  AdviseRequest request = place.request(place.write("few.json", scenario_text("800Mbps")), {"gossip"});
  request.seeds = {1, 2};
  Adviser adviser(systems::built_in(), request, 2);
  Counted counted;
  adviser.run(counted.options());
  const Advice advice = adviser.advice();
  REQUIRE(advice.race.leader.has_value());
  CHECK(advice.recommended == advice.race.leader);
  CHECK(advice.ranking.front() == *advice.race.leader);
  const std::string page = advice_text(adviser, results::text_columns);
  CHECK(page.find("--seeds 1..3") != std::string::npos);
  CHECK(page.find("budget") == std::string::npos);
}

TEST_CASE("a race over fewer seeds than a test needs that was cut off names nothing which ran alone") {
  const Place place;
  // Four probes and 16 runs to tune come first. Then time is up at once, or after the two seeds of one worker alone.
  for (const std::size_t raced : {0, 2}) {
    CAPTURE(raced);
    AdviseRequest request = place.request(place.write("few.json", scenario_text("800Mbps")), {"gossip"});
    request.seeds = {1, 2};
    request.out = (place.path() / std::to_string(raced)).string();
    Adviser adviser(systems::built_in(), request, 1);
    adviser.run({1, {}, [&] { return results_below(adviser.folder()) >= 20 + raced ? 1.0 : 0.0; }});
    const Advice advice = adviser.advice();
    CHECK(advice.open_tuning == 0);
    CHECK(advice.open_race == 4 - raced);
    CHECK(advice.race.entrants[0].seeds() == raced);
    CHECK(advice.race.entrants[1].waits);
    // By their whole runs of tuning.
    const auto score = [&](std::size_t i) { return advice.advised[i].standing.score; };
    REQUIRE(score(0) != score(1));
    CHECK(advice.recommended == std::size_t{score(0) < score(1) ? 0u : 1u});
    const Json json = Json::parse(advice_json(adviser));
    const std::string how_sure = json["how_sure"];
    CHECK(how_sure.find("--seeds 1..3") != std::string::npos);
    CHECK(how_sure.find("the best of 2 systems after") != std::string::npos);
    CHECK(how_sure.find("no two systems have the three seeds") == std::string::npos);
    CHECK(json["not_raced"].size() == (raced == 0 ? 2 : 1));
    const std::string page = advice_text(adviser, results::text_columns);
    CHECK(page.find(raced == 0 ? "Race, not made: the next 4 runs" : "Race, not made: the next 2 runs") !=
          std::string::npos);
    CHECK(page.find("Not raced, for lack of budget") != std::string::npos);
  }
}

TEST_CASE("tuning leaves the race room for three seeds of two, though its last run begins late") {
  const Place place;
  for (const double whole : {0.08, 0.11}) {  // of the budget, a whole run
    CAPTURE(whole);
    AdviseRequest request =
        place.request(place.write("room.json", scenario_text("100Mbps")), {"gossip", "alone", "ad_psgd"});
    request.out = (place.path() / std::to_string(whole)).string();
    Adviser adviser(systems::built_in(), request, 1);
    const auto spent = [&] {
      const fs::path probes = adviser.folder() / "probes";
      double runs = static_cast<double>(results_below(adviser.folder()) - results_below(probes));
      if (!fs::exists(probes)) return whole * runs;
      for (const auto& entry : fs::directory_iterator(probes)) {
        const bool longer = entry.path().filename().string().find("time=0.5s") != std::string::npos;
        runs += static_cast<double>(results_below(entry.path())) / (longer ? 4 : 16);
      }
      return whole * runs;
    };
    adviser.run({1, {}, spent});
    const Advice advice = adviser.advice();
    REQUIRE(advice.advised.size() == 4);
    CHECK(advice.open_probes == 0);
    // Probes end at 4 (1/16 + 1/4) runs. Six runs of the race, a fifth to spare, leave room for four more before it
    // where a run is 0.08: 1.25 + 4 + 7.2 = 12.45 of 12.5; and for none where it is 0.11: 1.25 + 7.2 = 8.45 of 9.09.
    CHECK(advice.race.looked_after == 3);
    CHECK(results_below(adviser.folder() / "tuning") == (whole == 0.08 ? 4 : 0));
    CHECK(spent() <= 1);
  }
}

TEST_CASE("a tight budget ends in time with three seeds of the best, and says what it had no room for") {
  const Place place;
  const std::vector<std::string> systems = {"gossip", "alone", "local_sgd", "ako", "ad_psgd", "sgp", "d_psgd"};
  const AdviseRequest request = place.request(place.write("tight.json", scenario_text("100Mbps")), systems);
  // Whole runs cost a fortieth of the budget, probes a fifth of one.
  const auto spent = [](const fs::path& folder) {
    const auto probes = static_cast<double>(results_below(folder / "probes"));
    return (static_cast<double>(results_below(folder)) - 0.8 * probes) / 40;
  };
  Adviser tight(systems::built_in(), request, 1);
  tight.run({1, {}, [&] { return spent(tight.folder()); }});
  const Advice advice = tight.advice();
  const std::size_t all = advice.advised.size();
  REQUIRE(all >= 8);
  CHECK(spent(tight.folder()) <= 1);
  CHECK(spent(tight.folder()) > 0.7);
  CHECK(advice.open_probes == 0);
  CHECK(advice.race.looked_after >= 3);
  REQUIRE(advice.recommended.has_value());
  double worst_in = 0, best_out = 1;
  std::size_t raced = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const Standing& standing = advice.advised[i].standing;
    if (advice.race.entrants[i].waits) {
      CHECK(advice.race.entrants[i].seeds() == 0);
      if (standing.length == 1) best_out = std::min(best_out, standing.score);
    } else {
      ++raced;
      CHECK(advice.race.entrants[i].seeds() >= 3);
      CHECK(standing.length == 1);
      if (i > 0) worst_in = std::max(worst_in, standing.score);
    }
  }
  CHECK(raced >= 2);
  CHECK(raced < all);
  CHECK(worst_in <= best_out);
  const std::string page = advice_text(tight, results::text_columns);
  CHECK(page.find("Not raced, for lack of budget") != std::string::npos);
  CHECK(page.find("The budget had no room for " + counted(static_cast<std::int64_t>(all - raced), "more system")) !=
        std::string::npos);
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  CHECK(Json::parse(advice_json(tight))["not_raced"].size() == all - raced);

  // Without an end the same folder comes to the page of a call that had none from the beginning.
  Adviser on(systems::built_in(), request, 2);
  on.run(Counted().options());
  write_advice(on);
  AdviseRequest elsewhere = request;
  elsewhere.out = (place.path() / "elsewhere").string();
  Adviser fresh(systems::built_in(), elsewhere, 2);
  fresh.run(Counted().options());
  write_advice(fresh);
  for (const char* file : {"advice.md", "advice.json", "recommended.json"}) {
    CHECK(results::text_of(on.folder() / file) == results::text_of(fresh.folder() / file));
  }
  CHECK(fresh.advice().open_probes + fresh.advice().open_tuning + fresh.advice().open_race == 0);
}

TEST_CASE("what was spent before the first run shortens all stages alike") {
  const Place place;
  const fs::path file = place.write("late.json", scenario_text("100Mbps"));
  // A budget of 24 runs, and twice as much of which half was spent before.
  const auto page_after = [&](const std::string& out, double before) {
    AdviseRequest request = place.request(file, {"gossip", "alone", "ad_psgd"});
    request.out = (place.path() / out).string();
    Adviser adviser(systems::built_in(), request, 1);
    const auto share = [&] { return static_cast<double>(results_below(adviser.folder())) / 24; };
    adviser.run({1, {}, [&] { return before + (1 - before) * share(); }});
    CHECK(results_below(adviser.folder() / "probes") > 0);
    return advice_markdown(adviser);
  };
  CHECK(page_after("at_once", 0) == page_after("late", 0.5));
}

TEST_CASE("a run that takes longer than the budget is ended with it, and leaves nothing") {
  const Place place;
  std::string text = scenario_text("800Mbps");
  text.replace(text.find("\"time\": \"2s\""), 12, "\"time\": \"400000s\"");
  text.replace(text.find("\"every\": \"200ms\""), 16, "\"every\": \"10000s\"");
  Adviser adviser(systems::built_in(), place.request(place.write("long.json", text), {"gossip"}), 2);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  adviser.run({2, {}, [&] { return seconds() / 0.3; }});
  CHECK(seconds() < 10);
  CHECK_FALSE(adviser.advice().recommended.has_value());
  CHECK(advice_text(adviser, results::text_columns).find("No answer yet: no run has ended.") != std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(adviser.folder())) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    CHECK_MESSAGE((!entry.is_regular_file() && !hidden), entry.path().string());
  }
}

TEST_CASE("what a command that was killed left half-written is removed by the next one") {
  const Place place;
  Adviser adviser(systems::built_in(), place.request(place.write("killed.json", scenario_text("100Mbps")), {"gossip"}),
                  1);
  std::vector<fs::path> left;
  for (const char* stage : {"probes", "tuning", "runs", "conditions"}) {
    left.push_back(adviser.folder() / stage / "point" / ".1.partial-x1");
    fs::create_directories(left.back());
    std::ofstream(left.back() / "run.json") << "{";
  }
  adviser.run({1, {}, [] { return 1.0; }});
  for (const fs::path& folder : left) CHECK_MESSAGE(!fs::exists(folder), folder.string());
}

TEST_CASE("every line of the page for a terminal fits 80 columns, and the JSON says the same") {
  const Place place;
  Adviser adviser(systems::built_in(),
                  place.request(place.write("page.json", scenario_text("100Mbps")), {"gossip", "alone", "local_sgd"}),
                  2);
  adviser.run(Counted().options());
  std::istringstream lines(advice_text(adviser, results::text_columns));
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
  const Json json = Json::parse(advice_json(adviser));
  const Advice advice = adviser.advice();
  CHECK(json["recommended"] == advice.candidates[advice.advised[*advice.recommended].candidate].name);
  CHECK(json["systems"].size() == advice.ranking.size());
  CHECK(json["systems"][0]["scores"].size() == 3);
  write_advice(adviser);
  // What is recommended can be run where it lies.
  const scenario::Scenario best =
      scenario::read_scenario(systems::built_in(), (adviser.folder() / "recommended.json").string());
  CHECK(best.name == "page_recommended");
}

TEST_CASE("what is not told apart from the leader stands with how far it is behind, not as if it were as good") {
  const Place place;
  Adviser adviser(systems::built_in(),
                  place.request(place.write("near.json", scenario_text("800Mbps")), {"gossip", "alone"}), 2);
  adviser.run(Counted().options());
  const Advice advice = adviser.advice();
  const Json json = Json::parse(advice_json(adviser));
  const Race::Entrant& leader = advice.race.entrants[*advice.race.leader];
  const std::string page = advice_markdown(adviser);
  CHECK(page.find("as good?") == std::string::npos);
  std::size_t near = 0;
  for (const std::size_t i : advice.race.left) {
    if (i == *advice.race.leader) continue;
    ++near;
    const std::string name = advice.candidates[advice.advised[i].candidate].name;
    CAPTURE(name);
    // With all three seeds the mean difference is that of the means.
    const Race::Entrant& entrant = advice.race.entrants[i];
    REQUIRE(entrant.seeds() == 3);
    const double behind = *entrant.mean() - *leader.mean();
    CHECK(page.find(fmt::format("| {} | {:.3f} (", name, behind)) != std::string::npos);
    for (const Json& system : json["systems"]) {
      if (system["system"] == name) CHECK(system["behind_leader"]["mean"].get<double>() == doctest::Approx(behind));
    }
  }
  REQUIRE(near > 0);
  CHECK(page.find("Not told apart is not equal") != std::string::npos);
}

TEST_CASE("the page says what the answer depends on: time, hosts, model, data, network, and which accuracy is shown") {
  const Place place;
  std::string text = scenario_text("8Mbps");
  text.replace(text.find("\"8Mbps\""), 7, "[\"8Mbps\", \"40Mbps\"], \"servers\": 1, \"latency\": \"30ms\"");
  Adviser adviser(systems::built_in(), place.request(place.write("setting.json", text), {"alone"}), 2);
  const Json before = Json::parse(advice_json(adviser))["setting"];
  REQUIRE(before.size() == 2);
  CHECK(before[0] ==
        "Training: 2 s of simulated time (stop.time); synthetic data, 400 training samples; minibatches of 20, 100 ms "
        "each; the model is 10 MB on the wire.");
  CHECK(before[1] ==
        "Network: 2 workers and 1 server; links of 8 Mbit/s to 40 Mbit/s; latency of a route, one way, 30 ms; network "
        "model packets.");
  adviser.run(Counted().options());
  const Advice advice = adviser.advice();
  REQUIRE(advice.shown_target.has_value());
  const std::string page = advice_markdown(adviser);
  CHECK(page.find(" (--systems alone)?\n") != std::string::npos);
  for (const std::string& line : adviser.setting()) CHECK(page.find("- " + line + "\n") != std::string::npos);
  CHECK(page.find(fmt::format("Times and bytes are to accuracy {:g}: without --target, what one worker alone has",
                              *advice.shown_target)) != std::string::npos);
}

TEST_CASE("all conditions have one network model, also where half of the latency has another by default") {
  const Place place;
  std::string text = scenario_text("80Mbps");
  text.replace(text.find("\"80Mbps\""), 8, R"("80Mbps", "latency": "8ms")");
  Adviser adviser(systems::built_in(), place.request(place.write("near.json", text), {"gossip"}), 2);
  adviser.run(Counted().options());
  int runs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(adviser.folder() / "conditions")) {
    if (entry.path().filename() != "run.json") continue;
    ++runs;
    CHECK(Json::parse(std::ifstream(entry.path()))["network"]["model"] == "packets");
  }
  CHECK(runs == 12);  // four conditions, three seeds
}

TEST_CASE("where the model is TCP and packets are nearer the best run again packet by packet, and nowhere else") {
  const Place place;
  const auto first_condition = [&](const std::string& latency, const std::string& network) {
    std::string text = scenario_text("80Mbps");
    text.replace(text.find("\"80Mbps\""), 8,
                 fmt::format(R"("80Mbps", "latency": "{}", "network": {{{}}})", latency, network));
    const std::string name = fmt::format("far{}{}.json", latency, std::hash<std::string>{}(network));
    Adviser adviser(systems::built_in(), place.request(place.write(name, text), {"gossip"}), 2);
    adviser.run(Counted().options());
    const Advice advice = adviser.advice();
    CHECK(advice.open_conditions == 0);
    REQUIRE(!advice.conditions.empty());
    const Condition& first = advice.conditions.front();
    const bool packets = first.name == "packet by packet";
    CHECK(advice.conditions.size() == (packets ? 5 : 4));
    const std::string text_of_page = advice_text(adviser, results::text_columns);
    CHECK(text_of_page.find("\nas given ") != std::string::npos);  // what the conditions are compared with
    CHECK((text_of_page.find("packet by packet") != std::string::npos) == packets);
    for (std::size_t i = 0; i < first.scores.size(); ++i) {
      for (const auto& score : first.scores[i]) CHECK(score.has_value());
    }
    return first.name;
  };
  CHECK(first_condition("20ms", R"("model": "TCP")") == "packet by packet");
  CHECK(first_condition("100us", R"("model": "TCP")") == "packet by packet");  // 80 Mbit/s
  CHECK(first_condition("100us", "") == "bandwidth halved");
  CHECK(first_condition("20ms", "") == "bandwidth halved");  // all of it is simulated packet by packet
  CHECK(first_condition("20ms", R"("model": "CM02")") == "bandwidth halved");  // the textbook was asked for
}

TEST_CASE("what cannot be asked is one line") {
  const Place place;
  const auto error_of = [&](const std::string& text, std::vector<std::string> systems = {}) -> std::string {
    try {
      Adviser adviser(systems::built_in(), place.request(place.write("bad.json", text), std::move(systems)), 1);
    } catch (const scenario::ScenarioErrors& errors) {
      REQUIRE(errors.lines.size() == 1);
      return errors.lines.front();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  std::string no_time = scenario_text("8Mbps");
  no_time.replace(no_time.find("\"time\": \"2s\""), 12, "\"iterations\": 5");
  CHECK(error_of(no_time).find("bad.json: $.stop.time: is missing; expected a time") != std::string::npos);
  CHECK(error_of(scenario_text("8Mbps"), {"gosip"}) ==
        "--systems: \"gosip\" is no candidate; did you mean \"gossip\"?");
  CHECK_FALSE(fs::exists(place.path() / "out"));
}

TEST_CASE("a platform alone is given a task, its servers by their names") {
  const Place place;
  const std::string root = DDLSIM_SOURCE_DIR;
  AdviseRequest request = place.request(root + "/platforms/het_wan.xml", {"ps_async"});
  request.overrides = {{"platform.workers", "4"}, {"stop.time", "4s"}};
  Adviser adviser(systems::built_in(), request, 1);
  const Advice advice = adviser.advice();
  REQUIRE(advice.candidates.size() == 2);
  CHECK(advice.candidates[1].excluded == "");
  CHECK(adviser.question().notes.front() == "Servers: ps0; all other hosts are workers.");
}

TEST_CASE("a platform alone is given the task of the shipped scenarios") {
  const Place place;
  const std::string root = DDLSIM_SOURCE_DIR;
  AdviseRequest request = place.request(root + "/platforms/het_wan.xml", {"ps_async"});
  request.overrides = {{"platform.workers", "4"}};
  Adviser adviser(systems::built_in(), request, 1);
  const auto described = [](const scenario::Scenario& scenario) {
    return Json::parse(scenario::describe_run(scenario));
  };
  const Json asked = described(adviser.scenario_of(adviser.advice().advised.front()));
  const Json shipped = described(scenario::read_scenario(systems::built_in(), root + "/scenarios/het_wan_ako_p3.json"));
  for (const char* key : {"data", "model", "training", "wire", "compute", "stop", "evaluate"}) {
    CAPTURE(key);
    REQUIRE(shipped.contains(key));
    CHECK(asked[key] == shipped[key]);
  }
  CHECK(asked["algorithm"]["name"] == "single");
}

TEST_CASE("a platform's servers are the hosts that are called ps and a number") {
  const Place place;
  std::string text = results::text_of(DDLSIM_SOURCE_DIR "/platforms/het_wan.xml");
  const auto write_instead = [&](const std::string& usual, const std::string& other) {
    std::size_t at = text.find(usual);
    REQUIRE(at != std::string::npos);
    for (; at != std::string::npos; at = text.find(usual, at + other.size())) text.replace(at, usual.size(), other);
  };
  write_instead("w31", "ps12");
  write_instead("<host id=\"ps0\"", "<host\n\t id=\"ps0\"");
  const std::string others = R"(<!-- <hosts id="ps2" <hostid="ps3" <host id="ps" <host id="ps4a" <host id="w5" -->)";
  write_instead("<platform ", others + "\n<platform ");
  AdviseRequest request = place.request(place.write("p.xml", text), {"ps_async"});
  request.overrides = {{"platform.workers", "4"}};
  CHECK(Adviser(systems::built_in(), request, 1).question().notes.front() ==
        "Servers: ps12, ps0; all other hosts are workers.");
}

TEST_CASE("tuning takes as many runs for each scenario, chooses what did best, and writes what can be run") {
  const Place place;
  TuneRequest request;
  request.files = {place.write("one.json", scenario_text("800Mbps")).string(),
                   place.write("two.json", scenario_text("8Mbps")).string()};
  request.overrides = {{"algorithm", "gossip"}};
  request.seeds = 2;
  request.out = (place.path() / "tuned").string();
  std::size_t made = 0;
  const LabOptions options{
      2, [&](const jobs::RunsProgress& progress) { made = progress.finished - progress.kept; }, {}};
  TuneStudy study(systems::built_in(), request);
  study.run(options);
  CHECK(made == 2 * (8 + 4));
  const std::vector<TunedScenario> tuned = study.results();
  REQUIRE(tuned.size() == 2);
  for (const TunedScenario& one : tuned) {
    CHECK(one.runs == one.planned);
    const Halving::Tried& chosen = one.search.tried.at(*one.search.best);
    for (const Halving::Tried& tried : one.search.tried) {
      if (tried.scores.size() == chosen.scores.size()) CHECK(tried.mean() >= chosen.mean());
    }
    REQUIRE(one.at_end.size() == 2);
    CHECK((one.at_end[0] + one.at_end[1]) / 2 == doctest::Approx(1 - chosen.mean()));
    const scenario::Scenario best = scenario::read_scenario(systems::built_in(), one.tuned_file);
    CHECK(best.name == one.name + "_tuned");
    const std::string table = results::text_of(one.folder / "tried.csv");
    CHECK(std::ranges::count(table, '\n') == 1 + 12);
    CHECK(table.starts_with("training.optimizer.learning_rate,seed,score,"));
  }
  TuneStudy again(systems::built_in(), request);
  made = 99;
  again.run(options);
  CHECK(made == 99);  // nothing to do, so nothing to tell
}

TEST_CASE("tuning over lists of values says what is wrong with them") {
  const Place place;
  CHECK(over_of("algorithm.codec={\"type\": \"top_k\", \"share\": 0.1},\"none\"").values.size() == 2);
  CHECK(over_of("a.b=[1,2],3").values == std::vector<std::string>{"[1,2]", "3"});
  CHECK(over_of(rate_path).values.empty());
  CHECK_THROWS_WITH_AS(over_of("algorithm.period"), doctest::Contains("has no values"), InputError);
  CHECK_THROWS_WITH_AS(over_of("a.b=1,1"), doctest::Contains("has 1 twice"), InputError);
  CHECK_THROWS_WITH_AS(over_of("a.b=1,,2"), doctest::Contains("has an empty value"), InputError);
  TuneRequest request;
  request.files = {place.write("one.json", scenario_text("8Mbps")).string()};
  request.over = {over_of("algorithm.partitions=1,2")};
  CHECK_THROWS_AS(TuneStudy(systems::built_in(), request), scenario::ScenarioErrors);
}

}  // namespace ddl::advise
