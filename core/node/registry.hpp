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

// Made at program start, and handed to the code that reads, lists or describes systems. A value: copies share the
// systems, which never change.
class Registry {
 public:
  // Appends a system with its default settings. Throws InputError if its name is taken.
  void add(std::unique_ptr<const System> system);
  template <IsSystem... Params>
  void add() {
    (add(std::make_unique<Params>()), ...);
  }

  // Calls `add_systems` and marks its systems as this library's. Nothing is added if it throws.
  void add_from(const std::string& library, const std::function<void(Registry&)>& add_systems);
  // The library that a system came from; empty: the program itself.
  const std::string& library_of(std::string_view name) const;
  bool has_library(const std::string& library) const;

  // True if libraries that a scenario names are opened, too; code that only inspects a scenario leaves it off.
  bool opens_libraries() const { return opens_libraries_; }
  void open_libraries(bool opens) { opens_libraries_ = opens; }

  // In display order.
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
