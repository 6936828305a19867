// claims.json: what a study claims of its figures, as formulas over them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "lab/studies/figures.hpp"
#include "lab/studies/reading/formula.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* figure_of_cell = "it";
constexpr const char* texts_of_cases = "cases";
constexpr const char* texts_of_exceptions = "exceptions";

using Numbers = std::map<std::string, Number>;
using Texts = std::map<std::string, std::string>;

// What the names in a claim's formulas stand for.
struct Quantities {
  struct Place {
    TablePosition position;
    double half_width_of_one = 0;
  };
  std::map<std::string, Place> figures;
  std::map<std::string, std::function<double(const Outcome&)>> readings;
  Numbers numbers;

  bool know(const std::string& name, bool published) const {
    return figures.contains(name) || (!published && (readings.contains(name) || numbers.contains(name)));
  }
  NumberOf in(const Outcome& outcome, const Numbers& tallied) const {
    return [this, &outcome, tallied](const std::string& name) {
      if (const auto found = tallied.find(name); found != tallied.end()) return found->second;
      if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
      if (const auto found = readings.find(name); found != readings.end()) return Number{found->second(outcome)};
      const Place& place = figures.at(name);
      const Outcome::Value& figure = outcome.at(place.position);
      return Number{figure.simulated.value_or(unknown), figure.published.value_or(unknown),
                    figure.half_width.value_or(place.half_width_of_one)};
    };
  }
};

// A text with numbers in it, such as "{p4 / server:.2f} times".
class NumberText {
 public:
  NumberText() = default;
  // `texts`: names that stand for texts.
  NumberText(const std::string& text, const Words& words, const KnowsName& knows,
             const std::vector<std::string>& texts) {
    for (const TextPiece& piece : pieces_of(text)) {
      if (!piece.in_braces) {
        parts_.push_back({.text = piece.text});
      } else if (words.contains(piece.text)) {
        parts_.push_back({.text = filled_text("{" + piece.text + "}", words)});
      } else if (std::ranges::count(texts, piece.text) > 0) {
        parts_.push_back({.text_name = piece.text});
      } else {
        parts_.push_back(number_of(piece.text, knows));
      }
    }
  }

  std::string text(const NumberOf& number_of, const Texts& texts) const {
    std::string result;
    for (const Part& part : parts_) {
      if (part.number) {
        result += fmt::format(fmt::runtime(part.format), part.number->value(number_of));
      } else {
        result += part.text_name.empty() ? part.text : texts.at(part.text_name);
      }
    }
    return result;
  }

 private:
  struct Part {
    std::string text = {}, text_name = {};
    std::optional<Term> number = std::nullopt;
    std::string format = {};
  };

  static Part number_of(const std::string& text, const KnowsName& knows) {
    static const std::regex form(R"((.*?)(?::(\+?(?:\.[0-9])?[fg]))?)");
    std::smatch found;
    std::regex_match(text, found, form);
    return {.number = parse_term(found[1], knows), .format = "{:" + found[2].str() + "}"};
  }

  std::vector<Part> parts_;
};

// One of the cases that a claim counts.
struct ClaimCase {
  Quantities of;
  Condition holds;
  std::optional<Term> error;
  NumberText text, failing;
};

// What cases come to.
struct Tally {
  Finding all_hold = Finding::holds;
  Number all{0, 0}, holding{0, 0}, mean{0, 0}, worst{0, 0};  // mean and worst of errors, the mean without signs
  Texts texts = {{texts_of_cases, ""}, {texts_of_exceptions, ""}};

  Tally(const std::vector<ClaimCase>& cases, const Outcome& outcome, const std::string& join) {
    double variance = 0, squares = 0;
    all.value = all.published = static_cast<double>(cases.size());
    for (const ClaimCase& one : cases) {
      const NumberOf number_of = one.of.in(outcome, {});
      all_hold = all_of(all_hold, finding_of(one.holds, number_of));
      const bool is_so = studies::holds(one.holds, number_of);
      holding.value += is_so ? 1 : 0;
      holding.published += published_to_hold(one.holds, number_of);
      const double chance = chance_of(one.holds, number_of);
      variance += chance * (1 - chance);
      if (one.error) squares += add_error(one.error->estimate(number_of));
      append(texts_of_cases, join, one.text.text(number_of, {}));
      if (!is_so) append(texts_of_exceptions, join, one.failing.text(number_of, {}));
    }
    holding.half_width = 1.96 * std::sqrt(variance);
    mean = {mean.value / all.value, mean.published / all.value, std::sqrt(squares) / all.value};
  }
  Numbers numbers() const { return {{"holding", holding}, {"all", all}, {"mean", mean}, {"worst", worst}}; }

 private:
  // 1 or 0; unknown where a figure was not published.
  static double published_to_hold(const Condition& condition, const NumberOf& number_of) {
    const NumberOf published = as_published(number_of);
    for (const Comparison& one : condition) {
      if (std::isnan(one.left.value(published)) || std::isnan(one.right.value(published))) return unknown;
    }
    return studies::holds(condition, published) ? 1 : 0;
  }
  double add_error(const Number& error) {
    mean.value += std::abs(error.value);
    mean.published += std::abs(error.published);
    if (!(std::abs(error.value) <= std::abs(worst.value)) && !std::isnan(worst.value)) worst = error;
    return error.half_width * error.half_width;
  }
  void append(const char* name, const std::string& join, const std::string& text) {
    std::string& list = texts[name];
    list += (list.empty() ? "" : join) + text;
  }
};

// A claim as it is read. Without cases `holds` decides alone, and without that all cases must hold.
struct ClaimOfData {
  Quantities of;
  std::vector<ClaimCase> cases;
  std::string join;  // between the texts of cases
  std::optional<Condition> holds;
  NumberText numbers, if_some_fail;

  Verdict judge(const Outcome& outcome) const {
    const Tally tally(cases, outcome, join);
    const NumberOf number_of = of.in(outcome, tally.numbers());
    Verdict verdict{holds ? finding_of(*holds, number_of) : tally.all_hold, numbers.text(number_of, tally.texts)};
    if (tally.holding.value < tally.all.value) verdict.numbers += if_some_fail.text(number_of, tally.texts);
    return verdict;
  }
};

// A claim at a place of claims.json, in one size.
class ClaimReader {
 public:
  ClaimReader(const JsonAt& json, const Study& study, const StudyContext& context, const Words& words)
      : json_(json), study_(study), context_(context), words_(words) {}

  Claim claim() {
    Claim claim{kind(), context_.text(json_, "name", words_), context_.text(json_, "text", words_), nullptr,
                context_.text(json_, "accepted", words_)};
    if ((!json_.find("holds") && !json_.find("each")) || !context_.has(json_, "judged")) return claim;
    Quantities& of = claim_.of;
    of.numbers = numbers_of(words_);
    if (const auto let = json_.find("let")) read_let(*let, words_, of);
    if (const auto each = json_.find("each")) read_cases(*each);
    claim_.holds = condition();
    claim_.numbers = text_at(json_, "numbers", words_, of, {texts_of_cases, texts_of_exceptions});
    claim_.if_some_fail = text_at(json_, "if_some_fail", words_, of, {texts_of_cases, texts_of_exceptions});
    claim.judge = [data = std::move(claim_)](const Outcome& outcome) { return data.judge(outcome); };
    return claim;
  }

 private:
  Claim::Kind kind() const {
    const std::string kind = context_.text(json_, "kind", words_);
    if (kind == "published") return Claim::published;
    if (kind == "check") return Claim::check;
    if (kind == "input") return Claim::input;
    json_.at("kind").refuse(scenario::in_quotes(kind) + " is no kind of claim; expected published, check or input");
  }

  // Words that are numbers are known to formulas.
  static Numbers numbers_of(const Words& words) {
    Numbers numbers;
    for (const auto& [word, value] : words) {
      if (value.is_number()) numbers[word] = {value.get<double>(), value.get<double>()};
    }
    return numbers;
  }

  static KnowsName knows(const Quantities& of) {
    return [&of](const std::string& name, bool published) { return of.know(name, published); };
  }

  // Of the whole claim.
  std::optional<Condition> condition() const {
    const auto found = json_.find("holds");
    if (!found) return std::nullopt;
    const JsonAt here = context_.of_size(*found);
    return here.checked([&] { return parse_condition(here.text(), knows(claim_.of)); });
  }

  NumberText text_at(const JsonAt& json, const char* key, const Words& words, const Quantities& of,
                     const std::vector<std::string>& texts) const {
    const auto found = json.find(key);
    if (!found) return {};
    const JsonAt here = context_.of_size(*found);
    return here.checked([&] { return NumberText(here.text(), words, knows(of), texts); });
  }

  // Names of figures, or of what else is read off the outcome.
  void read_let(const JsonAt& let, const Words& words, Quantities& of) const {
    for (const auto& [name, value] : let.members()) {
      if (value.json().is_object()) {
        of.readings[name] = reading_of_outcome(value);
      } else {
        const std::string place = value.checked([&] { return filled_text(value.text(), words); });
        of.figures[name] = figure_at(value, place);
      }
    }
  }

  Quantities::Place figure_at(const JsonAt& json, const std::string& text) const {
    const TablePosition place = position_of(json, text);
    for (const Outcome::Value& one : places_of(study_)) {
      if (one.place == place) return {place, layout_of(place.table).half_width_of_one};
    }
    json.refuse(scenario::in_quotes(text) + " is no figure of this size; expected one that a cell has");
  }

  const TableLayout& layout_of(const std::string& table) const {
    return *std::ranges::find(study_.tables, table, &TableLayout::name);
  }

  // Named readings of a whole outcome.
  std::function<double(const Outcome&)> reading_of_outcome(const JsonAt& json) const {
    if (const auto table = json.find("rank_correlation")) {
      json.expect_keys({"rank_correlation", "without"});
      return [table = table->text(), without = json.text_or("without", "")](const Outcome& outcome) {
        return rank_correlation(outcome, table, without);
      };
    }
    const bool is_reversed = json.find("reversed_pairs").has_value();
    const char* name = is_reversed ? "reversed_pairs" : "pairs";
    json.expect_keys({name, "where"});
    return [figures = figures_at(json, layout_at(json.at(name))), is_reversed](const Outcome& outcome) {
      const Pairs pairs = pairs_of(outcome, figures);
      return static_cast<double>(is_reversed ? pairs.reversed : pairs.all);
    };
  }

  void read_cases(const JsonAt& each) {
    each.expect_keys({"for", "cells", "where", "let", "holds", "error", "text", "failing", "join"});
    claim_.join = each.text_or("join", ", ");
    if (const auto table = each.find("cells")) {
      read_cells(each, *table);
    } else {
      for (const Words& words : grid_of(each, words_)) read_case(each, words, claim_.of);
    }
    if (claim_.cases.empty()) each.refuse("has no cases; expected some, by \"for\" or \"cells\"");
    for (const char* name : {"holding", "all", "mean", "worst"}) claim_.of.numbers[name] = {};
  }

  // A case for each published figure of a table, whose name in formulas is "it", among those with the labels "where".
  void read_cells(const JsonAt& each, const JsonAt& table) {
    const TableLayout& layout = layout_at(table);
    for (const Outcome::Value& one : figures_at(each, layout)) {
      if (!one.published) continue;
      Words words = words_;
      for (std::size_t i = 0; i < one.place.row.size(); ++i) words[layout.row[i]] = one.place.row[i];
      words[layout.column] = one.place.column;
      Quantities of = claim_.of;
      of.figures[figure_of_cell] = {one.place, layout.half_width_of_one};
      read_case(each, words, of);
    }
  }

  const TableLayout& layout_at(const JsonAt& table) const {
    const std::string name = table.checked([&] { return filled_text(table.text(), words_); });
    const auto layout = std::ranges::find(study_.tables, name, &TableLayout::name);
    if (layout == study_.tables.end()) table.refuse(scenario::in_quotes(name) + " is no table of this size");
    return *layout;
  }

  // Figures of a table which have the labels that an object names under "where": {"system": ["D-PSGD", "AD-PSGD"]}.
  std::vector<Outcome::Value> figures_at(const JsonAt& json, const TableLayout& layout) const {
    std::vector<Outcome::Value> figures = places_of(study_);
    std::erase_if(figures, [&](const Outcome::Value& one) { return one.place.table != layout.name; });
    const auto raw = json.find("where");
    if (!raw) return figures;
    const JsonAt where = raw->with(raw->checked([&] { return filled(raw->json(), words_); }));
    for (const auto& [header, value] : where.members()) {
      const std::vector<std::string> labels = value.json().is_array() ? value.texts() : std::vector{value.text()};
      const auto place = std::ranges::find(layout.row, header);
      if (place == layout.row.end() && header != layout.column)
        value.refuse(scenario::in_quotes(header) + " heads no label");
      std::erase_if(figures, [&](const Outcome::Value& one) {
        const bool is_column = place == layout.row.end();
        return std::ranges::count(labels,
                                  is_column ? one.place.column
                                            : one.place.row[static_cast<std::size_t>(place - layout.row.begin())]) == 0;
      });
    }
    return figures;
  }

  void read_case(const JsonAt& each, const Words& words, Quantities of) {
    for (const auto& [name, number] : numbers_of(words)) of.numbers[name] = number;
    if (const auto let = each.find("let")) read_let(*let, words, of);
    ClaimCase one;
    if (const auto holds = each.find("holds")) {
      one.holds = holds->checked([&] { return parse_condition(holds->text(), knows(of)); });
    }
    if (const auto error = each.find("error")) {
      one.error = error->checked([&] { return parse_term(error->text(), knows(of)); });
    }
    one.text = text_at(each, "text", words, of, {});
    one.failing = text_at(each, "failing", words, of, {});
    one.of = std::move(of);
    claim_.cases.push_back(std::move(one));
  }

  const JsonAt& json_;
  const Study& study_;
  const StudyContext& context_;
  const Words& words_;
  ClaimOfData claim_;
};

}  // namespace

void read_claims(const JsonAt& json, StudyContext& context, Study& study) {
  for (const JsonAt& one : json.items()) {
    one.expect_keys({"name", "for", "kind", "sizes", "judged", "text", "accepted", "let", "each", "holds", "numbers",
                     "if_some_fail"});
    for (const Words& words : grid_of(one, context.words)) {
      context.claims.insert(context.text(one, "name", words));
      if (context.has(one)) study.claims.push_back(ClaimReader(one, study, context, words).claim());
    }
  }
  std::ranges::stable_sort(study.claims, {}, &Claim::kind);
}

}  // namespace ddl::studies
