#include "lab/studies/reading/formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>
#include <set>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

using Values = std::vector<double>;

double fall_of(const Values& values) {
  double best = values.front(), fall = 0;
  for (const double value : values) {
    fall = std::max(fall, best - value);
    best = std::max(best, value);
  }
  return fall;
}

struct Function {
  std::string_view name;
  std::size_t least, most;  // parts
  double (*of)(const Values& parts);
};
constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
constexpr std::array functions = {
    Function{"+", 2, 2, [](const Values& of) { return of[0] + of[1]; }},
    Function{"-", 1, 2, [](const Values& of) { return of.size() == 1 ? -of[0] : of[0] - of[1]; }},
    Function{"*", 2, 2, [](const Values& of) { return of[0] * of[1]; }},
    Function{"/", 2, 2, [](const Values& of) { return of[0] / of[1]; }},
    Function{"abs", 1, 1, [](const Values& of) { return std::abs(of[0]); }},
    Function{"round", 1, 1, [](const Values& of) { return std::round(of[0]); }},
    Function{"min", 1, any_number, [](const Values& of) { return *std::ranges::min_element(of); }},
    Function{"max", 1, any_number, [](const Values& of) { return *std::ranges::max_element(of); }},
    Function{"fall", 2, any_number, fall_of}};

const Function* function_named(const std::string& word) {
  const auto found = std::ranges::find(functions, word, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

// Of the numbers that a term is computed of.
void add_names(const Term& term, std::set<std::string>& names) {
  if (term.word == "published") return;
  if (term.parts.empty() && !term.word.empty()) names.insert(term.word);
  for (const Term& part : term.parts) add_names(part, names);
}

class FormulaParser {
 public:
  FormulaParser(const std::string& text, const KnowsName& knows) : knows_(knows) {
    static const std::regex token(R"([\w.]+|[<>]=|\S)");
    tokens_ = {std::sregex_token_iterator(text.begin(), text.end(), token), {}};
  }

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
    return chain("+-", [this] { return chain("*/", [this] { return signed_value(); }); });
  }
  void finish() const {
    if (!token().empty()) fail("an operator or the end");
  }

 private:
  template <class Part>
  Term chain(std::string_view operators, const Part& part) {
    Term term = part();
    while (token().size() == 1 && operators.find(token()) != std::string_view::npos) {
      const std::string word = taken();
      term = {word, 0, {std::move(term), part()}};
    }
    return term;
  }

  Term signed_value() {
    if (accept("-")) return {"-", 0, {signed_value()}};
    if (accept("(")) {
      Term inner = sum();
      expect(")");
      return inner;
    }
    const char first = token().empty() ? ' ' : token()[0];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0) return number();
    if (std::isalpha(static_cast<unsigned char>(first)) == 0 && first != '_') fail("a number or a name");
    const std::string word = taken();
    return accept("(") ? call(word) : known(word, false);
  }

  Term known(const std::string& name, bool published) const {
    if (knows_(name, published)) return {name};
    throw InputError("has no " + std::string(published ? "published figure" : "number") + " for " +
                     scenario::in_quotes(name) + "; expected the name of one");
  }

  Term number() {
    Term term;
    const std::string digits = taken();
    const char* end = digits.data() + digits.size();
    if (const auto [at, error] = std::from_chars(digits.data(), end, term.number); error != std::errc() || at != end) {
      throw InputError("has the number " + scenario::in_quotes(digits) + "; expected one such as 0.05");
    }
    return term;
  }

  // What follows a function's name and the opening brace.
  Term call(const std::string& word) {
    Term term{word};
    do term.parts.push_back(word == "published" ? known(taken(), true) : sum());
    while (word != "published" && accept(","));
    expect(")");
    const Function* function = function_named(word);
    const std::size_t parts = term.parts.size();
    if (word != "published" && (function == nullptr || parts < function->least || parts > function->most)) {
      throw InputError("has no function " + scenario::in_quotes(word) + " of " + std::to_string(parts) +
                       "; expected abs, fall, max, min, published or round");
    }
    return term;
  }

  std::string token() const { return next_ < tokens_.size() ? tokens_[next_] : ""; }
  std::string taken() { return next_ < tokens_.size() ? tokens_[next_++] : ""; }
  bool is_comparison() const {
    constexpr std::array signs = {"<", "<=", ">", ">=", "="};
    return std::ranges::count(signs, token()) > 0;
  }
  bool accept(const char* expected) {
    const bool is_it = token() == expected;
    next_ += is_it ? 1 : 0;
    return is_it;
  }
  void expect(const char* expected) {
    if (!accept(expected)) fail(scenario::in_quotes(expected));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError("has " + (token().empty() ? "its end" : scenario::in_quotes(token())) +
                     " where it cannot; expected " + expected);
  }

  const KnowsName& knows_;
  std::vector<std::string> tokens_;
  std::size_t next_ = 0;
};

}  // namespace

double Term::value(const NumberOf& number_of) const {
  if (word.empty()) return number;
  if (parts.empty()) return number_of(word).value;
  if (word == "published") return number_of(parts[0].word).published;
  Values values;
  for (const Term& part : parts) values.push_back(part.value(number_of));
  const bool all_known = std::ranges::none_of(values, [](double value) { return std::isnan(value); });
  return all_known ? function_named(word)->of(values) : no_value;
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

Number Comparison::margin(const NumberOf& number_of) const { return Term{"-", 0, {right, left}}.estimate(number_of); }

Finding Comparison::finding(const NumberOf& number_of) const {
  const Number by = margin(number_of);
  const bool is_open = std::abs(by.value) < by.half_width && std::abs(by.published) < by.half_width;
  return is_open ? Finding::not_decidable : holds(number_of) ? Finding::holds : Finding::fails;
}

bool holds(const Condition& condition, const NumberOf& number_of) {
  return std::ranges::all_of(condition, [&](const Comparison& one) { return one.holds(number_of); });
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

double chance_of(const Condition& condition, const NumberOf& number_of) {
  double chance = 1;
  for (const Comparison& one : condition) {
    const Number by = one.margin(number_of);
    const double flipped = std::erfc(deviations_in_half_width * std::abs(by.value) / by.half_width / std::sqrt(2)) / 2;
    const double other_way = by.half_width > 0 ? flipped : 0;
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
