#include "core/node/on_failure.hpp"

#include <string>

namespace ddl {

std::vector<SettingError> errors_in(OnFailure on_failure) {
  if (on_failure != OnFailure::time_out) return {};
  return {{"on_failure",
           "\"time_out\" needs a server that decides for all: workers would give up different workers, and not "
           "agree on which are in the group; expected \"wait\" or \"go_on\""}};
}

std::vector<SettingError> errors_in(OnFailure on_failure, const std::optional<Seconds>& failure_timeout) {
  const bool wanted = on_failure == OnFailure::time_out;
  if (wanted && !failure_timeout) {
    return {{"failure_timeout", "is missing, and \"time_out\" has no default; expected a time such as \"5s\""}};
  }
  if (!wanted && failure_timeout) {
    return {{"failure_timeout", "is given, but on_failure \"" + std::string(name_of(on_failure)) +
                                    "\" needs none; expected on_failure \"time_out\", or no such key"}};
  }
  return {};
}

}  // namespace ddl
