// Settings that a <config> of a platform file may have.
#pragma once

#include <string>
#include <string_view>

namespace ddl::platform {

// Why a setting does nothing here, for a note; empty: it is obeyed. Throws InputError, without a place: a setting that
// could change times and is not obeyed, a name that SimGrid does not have, or a value that cannot be.
std::string why_passed_over(std::string_view name, std::string_view value);

}  // namespace ddl::platform
