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

using Numbers = std::map<std::string, double>;

// What the names in a claim's formulas stand for.
struct Quantities {
  std::map<std::string, TablePosition> figures;
  std::map<std::string, std::function<double(const Outcome&)>> readings;
  Numbers numbers;

  bool know(const std::string& name, bool published) const {
    return figures.contains(name) || (!published && (readings.contains(name) || numbers.contains(name)));
  }
  NumberOf in(const Outcome& outcome, const Numbers& tallied) const {
    return [this, &outcome, tallied](const std::string& name, bool published) {
      if (const auto found = tallied.find(name); found != tallied.end()) return found->second;
      if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
      if (const auto found = readings.find(name); found != readings.end()) return found->second(outcome);
      const TablePosition& place = figures.at(name);
      return published ? outcome.at(place).published.value_or(unknown) : outcome.number(place);
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

  std::string text(const NumberOf& number_of, const std::map<std::string, std::string>& texts) const {
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

// A claim as it is read. Without cases `holds` decides alone.
struct ClaimOfData {
  Quantities of;
  std::vector<ClaimCase> cases;
  std::string join;  // between the texts of cases
  Condition holds;
  NumberText numbers, if_some_fail;

  Verdict judge(const Outcome& outcome) const {
    Numbers tallied;
    std::map<std::string, std::string> texts;
    const bool all_hold = tally(outcome, tallied, texts);
    const NumberOf number_of = of.in(outcome, tallied);
    Verdict verdict{studies::holds(holds, number_of), numbers.text(number_of, texts)};
    if (!all_hold) verdict.numbers += if_some_fail.text(number_of, texts);
    return verdict;
  }

 private:
  // Whether each of the cases holds.
  bool tally(const Outcome& outcome, Numbers& tallied, std::map<std::string, std::string>& texts) const {
    int holding = 0;
    double sum = 0, worst = 0;
    const auto append = [&](const char* name, const std::string& text) {
      std::string& all = texts[name];
      all += (all.empty() ? "" : join) + text;
    };
    texts[texts_of_cases] = texts[texts_of_exceptions] = "";
    for (const ClaimCase& one : cases) {
      const NumberOf number_of = one.of.in(outcome, {});
      const bool is_so = studies::holds(one.holds, number_of);
      holding += is_so ? 1 : 0;
      const double error = one.error ? one.error->value(number_of) : 0;
      sum += std::abs(error);
      if (!(std::abs(error) <= std::abs(worst))) worst = std::isnan(worst) ? worst : error;
      append(texts_of_cases, one.text.text(number_of, {}));
      if (!is_so) append(texts_of_exceptions, one.failing.text(number_of, {}));
    }
    const auto all = static_cast<double>(cases.size());
    tallied = {{"holding", holding}, {"all", all}, {"mean", sum / all}, {"worst", worst}};
    return holding == static_cast<int>(cases.size());
  }
};

class ClaimReader {
 public:
  ClaimReader(const JsonAt& json, const Study& study, const StudyContext& context, const Words& words)
      : json_(json), study_(study), context_(context), words_(words) {}

  Claim claim(const Prose& prose) {
    Claim claim{kind(), context_.text(json_, "text", words_), nullptr, context_.text(json_, "accepted", words_), ""};
    claim.if_not = json_.checked([&] { return filled_text(prose.text_of(json_.at("name").text()), words_); });
    if (!json_.find("holds") && !json_.find("each")) return claim;
    of_.numbers = numbers_of(words_);
    if (const auto let = json_.find("let")) read_let(*let, words_, of_);
    if (const auto each = json_.find("each")) read_cases(*each);
    claim_.of = of_;
    claim_.holds = condition();
    claim_.numbers = text_at(json_, "numbers", words_, knows(of_), {texts_of_cases, texts_of_exceptions});
    claim_.if_some_fail = text_at(json_, "if_some_fail", words_, knows(of_), {texts_of_cases, texts_of_exceptions});
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
      if (value.is_number()) numbers[word] = value.get<double>();
    }
    return numbers;
  }

  static KnowsName knows(const Quantities& of) {
    return [&of](const std::string& name, bool published) { return of.know(name, published); };
  }

  // Of the whole claim. Where it is not given all cases must hold.
  Condition condition() const {
    const auto found = json_.find("holds");
    if (!found) return parse_condition("holding = all", knows(of_));
    const JsonAt here = context_.of_size(*found);
    return here.checked([&] { return parse_condition(here.text(), knows(of_)); });
  }

  NumberText text_at(const JsonAt& json, const char* key, const Words& words, const KnowsName& known,
                     const std::vector<std::string>& texts) const {
    const auto found = json.find(key);
    if (!found) return {};
    const JsonAt here = context_.of_size(*found);
    return here.checked([&] { return NumberText(here.text(), words, known, texts); });
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

  TablePosition figure_at(const JsonAt& json, const std::string& text) const {
    const TablePosition place = position_of(json, text);
    const auto is_there = [&](const auto& one) { return one.place == place; };
    if (std::ranges::any_of(study_.derived, is_there)) return place;
    for (const Cell& cell : study_.cells) {
      if (std::ranges::any_of(cell.figures, is_there)) return place;
    }
    json.refuse(scenario::in_quotes(text) + " is no figure of this size; expected one that a cell has");
  }

  // Named readings of a whole outcome.
  static std::function<double(const Outcome&)> reading_of_outcome(const JsonAt& json) {
    json.expect_keys({"rank_correlation", "without"});
    const std::string table = json.at("rank_correlation").text(), without = json.text_or("without", "");
    return [=](const Outcome& outcome) { return rank_correlation(outcome, table, without); };
  }

  void read_cases(const JsonAt& each) {
    each.expect_keys({"for", "cells", "where", "let", "holds", "error", "text", "failing", "join"});
    claim_.join = each.text_or("join", ", ");
    if (const auto table = each.find("cells")) {
      read_cells(each, *table);
    } else {
      for (const Words& words : grid_of(each, words_)) read_case(each, words, of_);
    }
    if (claim_.cases.empty()) each.refuse("has no cases; expected some, by \"for\" or \"cells\"");
    for (const char* name : {"holding", "all", "mean", "worst"}) of_.numbers[name] = 0;
  }

  // A case for each published figure of a table, whose name in formulas is "it", among those with the labels "where".
  void read_cells(const JsonAt& each, const JsonAt& table) {
    std::vector<std::pair<std::string, std::vector<std::string>>> where;
    if (const auto labels = each.find("where")) {
      for (const auto& [header, value] : labels->members()) {
        where.emplace_back(header, value.json().is_array() ? value.texts() : std::vector{value.text()});
      }
    }
    const auto layout = std::ranges::find(study_.tables, table.text(), &TableLayout::name);
    if (layout == study_.tables.end()) table.refuse(scenario::in_quotes(table.text()) + " is no table of this size");
    const auto add = [&](const TablePosition& place, const std::optional<double>& published) {
      if (place.table != table.text() || !published) return;
      Words words = words_;
      for (std::size_t i = 0; i < place.row.size(); ++i) words[layout->row[i]] = place.row[i];
      words[layout->column] = place.column;
      for (const auto& [header, labels] : where) {
        if (!words.contains(header)) each.at("where").refuse(scenario::in_quotes(header) + " heads no label");
        if (std::ranges::count(labels, words.at(header).get<std::string>()) == 0) return;
      }
      Quantities of = of_;
      of.figures[figure_of_cell] = place;
      read_case(each, words, of);
    };
    for (const Outcome::Value& value : study_.derived) add(value.place, value.published);
    for (const Cell& cell : study_.cells) {
      for (const Figure& figure : cell.figures) add(figure.place, figure.published);
    }
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
    one.text = text_at(each, "text", words, knows(of), {});
    one.failing = text_at(each, "failing", words, knows(of), {});
    one.of = std::move(of);
    claim_.cases.push_back(std::move(one));
  }

  const JsonAt& json_;
  const Study& study_;
  const StudyContext& context_;
  const Words& words_;
  Quantities of_;
  ClaimOfData claim_;
};

// Calls `read` for each claim of a list, in which {"for": ..., "claims": [...]} stands for claims at every place of a
// grid.
template <class Read>
void read_claims(const JsonAt& list, const Words& words, const Read& read) {
  for (const JsonAt& item : list.items()) {
    const std::optional<JsonAt> group = item.find("claims");
    if (!group) {
      read(item, words);
      continue;
    }
    item.expect_keys({"for", "claims"});
    for (const Words& here : grid_of(item, words)) read_claims(*group, here, read);
  }
}

}  // namespace

std::vector<Claim> parse_claims(const JsonAt& json, const Study& study, const Prose& prose,
                                const StudyContext& context) {
  std::vector<Claim> claims;
  std::vector<std::string> names;
  read_claims(json, context.words, [&](const JsonAt& one, const Words& words) {
    one.expect_keys({"name", "kind", "sizes", "text", "accepted", "let", "each", "holds", "numbers", "if_some_fail"});
    names.push_back(one.at("name").text());
    if (context.has(one)) claims.push_back(ClaimReader(one, study, context, words).claim(prose));
  });
  for (const Prose::Reason& reason : prose.reasons) {
    if (std::ranges::count(names, reason.claim) > 0) continue;
    json.refuse("has no claim " + scenario::in_quotes(reason.claim) +
                "; expected one, for which reasons.md has a reason");
  }
  return claims;
}

}  // namespace ddl::studies
