#include "core/node/on_failure.hpp"

#include <string>

namespace ddl {

std::vector<SettingError> errors_in(OnFailure on_failure) {
  if (on_failure != OnFailure::time_out) return {};
  return {{"on_failure",
           "\"time_out\" needs a server that decides for all: workers would give up different workers, and not "
           "agree on which are in the group; expected \"wait\" or \"go_on\""}};
}

}  // namespace ddl
