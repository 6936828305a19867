// Arithmetic and comparisons of named numbers, as claims are written: "dense > max(bibd, random) + 3".
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ddl::studies {

// The number that a name stands for; of a figure the published one, where a formula asks for published(NAME).
using NumberOf = std::function<double(const std::string& name, bool published)>;
using KnowsName = std::function<bool(const std::string& name, bool published)>;

// A number, a name, or an operation on terms: + - * / and the functions abs, min, max, round, published, and
// fall(a, b, ...), the most by which a later value is below the best before it. What has no value (not a number) makes
// whatever is computed of it have none.
struct Term {
  std::string word;  // an operator, a function's or a number's name; empty: the number itself
  double number = 0;
  std::vector<Term> parts = {};

  double value(const NumberOf& number_of) const;
};

// Comparisons that all must hold: "1 <= a / b <= 1.2 and c > a". None holds of what has no value.
struct Comparison {
  Term left;
  std::string sign;  // < <= > >= =
  Term right;

  bool holds(const NumberOf& number_of) const;
};
using Condition = std::vector<Comparison>;
bool holds(const Condition& condition, const NumberOf& number_of);

// Throw InputError with what is wrong: a name that `knows` does not know, or what is no formula.
Term parse_term(const std::string& text, const KnowsName& knows);
Condition parse_condition(const std::string& text, const KnowsName& knows);

}  // namespace ddl::studies
