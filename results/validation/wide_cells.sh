#!/bin/sh
# Prints, as one pattern for measure_wan.sh or measure.sh, the cells of FILE (wan.csv or held_out.csv; measured.csv or
# held_out_lan.csv) whose mean is uncertain: the standard error of seeds 1 to 3 is more than 3 % of it.
#
#   results/validation/wide_cells.sh FILE [TABLE]
#
# With TABLE, made by `reproduce validation` when FILE had three seeds of each cell over distances
# (validation_distances.csv or validation_held_out.csv), cells of cubic whose simulated mean is uncertain as well. Neither
# rule compares simulation with measurement. After the model has changed the rule is applied again, to
# its seeds 1 to 3: cells that are uncertain then, on local networks as well, get seeds 4 to 9.
set -eu
file=$1 table=${2:-}
{
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
    }' "$file"
  # The half width of a 95 % interval of three runs is 4.303 standard errors.
  test -z "$table" ||
    awk -F, '$6 == "packets" && $4 >= 1 && $10 / 4.303 > 0.03 * $8 {
      print "^" $1 "," $2 "," $3 "," $4 "," $5 ",cubic,on,[0-9]+,"
    }' "$table"
} | sort -u | paste -s -d "|" -
