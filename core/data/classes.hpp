// The classes of labels, and what is wrong or odd about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/dataset.hpp"

namespace ddl::data {

constexpr std::size_t most_classes_of_labels = 256;  // that a byte can name

// The classes' names, and how many training samples each has.
struct Classes {
  std::vector<std::string> names;
  std::vector<std::size_t> samples;
};
Classes classes_of(std::vector<std::string> names, std::span<const std::uint8_t> labels);
Classes classes_of(const Dataset& train);

// Oddities of classes, a line each, which starts with `where`. Throws InputError, which starts so, too, where they
// are fewer than two or more than 256, or seem to be real numbers.
std::vector<std::string> notes_on(const Classes& classes, const std::string& where);

// Classes that are whole numbers: so many from `first` on.
struct NumberedClasses {
  int first = 0, step = 1, count = 0;
};

struct NumberedLabels {
  NumberedClasses classes;
  std::vector<std::string> names;    // of the classes
  std::vector<std::uint8_t> places;  // of each label among them
};
// Labels of the classes that are `known`; without these, those from 0 to the largest, or from 1 where none is 0, or -1
// and 1. Throws InputError, which starts with `where`.
NumberedLabels numbered_labels(std::span<const int> labels, const std::optional<NumberedClasses>& known,
                               const std::string& where);

}  // namespace ddl::data
