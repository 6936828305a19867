// A first check of a platform file, for mistakes that SimGrid reports badly or that make it abort.
#pragma once

#include <string>

namespace ddl::platform {

// Throws InputError of one line naming the file: it cannot be read, is no SimGrid platform, or has a tag that no
// platform has.
void check_platform_text(const std::string& path);

}  // namespace ddl::platform
