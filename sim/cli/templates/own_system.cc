// A training system of your own: after a step a worker sends its model to a random other, which takes the mean.
//   build it   cmake -B build && cmake --build build    (CMakeLists.txt is beside; with -Dddlsim_DIR=CHECKOUT/build/release
//                                                        where ddlsim is not installed)
//   run it     ddlsim FILE.json, whose "load" names the library
//   judge it   ddlsim laws --load build/libown_system.so
#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/systems/plugin.hpp"

namespace own {

using namespace ddl;

constexpr int port = 0;  // an inbox of each node; a system numbers its own

struct OwnSystem : SystemOf<OwnSystem> {
  // core/node/system.hpp has all facts, such as needs_servers, and all hooks.
  static constexpr SystemFacts facts{.name = "own_system",
                                     .what = "workers send their models to random others and never wait",
                                     .paper = "yours, or who found it",
                                     .fetches_model = true};
  int every = 1;  // a setting, which fields() below makes a key

  // A worker's whole run. Simulated time passes only in calls that core/node/node.hpp marks with W.
  void worker(Node& node) const override {
    const Cluster& cluster = node.cluster();
    Stream random = node.rng("target");  // the same draws in every run of a seed
    while (node.next_step()) {
      const Gradient gradient = node.gradient();  // takes compute.seconds_per_batch
      node.apply(gradient);                       // a step of training.optimizer
      while (const auto message = node.poll(port)) {
        blend(node.weights().write(), values_of(message->values), 0.5f);
      }
      if (cluster.workers > 1 && (node.step() + 1) % every == 0) {
        const auto others = static_cast<std::uint64_t>(cluster.workers - 1);
        const int target = (node.id() + 1 + static_cast<int>(random.below(others))) % cluster.workers;
        if (node.queue(target).length() == 0) {  // else the last one still waits for the network
          node.send(target, {.port = port,
                             .step = node.step(),
                             .values = node.weights().snapshot(),
                             .wire_bytes = cluster.model_bytes});
        }
      }
      node.finish_step();
    }
  }

  // What a step sends, for lower bounds. No step waits for these messages, so they are not in the bound.
  Traffic traffic(const Cluster& cluster) const override {
    Traffic traffic;
    traffic.unlisted_messages = 1.0 * cluster.workers / every;
    for (int from = 0; from < cluster.workers; ++from) {
      for (int to = 0; to < cluster.workers; ++to) {
        if (to != from) traffic.unlisted.emplace_back(from, to);
      }
    }
    return traffic;
  }
};

template <class Visitor>
void fields(Visitor& visit, OwnSystem& system) {
  visit("every", system.every, Rule{.doc = "steps from one message to the next", .at_least = 1});
}

}  // namespace own

DDLSIM_PLUGIN(own::OwnSystem)
