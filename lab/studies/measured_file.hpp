// What was measured over real TCP, in files that come with the program (results/validation).
#pragma once

#include <string>

namespace ddl::studies {

// The text of results/validation/<name>: below $DDLSIM_HOME if that is set; otherwise below the current folder, or
// below a folder above the program or its share/ddlsim. Throws InputError where there is none.
std::string measured_file(const std::string& name);

}  // namespace ddl::studies
