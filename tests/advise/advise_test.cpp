// Advice by tiny runs: the runs made, the runs kept, and the page's text.
#include "sim/advise/advise.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/counted.hpp"
#include "core/systems/neighbours/ad_psgd.hpp"
#include "sim/advise/findings.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/layout.hpp"
#include "tests/advise/results_below.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Two workers, gradients of 100 ms. At 1 Mbit/s a model takes 80 s: systems that exchange models in step cannot be the
// best, and those that wait for the network learn nothing.
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
  AdviseRequest request(const fs::path& file, std::vector<std::string> systems, std::optional<double> target = {},
                        const std::string& out = "out") const {
    return {file.string(), {}, {target}, {1, 2, 3}, {std::move(systems), {}}, (scratch_.path() / out).string()};
  }
  fs::path path() const { return scratch_.path(); }

 private:
  TemporaryFolder scratch_;
};

// A question about `systems` on links of this bandwidth.
class Asked {
 public:
  Asked(const Place& place, const std::string& bandwidth, std::vector<std::string> systems,
        std::optional<double> target = {}, const std::string& out = "out")
      : Asked(place.request(place.write("q.json", scenario_text(bandwidth)), std::move(systems), target, out)) {}
  explicit Asked(const AdviseRequest& request) : adviser(systems::built_in(), request, 2) {}

  // Returns the number of runs made.
  std::size_t run(std::function<double()> used = {}, int at_once = 2) {
    std::size_t made = 0;
    adviser.run({at_once, [&](const jobs::RunsProgress& progress) { made = progress.finished - progress.kept; },
                 std::move(used), [this](const std::string& name) { stages.push_back(name); }});
    return made;
  }
  // Runs one by one until there are `results` results.
  std::size_t run_until(std::size_t results) {
    return run([this, results] { return results_below(adviser.folder()) >= results ? 1.0 : 0.0; }, 1);
  }
  std::string text() { return advice_text(adviser, results::text_columns); }
  std::string markdown() { return advice_markdown(adviser); }
  Json json() { return Json::parse(advice_json(adviser)); }
  std::string best() { return chosen("best"); }
  std::string safe() { return chosen("safe"); }
  // A system without its settings.
  std::string chosen(const char* which) {
    const Json json = this->json()[which];
    const std::string name = json.is_null() ? "" : json["system"].get<std::string>();
    return name.substr(0, name.find(' '));
  }

  Adviser adviser;
  std::vector<std::string> stages;
};

// A system from outside.
struct LoadedParams : SystemOf<LoadedParams> {
  static constexpr SystemFacts facts{.name = "loaded", .what = "each worker trains alone"};
  int local_steps = 4;
  void worker(Node& node) const override {
    while (node.next_step()) {
      node.apply(node.gradient());
      node.finish_step();
    }
  }
  Traffic traffic(const Cluster&) const override { return {}; }
};
template <class Visitor>
void fields(Visitor& visit, LoadedParams& params) {
  visit("local_steps", params.local_steps, Rule{.doc = "steps", .at_least = 1});
}

// Another one worker alone, and a system that sends without saying so.
struct SoloParams : SystemOf<SoloParams> {
  static constexpr SystemFacts facts{.name = "solo", .what = "one worker trains", .one_trains = true};
  void worker(Node&) const override {}
  Traffic traffic(const Cluster&) const override { return {}; }
  int training_worker(const std::vector<std::string>&) const override { return 0; }
};
template <class Visitor>
void fields(Visitor&, SoloParams&) {}

struct QuietParams : SystemOf<QuietParams, systems::AdPsgdParams> {
  static constexpr SystemFacts facts{.name = "quiet", .what = "workers average in pairs"};
  Traffic traffic(const Cluster&) const override { return {}; }
};
template <class Visitor>
void fields(Visitor&, QuietParams&) {}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// It is not worse than the best, not even by its own comparison, without the race's corrections.
void check_safe(const Advice& advice) {
  if (!advice.safe || advice.safe == advice.best) return;
  const auto behind = differences_of(advice.race.entrants[*advice.safe].scores,
                                     advice.race.entrants[*advice.best].scores, advice.race.looked_after);
  CHECK(results::paired_p(behind).value_or(1) >= results::significance);
}

void check_width(const std::string& page) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
}

// For a contender without settings of its own: three rates and another schedule in 1/8 of the time, two of these and
// two more in whole runs, the better two of them with a second seed. Other conditions, for one that sends: bandwidth,
// latency and both guesses halved and doubled; for the baseline: seconds a batch.
constexpr std::size_t short_runs_each = 3 + 1, tuning_runs_each = short_runs_each + 2 + 2 + 2, race_runs_each = 3,
                      condition_runs = (4 * 2 + 2) * 3;

}  // namespace

TEST_CASE("a trial is judged by its goal's metric, of which more or less may be better") {
  const TemporaryFolder scratch;
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
  CHECK_FALSE(trial(1.0, scenario::by_loss).target.has_value());
  CHECK(trial(0.75, scenario::by_accuracy).score == 10 * (1 + 0.125));
}

TEST_CASE("on a network too slow for anything one worker alone is recommended, and what cannot win is not run") {
  const Place place;
  Asked asked(place, "1Mbps", {"gossip", "d_psgd", "ps_sync"});
  // Gossip alone uses a network that could be another one.
  const std::size_t made = asked.run(), again = results_below(asked.adviser.folder() / "conditions");
  CHECK(made == 2 * (tuning_runs_each + race_runs_each) + again);
  CHECK(again >= condition_runs);  // and bandwidths further away
  CHECK(asked.stages.front() == "tuning, short runs");
  CHECK(asked.stages.back() == "other conditions");
  CHECK(asked.best() == "single");
  CHECK(asked.safe() == "single");
  // Gossip is behind at the bandwidth as given, twice, four and eight times that, or ahead at one of these.
  const Json even = asked.json()["break_even_bandwidth"];
  CHECK(even["system"] == "gossip");
  CHECK(even["as_good"] == "single");
  CHECK((even["share"].is_null() ? even["tried"][1] == 8 : even["share"] > 1));
  CHECK(has(asked.text(), "Best estimate: one worker alone (single)"));
  CHECK(has(asked.text(), "Safe choice: the same."));
  // 80 s a step of both workers against a tenth of one alone, 0.1 s; and there is no server.
  const Json not_run = asked.json()["not_run"];
  REQUIRE(not_run.size() == 2);
  const std::string why_not = not_run[1]["why"];
  CHECK(has(why_not, "at most 0.025 gradients/s in all"));
  CHECK(has(why_not, "less than a tenth of the 10 of one worker alone"));
  CHECK(has(asked.markdown(), "- ps_sync: needs a server"));
  CHECK_FALSE(has(asked.text(), "Cut off"));
}

TEST_CASE("where bounds leave nothing else, one worker alone is the answer for that reason") {
  const Place place;
  Asked asked(place, "1Mbps", {"d_psgd"});
  asked.run_until(1);
  CHECK(asked.best() == "single");
  CHECK(has(asked.text(), "Best estimate: one worker alone (single)"));
  CHECK(has(asked.json()["how_sure"], "Nothing else can run here"));
}

TEST_CASE("a budget that is spent leaves what was done, says how little that is, and more of it goes on from there") {
  const Place place;
  // Nothing; one short run; one of each; a short run of each and more.
  struct Cut {
    std::size_t results;
    const char* answer;
    const char* sure;
  };
  for (const Cut& cut : {Cut{0, "No answer yet: no run has ended.", "Nothing has been compared yet"},
                         Cut{1, "No answer yet: too few have run.", "leave out 1 of 3 candidates"},
                         Cut{2, "Only a guess: ", "it is the best of 2 systems after one run of 1/8"},
                         Cut{10, "Only a guess: ", "it is the best of 2 systems after 1 whole run"}}) {
    CAPTURE(cut.results);
    Asked asked(place, "800Mbps", {"gossip", "ps_sync"}, {}, std::to_string(cut.results));
    CHECK(asked.run_until(cut.results) == cut.results);
    const std::string page = asked.markdown();
    CHECK(has(page, cut.answer));
    CHECK(has(page, cut.sure));
    CHECK_FALSE(has(page, "Safe choice"));
    CHECK(has(page, fmt::format("Of the plan: {} of 20 tuning runs; 0 of 2 systems raced", cut.results)));
    CHECK(asked.json()["cut_off"]["tuning_runs"] > 0);
    CHECK(asked.json()["safe"].is_null());
    CHECK(asked.json()["not_raced"].size() == 2);
    asked.run();
    CHECK(results_below(asked.adviser.folder() / "tuning") == 2 * tuning_runs_each);
    CHECK(results_below(asked.adviser.folder() / "runs") == 2 * race_runs_each);
  }
}

TEST_CASE("without a race systems are compared by the longest runs that two have had, whichever has longer ones") {
  const Place place;
  // On the fast network gossip learns more than one worker alone, on the slow one less.
  for (const bool fast : {true, false}) {
    CAPTURE(fast);
    Asked asked(place, fast ? "800Mbps" : "1Mbps", {"gossip"}, {}, fast ? "fast" : "slow");
    asked.run_until(2 * short_runs_each + 1);  // and a whole one of one worker alone
    const Advice advice = asked.adviser.advice();
    CHECK(advice.contenders[0].search.length() == 1);
    CHECK(advice.contenders[1].search.length() == 1.0 / 8);
    const double single = mean_of(advice.contenders[0].after(1.0 / 8)),
                 gossip = mean_of(advice.contenders[1].after(1.0 / 8));
    REQUIRE(single != gossip);
    CHECK(asked.best() == (gossip < single ? "gossip" : "single"));
  }
}

TEST_CASE("a best rate at the edge of those tried is told of by name") {
  const Place place;
  Asked asked(place, "800Mbps", {"gossip"});
  asked.run_until(2 * tuning_runs_each);
  std::string names;
  const Advice advice = asked.adviser.advice();
  for (const std::size_t i : advice.turns) {
    const Contender& contender = advice.contenders[i];
    std::vector<double> rates;
    for (const Halving::Tried& tried : contender.search.tried) {
      if (!tried.scores.empty()) rates.push_back(0.1 * std::exp2(tried.setting.quarters / 4.0));
    }
    const auto [low, high] = std::ranges::minmax(rates);
    const bool at_end = *contender.rate < 1.001 * low || *contender.rate > 0.999 * high;
    CHECK(contender.search.at_edge == (low < high && at_end));
    if (contender.search.at_edge) names += (names.empty() ? "" : ", ") + contender.name;
  }
  REQUIRE(names != "");
  CHECK(has(asked.markdown(), "Best rate at the edge of those tried: " + names + "; one beyond may be better"));
}

TEST_CASE(
    "of fewer seeds than a test needs the best mean is named, or a guess of what had no room; seeds are asked for") {
  const Place place;
  // After all tuning: no run of the race, the two seeds of one worker alone, and those of both.
  for (const std::size_t raced : {0, 2, 4}) {
    CAPTURE(raced);
    AdviseRequest request = place.request(place.write("few.json", scenario_text("800Mbps")), {"gossip"});
    request.seeds = {1, 2};
    request.out = (place.path() / std::to_string(raced)).string();
    Asked asked(request);
    asked.run_until(2 * tuning_runs_each + raced);
    const Advice advice = asked.adviser.advice();
    CHECK(advice.open_race.size() == 4 - raced);
    const auto score = [&](std::size_t i) {
      return raced == 4 ? *mean_of(advice.race.entrants[i].scores) : mean_of(advice.contenders[i].after(1));
    };
    REQUIRE(score(0) != score(1));
    CHECK(asked.best() == (score(0) < score(1) ? "single" : "gossip"));
    CHECK(has(asked.json()["how_sure"], "--seeds 1..3"));
    CHECK(has(asked.json()["how_sure"], "best of 2 systems after 2 whole runs") == (raced < 4));
    CHECK(asked.json()["not_raced"].size() == (4 - raced) / 2);
    CHECK(has(asked.text(), "Only a guess") == (raced < 4));
    CHECK(asked.safe().empty());
    CHECK(has(asked.markdown(), fmt::format("{} runs more of the race", 4 - raced)) == (raced < 4));
    CHECK(has(asked.text(), "More budget") == (raced < 4));
  }
}

TEST_CASE("tuning leaves the race room for three seeds of two, though its last run begins late") {
  const Place place;
  for (const double whole : {0.07, 0.1}) {  // share of the budget for a whole run; a short one takes an eighth of it
    CAPTURE(whole);
    Asked asked(place, "100Mbps", {"gossip", "alone", "ad_psgd"}, {}, std::to_string(whole));
    const auto spent = [&] {
      double runs = static_cast<double>(results_below(asked.adviser.folder()));
      const fs::path folder = asked.adviser.folder() / "tuning";
      if (!fs::exists(folder)) return whole * runs;
      for (const auto& entry : fs::directory_iterator(folder)) {
        const bool is_short = has(entry.path().filename().string(), "time=");
        runs -= is_short ? 7.0 / 8 * static_cast<double>(results_below(entry.path())) : 0;
      }
      return whole * runs;
    };
    asked.run(spent, 1);
    const Advice advice = asked.adviser.advice();
    REQUIRE(advice.contenders.size() == 4);
    CHECK(std::ranges::none_of(advice.open_tuning, [](const BudgetedRun& run) { return run.length < 1; }));
    // Short runs end at 16/8 = 2 whole ones. Six runs of the race, a fifth to spare, leave room for five more before
    // it where a run is 0.07: 2 + 5 + 7.2 = 14.2 of 14.3; and for none where it is 0.1: 2 + 7.2 = 9.2 of 10.
    CHECK(advice.race.looked_after == 3);
    const auto stage = [&](const std::string& name) { return std::ranges::find(asked.stages, name); };
    CHECK((stage("tuning, whole runs") < stage("race, the first seeds")));
    std::size_t whole_runs = 0;
    for (const Contender& contender : advice.contenders) {
      for (const Halving::Tried& tried : contender.search.tried) whole_runs += tried.scores.contains(1) ? 1 : 0;
    }
    CHECK(whole_runs >= (whole == 0.07 ? 4 : 0));
    CHECK(spent() <= 1);
  }
}

TEST_CASE("a tight budget ends in time with three seeds of the best, and says what it had no room for") {
  const Place place;
  const std::vector<std::string> systems = {"gossip", "alone", "local_sgd", "ako", "ad_psgd", "sgp", "d_psgd"};
  Asked tight(place, "100Mbps", systems);
  const auto spent = [&] { return static_cast<double>(results_below(tight.adviser.folder())) / 110; };
  tight.run(spent, 1);
  const Advice advice = tight.adviser.advice();
  const std::size_t all = advice.contenders.size();
  REQUIRE(all >= 8);
  CHECK(spent() <= 1);
  CHECK(spent() > 0.7);
  CHECK(advice.race.looked_after >= 3);
  check_safe(advice);
  double worst_in = 0, best_out = 1;
  std::size_t raced = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const double length = advice.contenders[i].search.length(), score = mean_of(advice.contenders[i].after(length));
    const bool waits = advice.race.entrants[i].waits;
    CHECK(advice.race.entrants[i].seeds() >= (waits ? 0 : 3));
    raced += waits ? 0 : 1;
    if (waits && length == 1) best_out = std::min(best_out, score);
    if (!waits && i > 0) worst_in = std::max(worst_in, score);
  }
  CHECK(raced >= 2);
  CHECK(raced < all);
  CHECK(worst_in <= best_out);
  const std::string page = tight.text();
  CHECK(has(page, "Not raced, for lack of budget"));
  const std::string without = counted(static_cast<std::int64_t>(all - raced), "more system");
  CHECK(has(tight.json()["how_sure"], "The budget had no room for " + without));
  check_width(page);
  CHECK(tight.json()["not_raced"].size() == all - raced);

  // Without an end the same folder comes to the page of a call that had none from the beginning, and again to that.
  Asked on(place, "100Mbps", systems), fresh(place, "100Mbps", systems, {}, "elsewhere"),
      again(place, "100Mbps", systems);
  on.run();
  fresh.run({}, 1);
  CHECK(again.run() == 0);
  for (Asked* asked : {&on, &fresh, &again}) write_advice(asked->adviser);
  for (const char* file : {"advice.md", "advice.json", "best.json", "safe.json"}) {
    CHECK(text_of(on.adviser.folder() / file) == text_of(fresh.adviser.folder() / file));
  }
  CHECK(fresh.adviser.advice().open_tuning.size() + fresh.adviser.advice().open_race.size() == 0);
  // The recommended scenario can be run where it lies.
  const std::string best = (on.adviser.folder() / "best.json").string();
  CHECK(scenario::read_scenario(systems::built_in(), best).name == "q_best");
}

TEST_CASE("time spent before the first run shortens all stages alike") {
  const Place place;
  // A budget of 40 runs, and twice as much with half of it spent before.
  const auto page_after = [&](const std::string& out, double before) {
    Asked asked(place, "100Mbps", {"gossip", "alone", "ad_psgd"}, {}, out);
    const auto share = [&] { return static_cast<double>(results_below(asked.adviser.folder())) / 40; };
    asked.run([&] { return before + (1 - before) * share(); }, 1);
    CHECK(share() > 0.5);
    return asked.markdown();
  };
  CHECK(page_after("at_once", 0) == page_after("late", 0.5));
}

TEST_CASE(
    "a run that takes longer than the budget is ended with it, and leaves nothing; nor does one that was killed") {
  const Place place;
  std::string text = scenario_text("800Mbps");
  text.replace(text.find("\"time\": \"2s\""), 12, "\"time\": \"4000000s\"");
  text.replace(text.find("\"every\": \"200ms\""), 16, "\"every\": \"10000s\"");
  Asked asked(place.request(place.write("long.json", text), {"gossip"}));
  for (const char* stage : {"tuning", "runs", "conditions"}) {
    const fs::path left = asked.adviser.folder() / stage / "point" / ".1.partial-x1";
    fs::create_directories(left);
    std::ofstream(left / "run.json") << "{";
  }
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  asked.run([&] { return seconds() / 0.3; });
  CHECK(seconds() < 10);
  CHECK(has(asked.text(), "No answer yet: no run has ended."));
  for (const auto& entry : fs::recursive_directory_iterator(asked.adviser.folder())) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    CHECK_MESSAGE((!entry.is_regular_file() && !hidden), entry.path().string());
  }
}

TEST_CASE(
    "each system stands with how far it is behind the leader, not as if it were as good, and the JSON says the same") {
  const Place place;
  Asked asked(place, "800Mbps", {"gossip", "alone"}, 0.3);
  asked.run();
  const Advice advice = asked.adviser.advice();
  const Json json = asked.json();
  CHECK(json["systems"].size() == advice.ranking.size());
  CHECK(json["target"] == 0.3);
  const Race::Entrant& leader = advice.race.entrants[*advice.race.leader];
  std::size_t behind_leader = 0;
  for (const Json& system : json["systems"]) {
    CAPTURE(system["system"]);
    CHECK(system["scores"].size() == 3);
    const auto i = static_cast<std::size_t>(
        std::ranges::find(advice.contenders, system["system"].get<std::string>(), &Contender::name) -
        advice.contenders.begin());
    const Race::Entrant& entrant = advice.race.entrants[i];
    CHECK(system["p_against_leader"].is_null() == (i == *advice.race.leader));
    if (i == *advice.race.leader) continue;
    ++behind_leader;
    // With all three seeds the mean difference is that of the means.
    const double behind = *mean_of(entrant.scores) - *mean_of(leader.scores);
    CHECK(system["behind_leader"]["mean"].get<double>() == doctest::Approx(behind));
  }
  CHECK(behind_leader == 2);
  std::vector<std::string> guesses;
  for (const Json& row : json["sensitivity"]) guesses.push_back(row["key"]);
  const std::string seconds = "compute.seconds_per_batch", bytes = "wire.model_bytes";
  CHECK(guesses == std::vector<std::string>{seconds, seconds, bytes, bytes});
  CHECK(json["other_conditions"].size() >= 4);
  CHECK(json["why"]["system"] == "gossip");
  CHECK(json["wan_bytes_per_hour"] > 0);
  // The mean time of the best, with its interval.
  for (const Json& system : json["systems"]) {
    if (system["system"] != json["best"]["system"]) continue;
    CHECK(json["best"]["time_to_target_s"] == system["time_to_target_s"]["mean"]);
    CHECK(json["best"]["interval"][0] == system["time_to_target_s"]["low"]);
  }
  CHECK(fs::path(json["best"]["scenario"].get<std::string>()) == "best.json");
  const std::string page = asked.markdown();
  CHECK(has(page, "| behind the leader by |"));
  CHECK(has(page, "time to 0.3"));
  CHECK_FALSE(has(page, "results/"));
  check_width(asked.text());
}

TEST_CASE("the page says what the answer depends on: time, hosts, model, data, network, and which accuracy is shown") {
  const Place place;
  std::string text = scenario_text("8Mbps");
  text.replace(text.find("\"8Mbps\""), 7, R"(["8Mbps", "40Mbps"], "servers": 1, "latency": "30ms")");
  Asked asked(place.request(place.write("setting.json", text), {"alone"}));
  const Json before = asked.json()["setting"];
  REQUIRE(before.size() == 2);
  CHECK(before[0] ==
        "Training: 2 s of simulated time (stop.time); synthetic data, 400 training samples; minibatches of 20, 100 ms "
        "each; the model is 10 MB on the wire.");
  CHECK(before[1] ==
        "Network: 2 workers and 1 server; links of 8 Mbit/s to 40 Mbit/s; latency of a route, one way, 30 ms; network "
        "model TCP, the quick one.");
  asked.run();
  const std::string page = asked.markdown();
  CHECK(has(page, " (--systems alone)?\n"));
  for (const std::string& line : asked.adviser.setting()) CHECK(has(page, "- " + line + "\n"));
  CHECK(has(page, fmt::format("Times and bytes are to accuracy {:g}: without --target, what single has",
                              asked.adviser.advice().shown_target.value())));
}

TEST_CASE(
    "the best run again packet by packet where the model is TCP and packets are nearer, and with one model for all") {
  const Place place;
  const auto conditions_with = [&](const std::string& latency, const std::string& network) {
    const std::string links = fmt::format(R"(80Mbps", "network": {{{}}}, "latency": "{})", network, latency);
    Asked asked(place, links, {"gossip"}, {}, std::to_string(std::hash<std::string>{}(links)));
    asked.run();
    const Advice advice = asked.adviser.advice();
    CHECK(advice.open_conditions() == 0);
    CHECK(advice.conditions.front().what->name == "as given");  // the baseline of the conditions
    std::set<std::string> models;
    for (const auto& entry : fs::recursive_directory_iterator(asked.adviser.folder() / "conditions")) {
      if (entry.path().filename() != "run.json") continue;
      models.insert(Json::parse(std::ifstream(entry.path()))["network"]["model"].get<std::string>());
    }
    return advice.conditions[1].what->name + fmt::format(", {}", fmt::join(models, ", "));
  };
  CHECK(conditions_with("20ms", R"("model": "TCP")") == "packet by packet, TCP, packets");
  CHECK(conditions_with("100us", R"("model": "TCP")") == "packet by packet, TCP, packets");  // 80 Mbit/s
  CHECK(conditions_with("20ms", "") ==
        "packet by packet, TCP, packets");  // left open, it is searched with the quick one
  // Half of the latency has another model by default.
  CHECK(conditions_with("8ms", "") == "packet by packet, TCP, packets");
  CHECK(conditions_with("20ms", R"("model": "CM02")") == "bandwidth halved, CM02");  // the textbook was asked for
}

TEST_CASE("a question that cannot be asked is refused in one line") {
  const Place place;
  const auto error_of = [&](const std::string& text, const Chosen& systems = {}) -> std::string {
    try {
      AdviseRequest request = place.request(place.write("bad.json", text), systems.only);
      request.systems.without = systems.without;
      Asked asked(request);
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
  CHECK(has(error_of(no_time), "bad.json: $.stop.time: is missing; expected a time"));
  CHECK(error_of(scenario_text("8Mbps"), {{"gosip"}, {}}) ==
        "--systems: \"gosip\" is no candidate; did you mean \"gossip\"?");
  CHECK(error_of(scenario_text("8Mbps"), {{}, {"singel"}}) ==
        "--exclude: \"singel\" is no candidate; did you mean \"single\"?");
  for (const Chosen& none : {Chosen{{"gossip"}, {"single", "alone", "gossip"}}, {{"single"}, {"single"}}}) {
    CHECK(error_of(scenario_text("8Mbps"), none) == "--exclude: leaves no candidate; expected one at least");
  }
  const std::string no_server = error_of(scenario_text("8Mbps"), {{"ps_sync", "ps_async"}, {"single", "alone"}});
  const std::string reason = "bad.json: no candidate can be run: ps_async, ps_sync: needs a server; expected platform.";
  CHECK_MESSAGE(has(no_server, reason), no_server);
  // Errors name the key.
  write_mnist(place.path() / "m", 1);  // 30 images
  std::string no_data = scenario_text("8Mbps");
  no_data.replace(no_data.find(R"("data": {)"), 9, R"("data": {"source": "mnist", "path": "m", )");
  CHECK_MESSAGE(has(error_of(no_data), "bad.json: one worker alone (single) cannot be run: $.data.path: "),
                error_of(no_data));
  CHECK_FALSE(fs::exists(place.path() / "out"));
}

TEST_CASE("where there are fewer test samples than a ranking needs, all are used") {
  const Place place;
  write_mnist(place.path() / "m", 1);  // 30 images
  std::string text = scenario_text("8Mbps");
  const std::string data = R"("data": {"train": 400, "test": 100})";
  text.replace(text.find(data), data.size(), R"("data": {"source": "mnist", "path": "m"})");
  Asked asked(place.request(place.write("q.json", text), {"alone"}));
  CHECK_FALSE(asked.adviser.scenario_of(asked.adviser.advice().contenders.front()).evaluate.samples.has_value());
}

TEST_CASE("data that stay where they are: without one worker alone each alone is what the others are measured by") {
  const Place place;
  AdviseRequest request = place.request(place.write("q.json", scenario_text("800Mbps")), {"gossip"});
  request.systems.without = {"single"};
  Asked asked(request);
  asked.run();
  const Advice advice = asked.adviser.advice();
  REQUIRE(advice.contenders.size() == 2);
  CHECK(advice.has_baseline());
  CHECK(advice.contenders[0].name == "alone");
  const Json json = asked.json();
  for (const Json& system : json["systems"]) CHECK(system["needs_all_data_in_one_place"] == false);
  CHECK(has(asked.markdown(), "(--systems gossip) (--exclude single)?"));
  CHECK_FALSE(has(asked.markdown(), "one worker alone ("));
}

TEST_CASE("every system of the registry that trains whole models is raced, with the settings that it has") {
  const Place place;
  Registry systems = systems::built_in();
  systems.add<LoadedParams>();
  const std::string file = place.write("q.json", scenario_text("800Mbps")).string();
  const auto labels_of = [&](const std::string& system) {
    std::set<std::string> labels;
    const Question question = question_of(systems, file, {}, {});
    for (const Candidate& candidate : candidates_of(question, {}, {{system}, {"single", "alone"}}, 2)) {
      CHECK(candidate.system == system);
      CHECK(candidate.excluded.empty());
      for (const Variant& variant : candidate.variants) labels.insert(variant.label);
    }
    return fmt::format("{}", fmt::join(labels, " "));
  };
  CHECK(labels_of("loaded") == " local_steps=128 local_steps=32 local_steps=8");  // by default it has 4
  CHECK(labels_of("ako") == " codec=qsgd codec=top_k partitions=2 partitions=4 partitions=auto");
  CHECK(labels_of("d_psgd") == " overlap=true");
  CHECK_THROWS_WITH_AS(labels_of("vertical"), doctest::Contains("is no candidate"), InputError);
}

TEST_CASE("a system's facts and its traffic show whether it sends nothing, and whether it needs all data") {
  const Place place;
  Registry systems = systems::built_in();
  systems.add<LoadedParams, SoloParams>();
  const Question question = question_of(systems, place.write("q.json", scenario_text("1Mbps")).string(), {}, {});
  // The baseline, its facts, and its remark on a system that is too slow.
  const auto baseline_without = [&](std::vector<std::string> without) {
    const Chosen chosen = {{"d_psgd", "loaded"}, std::move(without)};
    const std::vector<Candidate> found = candidates_of(question, {}, chosen, 2);
    const auto slow = std::ranges::find(found, "d_psgd", &Candidate::system);
    REQUIRE(slow != found.end());
    CHECK(slow->sends);
    CHECK_FALSE(found.front().sends);
    CHECK_FALSE(std::ranges::find(found, "loaded", &Candidate::system)->sends);
    const std::string text = baseline_text(found.front());
    CHECK_MESSAGE(has(slow->excluded, "less than a tenth of the 10 of " + text), slow->excluded);
    return text + (found.front().needs_all_data ? ", all data" : "");
  };
  CHECK(baseline_without({}) == "one worker alone (single), all data");
  CHECK(baseline_without({"single"}) == "each worker alone (alone)");
  CHECK(baseline_without({"single", "alone"}) == "one worker alone (solo), all data");
  CHECK(baseline_without({"single", "alone", "solo"}) == "each worker alone (loaded)");
}

TEST_CASE("a system that sends more than its traffic tells of is none that sends nothing") {
  const Place place;
  Registry systems = systems::built_in();
  systems.add<QuietParams>();
  Adviser adviser(systems, place.request(place.write("q.json", scenario_text("800Mbps")), {"quiet"}), 2);
  const auto sends = [&] { return adviser.advice().contenders[1].sends(); };
  CHECK_FALSE(sends());
  adviser.run({.at_once = 2});
  CHECK(sends());
}

TEST_CASE("a system that is no longer recommended has no scenario beside the advice") {
  const Place place;
  Asked asked(place, "800Mbps", {"gossip"});
  asked.run_until(2);
  fs::create_directories(asked.adviser.folder());
  for (const char* file : {"best.json", "safe.json"}) std::ofstream(asked.adviser.folder() / file) << "{}";
  write_advice(asked.adviser);
  REQUIRE_FALSE(asked.json()["best"].is_null());
  REQUIRE(asked.json()["safe"].is_null());
  CHECK(has(text_of(asked.adviser.folder() / "best.json"), "q_best"));
  CHECK_FALSE(fs::exists(asked.adviser.folder() / "safe.json"));
}

TEST_CASE("break-even lies where the lead of what sends comes to nothing, by the logarithm of the bandwidth") {
  const auto share = [](const std::map<double, double>& lead) { return break_even_of(lead).value().share.value(); };
  CHECK(share({{0.5, -1}, {1, 3}, {2, 4}}) == doctest::Approx(0.5 * std::pow(2, 0.25)));
  CHECK(share({{1, -2}, {4, 2}}) == doctest::Approx(2));
  CHECK(share({{0.5, -INFINITY}, {1, 2}}) == doctest::Approx(std::sqrt(0.5)));
  const BreakEven always = break_even_of({{0.25, 1}, {1, 2}}).value(),
                  never = break_even_of({{1, -2}, {8, -1}}).value();
  CHECK_FALSE(always.share.has_value());
  CHECK((always.ahead_at_least && always.least == 0.25));
  CHECK_FALSE(never.share.has_value());
  CHECK((!never.ahead_at_least && never.most == 8));
  // Both failed at half the bandwidth: that is no crossing, and nothing is known of it.
  const BreakEven unknown = break_even_of({{0.5, NAN}, {1, 3}, {2, 4}}).value();
  CHECK_FALSE(unknown.share.has_value());
  CHECK((unknown.ahead_at_least && unknown.least == 1));
  CHECK_FALSE(break_even_of({{1, NAN}}).has_value());
}

TEST_CASE("a task is saturated where one worker alone has learned it half-way, and no other ends far above") {
  const auto saturated = [](double half_way, double end, double best, std::vector<double> times = {45, 50, 100}) {
    Advice advice;
    TrialResult own, other;
    for (const double time : times) {
      run::CurveRow& row = own.curve.emplace_back();
      row.time_s = time;
      row.test_accuracy = time == 100 ? end : half_way;
    }
    own.at_end = end, other.at_end = best;
    advice.contenders.resize(2);
    advice.contenders[0].trials = {&own}, advice.contenders[1].trials = {&other};
    advice.race.entrants.resize(2);
    advice.contenders[0].candidate.sends = false, advice.best = 1;
    return is_saturated(advice, scenario::by_accuracy, 100);
  };
  CHECK(saturated(0.88, 0.9, 0.91));
  CHECK_FALSE(saturated(0.8, 0.9, 0.91));                  // still learning, on a network that is too slow for others
  CHECK_FALSE(saturated(0.88, 0.9, 0.94));                 // a network pays for it
  CHECK_FALSE(saturated(0.88, 0.9, 0.91, {33, 67, 100}));  // not known: not evaluated half-way
}

TEST_CASE("where the scenario is judged by loss less of it is better") {
  const Place place;
  std::string text = scenario_text("800Mbps");
  text.replace(text.find("\"every\""), 7, "\"metric\": \"loss\", \"every\"");
  AdviseRequest request = place.request(place.write("loss.json", text), {"gossip"});
  request.goal = goal_of(systems::built_in(), request.file, {}, {});
  Asked asked(request);
  asked.run();
  const Json json = asked.json();
  double least = INFINITY;
  for (const Json& system : json["systems"]) least = std::min(least, system["loss_at_end"]["mean"].get<double>());
  CHECK(json["best"]["loss"] == least);
  CHECK(has(asked.text(), "loss at the end"));
}

TEST_CASE("the price is of the slowest link, whichever is the busiest") {
  const Place place;
  // The server's own link carries all four workers' models, the one between the sites those of two.
  const std::string text = R"({"platform": {"sites": [{"name": "a", "workers": 2, "servers": 1, "bandwidth": "25Mbps"},
      {"name": "b", "workers": 2, "bandwidth": "25Mbps"}],
      "links": [{"from": "a", "to": "b", "up": "20Mbps", "latency": "1ms"}]},
    "model": "softmax", "data": {"train": 400, "test": 100}, "wire": {"model_bytes": "100kB"},
    "training": {"batch_size": 20}, "compute": {"seconds_per_batch": "100ms"}, "algorithm": "ps_async",
    "stop": {"time": "3s"}, "evaluate": {"every": "1s"}})";
  Asked asked(place.request(place.write("sites.json", text), {"ps_async"}));
  asked.run();
  const Json json = asked.json();
  CHECK(json["why"]["bottleneck"] == "ps0");
  CHECK(json["wan_link"] == "a-b");
  const auto names = asked.adviser.race_folders();
  double hourly = 0;
  for (const std::string& folder : names) {
    if (!has(folder, "ps_async")) continue;
    hourly = 0;
    results::read_rows<run::TrafficRow>(folder, [&](const run::TrafficRow& row) {
      if (row.link == "a-b") hourly += row.bytes * 3600 / 3;
    });
    break;
  }
  CHECK(json["wan_bytes_per_hour"].get<double>() == doctest::Approx(hourly).epsilon(0.1));
}

TEST_CASE("more seeds are needed the smaller a difference is against its noise") {
  // Differences of mean 1 and deviation 1, one of four tests: ((2.498 + 0.842) 1 / 1)^2 = 11.2, and 2.498^2 / 2 = 3.1.
  CHECK(seeds_to_tell({0, 1, 2}, 4) == std::size_t{15});
  CHECK(seeds_to_tell({9, 10, 11}, 4) == std::size_t{4});
  CHECK(seeds_to_tell({0, 1, 2}, 8) > std::size_t{15});
  CHECK_FALSE(seeds_to_tell({-1, 1}, 4).has_value());
  CHECK_FALSE(seeds_to_tell({1}, 4).has_value());
}

TEST_CASE("a platform alone is given the task of the shipped scenarios, its servers the hosts named ps and a number") {
  const Place place;
  const std::string root = DDLSIM_SOURCE_DIR;
  AdviseRequest request = place.request(root + "/platforms/het_wan.xml", {"ps_async"});
  request.overrides = {{"platform.workers", "4"}};
  Asked asked(request);
  const Advice advice = asked.adviser.advice();
  CHECK(advice.contenders.size() == 2);
  CHECK(asked.adviser.question().notes.front() == "Servers: ps0; all other hosts are workers.");
  const auto described = [](const scenario::Scenario& scenario) {
    return Json::parse(scenario::describe_run(scenario));
  };
  const Json own = described(asked.adviser.scenario_of(advice.contenders.front()));
  const Json shipped = described(scenario::read_scenario(systems::built_in(), root + "/scenarios/het_wan_ako_p3.json"));
  for (const char* key : {"data", "model", "training", "wire", "compute", "stop", "evaluate"}) {
    CAPTURE(key);
    REQUIRE(shipped.contains(key));
    CHECK(own[key] == shipped[key]);
  }
  CHECK(own["algorithm"]["name"] == "single");

  std::string text = text_of(root + "/platforms/het_wan.xml");
  const auto write_instead = [&](const std::string& usual, const std::string& other) {
    std::size_t at = text.find(usual);
    REQUIRE(at != std::string::npos);
    for (; at != std::string::npos; at = text.find(usual, at + other.size())) text.replace(at, usual.size(), other);
  };
  write_instead("w31", "ps12");
  write_instead("<host id=\"ps0\"", "<host\n\t id=\"ps0\"");
  const std::string others = R"(<!-- <hosts id="ps2" <hostid="ps3" <host id="ps" <host id="ps4a" <host id="w5" -->)";
  write_instead("<platform ", others + "\n<platform ");
  request.file = place.write("p.xml", text).string();
  CHECK(Asked(request).adviser.question().notes.front() == "Servers: ps12, ps0; all other hosts are workers.");
}

}  // namespace ddl::advise
