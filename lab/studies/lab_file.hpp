// Files of the laboratory, which come with the program: what was measured (results/validation), and the folders of
// studies (lab/studies).
#pragma once

#include <string>
#include <vector>

namespace ddl::studies {

// The path of a file, which is named from the root of the repository: below $DDLSIM_HOME if that is set; otherwise
// below the current folder, or below a folder above the program or its share/ddlsim. Throws InputError where there is
// none.
std::string lab_file(const std::string& name);
std::string lab_text(const std::string& name);
// The names of a folder's folders that hold a file of that name, in order; of the first place that has any.
std::vector<std::string> lab_folders(const std::string& folder, const std::string& file);

}  // namespace ddl::studies
