// Seeds as users write them: one, a range A..B, or a list of those with commas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddl::jobs {

constexpr std::uint64_t most_seeds = 10000;

// Throws InputError: "\"x\" is no seed; expected a whole number from 0 to 2^64 - 1".
std::uint64_t seed_of(const std::string& text);
// In their order, each once. Throws InputError likewise.
std::vector<std::uint64_t> seeds_of(const std::string& text);

}  // namespace ddl::jobs
