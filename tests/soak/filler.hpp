// A visitor of fields() that gives every setting a random value its rule allows, of a size that suits small runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/rng.hpp"
#include "core/base/units.hpp"
#include "core/systems/table.hpp"

namespace ddl {

class Filler {
 public:
  // Names to draw for settings that mean a host or a link.
  Filler(Stream& random, std::vector<std::string> hosts, std::vector<std::string> links)
      : random_(random), hosts_(std::move(hosts)), links_(std::move(links)) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    fill(key, value, rule);
  }

  bool chance(double share) { return random_.uniform() < share; }
  // Whole numbers from `least` to `most`.
  int whole(int least, int most) {
    return least + static_cast<int>(random_.below(static_cast<unsigned>(most - least + 1)));
  }
  // Between the two, each power of ten as likely as another.
  double spread(double least, double most) { return least * std::pow(most / least, random_.uniform()); }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[random_.below(values.size())];
  }

  // Any alternative, filled.
  template <class... Alternatives>
  void fill_variant(std::variant<Alternatives...>& value) {
    const std::size_t wanted = random_.below(sizeof...(Alternatives));
    std::size_t index = 0;
    ((index++ == wanted ? (void)(value = Alternatives{}) : (void)0), ...);
    std::visit([&](auto& chosen) { fields(*this, chosen); }, value);
  }

 private:
  static double least_of(const Rule& rule) { return std::max(rule.at_least, rule.above); }
  static double most_of(const Rule& rule) { return std::min(rule.at_most, rule.below); }

  template <class T>
  void fill(std::string_view key, T& value, const Rule& rule) {
    if constexpr (std::is_same_v<T, bool>) {
      value = chance(0.5);
    } else if constexpr (std::is_integral_v<T>) {
      const double least = std::isfinite(least_of(rule)) ? least_of(rule) : 0;
      value = static_cast<T>(least + whole(0, static_cast<int>(std::min(6.0, most_of(rule) - least))));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = number(rule);
    } else if constexpr (std::is_same_v<T, Seconds>) {
      if (least_of(rule) < 0 || chance(0.8) || rule.above >= 0) value.value = spread(1e-4, 2);
    } else if constexpr (std::is_same_v<T, Bytes>) {
      value.value = std::round(spread(1, 1e5));
    } else if constexpr (std::is_same_v<T, BytesPerSecond>) {
      value.value = spread(1e5, 1e8);
    } else if constexpr (std::is_same_v<T, FlopsPerSecond>) {
      value.value = spread(1e8, 1e11);
    } else if constexpr (std::is_enum_v<T>) {
      value = enum_names(T{})[random_.below(std::size(enum_names(T{})))].value;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (key == "host" || ((key == "source" || key == "target") && chance(0.2))) value = one_of(hosts_);
      if (key == "link" && !links_.empty()) value = one_of(links_);
    } else {
      fields(*this, value);
    }
  }
  template <class T>
  void fill(std::string_view key, std::optional<T>& value, const Rule& rule) {
    if (!chance(0.5)) return;
    fill(key, value.emplace(), rule);
  }
  template <class T>
  void fill(std::string_view key, std::vector<T>& value, const Rule& rule) {
    for (int i = whole(0, 3); i > 0; --i) fill(key, value.emplace_back(), rule);
  }
  // Of hosts, each once.
  void fill(std::string_view, std::vector<std::string>& value, const Rule&) {
    for (int i = whole(0, 3); i > 0; --i) {
      const std::string& host = one_of(hosts_);
      if (std::ranges::find(value, host) == value.end()) value.push_back(host);
    }
  }
  template <class T>
  void fill(std::string_view key, std::map<std::string, T>& value, const Rule& rule) {
    for (int i = whole(0, 3); i > 0; --i) fill(key, value[one_of(hosts_)], rule);
  }
  template <class... Alternatives>
  void fill(std::string_view, std::variant<Alternatives...>& value, const Rule&) {
    fill_variant(value);
  }
  void fill(std::string_view, systems::Partitions& value, const Rule&) {
    if (chance(0.15)) {
      value = {true, {}};
    } else {
      value.counts.assign(chance(0.2) ? hosts_.size() : 1, 1);
      for (int& count : value.counts) count = whole(1, 6);
    }
  }
  void fill(std::string_view, systems::GossipRate& value, const Rule&) {
    value.continuous = chance(0.2);
    if (!value.continuous) value.every = whole(1, 3);
  }

  double number(const Rule& rule) {
    const double least = std::isfinite(least_of(rule)) ? least_of(rule) : 0;
    if (!std::isfinite(most_of(rule)) || most_of(rule) > 1000) return least + spread(1e-3, 3);
    if (least == 0 && chance(0.3)) return std::min(most_of(rule) / 2, spread(1e-3, 1));
    return least + (most_of(rule) - least) * (0.02 + 0.96 * random_.uniform());
  }

  Stream& random_;
  std::vector<std::string> hosts_, links_;
};

}  // namespace ddl
