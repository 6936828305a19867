#include "core/data/classes.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/files/csv_reader.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_named = 6;

// A name that is not a whole number, if all names are numbers; else null.
const std::string* real_number_in(const std::vector<std::string>& names) {
  const std::string* real = nullptr;
  for (const std::string& name : names) {
    const auto number = number_of(name);
    if (!number) return nullptr;
    if (real == nullptr && *number != std::floor(*number)) real = &name;
  }
  return real;
}

// The first few names.
std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > most_named ? ", ..." : "");
}

std::string number_text(std::size_t count) { return with_separators(std::to_string(count)); }

[[noreturn]] void refuse_label(std::size_t place, int label, const std::string& expected, const std::string& where) {
  throw InputError(where + ": label " + std::to_string(place) + " is " + std::to_string(label) + "; expected " +
                   expected);
}

NumberedClasses numbered_classes(std::span<const int> labels, const std::string& where) {
  const auto [least, most] = std::ranges::minmax(labels);
  if (least == -1 && most == 1 && std::ranges::find(labels, 0) == labels.end()) {
    return {.first = -1, .step = 2, .count = 2};
  }
  const auto negative = std::ranges::find_if(labels, [](int label) { return label < 0; });
  if (negative != labels.end()) {
    refuse_label(static_cast<std::size_t>(negative - labels.begin()), *negative,
                 "whole numbers from 0 or 1 on, or -1 and 1", where);
  }
  const int first = least == 1 ? 1 : 0;
  return {.first = first, .step = 1, .count = most - first + 1};
}

}  // namespace

Classes classes_of(std::vector<std::string> names, std::span<const std::uint8_t> labels) {
  Classes classes{std::move(names), {}};
  classes.samples.resize(classes.names.size());
  for (const std::uint8_t label : labels) ++classes.samples[label];
  return classes;
}

Classes classes_of(const Dataset& train) {
  std::vector<std::string> names = train.class_names;
  while (names.size() < unsigned_of(train.classes)) names.push_back(std::to_string(names.size()));
  return classes_of(std::move(names), train.labels);
}

std::vector<std::string> notes_on(const Classes& classes, const std::string& where) {
  const std::size_t count = classes.names.size();
  const auto fail = [&](const std::string& why) { throw InputError(where + ": " + why); };
  const std::string* real = real_number_in(classes.names);
  const auto sizes = [&](std::size_t samples) {
    return static_cast<std::size_t>(std::ranges::count(classes.samples, samples));
  };
  const bool alone = 2 * sizes(1) > count;
  if (count - sizes(0) < 2) fail("has samples of one class alone; expected at least two classes");
  if (real != nullptr && (alone || count > most_classes_of_labels)) {
    fail("has real numbers, " + number_text(count) + " different ones such as " + *real +
         ", which are no classes; expected labels that samples share");
  }
  if (count > most_classes_of_labels) {
    fail("has labels of " + std::to_string(count) + " classes; expected at most " +
         std::to_string(most_classes_of_labels));
  }
  std::vector<std::string> notes;
  const auto note = [&](const std::string& what) { notes.push_back(where + ": " + what); };
  if (real != nullptr)
    note("has real numbers such as " + *real + ", and each of the " + number_text(count) + " is a class");
  if (alone) note("has " + number_text(count) + " classes, of which most have one sample");
  std::vector<std::string> without;
  for (std::size_t i = 0; i < count; ++i) {
    if (classes.samples[i] == 0) without.push_back(classes.names[i]);
  }
  if (!without.empty())
    note("has no training sample of " + number_text(without.size()) + " of its " + number_text(count) +
         " classes: " + named(without));
  return notes;
}

NumberedLabels numbered_labels(std::span<const int> labels, const std::optional<NumberedClasses>& known,
                               const std::string& where) {
  NumberedLabels found{.classes = known ? *known : numbered_classes(labels, where), .names = {}, .places = {}};
  const auto [first, step, count] = found.classes;
  for (int i = 0; i < count; ++i) found.names.push_back(std::to_string(first + i * step));
  found.places.reserve(labels.size());
  for (const int label : labels) {
    const int place = (label - first) / step;
    if (label < first || place >= count || first + place * step != label) {
      refuse_label(found.places.size(), label, found.names.front() + (step == 1 ? " to " : " or ") + found.names.back(),
                   where);
    }
    found.places.push_back(static_cast<std::uint8_t>(place));
  }
  return found;
}

}  // namespace ddl::data
