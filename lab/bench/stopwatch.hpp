// Times for benchmarks: processor time of this thread, as other programs disturb it less than wall time.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

namespace ddl::bench {

template <class Work>
double seconds_of(Work work) {
  const auto now_s = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start_s = now_s();
  work();
  return now_s() - start_s;
}

// Median of five measurements of the time of `work`, each the mean over as many repetitions (at least one) as fill a
// fifth of `seconds`.
template <class Work>
double median_seconds(double seconds, Work work) {
  work();  // warms up memory and caches
  const double once = seconds_of(work);
  const int repetitions = static_cast<int>(std::clamp(seconds / 5 / std::max(once, 1e-9), 1.0, 1e6));
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double all = seconds_of([&] {
      for (int j = 0; j < repetitions; ++j) work();
    });
    times.push_back(all / repetitions);
  }
  std::ranges::sort(times);
  return times[2];
}

}  // namespace ddl::bench
