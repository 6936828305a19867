#include "sim/emulate/machine_use.hpp"

#include <thread>

#include "sim/experiment/collection.hpp"

namespace ddl::emulate {

MachineUse::Moment MachineUse::now() { return {processor_ticks(), experiment::cpu_seconds()}; }

void MachineUse::add_shares(experiment::Measurement& measured, double duration_s) const {
  const std::int64_t all = after_.ticks.all - before_.ticks.all;
  const auto share = [&](std::int64_t ticks) {
    return all > 0 ? static_cast<double>(ticks) / static_cast<double>(all) : 0;
  };
  measured.busy_share = 1 - share(after_.ticks.idle - before_.ticks.idle);
  measured.soft_interrupt_share = share(after_.ticks.soft_interrupts - before_.ticks.soft_interrupts);
  const double cores = static_cast<double>(std::thread::hardware_concurrency());
  measured.own_share = duration_s > 0 ? (after_.own_cpu_s - before_.own_cpu_s) / (duration_s * cores) : 0;
}

}  // namespace ddl::emulate
