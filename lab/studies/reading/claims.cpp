// claims.json: what a study claims of its figures, as formulas over them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <regex>

#include "lab/studies/reading/formula.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/reading/readings.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr const char* figure_of_cell = "it";
const std::vector<std::string> texts_of_tally = {"cases", "exceptions"};
const std::vector<std::string> numbers_of_tally = {"holding", "all", "mean", "worst"};

// What the names in a claim's formulas stand for.
struct Quantity {
  std::function<Number(const Outcome&)> in;
  bool is_figure = false;  // and may have been published
};
using Quantities = std::map<std::string, Quantity>;

Quantity constant(const Number& number) {
  return {[number](const Outcome&) { return number; }};
}
NumberOf numbers_in(const Quantities& quantities, const Outcome& outcome) {
  return [&](const std::string& name) { return quantities.at(name).in(outcome); };
}
KnowsName names_of(const Quantities& quantities) {
  return [&](const std::string& name, bool published) {
    const auto found = quantities.find(name);
    return found != quantities.end() && (found->second.is_figure || !published);
  };
}

using Texts = std::map<std::string, std::string>;

// A piece of a text: itself, a text's name, or a number such as "{p4 / server:.2f}".
struct TextPart {
  std::string text = {}, text_name = {};
  std::optional<Term> number = std::nullopt;
  std::string format = {};
};
using NumberText = std::vector<TextPart>;

NumberText number_text(const std::string& text, const Words& words, const KnowsName& knows) {
  static const std::regex form(R"((.*?)(?::(\+?(?:\.[0-9])?[fg]))?)");
  NumberText parts;
  for (const TextPiece& piece : pieces_of(text)) {
    if (!piece.in_braces || words.contains(piece.text)) {
      parts.push_back({.text = piece.in_braces ? filled_text("{" + piece.text + "}", words) : piece.text});
    } else if (std::ranges::count(texts_of_tally, piece.text) > 0) {
      parts.push_back({.text_name = piece.text});
    } else {
      std::smatch found;
      std::regex_match(piece.text, found, form);
      parts.push_back({.number = parse_term(found[1], knows), .format = "{:" + found[2].str() + "}"});
    }
  }
  return parts;
}

std::string text_of(const NumberText& parts, const NumberOf& number_of, const Texts& texts = {}) {
  std::string result;
  for (const TextPart& part : parts) {
    if (part.number) {
      result += fmt::format(fmt::runtime(part.format), part.number->value(number_of));
    } else {
      result += part.text_name.empty() ? part.text : texts.at(part.text_name);
    }
  }
  return result;
}

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
  Texts texts = {{"cases", ""}, {"exceptions", ""}};

  Tally(const std::vector<ClaimCase>& cases, const Outcome& outcome, const std::string& join) {
    double variance = 0, squares = 0;
    all.value = all.published = static_cast<double>(cases.size());
    for (const ClaimCase& one : cases) {
      const NumberOf number_of = numbers_in(one.of, outcome);
      all_hold = all_of(all_hold, finding_of(one.holds, number_of));
      const bool is_so = holds(one.holds, number_of);
      holding.value += is_so ? 1 : 0;
      holding.published += published_to_hold(one.holds, number_of);
      const double chance = chance_of(one.holds, number_of);
      variance += chance * (1 - chance);
      if (one.error) squares += add_error(one.error->estimate(number_of));
      append("cases", join, text_of(one.text, number_of));
      if (!is_so) append("exceptions", join, text_of(one.failing, number_of));
    }
    holding.half_width = deviations_in_half_width * std::sqrt(variance);
    mean = {mean.value / all.value, mean.published / all.value, std::sqrt(squares) / all.value};
  }

 private:
  // 1 or 0; unknown where a figure was not published.
  static double published_to_hold(const Condition& condition, const NumberOf& number_of) {
    const NumberOf published = as_published(number_of);
    const bool is_known = std::ranges::none_of(condition, [&](const Comparison& one) {
      return std::isnan(one.left.value(published)) || std::isnan(one.right.value(published));
    });
    return !is_known ? no_value : holds(condition, published) ? 1 : 0;
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

  Verdict operator()(const Outcome& outcome) const {
    const Tally tally(cases, outcome, join);
    Quantities with_tally = of;
    const Number* numbers_there[] = {&tally.holding, &tally.all, &tally.mean, &tally.worst};
    for (std::size_t i = 0; i < numbers_of_tally.size(); ++i) {
      if (!cases.empty()) with_tally[numbers_of_tally[i]] = constant(*numbers_there[i]);
    }
    const NumberOf number_of = numbers_in(with_tally, outcome);
    Verdict verdict{holds ? finding_of(*holds, number_of) : tally.all_hold, text_of(numbers, number_of, tally.texts)};
    if (tally.holding.value < tally.all.value) verdict.numbers += text_of(if_some_fail, number_of, tally.texts);
    return verdict;
  }
};

// A claim at a place of claims.json, in one size.
class ClaimReader {
 public:
  ClaimReader(const JsonAt& json, const Study& study, const StudyContext& context, const Words& words)
      : json_(json), study_(study), places_(study.places()), context_(context), words_(words) {}

  Claim claim() {
    Claim claim{kind(), context_.text(json_, "name", words_), context_.text(json_, "text", words_), nullptr,
                context_.text(json_, "accepted", words_)};
    if ((!json_.find("holds") && !json_.find("each")) || !context_.has(json_, "judged")) return claim;
    add_words(words_, claim_.of);
    read_let(json_, words_, claim_.of);
    if (const auto each = json_.find("each")) read_cases(*each);
    if (const auto holds = json_.find("holds")) claim_.holds = condition_at(*holds, claim_.of);
    claim_.numbers = text_at(json_, "numbers", words_, claim_.of);
    claim_.if_some_fail = text_at(json_, "if_some_fail", words_, claim_.of);
    claim.judge = std::move(claim_);
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
  static void add_words(const Words& words, Quantities& of) {
    for (const auto& [word, value] : words) {
      if (value.is_number()) of[word] = constant({value.get<double>(), value.get<double>()});
    }
  }

  Condition condition_at(const JsonAt& json, const Quantities& of) const {
    const JsonAt here = context_.of_size(json);
    return here.checked([&] { return parse_condition(here.text(), names_of(of)); });
  }

  NumberText text_at(const JsonAt& json, const char* key, const Words& words, const Quantities& of) const {
    const auto found = json.find(key);
    if (!found) return {};
    const JsonAt here = context_.of_size(*found);
    return here.checked([&] { return number_text(here.text(), words, names_of(of)); });
  }

  // Names of figures, or of what else is read off the outcome.
  void read_let(const JsonAt& json, const Words& words, Quantities& of) const {
    const auto let = json.find("let");
    if (!let) return;
    for (const auto& [name, value] : let->members()) {
      if (value.json().is_object()) {
        of[name] = reading_of_outcome(value);
        continue;
      }
      const std::string place = value.checked([&] { return filled_text(value.text(), words); });
      const auto found = std::ranges::find(places_, position_of(value, place), &Outcome::Value::place);
      if (found == places_.end()) {
        value.refuse(scenario::in_quotes(place) + " is no figure of this size; expected one that a cell has");
      }
      of[name] = figure(*found);
    }
  }

  Quantity figure(const Outcome::Value& value) const {
    const auto layout = std::ranges::find(study_.tables, value.place.table, &TableLayout::name);
    return {[place = value.place, of_one = layout->half_width_of_one](const Outcome& outcome) {
              const Outcome::Value& found = outcome.at(place);
              return Number{found.simulated.value_or(no_value), found.published.value_or(no_value),
                            found.half_width.value_or(of_one)};
            },
            true};
  }

  // Named readings of a whole outcome.
  Quantity reading_of_outcome(const JsonAt& json) const {
    if (const auto table = json.find("rank_correlation")) {
      json.expect_keys({"rank_correlation", "without"});
      return {[table = table->text(), without = json.text_or("without", "")](const Outcome& outcome) {
        return Number{rank_correlation(outcome, table, without)};
      }};
    }
    const bool is_reversed = json.find("reversed_pairs").has_value();
    const char* name = is_reversed ? "reversed_pairs" : "pairs";
    json.expect_keys({name, "where"});
    // Shared, for every case has a copy of the claim's quantities.
    const auto figures = std::make_shared<std::vector<Outcome::Value>>(figures_at(json, layout_at(json.at(name))));
    return {[figures, is_reversed](const Outcome& outcome) {
      const Pairs pairs = pairs_of(outcome, *figures);
      return Number{static_cast<double>(is_reversed ? pairs.reversed : pairs.all)};
    }};
  }

  // Cases from a grid; or one for each published figure of a table, whose name in formulas is "it", among those with
  // the labels "where".
  void read_cases(const JsonAt& each) {
    each.expect_keys({"for", "cells", "where", "let", "holds", "error", "text", "failing", "join"});
    claim_.join = each.text_or("join", ", ");
    if (const auto table = each.find("cells")) {
      const TableLayout& layout = layout_at(*table);
      for (const Outcome::Value& one : figures_at(each, layout)) {
        if (!one.published) continue;
        Words words = words_;
        for (std::size_t i = 0; i < one.place.row.size(); ++i) words[layout.row[i]] = one.place.row[i];
        words[layout.column] = one.place.column;
        Quantities of = claim_.of;
        of[figure_of_cell] = figure(one);
        read_case(each, words, of);
      }
    } else {
      for (const Words& words : grid_of(each, words_)) read_case(each, words, claim_.of);
    }
    if (claim_.cases.empty()) each.refuse("has no cases; expected some, by \"for\" or \"cells\"");
    for (const std::string& name : numbers_of_tally) claim_.of[name] = constant({});
  }

  const TableLayout& layout_at(const JsonAt& table) const {
    const std::string name = table.checked([&] { return filled_text(table.text(), words_); });
    const auto layout = std::ranges::find(study_.tables, name, &TableLayout::name);
    if (layout == study_.tables.end()) table.refuse(scenario::in_quotes(name) + " is no table of this size");
    return *layout;
  }

  // Figures of a table which have the labels that an object names under "where": {"system": ["D-PSGD", "AD-PSGD"]}.
  std::vector<Outcome::Value> figures_at(const JsonAt& json, const TableLayout& layout) const {
    std::vector<Outcome::Value> figures = places_;
    std::erase_if(figures, [&](const Outcome::Value& one) { return one.place.table != layout.name; });
    const auto raw = json.find("where");
    if (!raw) return figures;
    const JsonAt where = raw->with(raw->checked([&] { return filled(raw->json(), words_); }));
    for (const auto& [header, value] : where.members()) {
      const std::vector<std::string> labels = value.json().is_array() ? value.texts() : std::vector{value.text()};
      const auto label = static_cast<std::size_t>(std::ranges::find(layout.row, header) - layout.row.begin());
      const bool is_column = label == layout.row.size();
      if (is_column && header != layout.column) value.refuse(scenario::in_quotes(header) + " heads no label");
      std::erase_if(figures, [&](const Outcome::Value& one) {
        return std::ranges::count(labels, is_column ? one.place.column : one.place.row[label]) == 0;
      });
    }
    return figures;
  }

  void read_case(const JsonAt& each, const Words& words, Quantities of) {
    add_words(words, of);
    read_let(each, words, of);
    ClaimCase one;
    if (const auto holds = each.find("holds")) one.holds = condition_at(*holds, of);
    if (const auto error = each.find("error")) {
      one.error = error->checked([&] { return parse_term(error->text(), names_of(of)); });
    }
    one.text = text_at(each, "text", words, of);
    one.failing = text_at(each, "failing", words, of);
    one.of = std::move(of);
    claim_.cases.push_back(std::move(one));
  }

  const JsonAt& json_;
  const Study& study_;
  const std::vector<Outcome::Value> places_;
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
