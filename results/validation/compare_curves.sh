#!/bin/sh
# How near measured and simulated accuracy over time are: a Markdown table of what curves.csv, or another FILE, holds.
# Differences of accuracy are means of absolute ones over all times and three seeds (or pairs of seeds); the rest is of the
# mean of the seeds, measured / simulated; `never` where it does not get there. A seed or a time that is
# missing is an error.
#
#   results/validation/compare_curves.sh [FILE]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
awk -F, '
  function distance(a, b) { return a > b ? a - b : b - a }
  function mean_of(scheme, runtime, time,    sum, s) {
    for (s = 1; s <= 3; ++s) sum += accuracy[scheme, runtime, s, time]
    return sum / 3
  }
  # When the mean of the seeds first is so high, between two evaluations on a straight line; -1: never.
  function reaches(scheme, runtime, level,    i, before, now) {
    for (i = 1; i <= times; ++i) {
      now = mean_of(scheme, runtime, at[i])
      if (now >= level && i == 1) return at[i]
      if (now >= level) return at[i - 1] + (at[i] - at[i - 1]) * (level - before) / (now - before)
      before = now
    }
    return -1
  }
  function seconds(time) { return time < 0 ? "never" : sprintf("%.1f", time) }
  function require(scheme, runtime, time,    s) {
    for (s = 1; s <= 3; ++s) {
      if ((scheme, runtime, s, time) in accuracy) continue
      printf "%s: no accuracy of %s, %s, seed %s, %s s\n", FILENAME, scheme, runtime, s, time > "/dev/stderr"
      exit 1
    }
  }
  function require_all(    n, i, time) {
    for (n = 1; n <= 3; ++n) {
      for (i = 1; i <= times; ++i) {
        require(schemes[n], "measured", at[i])
        require(schemes[n], "simulated", at[i])
      }
      for (time = 50; time <= 150; time += 50) {
        require(schemes[n], "measured", time)
        require(schemes[n], "simulated", time)
      }
    }
  }
  NR > 1 {
    accuracy[$1, $2, $3, $4] = $5
    if (!($4 in seen)) { seen[$4] = 1; at[++times] = $4 }
  }
  END {
    split("ako_p4 ps_async gossip", schemes, " ")
    require_all()
    print "| | measured and simulated, one seed | two measured seeds | 0.2 after, s | 0.3 after, s | at 50 s | at 100 s | at 150 s |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (n = 1; n <= 3; ++n) {
      scheme = schemes[n]
      own = seeds = 0
      for (i = 1; i <= times; ++i) {
        for (s = 1; s <= 3; ++s) {
          own += distance(accuracy[scheme, "measured", s, at[i]], accuracy[scheme, "simulated", s, at[i]]) / 3
          seeds += distance(accuracy[scheme, "measured", s, at[i]], accuracy[scheme, "measured", s % 3 + 1, at[i]]) / 3
        }
      }
      line = sprintf("| %s | %.3f | %.3f |", scheme, own / times, seeds / times)
      for (level = 0.2; level < 0.35; level += 0.1) {
        m = reaches(scheme, "measured", level); s1 = reaches(scheme, "simulated", level)
        line = line " " seconds(m) " / " seconds(s1)
        if (m > 0 && s1 >= 0) line = line sprintf(" (%+.0f %%)", 100 * (s1 / m - 1))
        line = line " |"
      }
      for (time = 50; time <= 150; time += 50)
        line = line sprintf(" %.3f / %.3f |", mean_of(scheme, "measured", time), mean_of(scheme, "simulated", time))
      print line
    }
  }' "${1:-$here/curves.csv}"
