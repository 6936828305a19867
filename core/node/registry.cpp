#include "core/node/registry.hpp"

#include <algorithm>
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
  libraries_.emplace_back();
}

void Registry::add_from(const std::string& library, const std::function<void(Registry&)>& add_systems) {
  Registry with = *this;
  add_systems(with);
  std::fill(with.libraries_.begin() + std::ssize(libraries_), with.libraries_.end(), library);
  *this = std::move(with);
}

const std::string& Registry::library_of(std::string_view name) const {
  static const std::string program;
  for (std::size_t i = 0; i < size(); ++i) {
    if (name == systems_[i]->facts().name) return libraries_[i];
  }
  return program;
}

bool Registry::has_library(const std::string& library) const { return std::ranges::count(libraries_, library) > 0; }

}  // namespace ddl
