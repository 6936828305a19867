// The choice of samples if fewer are asked for than there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

// `count` places in `labels`, ascending, drawn without replacement. Each class has its share, count x members / all,
// rounded so that shares sum to count: up where the largest parts would be cut off, ties at random.
std::vector<std::uint32_t> draw_subset(std::span<const std::uint8_t> labels, std::size_t count, Stream random);

// Keeps only the samples at these places, ascending.
void keep_places(Dataset& data, std::span<const std::uint32_t> places);

// Keeps `count` samples of `data`, drawn by draw_subset; draws nothing if that is all of them.
void keep_subset(Dataset& data, std::size_t count, Stream random);

// Takes `count` samples, drawn by draw_subset, out of `data`, and returns them.
Dataset take_subset(Dataset& data, std::size_t count, Stream random);

}  // namespace ddl::data
