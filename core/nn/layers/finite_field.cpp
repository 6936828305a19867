#include "core/nn/layers/finite_field.hpp"

#include "core/base/check.hpp"

namespace ddl::nn {

std::optional<PrimePower> prime_power(std::size_t q) {
  if (q < 2) return std::nullopt;
  std::size_t prime = 2;
  while (prime * prime <= q && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  PrimePower result{prime, 0};
  for (; q % prime == 0; q /= prime) ++result.exponent;
  if (q != 1) return std::nullopt;
  return result;
}

FiniteField::FiniteField(std::size_t q) : size_(q) {
  const auto power = prime_power(q);
  check(power.has_value(), "a field has a prime power of elements");
  prime_ = power->prime;
  top_ = q / prime_;
  // Some polynomial x^n - reduced is primitive: x is then a generator of all elements but zero.
  std::size_t reduced = 1;
  while (!generates(reduced)) ++reduced;
}

std::size_t FiniteField::add(std::size_t a, std::size_t b) const {
  std::size_t sum = 0;
  for (std::size_t place = 1; place < size_; place *= prime_, a /= prime_, b /= prime_) {
    sum += (a % prime_ + b % prime_) % prime_ * place;
  }
  return sum;
}

std::size_t FiniteField::scale(std::size_t factor, std::size_t a) const {
  std::size_t product = 0;
  for (std::size_t place = 1; place < size_; place *= prime_, a /= prime_) {
    product += factor * (a % prime_) % prime_ * place;
  }
  return product;
}

std::size_t FiniteField::shift(std::size_t a, std::size_t reduced) const {
  return add(a % top_ * prime_, scale(a / top_, reduced));
}

bool FiniteField::generates(std::size_t reduced) {
  powers_.assign(1, 1);
  logs_.assign(size_, 0);
  for (std::size_t power = shift(1, reduced); power != 1; power = shift(power, reduced)) {
    if (power == 0 || powers_.size() == size_ - 1) return false;
    logs_[power] = powers_.size();
    powers_.push_back(power);
  }
  return powers_.size() == size_ - 1;
}

std::size_t FiniteField::multiply(std::size_t a, std::size_t b) const {
  return a == 0 || b == 0 ? 0 : powers_[(logs_[a] + logs_[b]) % (size_ - 1)];
}

}  // namespace ddl::nn
