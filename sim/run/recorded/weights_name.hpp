// Names of files of weights.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddl::run {

// Whose file it is where it is not one host's: the servers', or all workers' that hold parts of one model.
inline constexpr std::string_view owned_by_servers = "server", owned_by_all = "model";

// Prefixes of files' names: for final weights, and for initial weights where each worker has its own.
inline constexpr std::string_view final_weights = "weights", own_first_weights = "initial-weights";

// The longest name that file systems take, in bytes.
inline constexpr std::size_t longest_file_name = 255;

// "weights-w0.safetensors". A slash, which would lead out of the folder, is written as %2F, and so that no two hosts
// share a file, a percent sign as %25.
std::string weights_name(std::string_view what, std::string_view owner);

}  // namespace ddl::run
