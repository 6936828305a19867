#pragma once

#include <string>
#include <vector>

#include "core/data/data_spec.hpp"

namespace ddl::data {

// The files that load_data would read, in its order; none for synthetic data. Throws InputError as it does.
std::vector<std::string> data_files(const DataSpec& spec);

}  // namespace ddl::data
