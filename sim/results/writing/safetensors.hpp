// A weights file in the safetensors format: 8 bytes of header length (little-endian), a JSON header, raw values.
// Source: the format's description at huggingface.co/docs/safetensors.
#pragma once

#include <cstddef>
#include <string>

namespace ddl::results {

// Everything before the values of one float32 tensor "parameters" of `count` numbers. Padded with spaces, so that the
// values start at a multiple of 8 bytes.
std::string safetensors_header(std::size_t count);

// weights-<owner>.safetensors; letters that would leave the folder are written as %2F.
std::string weights_file_name(const std::string& owner);

}  // namespace ddl::results
