// The data that the templates own_data and language_model name.
#pragma once

#include <string>

namespace ddl::cli {

inline constexpr const char* example_table_name = "own_data.csv";

// 2,000 lines below f1,...,f20,site,class. A class has a center, whose coordinates are normal with deviation 0.6; a
// sample is its class's center and normal noise of deviation 1, and feature j is 10^(j mod 3) times that. At a site
// every second sample is of the site's own class, the others are of any. Always the same.
std::string example_table();

inline constexpr const char* example_text_name = "text.txt";

// 400,000 letters, spaces and stops: sentences of made-up words, each followed by one of four. Always the same.
std::string example_text();

}  // namespace ddl::cli
