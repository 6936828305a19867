// Studies read from their folders: what formulas, words and claims mean, and what is said of a folder that is wrong.
#include "lab/studies/reading/read_study.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "core/base/check.hpp"
#include "lab/studies/lab_file.hpp"
#include "lab/studies/reading/formula.hpp"
#include "lab/studies/reading/readings.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies::read_study_test {
namespace {

using Files = std::map<std::string, std::string>;

// Two systems with two numbers of workers. A claim is put in the place of CLAIM.
const Files& tiny() {
  static const Files files = {
      {"study.json",
       R"({"what": "a test", "data": "cifar-10", "title": "Tiny",
 "source": "none", "size": {"full": "all {steps} steps", "else": "{steps} steps"},
 "seeds": {"full": [1], "else": [1, 2]},
 "words": {"all": {"star": {"topology": "star", "workers": "{workers}", "bandwidth": "1Gbps"},
                   "schemes": {"slow": "ring_allreduce", "quick": {"name": "gossip"}}},
           "default": {"steps": 10}, "data": {"steps": 20}, "full": {"steps": 1000}},
 "tables": [{"name": "speed", "title": "Steps a second", "row": ["workers"], "column": "system", "decimals": 1}]})"},
      {"published.csv", "table,row,column,published\nspeed,2,ring,10\nspeed,4,ring,8\nspeed,4,server,4\n"},
      {"sweep.json",
       R"({"cells": [{"name": "{system}_{workers}", "cost": "workers * steps / 10",
 "for": [{"workers": [2, 4]}, {"system": ["ring", "server"], "algorithm": ["ring_allreduce", {"name": "ps_sync"}]}],
 "scenario": {"platform": "{star}", "algorithm": "{algorithm}", "stop": {"iterations": "{steps}"},
              "data": {"path": "{data}"}},
 "figures": [{"at": "speed | {workers} | {system}", "read": "measure", "key": "iterations_per_second"}]}]})"},
      {"claims.json",
       R"([{"name": "ring", "kind": "published", "text": "the ring is quicker", "accepted": "by one step a second",
 "each": {"for": [{"workers": [2, 4]}],
          "let": {"ring": "speed | {workers} | ring", "server": "speed | {workers} | server"},
          "holds": "ring >= server + 1", "text": "{ring - server:+.1f} with {workers}", "failing": "{workers}"},
 "holds": "holding >= 1", "numbers": "{holding} of {all}: {cases}", "if_some_fail": "; not with {exceptions}"},
{"name": "near", "kind": "check", "text": "as published", "accepted": "within 10 % on average",
 "each": {"cells": "speed", "where": {"system": "ring"}, "error": "it / published(it) - 1"},
 "holds": "mean <= 0.1", "numbers": "at most {100 * worst:+.0f} %"}])"},
      {"reasons.md",
       "# Causes\n\n## ring; near\n\nAfter {steps}\nsteps.\n\n# Notes\n\n## Assumed (full)\n\nOne.\n\nTwo.\n"}};
  return files;
}

// With a part of a file replaced.
Files changed(Files files, const std::string& file, const std::string& part, const std::string& instead) {
  std::string& text = files.at(file);
  const std::size_t found = text.find(part);
  REQUIRE_MESSAGE(found != std::string::npos, part);
  text.replace(found, part.size(), instead);
  return files;
}

// The study whose folder has these files.
Study read(const Files& files, const Scale& scale = {}) {
  const data::ScratchFolder home;
  const std::filesystem::path folder = std::filesystem::path(home.path()) / "lab" / "studies" / "tiny";
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
  setenv("DDLSIM_HOME", home.path().c_str(), 1);
  CHECK(lab_folders("lab/studies", "study.json") == std::vector<std::string>{"tiny"});
  return read_study("tiny", scale);
}

std::string refusal_of(const std::string& file, const std::string& part, const std::string& instead) {
  try {
    read(changed(tiny(), file, part, instead));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Of ring and server with two workers, then with four, with these half widths; published are 10, nothing, 8 and 4.
Verdict verdict_of(const Study& study, std::size_t claim, const std::vector<std::optional<double>>& simulated,
                   std::optional<double> half_width = std::nullopt) {
  std::vector<Outcome::Value> values = study.places();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].simulated = simulated[i];
    values[i].half_width = half_width;
  }
  return study.claims.at(claim).judge(Outcome(values));
}

}  // namespace

TEST_CASE("a condition is decided beyond the intervals of its figures, unless what was published is beyond them, too") {
  constexpr Finding holds = Finding::holds, fails = Finding::fails, open = Finding::not_decidable;
  const struct {
    const char* condition;
    std::map<std::string, Number> numbers;
    Finding finding;
  } table[] = {// Arithmetic: products before sums, from the left.
               {"1 + 2 * 3 - 4 / 2 = 5 and 8 / 4 / 2 = 1", {}, holds},
               {"-(a - b) - 1 = 2", {{"a", {1}}, {"b", {4}}}, holds},
               {"max(a, 2, b) + min(a, b) + abs(-3) + round(2.6) = 14", {{"a", {1}}, {"b", {7}}}, holds},
               {"published(a) + a = 202", {{"a", {2, 200}}}, holds},
               {"fall(5, 7, 4, 9, 8) = 3 and fall(1, 2, 3) = 0", {}, holds},
               {"1 <= a < 2 and a = 1", {{"a", {1}}}, holds},
               {"1 <= a < 2 and a > 1", {{"a", {1}}}, fails},
               {"1 < a < 2", {{"a", {2}}}, fails},
               {"a >= 2 and a <= 2", {{"a", {2}}}, holds},
               // What has no value makes no comparison hold.
               {"a < 1", {{"a", {none}}}, fails},
               {"a <= 1", {{"a", {none}}}, fails},
               {"a > 1", {{"a", {none}}}, fails},
               {"a >= 1", {{"a", {none}}}, fails},
               {"a = a", {{"a", {none}}}, fails},
               {"max(1, a) > 0", {{"a", {none}}}, fails},
               {"fall(a, 1) < 9", {{"a", {none}}}, fails},
               {"a > b", {{"a", {none, 0.1, 3}}, {"b", {0, 0, 4}}}, fails},
               // Half widths of 3 and 4 make one of 5. The published difference is 0.1.
               {"a > b", {{"a", {55.1, 50.1, 3}}, {"b", {50, 50, 4}}}, holds},
               {"a > b", {{"a", {54.9, 50.1, 3}}, {"b", {50, 50, 4}}}, open},
               {"a > b", {{"a", {45.1, 50.1, 3}}, {"b", {50, 50, 4}}}, open},
               {"a > b", {{"a", {44.9, 50.1, 3}}, {"b", {50, 50, 4}}}, fails},
               // A published margin that is larger than the interval would have been seen, on either side.
               {"a > b", {{"a", {1, 5.1, 3}}, {"b", {0, 0, 4}}}, holds},
               {"a > b", {{"a", {-1, 5.1, 3}}, {"b", {0, 0, 4}}}, fails},
               {"a > b", {{"a", {1, -5.1, 3}}, {"b", {0, 0, 4}}}, holds},
               {"a > b", {{"a", {-1, -5.1, 3}}, {"b", {0, 0, 4}}}, fails},
               // Where nothing was published, or nothing scatters, the values decide.
               {"a > b", {{"a", {1, none, 3}}, {"b", {0, 0, 4}}}, holds},
               {"a > b", {{"a", {1, 0.1}}, {"b", {0, 0}}}, holds},
               // 2 a has twice the interval of a; what is published has none; a name that stands twice moves as one.
               {"2 * a - published(a) > 0", {{"a", {1.04, 0.1, 1}}}, open},
               {"2 * a - published(a) > 0", {{"a", {1.06, 0.1, 1}}}, holds},
               {"a - a + 0.5 > 0", {{"a", {1, 1, 9}}}, holds},
               // One that fails decides, and one that is open leaves all so.
               {"a > 0 and b > 0", {{"a", {9, 9, 2}}, {"b", {1, 1, 2}}}, open},
               {"b > 0 and a > 0", {{"a", {-9, 9, 2}}, {"b", {1, 1, 2}}}, fails},
               {"a > 0 and b > 0", {{"a", {-9, 9, 2}}, {"b", {1, 1, 2}}}, fails}};
  for (const auto& row : table) {
    CAPTURE(row.condition);
    const KnowsName knows = [&](const std::string& name, bool) { return row.numbers.contains(name); };
    const Condition condition = parse_condition(row.condition, knows);
    CHECK(finding_of(condition, [&](const std::string& name) { return row.numbers.at(name); }) == row.finding);
  }
}

TEST_CASE("a claim counts its cases, their errors and their chance, and says the numbers that it was decided by") {
  constexpr Finding holds = Finding::holds, fails = Finding::fails, open = Finding::not_decidable;
  const std::string count = "\"holds\": \"holding >= 1\", ", mean = "mean <= 0.1";
  const struct {
    std::string part, instead;  // of claims.json
    std::size_t claim;
    std::vector<std::optional<double>> simulated;
    std::optional<double> half_width;
    Finding finding;
    const char* numbers;
  } table[] = {{"", "", 0, {10, 9, 8, 4}, {}, holds, "2 of 2: +1.0 with 2, +4.0 with 4"},
               {"", "", 0, {9.5, 9, 8, 4}, {}, holds, "1 of 2: +0.5 with 2, +4.0 with 4; not with 2"},
               {"", "", 0, {{}, 9, 4, 4}, {}, fails, "0 of 2: +nan with 2, +0.0 with 4; not with 2, 4"},
               // All cases must hold if nothing is said. Published, the ring leads by 4 with four workers, 3 more than
               // asked for; with two nothing is known of the server. Half widths of 3 make one of 4.2, of 2 one of 2.8.
               {count, "", 0, {9, 4, 8, 4}, 3, open, nullptr},
               {count, "", 0, {9, 4, 8, 4}, 2, holds, nullptr},
               {count, "", 0, {9, 4, 9.5, 4}, 3, holds, nullptr},
               {count, "", 0, {4, 4, 8, 4}, 3, fails, nullptr},
               {"", "", 1, {10.4, 1, 6.8, 1}, {}, holds, "at most -15 %"},
               {"", "", 1, {10.4, 1, 6.6, 1}, {}, fails, "at most -18 %"},  // a mean of 10.75 %
               {"", "", 1, {{}, 1, 8, 1}, {}, fails, "at most +nan %"},
               // Errors of 10 %, none published; half widths of 1 are 10 and 12.5 % of 10 and 8, of whose mean 8 %.
               {mean, "mean <= 0.075", 1, {11, 1, 8.8, 1}, 1, open, nullptr},
               {mean, "mean <= 0.085", 1, {11, 1, 8.8, 1}, 1, fails, nullptr},  // the published 0 would have been seen
               {mean, "mean <= 0.15", 1, {11, 1, 8.8, 1}, 1, holds, nullptr},
               {mean, "abs(worst) <= 0.095", 1, {11, 1, 8.8, 1}, 1, open, nullptr},
               {mean, "abs(worst) <= 0.095", 1, {11, 1, 8.8, 1}, 0.1, fails, nullptr}};
  for (const auto& row : table) {
    const Study study = read(changed(tiny(), "claims.json", row.part, row.instead));
    const Verdict verdict = verdict_of(study, row.claim, row.simulated, row.half_width);
    CAPTURE(row.instead);
    CAPTURE(verdict.numbers);
    CHECK(verdict.finding == row.finding);
    if (row.numbers != nullptr) CHECK(verdict.numbers == row.numbers);
  }
  // Of four cases that are as likely as not, here and published, 4 hold: 1 above 3, and 2 above 2.
  for (const auto& [half_width, least, finding] :
       {std::tuple(1.0, "3", open), std::tuple(1.0, "2", holds), std::tuple(0.0, "3", holds)}) {
    Files files = changed(tiny(), "claims.json", "[2, 4]", "[4, 4, 4, 4]");
    files = changed(files, "claims.json", "holding >= 1", "holding >= " + std::string(least));
    files = changed(files, "claims.json", "server + 1", "server");
    files = changed(files, "published.csv", "speed,4,server,4", "speed,4,server,7.999");
    CHECK(verdict_of(read(files), 0, {1, 1, 4 + 1e-9, 4}, half_width).finding == finding);
  }
}

TEST_CASE("a study is what its folder says, in each size") {
  const Study study = read(tiny());
  CHECK(study.size == "10 steps");
  CHECK(study.seeds == std::vector<std::uint64_t>{1, 2});
  REQUIRE(study.cells.size() == 4);
  CHECK(study.cells[1].name == "server_2");
  CHECK(study.cells[1].cost == 2);
  CHECK(Json::parse(study.cells[1].scenario) ==
        Json::parse(R"({"platform": {"topology": "star", "workers": 2, "bandwidth": "1Gbps"},
                        "algorithm": {"name": "ps_sync"}, "stop": {"iterations": 10}, "data": {"path": ""}})"));
  CHECK(study.cells[2].figures[0].place == TablePosition{"speed", {"4"}, "ring"});
  CHECK(study.cells[2].figures[0].published == 8);
  CHECK_FALSE(study.cells[1].figures[0].published.has_value());
  REQUIRE(study.causes.size() == 1);
  CHECK(study.causes[0].claims == std::vector<std::string>{"ring", "near"});
  CHECK(study.causes[0].text == "After 10 steps.");
  CHECK(study.notes.empty());
  const Study full = read(tiny(), {.full = true, .data = "/d{workers}"});
  CHECK(full.size == "all 1000 steps");
  CHECK(full.cells[0].scenario.find(R"("path":"/d{workers}")") != std::string::npos);
  CHECK(full.seeds == std::vector<std::uint64_t>{1});
  REQUIRE(full.notes.size() == 2);
  CHECK(full.notes[1].kind == Note::assumed);
  CHECK(full.notes[1].text == "Two.");
}

TEST_CASE("a claim is judged in the sizes that it names, and where it is not there is a reason") {
  const Files files = changed(tiny(), "claims.json", "\"kind\"", "\"judged\": [\"full\"], \"kind\"");
  CHECK(read(files).claims.at(0).judge == nullptr);
  CHECK(read(files, {.full = true, .data = "/d"}).claims.at(0).judge != nullptr);
  CHECK_THROWS_WITH_AS(read(changed(files, "reasons.md", "ring; near", "near")),
                       doctest::Contains("reasons.md: has no reason why the claim \"ring\" is not judged"), InputError);
}

TEST_CASE("a figure of one run has the interval that its table states") {
  const Files files = changed(tiny(), "claims.json", "\"holds\": \"holding >= 1\", ", "");
  CHECK(verdict_of(read(files), 0, {8, 4, 8, 4}).finding == Finding::holds);
  const Files wide = changed(files, "study.json", "\"decimals\"", "\"half_width_of_one\": 3, \"decimals\"");
  CHECK(verdict_of(read(wide), 0, {8, 4, 8, 4}).finding == Finding::not_decidable);
}

TEST_CASE("words come from the rows of tables, and by the value of another word") {
  Files files = tiny();
  files["measured.csv"] = "n,kind,seed,s\n4,slow,1,0.5\n2,quick,1,0.2\n4,slow,2,0.7\n2,quick,2,0.4\n8,other,1,9\n";
  files.at("sweep.json") =
      R"({"cells": [{"name": "of {n}",
 "for": [{"rows": ["lab/studies/tiny/measured.csv"], "if": {"kind": ["slow", "quick"]},
 "by": {"n": "n", "kind": "kind"}, "gather": {"seeds": "seed", "measured": "s"}}],
 "seeds": "{seeds}", "scenario": {"algorithm": "{schemes by kind}"},
 "figures": [{"at": "speed | {n} | ring", "read": "fluctuation", "published": "{measured}"}]}]})";
  files.at("claims.json") = "[]";
  files.at("reasons.md") = "";
  const Study found = read(files);
  REQUIRE(found.cells.size() == 2);
  CHECK(found.cells[0].name == "of 2");
  CHECK(found.cells[0].scenario == R"({"algorithm":{"name":"gossip"}})");
  CHECK(found.cells[1].scenario == R"({"algorithm":"ring_allreduce"})");
  CHECK(found.cells[1].seeds == std::vector<std::uint64_t>{1, 2});
  CHECK(found.cells[1].figures[0].published == doctest::Approx((0.5 + 0.7) / 2));
  CHECK(found.cells[1].figures[0].range->least == 0.5);
  CHECK(found.cells[1].figures[0].range->most == 0.7);
}

TEST_CASE("a pair whose published ranges do not overlap is reversed if the simulation has it the other way or equal") {
  const auto reversed = [](double gossip, double ring, double other) {
    std::vector<Outcome::Value> figures;
    for (const auto& [scheme, seconds, range] : {std::tuple("gossip", gossip, Range{1.0, 1.2}),
                                                 {"ring", ring, Range{1.4, 1.6}},
                                                 {"other", other, Range{1.1, 1.5}}}) {  // which overlaps both
      figures.push_back({.place = {"cycles", {"uniform", scheme}, "packets"}, .published = {}, .simulated = seconds});
      figures.back().range = range;
    }
    CHECK(pairs_of(Outcome(figures), figures).all == 1);
    return pairs_of(Outcome(figures), figures).reversed;
  };
  CHECK(reversed(1.2, 1.3, 9) == 0);
  CHECK(reversed(1.3, 1.3, 1) == 1);
  CHECK(reversed(1.3, 1.2, 1) == 1);
}

TEST_CASE("ranks that run against each other correlate at -1, ties share theirs") {
  const auto correlation = [](const std::vector<double>& published, const std::vector<double>& simulated) {
    std::vector<Outcome::Value> values = {{{"t", {"left out"}, "c"}, 9, -9}};
    for (std::size_t i = 0; i < published.size(); ++i) {
      values.push_back({{"t", {std::to_string(i)}, "c"}, published[i], simulated[i]});
    }
    return rank_correlation(Outcome(values), "t", "left out");
  };
  CHECK(correlation({1, 2, 3}, {30, 20, 10}) == doctest::Approx(-1));
  // Ranks 0, 1, 2 against 0.5, 0.5, 2: covariance 1.5, variances 2 and 1.5.
  CHECK(correlation({1, 2, 3}, {7, 7, 9}) == doctest::Approx(1.5 / std::sqrt(2 * 1.5)));
}

TEST_CASE("a folder that is wrong is one line with the file, the place, what is wrong and what was expected") {
  const std::string holds = "$[0].each.holds: ", cell = "$.cells[0]", figure = cell + ".figures[0].";
  const struct {
    std::string file, part, instead, ends;
  } broken[] = {
      {"claims.json", "\"check\"", "\"chek\"",
       "$[1].kind: \"chek\" is no kind of claim; expected published, check or input"},
      {"claims.json", "\"accepted\"", "\"acepted\"", "$[0].acepted: is an unknown key; did you mean \"accepted\"?"},
      {"claims.json", "| server", "| sever",
       "$[0].each.let.server: \"speed | 2 | sever\" is no figure of this size; expected one that a cell has"},
      {"claims.json", "{workers} | server", "server",
       "$[0].each.let.server: \"speed | server\" is no place of a figure; expected \"table | row | column\""},
      {"claims.json", "{ring - server:+.1f}", "{ring - server:+.1f",
       "$[0].each.text: has \":\" where it cannot; expected an operator or the end"},
      {"claims.json", "holding >= 1", "holding", "$[0].holds: has its end where it cannot; expected a comparison"},
      {"claims.json", "holding >= 1", "published(holding) >= 1",
       "$[0].holds: has no published figure for \"holding\"; expected the name of one"},
      {"claims.json", "\"cells\": \"speed\"", "\"cells\": \"sped\"",
       "$[1].each.cells: \"sped\" is no table of this size"},
      {"claims.json", "{\"system\": \"ring\"}", "{\"system\": \"rings\"}",
       "$[1].each: has no cases; expected some, by \"for\" or \"cells\""},
      {"claims.json", "\"name\": \"ring\"", "\"name\": \"ring\", \"judged\": [\"ful\"]",
       "$[0].judged[0]: \"ful\" is no size; expected default, data or full"},
      {"claims.json", "[{", "[{,", "expected a key in double quotes"},
      // Formulas.
      {"claims.json", "server + 1", "serve + 1", holds + "has no number for \"serve\"; expected the name of one"},
      {"claims.json", "server + 1", "server +", holds + "has its end where it cannot; expected a number or a name"},
      {"claims.json", "server + 1", "(server", holds + "has its end where it cannot; expected \")\""},
      {"claims.json", "server + 1", "server 1", holds + "has \"1\" where it cannot; expected an operator or the end"},
      {"claims.json", "server + 1", "1.2.3", holds + "has the number \"1.2.3\"; expected one such as 0.05"},
      {"claims.json", "server + 1", "abs(1, 2)",
       holds + "has no function \"abs\" of 2; expected abs, fall, max, min, published or round"},
      {"claims.json", "server + 1", "published(ring + 1)", holds + "has \"+\" where it cannot; expected \")\""},
      {"study.json", "\"decimals\": 1", "\"decimals\": -1",
       "$.tables[0].decimals: -1 is no count; expected a whole number, zero or more"},
      {"study.json", "\"title\": \"Tiny\",", "", "$.title: is missing; expected a value"},
      {"study.json", "\"full\": [1]", "\"ful\": [1]", "$.seeds.ful: is no size; expected default, data, full or else"},
      {"study.json", "\"title\"", "\"title\": \"a\", \"title\"", "$.title: is given twice; expected each key once"},
      {"sweep.json", "{star}", "{sta}", cell + ": has no word for \"{sta}\"; did you mean \"star\"?"},
      {"sweep.json", "[2, 4]", "[]", cell + ".for[0].workers: is an empty list; expected at least one value"},
      {"sweep.json", "[\"ring\", \"server\"]", "[\"ring\"]",
       cell + ".for[1].algorithm: has 2 values, the list before it 1; expected as many, to go in step"},
      {"sweep.json", "\"measure\"", "\"mesure\"", figure + "read: \"mesure\" is unknown; did you mean \"measure\"?"},
      {"sweep.json", "\"key\"", "\"kay\"", figure + "kay: is an unknown key; did you mean \"key\"?"},
      {"sweep.json", "\"measure\", \"key\"", "\"rows\", \"of\": \"curve\", \"value\"",
       figure + "value: has no number for \"iterations_per_second\"; expected the name of one"},
      {"sweep.json", "speed | {workers}", "sped | {workers}",
       figure + "at: \"sped\" is no table of this size; expected one of study.json"},
      {"sweep.json", "{system}_{workers}", "{system}",
       cell + ".name: \"ring\" is a cell already; expected each name once"},
      {"sweep.json", "speed | {workers} |", "speed | 2 |",
       figure + "at: \"speed | 2 | ring\" is a figure already; expected each place once"},
      {"sweep.json", "workers * steps", "workers * step",
       cell + ".cost: has no number for \"step\"; expected the name of one"},
      {"published.csv", "speed,2", "sped,2", "\"sped\" is no table; expected one of study.json"},
      {"published.csv", "speed,2,ring,10", "speed,4,ring,10",
       "\"speed | 4 | ring\" is there twice; expected each figure once"},
      {"reasons.md", "# Notes", "# Note", "\"# Note\": expected \"# Causes\" or \"# Notes\""},
      {"reasons.md", "ring; near", "ring; nearer",
       "\"## ring; nearer\": names the claim \"nearer\"; expected one of claims.json"},
      {"reasons.md", "Assumed", "Guessed",
       "\"## Guessed (full)\": is no kind of note; expected Modelled, Calibrated or Assumed"},
      {"reasons.md", "(full)", "(ful)", "\"## Assumed (ful)\": \"ful\" is no size; expected default, data or full"},
      {"reasons.md", "{steps}", "{step}", "\"## ring; near\": has no word for \"{step}\"; did you mean \"steps\"?"}};
  for (const auto& [file, part, instead, ends] : broken) {
    const std::string line = refusal_of(file, part, instead);
    CAPTURE(part);
    CAPTURE(line);
    CHECK(line.find("/lab/studies/tiny/" + file + ": ") != std::string::npos);
    CHECK(line.ends_with(ends));
    CHECK(line.find('\n') == std::string::npos);
  }
  Files lacking = tiny();
  lacking.erase("reasons.md");
  CHECK_THROWS_WITH_AS(read(lacking), doctest::Contains("lab/studies/tiny/reasons.md: no such file; expected it in "),
                       InputError);
}

}  // namespace ddl::studies::read_study_test
