// Stale-synchronous SGD with a sharded parameter server (Ho et al., NIPS 2013).
//
//   worker:  pull, gradient, push, as in ps_async.cpp
//   server:  1  on a push of g by worker w:  x = step(x, g) of weight 1 / n;  clock[w] += 1
//            2  on a pull by worker w:       send x as soon as clock[w] - s <= the least clock
//
// A worker that comes back need not make up for missed gradients.
#include "core/systems/servers/ps_ssp.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/comm/sharded_model.hpp"
#include "core/membership/clocks.hpp"
#include "core/membership/worker_set.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {

void PsSspParams::server(Node& node) const {
  comm::ShardServer shard(node);
  membership::WorkerSet workers(node, on_failure, failure_timeout);
  membership::Clocks clock(workers, node.cluster().workers);
  const auto holding_up = [&] { return shard.asking().empty() ? std::vector<int>() : clock.slowest(); };
  while (true) {
    if (const auto message = workers.receive(shard, "pulls and pushes of workers", holding_up)) {
      const bool is_push = message->is<comm::Push>();
      // Set at pulls, too: a server that has crashed has lost its clocks.
      clock.set(message->source, message->step + (is_push ? 1 : 0));
      workers.add(message->source);
      if (is_push) {
        node.compute(update_time.value);
        const std::int64_t staleness = shard.record_staleness(*message);
        apply_push(*this, shard, node, *message, staleness);  // 1
      }
    }
    const std::int64_t least = clock.least();
    shard.answer_if([&](int worker) { return clock.of(worker) - staleness_bound <= least; });  // 2
    workers.wait_while_asked(shard);
  }
}

std::vector<SettingError> PsSspParams::errors(const Surroundings&) const { return errors_by_layers(*this, on_failure); }

// A suspected worker comes back at the least clock, whatever its steps: the lead in steps is unbounded.
std::optional<int> PsSspParams::most_steps_ahead() const {
  return on_failure == OnFailure::time_out ? std::nullopt : std::optional(staleness_bound);
}

}  // namespace ddl::systems
