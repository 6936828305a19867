#!/bin/sh
# Prints, as one pattern for measure_wan.sh or measure.sh, the cells of FILE (wan.csv or held_out.csv; measured.csv or
# held_out_lan.csv) whose mean is uncertain: the standard error of their runs with seeds 1 to 3 is more than 3 % of it.
#
#   results/validation/wide_cells.sh FILE
set -eu
awk -F, '
  NR == 1 {
    for (i = 1; i <= NF; ++i) at[$i] = i
    next
  }
  $at["seed"] <= 3 {
    cell = ""
    for (i = 1; i < at["seed"]; ++i) cell = cell $i ","
    seconds = $at["seconds_per_cycle"]
    ++runs[cell]; sum[cell] += seconds; squares[cell] += seconds * seconds
  }
  END {
    for (cell in runs) {
      n = runs[cell]
      if (n < 2) continue
      mean = sum[cell] / n
      variance = (squares[cell] - n * mean * mean) / (n - 1)
      if (sqrt(variance / n) > 0.03 * mean) print "^" cell
    }
  }' "$1" | sort | paste -s -d "|" -
