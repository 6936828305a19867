// Arithmetic of the fields with p^n elements (Galois, 1830), for designs over them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ddl::nn {

// p and n of q = p^n, p prime and n at least 1; nothing if q is no prime power.
struct PrimePower {
  std::size_t prime = 0, exponent = 0;
};
std::optional<PrimePower> prime_power(std::size_t q);

// Elements are 0 .. q - 1, read as digits to the base p: the coefficients of a polynomial, the lowest first. For prime
// q this is arithmetic modulo q.
class FiniteField {
 public:
  // Throws InternalError if q is no prime power.
  explicit FiniteField(std::size_t q);

  std::size_t add(std::size_t a, std::size_t b) const;
  std::size_t multiply(std::size_t a, std::size_t b) const;

 private:
  std::size_t scale(std::size_t factor, std::size_t a) const;   // by factor < p, digit by digit
  std::size_t shift(std::size_t a, std::size_t reduced) const;  // a x, where x^n is `reduced`
  bool generates(std::size_t reduced);                          // fills the tables if x has all q - 1 powers

  std::size_t size_, prime_, top_;          // top_ = p^(n - 1)
  std::vector<std::size_t> powers_, logs_;  // x^i, and i of x^i
};

}  // namespace ddl::nn
