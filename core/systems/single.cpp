#include "core/systems/single.hpp"

#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class Single : public Program {
 public:
  explicit Single(Node& node) : node_(node) {}

  void run() override {
    while (node_.next_step()) {
      const Gradient gradient = node_.gradient();
      node_.apply(values_of(gradient.values));
      node_.finish_step();
    }
  }

 private:
  Node& node_;
};

}  // namespace

std::unique_ptr<Program> SingleParams::program(Node& node) const { return std::make_unique<Single>(node); }

Traffic SingleParams::traffic(const Cluster&) const { return {}; }

std::vector<SettingError> SingleParams::errors(const Surroundings& around) const {
  if (around.workers == 1) return {};
  return {{"name", "\"single\" trains on 1 worker, the platform has " + std::to_string(around.workers)}};
}

}  // namespace ddl::systems
