#include "core/base/check.hpp"

#include "core/base/printable.hpp"

namespace ddl {

InputError::InputError(std::string_view what) : std::runtime_error(on_one_line(what)) {}

}  // namespace ddl
