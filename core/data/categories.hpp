// The distinct words of a column, in order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/natural_order.hpp"

namespace ddl::data {

// True for words that mean a missing value in files of R, pandas, SQL, Weka and spreadsheets: "NA", "NaN", "?".
bool is_missing(std::string_view word);

// If all words are numbers below 2^53, in numeric order, with equal values as one; otherwise in natural order: w2
// before w10.
class Categories {
 public:
  explicit Categories(std::span<const std::string> words);

  std::size_t size() const { return are_numbers_ ? by_number_.size() : by_word_.size(); }
  std::vector<std::string> names() const;
  // The place of a word in the order; none if it is unknown.
  std::optional<std::uint32_t> place(const std::string& word) const;

 private:
  struct Before {
    bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
  };
  bool are_numbers_ = false;
  std::map<double, std::uint32_t> by_number_;
  std::map<std::string, std::uint32_t, Before> by_word_;
};

}  // namespace ddl::data
