// What a reader of an advice asks next: why, at which price, how far it holds, and what to be careful about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/advise/advise.hpp"

namespace ddl::advise {

// About so many seeds tell two apart, in four cases of five, by a test that is one of so many; none where these are
// equal.
std::optional<std::size_t> seeds_to_tell(const std::vector<double>& differences, std::size_t tests);

// How far one contender is behind another, by seeds that both raced with.
std::vector<double> behind_of(const Advice& advice, std::size_t one, std::size_t other);

// Whether the baseline has all but learned the task half-way, and no other ends far above it: then no network matters.
bool is_saturated(const Advice& advice, const scenario::Metric& metric, double length_s);

// A sentence each: on the links and the workers of the best that sends, and on the bandwidth at which it stops paying.
std::vector<std::string> reasons_of(Adviser& adviser, const Advice& advice);
std::vector<std::string> warnings_of(Adviser& adviser, const Advice& advice);

// Of which Usage is told: the best, or the best that sends where that sends nothing; none: there is none.
std::optional<std::size_t> told_of(const Advice& advice);

}  // namespace ddl::advise
