// A visitor of fields() that gives every setting a random value its rule allows, of a size that suits small runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/rng.hpp"
#include "core/base/units.hpp"
#include "core/systems/table.hpp"

namespace ddl {

class Filler final : public FieldVisitor {
 public:
  // Names to draw for settings that mean a host or a link.
  Filler(Stream& random, std::vector<std::string> hosts, std::vector<std::string> links)
      : random_(random), hosts_(std::move(hosts)), links_(std::move(links)) {}

  void visit(const char* key, const FieldValue& value, const Rule& rule) override {
    std::visit(Fill{*this, key, rule}, value.form);
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
  template <class Choice>
  void fill_choice(Choice& value) {
    visit("", field_value(value), Rule{});
  }

 private:
  static double least_of(const Rule& rule) { return std::max(rule.at_least, rule.above); }
  static double most_of(const Rule& rule) { return std::min(rule.at_most, rule.below); }

  // One call for each form of a setting.
  struct Fill {
    Filler& random;
    std::string_view key;
    const Rule& rule;

    void operator()(bool* value) const { *value = random.chance(0.5); }
    void operator()(double* value) const { *value = random.number(rule); }
    void operator()(Seconds* value) const {
      if (least_of(rule) < 0 || random.chance(0.8) || rule.above >= 0) value->value = random.spread(1e-4, 2);
    }
    void operator()(Bytes* value) const { value->value = std::round(random.spread(1, 1e5)); }
    void operator()(BytesPerSecond* value) const { value->value = random.spread(1e5, 1e8); }
    void operator()(FlopsPerSecond* value) const { value->value = random.spread(1e8, 1e11); }
    void operator()(AsWritten*) const {}
    void operator()(ShareOrCount* value) const { *value = {random.number({.above = 0, .at_most = 1})}; }
    void operator()(std::string* value) const {
      if (key == "host" || ((key == "source" || key == "target") && random.chance(0.2))) {
        *value = random.one_of(random.hosts_);
      }
      if (key == "link" && !random.links_.empty()) *value = random.one_of(random.links_);
    }
    template <class Whole>
    void operator()(Whole* value) const {
      const double least = std::isfinite(least_of(rule)) ? least_of(rule) : 0;
      *value = static_cast<Whole>(least + random.whole(0, static_cast<int>(std::min(6.0, most_of(rule) - least))));
    }

    void operator()(const WordField& field) const { field.choose(random.random_.below(field.words.size())); }
    void operator()(const OptionalField& field) const {
      if (random.chance(0.5)) std::visit(*this, field.make().form);
    }
    void operator()(const ListField& field) const {
      std::vector<std::string> names;  // each once
      for (int i = random.whole(0, 3); i > 0; --i) {
        if (key != "hosts") {
          std::visit(*this, field.append().form);
          continue;
        }
        const std::string& host = random.one_of(random.hosts_);
        if (std::ranges::find(names, host) != names.end()) continue;
        names.push_back(host);
        *std::get<std::string*>(field.append().form) = host;
      }
    }
    void operator()(const MapField& field) const {
      for (int i = random.whole(0, 3); i > 0; --i) std::visit(*this, field.at(random.one_of(random.hosts_)).form);
    }
    void operator()(const ObjectField& field) const { field.visit(random); }
    void operator()(const ChoiceField& field) const {
      field.choose(random.random_.below(field.tags.size()));
      field.visit(random);
    }
    // A list has a value for each host; lists of names are not tried.
    void operator()(const EitherField& field) const {
      const FieldValue value = random.one_of(field.forms).make();
      const auto* list = std::get_if<ListField>(&value.form);
      if (list == nullptr) return std::visit(*this, value.form);
      if (std::holds_alternative<ListField>(list->blank().form)) return (*this)(field);
      for (std::size_t i = 0; i < random.hosts_.size(); ++i) std::visit(*this, list->append().form);
    }
  };

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
