// The table that the template own_data names.
#pragma once

#include <string>

namespace ddl::cli {

inline constexpr const char* example_table_name = "own_data.csv";

// 2,000 lines below f1,...,f20,site,class. A class has a center, whose coordinates are normal with deviation 0.6; a
// sample is its class's center and normal noise of deviation 1, and feature j is 10^(j mod 3) times that. At a site
// every second sample is of the site's own class, the others are of any. Always the same.
std::string example_table();

}  // namespace ddl::cli
