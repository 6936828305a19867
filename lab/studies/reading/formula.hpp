// Arithmetic and comparisons of named numbers, as claims are written: "dense > max(bibd, random) + 3".
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// What a name stands for. What has no value is not a number.
struct Number {
  double value = no_value, published = no_value;
  double half_width = 0;  // of the value's 95 % interval
};
using NumberOf = std::function<Number(const std::string& name)>;
using KnowsName = std::function<bool(const std::string& name, bool published)>;

// A number, a name, or an operation on terms: + - * / and the functions abs, min, max, round, published, and
// fall(a, b, ...), the most by which a later value is below the best before it. What has no value makes whatever is
// computed of it have none.
struct Term {
  std::string word;  // an operator, a function's or a number's name; empty: the number itself
  double number = 0;
  std::vector<Term> parts = {};

  double value(const NumberOf& number_of) const;
  // Also its published value, and its half width: each number moved to the ends of its interval, and the changes added
  // in quadrature.
  Number estimate(const NumberOf& number_of) const;
};

// Comparisons that all must hold: "1 <= a / b <= 1.2 and c > a". One whose value is missing does not hold.
struct Comparison {
  Term left;
  std::string sign;  // < <= > >= =
  Term right;

  bool holds(const NumberOf& number_of) const;
  Number margin(const NumberOf& number_of) const;  // right - left
  // Not decidable if the margin's interval contains 0, and what it is of the published figures is within the
  // interval's half width, too. Where nothing was published, the values decide.
  Finding finding(const NumberOf& number_of) const;
};
using Condition = std::vector<Comparison>;
bool holds(const Condition& condition, const NumberOf& number_of);
// Fails if one of them fails, and is not decidable if none does and one is not.
Finding all_of(Finding one, Finding other);
Finding finding_of(const Condition& condition, const NumberOf& number_of);
inline constexpr double deviations_in_half_width = 1.96;  // of a normal distribution
// With what probability all hold, if intervals are of independent normal numbers.
double chance_of(const Condition& condition, const NumberOf& number_of);
// A NumberOf of the published figures.
NumberOf as_published(const NumberOf& number_of);

// Throw InputError with what is wrong: a name that `knows` does not know, or what is no formula.
Term parse_term(const std::string& text, const KnowsName& knows);
Condition parse_condition(const std::string& text, const KnowsName& knows);

}  // namespace ddl::studies
