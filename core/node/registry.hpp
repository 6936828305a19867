// The training systems that a program knows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/node/system.hpp"

namespace ddl {

// Made where a program starts, and handed to whatever reads, lists or describes systems. A value: copies share the
// systems, which never change.
class Registry {
 public:
  // Puts a system, with its default settings, behind those that are there. Throws InputError if one of them has its
  // name.
  void add(std::unique_ptr<const System> system);
  template <IsSystem... Params>
  void add() {
    (add(std::make_unique<Params>()), ...);
  }

  // What `add_systems` adds comes from this library. Nothing is added if it throws.
  void add_from(const std::string& library, const std::function<void(Registry&)>& add_systems);
  // The library that a system came from; empty: the program itself.
  const std::string& library_of(std::string_view name) const;
  bool has_library(const std::string& library) const;

  // Whether libraries that a scenario names are opened, too: not by what only looks at it.
  bool opens_libraries() const { return opens_libraries_; }
  void open_libraries(bool opens) { opens_libraries_ = opens; }

  // In the order in which they are shown.
  auto begin() const { return systems_.begin(); }
  auto end() const { return systems_.end(); }
  std::size_t size() const { return systems_.size(); }
  const System& operator[](std::size_t i) const { return *systems_[i]; }

 private:
  std::vector<std::shared_ptr<const System>> systems_;
  std::vector<std::string> libraries_;  // by system
  bool opens_libraries_ = true;
};

}  // namespace ddl
