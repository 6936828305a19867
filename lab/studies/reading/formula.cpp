#include "lab/studies/reading/formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// Of the numbers that a term is computed of.
void add_names(const Term& term, std::set<std::string>& names) {
  if (term.word == "published") return;
  if (term.parts.empty() && !term.word.empty()) names.insert(term.word);
  for (const Term& part : term.parts) add_names(part, names);
}

double fall_of(const std::vector<double>& values) {
  double best = values.front(), fall = 0;
  for (const double value : values) {
    fall = std::max(fall, best - value);
    best = std::max(best, value);
  }
  return fall;
}

Number margin_of(const Comparison& comparison, const NumberOf& number_of) {
  return Term{"-", 0, {comparison.right, comparison.left}}.estimate(number_of);
}

// Functions of one or more values.
struct Function {
  std::string_view name;
  std::size_t least, most;  // parts
  double (*of)(const std::vector<double>& parts);
};
constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
constexpr std::array functions = {
    Function{"+", 2, 2, [](const std::vector<double>& of) { return of[0] + of[1]; }},
    Function{"-", 1, 2, [](const std::vector<double>& of) { return of.size() == 1 ? -of[0] : of[0] - of[1]; }},
    Function{"*", 2, 2, [](const std::vector<double>& of) { return of[0] * of[1]; }},
    Function{"/", 2, 2, [](const std::vector<double>& of) { return of[0] / of[1]; }},
    Function{"abs", 1, 1, [](const std::vector<double>& of) { return std::abs(of[0]); }},
    Function{"round", 1, 1, [](const std::vector<double>& of) { return std::round(of[0]); }},
    Function{"min", 1, any_number, [](const std::vector<double>& of) { return *std::ranges::min_element(of); }},
    Function{"max", 1, any_number, [](const std::vector<double>& of) { return *std::ranges::max_element(of); }},
    Function{"fall", 2, any_number, fall_of}};

const Function* function_named(const std::string& word) {
  const auto found = std::ranges::find(functions, word, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

class FormulaParser {
 public:
  FormulaParser(const std::string& text, const KnowsName& knows) : text_(text), knows_(knows) { advance(); }

  Condition condition() {
    Condition all;
    do {
      Term left = sum();
      if (!is_comparison()) fail("a comparison");
      while (is_comparison()) {
        const std::string sign = taken();
        Term right = sum();
        all.push_back({std::move(left), sign, right});
        left = std::move(right);
      }
    } while (accept("and"));
    return all;
  }
  Term sum() {
    return chain({"+", "-"}, [this] { return chain({"*", "/"}, [this] { return signed_value(); }); });
  }
  void finish() const {
    if (!token_.empty()) fail("an operator or the end");
  }

 private:
  template <class Part>
  Term chain(const std::array<const char*, 2>& operators, const Part& part) {
    Term term = part();
    while (token_ == operators[0] || token_ == operators[1]) {
      const std::string word = taken();
      term = {word, 0, {std::move(term), part()}};
    }
    return term;
  }

  Term signed_value() {
    if (accept("-")) return {"-", 0, {signed_value()}};
    return value();
  }

  Term value() {
    if (accept("(")) {
      Term inner = sum();
      expect(")");
      return inner;
    }
    if (token_.empty()) fail("a number or a name");
    if (std::isdigit(static_cast<unsigned char>(token_[0])) != 0) return number();
    if (!begins_name(token_[0])) fail("a number or a name");
    const std::string word = taken();
    if (accept("(")) return call(word);
    return known(word, false);
  }

  Term known(const std::string& name, bool published) const {
    if (knows_(name, published)) return {name};
    throw InputError("has no " + std::string(published ? "published figure" : "number") + " for " +
                     scenario::in_quotes(name) + "; expected the name of one");
  }

  // The name of a figure and the closing brace.
  Term published() {
    Term term{"published", 0, {known(taken(), true)}};
    expect(")");
    return term;
  }

  Term number() {
    Term term;
    const std::string digits = taken();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), term.number);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      throw InputError("has the number " + scenario::in_quotes(digits) + "; expected one such as 0.05");
    }
    return term;
  }

  Term call(const std::string& word) {
    if (word == "published") return published();
    Term term{word};
    do term.parts.push_back(sum());
    while (accept(","));
    expect(")");
    const Function* function = function_named(word);
    if (function == nullptr || term.parts.size() < function->least || term.parts.size() > function->most) {
      throw InputError("has no function " + scenario::in_quotes(word) + " of " + std::to_string(term.parts.size()) +
                       "; expected abs, fall, max, min, published or round");
    }
    return term;
  }

  static bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  bool is_comparison() const {
    constexpr std::array signs = {"<", "<=", ">", ">=", "="};
    return std::ranges::count(signs, token_) > 0;
  }
  bool accept(const char* token) {
    if (token_ != token) return false;
    advance();
    return true;
  }
  void expect(const char* token) {
    if (!accept(token)) fail(scenario::in_quotes(token));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError("has " + (token_.empty() ? "its end" : scenario::in_quotes(token_)) +
                     " where it cannot; expected " + expected);
  }
  std::string taken() {
    std::string token = token_;
    advance();
    return token;
  }
  // A name, a number, or a sign.
  void advance() {
    while (next_ < text_.size() && text_[next_] == ' ') ++next_;
    const std::size_t first = next_;
    const auto is_word = [&](std::size_t i) {
      return i < text_.size() &&
             (begins_name(text_[i]) || std::isdigit(static_cast<unsigned char>(text_[i])) != 0 || text_[i] == '.');
    };
    if (is_word(next_)) {
      while (is_word(next_)) ++next_;
    } else if (next_ < text_.size()) {
      const bool is_order = text_[next_] == '<' || text_[next_] == '>';
      next_ += is_order && next_ + 1 < text_.size() && text_[next_ + 1] == '=' ? 2 : 1;
    }
    token_ = text_.substr(first, next_ - first);
  }

  const std::string& text_;
  const KnowsName& knows_;
  std::size_t next_ = 0;
  std::string token_;  // the one at hand; empty at the end
};

}  // namespace

double Term::value(const NumberOf& number_of) const {
  if (word.empty()) return number;
  if (parts.empty()) return number_of(word).value;
  if (word == "published") return number_of(parts[0].word).published;
  std::vector<double> values;
  for (const Term& part : parts) values.push_back(part.value(number_of));
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return no_value;
  return function_named(word)->of(values);
}

NumberOf as_published(const NumberOf& number_of) {
  return [&number_of](const std::string& name) {
    const double published = number_of(name).published;
    return Number{published, published};
  };
}

Number Term::estimate(const NumberOf& number_of) const {
  Number estimate{value(number_of), value(as_published(number_of))};
  std::set<std::string> names;
  add_names(*this, names);
  double squares = 0;
  for (const std::string& moved : names) {
    const auto change = [&](double ends) {
      return std::abs(estimate.value - value([&](const std::string& name) {
                        Number ours = number_of(name);
                        if (name == moved) ours.value += ends * ours.half_width;
                        return ours;
                      }));
    };
    squares += std::pow(std::max(change(-1), change(1)), 2);
  }
  estimate.half_width = std::sqrt(squares);
  return estimate;
}

bool Comparison::holds(const NumberOf& number_of) const {
  const double a = left.value(number_of), b = right.value(number_of);
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  return sign == "=" ? a == b : a >= b;
}

Finding Comparison::finding(const NumberOf& number_of) const {
  const Number margin = margin_of(*this, number_of);
  if (std::abs(margin.value) < margin.half_width && std::abs(margin.published) < margin.half_width) {
    return Finding::not_decidable;
  }
  return holds(number_of) ? Finding::holds : Finding::fails;
}

Finding all_of(Finding one, Finding other) {
  if (one == Finding::fails || other == Finding::fails) return Finding::fails;
  return one == Finding::holds ? other : one;
}

Finding finding_of(const Condition& condition, const NumberOf& number_of) {
  Finding all = Finding::holds;
  for (const Comparison& one : condition) all = all_of(all, one.finding(number_of));
  return all;
}

bool holds(const Condition& condition, const NumberOf& number_of) {
  return std::ranges::all_of(condition, [&](const Comparison& one) { return one.holds(number_of); });
}

double chance_of(const Condition& condition, const NumberOf& number_of) {
  constexpr double deviations = 1.96;  // in half a 95 % interval
  double chance = 1;
  for (const Comparison& one : condition) {
    const Number margin = margin_of(one, number_of);
    const double flipped = std::erfc(deviations * std::abs(margin.value) / margin.half_width / std::sqrt(2)) / 2;
    const double other_way = margin.half_width > 0 ? flipped : 0;
    chance *= one.holds(number_of) ? 1 - other_way : other_way;
  }
  return chance;
}

Term parse_term(const std::string& text, const KnowsName& knows) {
  FormulaParser parser(text, knows);
  Term term = parser.sum();
  parser.finish();
  return term;
}

Condition parse_condition(const std::string& text, const KnowsName& knows) {
  FormulaParser parser(text, knows);
  Condition condition = parser.condition();
  parser.finish();
  return condition;
}

}  // namespace ddl::studies
