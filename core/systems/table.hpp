// Every training system, once. Adding one: its header and file, and a line in table.cpp.
#pragma once

#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "core/node/system.hpp"

namespace ddl::systems {

// With their default settings, in the order in which they are shown.
const std::vector<std::unique_ptr<const System>>& all_systems();

// The program of one node, which keeps a reference to `node`. A worker that joins late first fetches a model, where the
// system asks for that (facts.fetches_model).
std::unique_ptr<Program> make_program(const System& system, Node& node);

// What is wrong with a system in these surroundings.
std::vector<SettingError> setting_errors(const System& system, const Surroundings& around);

// A training system with its settings, as a value.
class SystemChoice {
 public:
  SystemChoice();  // the first of all_systems()
  explicit SystemChoice(std::unique_ptr<System> system) : system_(std::move(system)) {}
  template <IsSystem Params>
  SystemChoice(Params params) : system_(std::make_unique<Params>(std::move(params))) {}
  SystemChoice(const SystemChoice& other) : system_(other.system_->clone()) {}
  SystemChoice(SystemChoice&&) = default;
  SystemChoice& operator=(SystemChoice other) {
    system_ = std::move(other.system_);
    return *this;
  }

  const System& operator*() const { return *system_; }
  const System* operator->() const { return system_.get(); }
  System& change() { return *system_; }
  // Null if it is another system.
  template <IsSystem Params>
  const Params* get_if() const {
    const System& system = *system_;
    return typeid(system) == typeid(Params) ? static_cast<const Params*>(system_.get()) : nullptr;
  }

 private:
  std::unique_ptr<System> system_;
};

// Chosen among all_systems() by the key "name".
FieldValue form_of(SystemChoice& choice);

}  // namespace ddl::systems
