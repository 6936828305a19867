// The laboratory's commands, which check the simulation, are those of a program of its own: ddlsim-lab. All that this
// one knows of them is their names.
#pragma once

#include <string>
#include <vector>

namespace ddl::cli {

const std::vector<std::string>& laboratory_words();

// Becomes the ddlsim-lab that lies beside this program, with the same arguments; its streams and its exit code are the
// caller's. Throws InputError if there is none.
[[noreturn]] void hand_to_laboratory(const std::vector<std::string>& arguments);

}  // namespace ddl::cli
