#include "core/node/registry.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.hpp"

namespace ddl {

void Registry::add(std::unique_ptr<const System> system) {
  for (const auto& other : systems_) {
    if (std::string_view(other->facts().name) != system->facts().name) continue;
    throw InputError("two training systems are called \"" + std::string(system->facts().name) +
                     "\"; expected another name");
  }
  systems_.push_back(std::move(system));
}

}  // namespace ddl
