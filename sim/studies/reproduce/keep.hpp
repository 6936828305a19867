// The figures of finished runs on disk, one small file each, whole or absent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::studies {

using Readings = std::vector<std::optional<double>>;

// DIR/<digest of scenario and program>.json.
std::string kept_file(const std::string& folder, const scenario::Scenario& scenario, const std::string& program);
// Throws InputError if it cannot be written.
void keep(const std::string& file, const scenario::Scenario& scenario, const Readings& readings);
// Nothing if there is no such file, or not of `count` figures.
std::optional<Readings> kept(const std::string& file, std::size_t count);

std::string to_text(const Readings& readings);
std::optional<Readings> from_text(const std::string& text, std::size_t count);

}  // namespace ddl::studies
