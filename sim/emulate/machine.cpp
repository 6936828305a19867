#include "sim/emulate/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <fstream>

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

}  // namespace ddl::emulate
