// Which samples are used where fewer are asked for than there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

// `count` places in `labels`, ascending, drawn without replacement. Each class has its share of them, count x members /
// all, rounded so that they sum to count: up where most would be cut off, among equals at random.
std::vector<std::uint32_t> draw_subset(std::span<const std::uint8_t> labels, std::size_t count, Stream random);

// Leaves the samples at these places, ascending.
void keep_places(Dataset& data, std::span<const std::uint32_t> places);

// Leaves `count` samples of `data`, drawn so; nothing is drawn where that is all of them.
void keep_subset(Dataset& data, std::size_t count, Stream random);

// Takes `count` samples, drawn so, out of `data`, and returns them.
Dataset take_subset(Dataset& data, std::size_t count, Stream random);

}  // namespace ddl::data
