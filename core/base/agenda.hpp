// The next due time at each of a number of places: a tournament tree, updated in logarithmic time without allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace ddl {

class Agenda {
 public:
  explicit Agenda(std::size_t places)
      : leaves_(std::bit_ceil(places < 2 ? std::size_t{2} : places)),
        least_s_(2 * leaves_, std::numeric_limits<double>::infinity()) {}

  void set(std::size_t place, double at_s) {
    std::size_t node = leaves_ + place;
    if (least_s_[node] == at_s) return;
    least_s_[node] = at_s;
    for (node /= 2; node > 0; node /= 2) {
      const double least = least_s_[2 * node] <= least_s_[2 * node + 1] ? least_s_[2 * node] : least_s_[2 * node + 1];
      if (least_s_[node] == least) return;
      least_s_[node] = least;
    }
  }
  // Room for `places` places; nothing is due at new ones.
  void grow(std::size_t places) {
    if (places <= leaves_) return;
    Agenda larger(places);
    for (std::size_t place = 0; place < leaves_; ++place) larger.set(place, least_s_[leaves_ + place]);
    *this = std::move(larger);
  }
  double next_s() const { return least_s_[1]; }
  // The place that is due next; the first one of a tie.
  std::size_t next() const {
    std::size_t node = 1;
    while (node < leaves_) node = 2 * node + (least_s_[2 * node] <= least_s_[2 * node + 1] ? 0 : 1);
    return node - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> least_s_;  // least of the leaves below; leaves from leaves_ on
};

}  // namespace ddl
