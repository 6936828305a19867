#!/bin/sh
# Accuracy over time, measured over real TCP (a delay box) and simulated with the same seeds: the main scenario's network
# and data on its heterogeneous WAN (20 ms one way), with messages of 1 MB and gradients of 100 ms. Prints CSV. Needs root
# and some 15 minutes: two runs at once. A run that was disturbed, as measure_wan.sh has it, is made again; after the
# third the script fails.
#
#   results/validation/measure_curves.sh PROGRAM > results/validation/curves.csv
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cells.sh"

curve() {
  program=$1 scheme=$2 seed=$3
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  set -- "$here/../../scenarios/het_wan_$scheme.json" --quiet --out "$work" --seed "$seed" --set name=curve \
    --set algorithm="$(algorithm "$scheme")" --set wire.model_bytes=1MB --set compute.seconds_per_batch=100ms \
    --set stop='{"time": "150s"}' --set evaluate='{"every": "5s"}' --set platform.network.model=auto
  "$program" run "$@" > /dev/null
  for _ in 1 2 3; do
    "$program" emulate "$@" --force --threads 1 > /dev/null
    timing=$work/curve-measured/$seed/timing.json
    echo "$scheme $seed: steps" "$(number iterations "$work/curve-measured/$seed/summary.json")" measured, \
      "$(number iterations "$work/curve/$seed/summary.json")" simulated, late "$(number late_max_s "$timing")" \
      "$(number error_p99_s "$timing")", box "$(number processor_share "$timing")", \
      busy "$(number busy_share "$timing")" >&2
    if ! is_disturbed "$timing" 20; then break; fi
  done
  if is_disturbed "$timing" 20; then
    echo "$scheme $seed: disturbed three times; run this again when the machine does less" >&2
    exit 1
  fi
  for runtime in curve-measured curve; do
    awk -F, -v name="$scheme,$runtime,$seed" '$2 == "mean" { print name "," $1 "," $9 }' "$work/$runtime/$seed/curve.csv"
  done | sed 's/,curve-measured,/,measured,/; s/,curve,/,simulated,/'
}

if [ "$1" = --curve ]; then
  shift
  curve "$@"
  exit
fi

echo "system,runtime,seed,time_s,test_accuracy"
for seed in 1 2 3; do
  for scheme in ako_p4 ps_async gossip; do echo "$1 $scheme $seed"; done
done | xargs -P 2 -L 1 sh "$0" --curve
