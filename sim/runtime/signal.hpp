// What an actor sleeps on until another rings.
#pragma once

#include <simgrid/s4u/Semaphore.hpp>

namespace ddl {

class Signal {
 public:
  Signal() : semaphore_(simgrid::s4u::Semaphore::create(0)) {}

  void wait() { semaphore_->acquire(); }
  // False when `seconds` of simulated time went by without a ring.
  bool wait_for(double seconds) { return !semaphore_->acquire_timeout(seconds); }
  void ring() { semaphore_->release(); }

 private:
  simgrid::s4u::SemaphorePtr semaphore_;
};

}  // namespace ddl
