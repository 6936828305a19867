// Commands that read results: the Python package `ddlsim`, which the program hands their words to.
#pragma once

#include <string>
#include <vector>

namespace ddl::cli {

// The first words of these commands.
const std::vector<std::string>& analysis_words();

// Throws InputError, in the name of `command`, if there is no interpreter for hand_to_analysis().
void require_analysis(const std::string& command);

// Replaces this program by the interpreter with these words: DDLSIM_PYTHON, or else PATH's python3, or else Debian's,
// whichever has NumPy, SciPy, pandas and matplotlib first. Throws InputError if none has them.
[[noreturn]] void hand_to_analysis(const std::vector<std::string>& words);

}  // namespace ddl::cli
