#include "sim/run/actors/actors.hpp"

#include <memory>
#include <utility>

#include "sim/platform/simgrid_api.hpp"
#include "sim/run/actors/sim_node.hpp"

namespace ddl::run {

namespace sg = simgrid::s4u;

// Being killed at the end of the run is no exception of ours.
void Actors::guard(const std::function<void()>& body) {
  try {
    body();
    quiescence_.do_postponed();
    return;
  } catch (const std::exception&) {
    end_.fail(std::current_exception());
  }
  failed_();
}

void Actors::start_on(int host, const std::string& name, std::function<void()> body) {
  quiescence_.expect_turn();
  const auto ended = std::make_shared<bool>(false);
  const auto run_guarded = [this, ended, body = std::move(body)] {
    quiescence_.has_turn();
    guard(body);
    *ended = true;
  };
  // Its first turn comes before add_actor() returns. SimGrid would count the dead among its daemons, and end a run in
  // which as many live as it counts.
  const sg::ActorPtr actor = simgrid_api::add_actor(name, fabric_.host(host), run_guarded);
  if (!*ended) actor->daemonize();
}

void Actors::start_last(const std::string& name, std::function<void()> body) {
  simgrid_api::add_actor(name, fabric_.host(0), [this, body = std::move(body)] { guard(body); });
}

void Actors::start_of(SimNode& node, const std::string& name, std::function<void()> body) {
  node.actor_starts();
  start_on(node.id(), name, [this, &node, body = std::move(body)] {
    try {
      body();
      quiescence_.do_postponed();
    } catch (const Crashed&) {
      // Nothing may wait in here; an actor that has crashed wakes no other.
    }
    node.actor_ends();
  });
}

}  // namespace ddl::run
