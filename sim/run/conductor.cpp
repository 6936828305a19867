#include "sim/run/conductor.hpp"

#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "sim/process/failures.hpp"

namespace ddl::run {

namespace sg = simgrid::s4u;

Conductor::Conductor(Run run, std::function<std::string()> waiting_text)
    : run_(run), waiting_text_(std::move(waiting_text)) {
  run_.quiescence.when_nothing_is_under_way([this] { wake_if_no_work_is_left(); });
}

bool Conductor::work_is_over() const {
  return !run_.workers.any_at_work() && (run_.stop_rule.has_enough_samples() || !run_.workers.any_to_come());
}

bool Conductor::is_quiet() const {
  const network::Quiescence& quiescence = run_.quiescence;
  while (quiescence.is_any_turn_expected()) sg::this_actor::yield();
  return !quiescence.is_anything_under_way();
}

// Nothing may ring once the run is over: actors are being unwound.
void Conductor::wake_if_no_work_is_left() {
  if (!run_.end.is_over() && !run_.workers.any_at_work() && !run_.quiescence.is_anything_under_way()) wake();
}

void Conductor::wait_for_the_end() {
  while (!run_.end.is_over()) {
    run_.quiescence.do_postponed();
    something_happened_.wait();
    if (!work_is_over() || !is_quiet() || run_.end.is_over()) continue;
    if (!run_.stop_rule.reason().empty()) {
      end(run_.stop_rule.reason());
    } else if (run_.hosts.all_up()) {
      end("finished");
    } else if (!run_.stop_rule.has_time()) {
      fail_as_stuck();  // all have gone before the end; at stop.time it ends whoever is there
    }
  }
}

void Conductor::end(const std::string& reason) {
  if (run_.end.stop(reason, sg::Engine::get_clock())) wake_later();
}

void Conductor::diverged(Divergence divergence) {
  if (run_.end.diverge(std::move(divergence))) wake_later();
}

void Conductor::wake_later() {
  run_.quiescence.later([this] { wake(); });
}

void Conductor::fail_as_stuck() { run_.end.fail(std::make_exception_ptr(process::RunFailed(waiting_text_()))); }

void Conductor::end_if_stuck() {
  if (work_is_over() || run_.hosts.any_to_come() || run_.hosts.is_changing() || !is_quiet() || run_.end.is_over()) {
    return;
  }
  fail_as_stuck();
  wake();
}

// SimGrid's clock accumulates rounding error in the last digits: records the requested time.
void Conductor::end_at(double time_s) {
  end_if_stuck();  // nothing but this clock may have kept a dead run going
  if (run_.end.stop("time", time_s)) wake_later();
}

}  // namespace ddl::run
