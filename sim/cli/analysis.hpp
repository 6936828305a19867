// Commands that read results: the Python package `ddlsim`, which the program hands their words to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddl::cli {

// True for the first word of one of these commands.
bool is_of_analysis(std::string_view word);

// Throws InputError, in the name of `command`, if there is no interpreter for hand_to_analysis().
void require_analysis(const std::string& command);

// Replaces this program by the interpreter with these words: DDLSIM_PYTHON, or else PATH's python3, or else Debian's,
// whichever has NumPy, SciPy, pandas and matplotlib first. Throws InputError if none has them.
[[noreturn]] void hand_to_analysis(const std::vector<std::string>& words);

}  // namespace ddl::cli
