// Studies read from their folders: what formulas, words and claims mean, and what is said of a folder that is wrong.
#include "lab/studies/reading/read_study.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/base/check.hpp"
#include "lab/studies/figures.hpp"
#include "lab/studies/reading/formula.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies::read_study_test {
namespace {

using Files = std::map<std::string, std::string>;

// Two systems with two numbers of workers.
const Files& tiny() {
  static const Files files = {
      {"study.json",
       R"({"what": "a test", "data": "cifar-10", "title": "Tiny",
 "source": "none", "size": {"full": "all {steps} steps", "else": "{steps} steps"},
 "seeds": {"full": [1], "else": [1, 2]},
 "words": {"all": {"star": {"topology": "star", "workers": "{workers}", "bandwidth": "1Gbps"}},
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

// The study whose folder has these files.
Study read(const Files& files, const Scale& scale = {}) {
  const data::ScratchFolder home;
  const std::filesystem::path folder = std::filesystem::path(home.path()) / "lab" / "studies" / "tiny";
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
  setenv("DDLSIM_HOME", home.path().c_str(), 1);
  return read_study("tiny", scale);
}

std::string refusal_of(const std::string& file, const std::string& part, const std::string& instead) {
  Files files = tiny();
  std::string& text = files.at(file);
  const std::size_t found = text.find(part);
  REQUIRE_MESSAGE(found != std::string::npos, part);
  text.replace(found, part.size(), instead);
  try {
    read(files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

double value_of(const std::string& formula, const std::map<std::string, double>& numbers) {
  const KnowsName knows = [&](const std::string& name, bool) { return numbers.contains(name); };
  return parse_term(formula, knows).value([&](const std::string& name) {
    return Number{numbers.at(name), 100 * numbers.at(name)};
  });
}
Finding finding(const std::string& formula, const std::map<std::string, Number>& numbers) {
  const KnowsName knows = [&](const std::string& name, bool) { return numbers.contains(name); };
  return finding_of(parse_condition(formula, knows), [&](const std::string& name) { return numbers.at(name); });
}
bool is_so(const std::string& formula, const std::map<std::string, double>& numbers) {
  std::map<std::string, Number> exact;
  for (const auto& [name, number] : numbers) exact[name] = {number};
  return finding(formula, exact) == Finding::holds;
}
std::string refusal_of_formula(const std::string& formula) {
  try {
    is_so(formula, {{"a", 1}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Of four places, in the order of the cells: ring and server with 2 workers, then with 4.
Verdict verdict_of(const Study& study, std::size_t claim, const std::vector<std::optional<double>>& simulated) {
  std::vector<Outcome::Value> values;
  for (const Cell& cell : study.cells) {
    values.push_back({cell.figures[0].place, cell.figures[0].published, simulated[values.size()]});
  }
  return study.claims.at(claim).judge(Outcome(values));
}

}  // namespace

TEST_CASE("formulas are arithmetic, products before sums, and what has no value gives none") {
  CHECK(value_of("1 + 2 * 3 - 4 / 2", {}) == 5);
  CHECK(value_of("-(a - b) - 1", {{"a", 1}, {"b", 4}}) == 2);
  CHECK(value_of("8 / 4 / 2", {}) == 1);
  CHECK(value_of("max(a, 2, b) + min(a, b) + abs(-3) + round(2.6)", {{"a", 1}, {"b", 7}}) == 14);
  CHECK(value_of("published(a) + a", {{"a", 2}}) == 202);
  CHECK(value_of("fall(5, 7, 4, 9, 8)", {}) == 3);  // from 7 to 4
  CHECK(value_of("fall(1, 2, 3)", {}) == 0);
  CHECK(std::isnan(value_of("max(1, a)", {{"a", none}})));
  CHECK(std::isnan(value_of("fall(a, 1)", {{"a", none}})));
}

TEST_CASE("a condition holds if each of its comparisons does, and none of what has no value") {
  CHECK(is_so("1 <= a < 2 and a = 1", {{"a", 1}}));
  CHECK_FALSE(is_so("1 <= a < 2 and a > 1", {{"a", 1}}));
  CHECK_FALSE(is_so("1 < a < 2", {{"a", 2}}));
  for (const char* formula : {"a < 1", "a <= 1", "a > 1", "a >= 1", "a = a"})
    CHECK_FALSE(is_so(formula, {{"a", none}}));
}

TEST_CASE("a difference is decided beyond the intervals of its figures, which add as independent ones") {
  // Half widths of 3 and 4 make one of 5. The published difference is 0.1.
  const auto above = [](double difference) {
    return finding("a > b", {{"a", {50 + difference, 50.1, 3}}, {"b", {50, 50, 4}}});
  };
  CHECK(above(5.1) == Finding::holds);
  CHECK(above(4.9) == Finding::not_decidable);
  CHECK(above(-4.9) == Finding::not_decidable);
  CHECK(above(-5.1) == Finding::fails);
}

TEST_CASE("a published margin that is larger than the interval would have been seen: the values decide") {
  for (const double published : {5.1, -5.1}) {
    const auto above = [&](double difference) {
      return finding("a > b", {{"a", {difference, published, 3}}, {"b", {0, 0, 4}}});
    };
    CHECK(above(1) == Finding::holds);
    CHECK(above(-1) == Finding::fails);
  }
  // As they do where nothing was published, or nothing scatters.
  CHECK(finding("a > b", {{"a", {1, none, 3}}, {"b", {0, 0, 4}}}) == Finding::holds);
  CHECK(finding("a > b", {{"a", {1, 0.1}}, {"b", {0, 0}}}) == Finding::holds);
  CHECK(finding("a > b", {{"a", {none, 0.1, 3}}, {"b", {0, 0, 4}}}) == Finding::fails);
}

TEST_CASE("an interval is that of the whole formula") {
  // 2 a has twice the interval of a; what is published is no estimate, and has none.
  const auto twice = [](double a) { return finding("2 * a - published(a) > 0", {{"a", {a, 0.1, 1}}}); };
  CHECK(twice(1.04) == Finding::not_decidable);  // 2.08 - 0.1 = 1.98
  CHECK(twice(1.06) == Finding::holds);
  // A name that stands twice moves as one: a - a does not scatter.
  CHECK(finding("a - a + 0.5 > 0", {{"a", {1, 1, 9}}}) == Finding::holds);
}

TEST_CASE("of several comparisons one that fails decides, and one that cannot be decided leaves all so") {
  const std::map<std::string, Number> numbers = {{"open", {1, 1, 2}}, {"yes", {9, 9, 2}}, {"no", {-9, 9, 2}}};
  CHECK(finding("yes > 0 and open > 0", numbers) == Finding::not_decidable);
  CHECK(finding("open > 0 and no > 0", numbers) == Finding::fails);
  CHECK(finding("no > 0 and open > 0", numbers) == Finding::fails);
}

TEST_CASE("what is no formula is refused with what was expected") {
  CHECK(refusal_of_formula("a +") == "has its end where it cannot; expected a number or a name");
  CHECK(refusal_of_formula("a + 1") == "has its end where it cannot; expected a comparison");
  CHECK(refusal_of_formula("a > b") == "has no number for \"b\"; expected the name of one");
  CHECK(refusal_of_formula("(a > 1") == "has \">\" where it cannot; expected \")\"");
  CHECK(refusal_of_formula("a > 1 a") == "has \"a\" where it cannot; expected an operator or the end");
  CHECK(refusal_of_formula("a > 1.2.3") == "has the number \"1.2.3\"; expected one such as 0.05");
  CHECK(refusal_of_formula("root(a) > 1") ==
        "has no function \"root\" of 1; expected abs, fall, max, min, published or round");
  CHECK(refusal_of_formula("abs(a, a) > 1") ==
        "has no function \"abs\" of 2; expected abs, fall, max, min, published or round");
  CHECK(refusal_of_formula("published(a + 1) > 1") == "has \"+\" where it cannot; expected \")\"");
  CHECK(refusal_of_formula("published(b) > 1") == "has no published figure for \"b\"; expected the name of one");
}

TEST_CASE("a study is what its folder says, in each size") {
  const Study study = read(tiny());
  CHECK(study.title == "Tiny");
  CHECK(study.size == "10 steps");
  CHECK(study.seeds == std::vector<std::uint64_t>{1, 2});
  REQUIRE(study.cells.size() == 4);
  CHECK(study.cells[1].name == "server_2");
  CHECK(study.cells[1].cost == 2);
  CHECK(study.cells[3].cost == 4);
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
  const Study full = read(tiny(), {.full = true, .data = "/d"});
  CHECK(full.size == "all 1000 steps");
  const Scale braces{.full = false, .data = "/d{workers}"};
  CHECK(read(tiny(), braces).cells[0].scenario.find(R"("path":"/d{workers}")") != std::string::npos);
  CHECK(full.seeds == std::vector<std::uint64_t>{1});
  REQUIRE(full.notes.size() == 2);
  CHECK(full.notes[1].kind == Note::assumed);
  CHECK(full.notes[1].text == "Two.");
}

TEST_CASE("a claim counts its cases, and says the numbers that it was decided by") {
  const Study study = read(tiny());
  const Verdict both = verdict_of(study, 0, {10, 9, 8, 4});
  CHECK(both.holds());
  CHECK(both.numbers == "2 of 2: +1.0 with 2, +4.0 with 4");
  const Verdict one = verdict_of(study, 0, {9.5, 9, 8, 4});
  CHECK(one.holds());
  CHECK(one.numbers == "1 of 2: +0.5 with 2, +4.0 with 4; not with 2");
  CHECK_FALSE(verdict_of(study, 0, {std::nullopt, 9, 4, 4}).holds());
}

TEST_CASE("where all cases must hold, one that fails decides, and one that is not decidable leaves all so") {
  Files files = tiny();
  std::string& claims = files.at("claims.json");
  claims.replace(claims.find("\"holds\": \"holding >= 1\", "), 24, "");
  // Published, the ring leads by 4 with four workers, one step more than asked for. With two nothing is known of the
  // server: there the means decide.
  const auto judged = [&](double half_width, double ring2, double ring4) {
    const Study study = read(files);
    const std::vector<double> simulated = {ring2, 4, ring4, 4};
    std::vector<Outcome::Value> values;
    for (const Cell& cell : study.cells) {
      values.push_back({cell.figures[0].place, cell.figures[0].published, simulated[values.size()], half_width});
    }
    return study.claims[0].judge(Outcome(values)).finding;
  };
  CHECK(judged(3, 9, 8) == Finding::not_decidable);  // half widths of 3 make one of 4.2, and the margin is 3
  CHECK(judged(2, 9, 8) == Finding::holds);          // 2.8
  CHECK(judged(3, 9, 9.5) == Finding::holds);
  CHECK(judged(3, 4, 8) == Finding::fails);
}

TEST_CASE("a count has an interval, of what cases come to by chance") {
  // Four cases that are as likely as not have a count of 2 with a standard deviation of 1.
  const auto judged = [](double difference, double half_width, const char* holds) {
    Files files = tiny();
    std::string& claims = files.at("claims.json");
    claims.replace(claims.find("holding >= 1"), 12, holds);
    claims.replace(claims.find("[2, 4]"), 6, "[4, 4, 4, 4]");
    claims.replace(claims.find("server + 1"), 10, "server");
    const Study study = read(files);
    std::vector<Outcome::Value> values;
    for (const Cell& cell : study.cells) {
      const bool is_ring = cell.figures[0].place.column == "ring";
      values.push_back({cell.figures[0].place, is_ring ? 5 : 4, is_ring ? 4 + difference : 4, half_width});
    }
    return study.claims[0].judge(Outcome(values)).finding;
  };
  // All four hold, here and published, by next to nothing: 4 is 1 above 3, and the interval is 1.96.
  CHECK(judged(1e-9, 1, "holding >= 3") == Finding::not_decidable);
  CHECK(judged(1e-9, 1, "holding >= 2") == Finding::holds);  // 4 is 2 above 2
  CHECK(judged(1e-9, 0, "holding >= 3") == Finding::holds);
  CHECK(judged(9, 1, "holding >= 3") == Finding::holds);  // far beyond the intervals
  CHECK(judged(-9, 1, "holding >= 3") == Finding::fails);
}

TEST_CASE("a mean error has the interval of its cases, and the worst its own") {
  Files files = tiny();
  const auto judged = [&](const char* holds, double half_width) {
    Files changed = files;
    std::string& claims = changed.at("claims.json");
    claims.replace(claims.find("mean <= 0.1"), 11, holds);
    const Study study = read(changed);
    std::vector<Outcome::Value> values;
    for (const Cell& cell : study.cells) {
      const std::optional<double> published = cell.figures[0].published;
      values.push_back({cell.figures[0].place, published, published ? 1.1 * *published : 1, half_width});
    }
    return study.claims[1].judge(Outcome(values)).finding;
  };
  // Errors are 10 %, and none published. Half widths of 1 are 10 and 12.5 % of the published 10 and 8, of whose mean 8
  // %.
  CHECK(judged("mean <= 0.075", 1) == Finding::not_decidable);
  CHECK(judged("mean <= 0.085", 1) == Finding::fails);  // the published 0 would have been seen
  CHECK(judged("mean <= 0.15", 1) == Finding::holds);
  CHECK(judged("abs(worst) <= 0.095", 1) == Finding::not_decidable);
  CHECK(judged("abs(worst) <= 0.095", 0.1) == Finding::fails);
}

TEST_CASE("a claim is judged in the sizes that it names, and where it is not there is a reason") {
  Files files = tiny();
  std::string& claims = files.at("claims.json");
  claims.replace(claims.find("\"kind\""), 0, "\"judged\": [\"full\"], ");
  CHECK(read(files).claims.at(0).judge == nullptr);
  CHECK(read(files, {.full = true, .data = "/d"}).claims.at(0).judge != nullptr);
  std::string& reasons = files.at("reasons.md");
  reasons.replace(reasons.find("ring; near"), 10, "near");
  CHECK_THROWS_WITH_AS(read(files), doctest::Contains("reasons.md: has no reason why the claim \"ring\" is not judged"),
                       InputError);
}

TEST_CASE("a figure of one run has the interval that its table states") {
  Files files = tiny();
  std::string& claims = files.at("claims.json");
  claims.replace(claims.find("\"holds\": \"holding >= 1\", "), 24, "");
  const auto judged = [&] {
    const Study study = read(files);
    std::vector<Outcome::Value> values;
    for (const Cell& cell : study.cells) {
      const bool is_ring = cell.figures[0].place.column == "ring";
      values.push_back({cell.figures[0].place, cell.figures[0].published, is_ring ? 8 : 4});
    }
    return study.claims[0].judge(Outcome(values)).finding;
  };
  CHECK(judged() == Finding::holds);
  std::string& study = files.at("study.json");
  study.replace(study.find("\"decimals\""), 0, "\"half_width_of_one\": 3, ");
  CHECK(judged() == Finding::not_decidable);  // as with intervals of 3
}

TEST_CASE("words come from the rows of tables, and by the value of another word") {
  Files files = tiny();
  files["measured.csv"] = "n,kind,seed,s\n4,slow,1,0.5\n2,quick,1,0.2\n4,slow,2,0.7\n2,quick,2,0.4\n8,other,1,9\n";
  files.at("sweep.json") =
      R"({"cells": [{"name": "of {n}",
 "for": [{"rows": ["lab/studies/tiny/measured.csv"], "if": {"kind": ["slow", "quick"]},
 "by": {"n": "n", "kind": "kind"}, "gather": {"seeds": "seed", "measured": "s"}}],
 "seeds": "{seeds}", "scenario": {"algorithm": "{schemes by kind}"},
 "figures": [{"at": "speed | {n} | ring", "read": "seconds_per_cycle", "published": "{measured}"}]}]})";
  files.at("claims.json") = "[]";
  files.at("reasons.md") = "";
  std::string& study = files.at("study.json");
  study.replace(study.find("\"all\": {"), 8,
                R"("all": {"schemes": {"slow": "ring_allreduce",
 "quick": {"name": "gossip"}}, )");
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
  const auto value = [](const char* scheme, double seconds, Range range) {
    return Outcome::Value{
        .place = {"cycles", {"uniform", scheme}, "packets"}, .published = {}, .simulated = seconds, .range = range};
  };
  const auto pairs = [&](double gossip, double ring, double other) {
    const std::vector<Outcome::Value> figures = {value("gossip", gossip, {1.0, 1.2}), value("ring", ring, {1.4, 1.6}),
                                                 value("other", other, {1.1, 1.5})};  // overlaps both
    return pairs_of(Outcome(figures), figures);
  };
  CHECK(pairs(1.2, 1.3, 9).all == 1);
  CHECK(pairs(1.2, 1.3, 9).reversed == 0);
  CHECK(pairs(1.3, 1.3, 1).reversed == 1);
  CHECK(pairs(1.3, 1.2, 1).reversed == 1);
}

TEST_CASE("errors of cases have a mean without signs, and a worst one with its sign") {
  const Study study = read(tiny());
  const Verdict near = verdict_of(study, 1, {10.4, 1, 6.8, 1});  // +4 % and -15 %
  CHECK(near.holds());
  CHECK(near.numbers == "at most -15 %");
  CHECK_FALSE(verdict_of(study, 1, {10.4, 1, 6.6, 1}).holds());  // a mean of 10.75 %
  CHECK_FALSE(verdict_of(study, 1, {std::nullopt, 1, 8, 1}).holds());
}

TEST_CASE("a claim knows whether it rests on runs that are not finished") {
  const Study study = read(tiny());
  for (const bool open : {false, true}) {
    std::vector<Outcome::Value> values;
    for (const Cell& cell : study.cells) values.push_back({cell.figures[0].place, 1, 1});
    values[1].open = open;
    bool asked = false;
    study.claims[0].judge(Outcome(values).noting(asked));
    CHECK(asked == open);
    study.claims[1].judge(Outcome(values).noting(asked = false));
    CHECK_FALSE(asked);  // of the ring alone
  }
}

TEST_CASE("a folder that is wrong is one line with the file, the place, what is wrong and what was expected") {
  const struct {
    const char *file, *part, *instead, *ends;
  } broken[] = {
      {"claims.json", "\"kind\": \"check\"", "\"kind\": \"chek\"",
       "claims.json: $[1].kind: \"chek\" is no kind of claim; expected published, check or input"},
      {"claims.json", "\"accepted\"", "\"acepted\"",
       "claims.json: $[0].acepted: is an unknown key; did you mean \"accepted\"?"},
      {"claims.json", "speed | {workers} | server", "speed | {workers} | sever",
       "claims.json: $[0].each.let.server: \"speed | 2 | sever\" is no figure of this size; expected one that a cell "
       "has"},
      {"claims.json", "speed | {workers} | server", "speed | server",
       "claims.json: $[0].each.let.server: \"speed | server\" is no place of a figure; expected \"table | row | "
       "column\""},
      {"claims.json", "ring >= server + 1", "ring >= serve + 1",
       "claims.json: $[0].each.holds: has no number for \"serve\"; expected the name of one"},
      {"claims.json", "{ring - server:+.1f}", "{ring - server:+.1f",
       "claims.json: $[0].each.text: has \":\" where it cannot; expected an operator or the end"},
      {"claims.json", "holding >= 1", "holding",
       "claims.json: $[0].holds: has its end where it cannot; expected a comparison"},
      {"claims.json", "holding >= 1", "published(holding) >= 1",
       "claims.json: $[0].holds: has no published figure for \"holding\"; expected the name of one"},
      {"claims.json", "\"cells\": \"speed\"", "\"cells\": \"sped\"",
       "claims.json: $[1].each.cells: \"sped\" is no table of this size"},
      {"claims.json", "{\"system\": \"ring\"}", "{\"system\": \"rings\"}",
       "claims.json: $[1].each: has no cases; expected some, by \"for\" or \"cells\""},
      {"claims.json", "\"name\": \"ring\"", "\"name\": \"ring\", \"judged\": [\"ful\"]",
       "claims.json: $[0].judged[0]: \"ful\" is no size; expected default, data or full"},
      {"claims.json", "[{", "[{,", "expected a key in double quotes"},
      {"study.json", "\"decimals\": 1", "\"decimals\": -1",
       "study.json: $.tables[0].decimals: -1 is no count; expected a whole number, zero or more"},
      {"study.json", "\"title\": \"Tiny\",", "", "study.json: $.title: is missing; expected a value"},
      {"study.json", "\"full\": [1]", "\"ful\": [1]",
       "study.json: $.seeds.ful: is no size; expected default, data, full or else"},
      {"study.json", "\"title\"", "\"title\": \"a\", \"title\"",
       "study.json: $.title: is given twice; expected each key once"},
      {"sweep.json", "{star}", "{sta}", "sweep.json: $.cells[0]: has no word for \"{sta}\"; did you mean \"star\"?"},
      {"sweep.json", "[2, 4]", "[]",
       "sweep.json: $.cells[0].for[0].workers: is an empty list; expected at least one value"},
      {"sweep.json", "[\"ring\", \"server\"]", "[\"ring\"]",
       "sweep.json: $.cells[0].for[1].algorithm: has 2 values, the list before it 1; expected as many, to go in step"},
      {"sweep.json", "\"read\": \"measure\"", "\"read\": \"mesure\"",
       "sweep.json: $.cells[0].figures[0].read: \"mesure\" is unknown; did you mean \"measure\"?"},
      {"sweep.json", "\"key\"", "\"kay\"",
       "sweep.json: $.cells[0].figures[0].kay: is an unknown key; did you mean \"key\"?"},
      {"sweep.json", "speed | {workers}", "sped | {workers}",
       "sweep.json: $.cells[0].figures[0].at: \"sped\" is no table of this size; expected one of study.json"},
      {"sweep.json", "{system}_{workers}", "{system}",
       "sweep.json: $.cells[0].name: \"ring\" is a cell already; expected each name once"},
      {"sweep.json", "speed | {workers} |", "speed | 2 |",
       "sweep.json: $.cells[0].figures[0].at: \"speed | 2 | ring\" is a figure already; expected each place once"},
      {"sweep.json", "workers * steps", "workers * step",
       "sweep.json: $.cells[0].cost: has no number for \"step\"; expected the name of one"},
      {"published.csv", "speed,2", "sped,2", "published.csv: \"sped\" is no table; expected one of study.json"},
      {"published.csv", "speed,2,ring,10", "speed,4,ring,10",
       "published.csv: \"speed | 4 | ring\" is there twice; expected each figure once"},
      {"reasons.md", "# Notes", "# Note", "reasons.md: line 8: expected \"# Causes\" or \"# Notes\""},
      {"reasons.md", "ring; near", "ring; nearer",
       "reasons.md: line 3: names the claim \"nearer\"; expected one of claims.json"},
      {"reasons.md", "Assumed", "Guessed",
       "reasons.md: line 10: \"Guessed\" is no kind of note; expected Modelled, Calibrated or Assumed"},
      {"reasons.md", "(full)", "(ful)", "reasons.md: line 10: \"ful\" is no size; expected default, data or full"}};
  for (const auto& [file, part, instead, ends] : broken) {
    const std::string line = refusal_of(file, part, instead);
    CAPTURE(part);
    CAPTURE(line);
    CHECK(line.find(std::string("/lab/studies/tiny/") + file + ": ") != std::string::npos);
    CHECK(line.ends_with(ends));
    CHECK(line.find('\n') == std::string::npos);
  }
  Files lacking = tiny();
  lacking.erase("reasons.md");
  CHECK_THROWS_WITH_AS(read(lacking), doctest::Contains("lab/studies/tiny/reasons.md: no such file; expected it in "),
                       InputError);
}

TEST_CASE("every published figure of a shipped study is one of its figures in some size") {
  for (const StudyRow& row : study_table()) {
    const std::string name = row.name;
    if (row.data == DataUse::none) continue;  // has what was measured
    std::set<TablePosition> places;
    for (const Scale& scale : {Scale{}, Scale{false, "/d"}, Scale{true, "/d"}}) {
      if (row.data == DataUse::full_alone && !scale.full && !scale.data.empty()) continue;
      const Study study = read_study(row.name, scale);
      for (const Outcome::Value& value : study.derived) places.insert(value.place);
      for (const Cell& cell : study.cells) {
        for (const Figure& figure : cell.figures) places.insert(figure.place);
      }
    }
    int figures = 0;
    const std::string file = std::string(DDLSIM_SOURCE_DIR "/lab/studies/") + name + "/published.csv";
    results::read_table(file, "table,row,column,published", [&](const results::TableRow& figure) {
      const TablePosition place{figure.text(0), parts_of_place(figure.text(1)), figure.text(2)};
      CHECK_MESSAGE(places.contains(place), figure.text(0), ", ", figure.text(1), ", ", figure.text(2));
      ++figures;
    });
    CHECK(figures > 0);
  }
}

}  // namespace ddl::studies::read_study_test
