// The classes of labels, with errors and warnings about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/dataset.hpp"

namespace ddl::data {

constexpr std::size_t most_classes_of_labels = 256;  // limit of a byte

// The classes' names, and their numbers of training samples.
struct Classes {
  std::vector<std::string> names;
  std::vector<std::size_t> samples;
};
Classes classes_of(std::vector<std::string> names, std::span<const std::uint8_t> labels);
Classes classes_of(const Dataset& train);

// Oddities of classes, a line each, beginning with `where`. Throws InputError, which also begins with `where`, if there
// are fewer than two classes or more than 256, or if they seem to be real numbers.
std::vector<std::string> notes_on(const Classes& classes, const std::string& where);

// Classes that are whole numbers: `count` of them from `first` on.
struct NumberedClasses {
  int first = 0, step = 1, count = 0;
};

struct NumberedLabels {
  NumberedClasses classes;
  std::vector<std::string> names;    // the classes' names
  std::vector<std::uint8_t> places;  // each label's place among the classes
};
// Labels of the `known` classes; without these, of classes from 0 to the largest, or from 1 if none is 0, or -1 and 1.
// Throws InputError, which begins with `where`.
NumberedLabels numbered_labels(std::span<const int> labels, const std::optional<NumberedClasses>& known,
                               const std::string& where);

}  // namespace ddl::data
