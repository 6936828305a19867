// The training systems of this program. Adding one: its header and source, and two lines in table.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "core/node/registry.hpp"
#include "core/node/system.hpp"

namespace ddl::systems {

Registry built_in();

// The program of one node; it keeps a reference to `node`. A late worker first fetches a model if the system asks for
// it (facts.fetches_model).
std::unique_ptr<Program> make_program(const System& system, Node& node);

// A system's errors in these surroundings, with full scenario keys.
std::vector<SettingError> setting_errors(const System& system, const Surroundings& around);

// A training system with its settings, as a value.
class SystemChoice {
 public:
  SystemChoice();                         // `single`, and no other
  explicit SystemChoice(Registry among);  // the first of at least one
  template <IsSystem Params>
  SystemChoice(Params params) : system_(std::make_unique<Params>(std::move(params))) {
    among_.add<Params>();
    system_->fill_defaults(nullptr);
  }
  SystemChoice(const SystemChoice& other) : among_(other.among_), system_(other.system_->clone()) {}
  SystemChoice(SystemChoice&&) = default;
  SystemChoice& operator=(SystemChoice other) {
    among_ = std::move(other.among_);
    system_ = std::move(other.system_);
    return *this;
  }

  const Registry& among() const { return among_; }  // the systems to choose from; for one made by code, only itself
  void choose(std::size_t number);                  // chooses one of these, with its defaults

  const System& operator*() const { return *system_; }
  const System* operator->() const { return system_.get(); }
  System& change() { return *system_; }
  // Null if another system is chosen.
  template <IsSystem Params>
  const Params* get_if() const {
    const System& system = *system_;
    return typeid(system) == typeid(Params) ? static_cast<const Params*>(system_.get()) : nullptr;
  }

 private:
  Registry among_;
  std::unique_ptr<System> system_;
};

// Reads and writes the key "name".
FieldValue form_of(SystemChoice& choice);

}  // namespace ddl::systems
