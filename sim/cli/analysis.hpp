// Commands that search for settings or read results: the Python package `ddlsim`, which gets their words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddl::cli {

// True for the first word of one of these commands.
bool is_of_analysis(std::string_view word);

// Replaces this program by the interpreter with these words: DDLSIM_PYTHON, or else PATH's python3, or else Debian's,
// whichever has NumPy, SciPy, pandas and matplotlib first. Throws InputError if none has them.
[[noreturn]] void hand_to_analysis(const std::vector<std::string>& words);

}  // namespace ddl::cli
