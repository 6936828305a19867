#include "lab/emulate/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "sim/run/rows/collection.hpp"

namespace ddl::emulate {

std::string kernel_release() {
  utsname names{};
  uname(&names);
  return std::string(names.sysname) + " " + names.release;
}

std::string take_precedence() {
  constexpr int middle = 50, strongest = -20;
  const sched_param real_time{middle};
  if (sched_setscheduler(0, SCHED_FIFO, &real_time) == 0) return "real-time";
  if (setpriority(PRIO_PROCESS, 0, strongest) == 0) return "nice -20";
  return "none";
}

ProcessorTicks processor_ticks() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;  // "cpu"
  constexpr int kinds = 8, idle = 3, waiting = 4, soft = 6;
  ProcessorTicks ticks;
  for (int kind = 0; kind < kinds; ++kind) {
    std::int64_t count = 0;
    file >> count;
    ticks.all += count;
    if (kind == idle || kind == waiting) ticks.idle += count;
    if (kind == soft) ticks.soft_interrupts += count;
  }
  return ticks;
}

MachineUse::Moment MachineUse::now() { return {processor_ticks(), run::cpu_seconds()}; }

void MachineUse::add_shares(Measurement& measured, double duration_s) const {
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
