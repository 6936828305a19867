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

std::unique_ptr<Program> make_program(const SingleParams&, Node& node) { return std::make_unique<Single>(node); }

Traffic traffic_of(const SingleParams&, const Cluster&) { return {}; }

}  // namespace ddl::systems
