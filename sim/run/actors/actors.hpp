// Starts SimGrid's actors. What one of them throws ends the run.
#pragma once

#include <functional>
#include <string>

#include "sim/network/quiescence.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/run_end.hpp"

namespace ddl::run {

class SimNode;

class Actors {
 public:
  // `failed` is called after an actor has failed, by that actor.
  Actors(platform::Fabric& fabric, network::Quiescence& quiescence, RunEnd& end, std::function<void()> failed)
      : fabric_(fabric), quiescence_(quiescence), end_(end), failed_(std::move(failed)) {}

  // An actor of the runtime's own; it ends with the run.
  void start(const std::string& name, std::function<void()> body) { start_on(0, name, std::move(body)); }
  // An actor of a node's; it ends with the run, or when the host crashes.
  void start_of(SimNode& node, const std::string& name, std::function<void()> body);
  // The only actor that is not a daemon: when it returns, SimGrid ends all others.
  void start_last(const std::string& name, std::function<void()> body);

 private:
  void start_on(int host, const std::string& name, std::function<void()> body);
  void guard(const std::function<void()>& body);

  platform::Fabric& fabric_;
  network::Quiescence& quiescence_;
  RunEnd& end_;
  const std::function<void()> failed_;
};

}  // namespace ddl::run
