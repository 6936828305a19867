// The training systems that a program knows.
#pragma once

#include <cstddef>
#include <memory>
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

  // In the order in which they are shown.
  auto begin() const { return systems_.begin(); }
  auto end() const { return systems_.end(); }
  std::size_t size() const { return systems_.size(); }
  const System& operator[](std::size_t i) const { return *systems_[i]; }

 private:
  std::vector<std::shared_ptr<const System>> systems_;
};

}  // namespace ddl
