// Checks shared by all readers of data files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/data/data_spec.hpp"

namespace ddl::data {

// The folder spec.path, or an InputError saying what it should hold.
std::filesystem::path data_folder(const DataSpec& spec);

// How many of `available` samples to use: `wanted`, or all. Throws InputError when there are fewer than wanted. `key`
// is "train" or "test"; `where` names the file or folder.
std::size_t samples_used(const std::string& where, const char* key, const std::optional<std::int64_t>& wanted,
                         std::size_t available);

}  // namespace ddl::data
