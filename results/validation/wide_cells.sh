#!/bin/sh
# Prints, as one pattern for measure_wan.sh or measure.sh, the cells of FILE (wan.csv or held_out.csv; measured.csv or
# held_out_lan.csv) of which seeds 1 to LAST, 3 or 9, say too little:
#
# - their mean has a standard error of more than 3 % of it, or
# - with three seeds, their times do not overlap with those of another scheme on the same network, but are less than 2 %
#   apart from them, so that a further seed may well end in the gap (two seeds differ by 2.5 % and more on average).
#
#   results/validation/wide_cells.sh FILE 3 [TABLE]...
#   results/validation/wide_cells.sh FILE 9
#
# With a TABLE, made by `reproduce validation` when FILE had three seeds of each cell (validation_distances.csv for
# wan.csv, validation_held_out.csv for both files that are held out, validation_cycles.csv and
# validation_long_queue_cycles.csv for measured.csv), cells of cubic whose simulated mean has such an error as well. No
# rule compares simulation with measurement. After the model or the emulation has changed the rules are applied again,
# from three seeds on. Cells of the first rule get seeds 4 to 9, then 10 to 18, those of the second alone 4 to 6 at
# least.
set -eu
file=$1 last=$2
shift 2
case $last in 3 | 9) ;; *) echo "wide_cells.sh: LAST is 3 or 9, not $last" >&2 && exit 2 ;; esac
[ "$last" = 3 ] || [ $# = 0 ] || { echo "wide_cells.sh: a TABLE is of three seeds, not $last" >&2; exit 2; }
{
  awk -F, -v last="$last" '
    NR == 1 {
      for (i = 1; i <= NF; ++i) at[$i] = i
      next
    }
    $at["seed"] <= last {
      cell = network = ""
      for (i = 1; i < at["seed"]; ++i) {
        cell = cell $i ","
        if (i != at["scheme"]) network = network $i ","
      }
      seconds = $at["seconds_per_cycle"]
      if (!(cell in runs)) {
        least[cell] = most[cell] = seconds
        rivals[network] = rivals[network] " " cell
      }
      if (seconds < least[cell]) least[cell] = seconds
      if (seconds > most[cell]) most[cell] = seconds
      ++runs[cell]; sum[cell] += seconds; squares[cell] += seconds * seconds
    }
    END {
      for (cell in runs) {
        n = runs[cell]
        if (n < last) continue
        mean = sum[cell] / n
        variance = (squares[cell] - n * mean * mean) / (n - 1)
        if (sqrt(variance / n) > 0.03 * mean) print "^" cell
      }
      for (network in rivals) {
        if (last > 3) break
        n = split(rivals[network], cells, " ")
        for (i = 1; i <= n; ++i) {
          for (j = 1; j <= n; ++j) {
            gap = least[cells[j]] / most[cells[i]]
            if (gap > 1 && gap < 1.02) print "^" cells[i] "\n^" cells[j]
          }
        }
      }
    }' "$file"
  for table; do
    case $(basename "$table") in
      validation_long_queue_cycles.csv) queue=0.2 ;;
      *) queue=0.05 ;;
    esac
    # The half width of a 95 % interval of three runs is 4.303 standard errors.
    awk -F, -v queue="$queue" -v is_local="$(head -n 1 "$file" | grep -c queue_s)" '
      NR == 1 {
        for (i = 1; i <= NF; ++i) at[$i] = i
        model = "model" in at ? at["model"] : at["sharing"]
        latency = at["ms one way"]
        next
      }
      $model != "packets" || $at["half_width"] / 4.303 <= 0.03 * $at["simulated"] { next }
      {
        link = "^" $1 "," $2 "," $3 ","
        scheme = $at["scheme"] ","
        is_near = !latency || $latency < 1
      }
      is_local && is_near { print link scheme queue "," }
      !is_local && !is_near { print link $latency "," scheme "cubic,on,[0-9]+," }' "$table"
  done
} | sort -u | awk '{ print } END { if (NR == 0) print "^$" }' | paste -s -d "|" -  # no cell: matches none
