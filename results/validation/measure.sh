#!/bin/sh
# Measures the cells on local networks over real TCP and prints one CSV row for each cell and seed. Needs root; takes
# some 40 minutes, with held_out 25.
#
#   results/validation/measure.sh PROGRAM [MOST] > measured.csv
#   results/validation/measure.sh PROGRAM MOST held_out > held_out_lan.csv
#   results/validation/measure.sh PROGRAM MOST SERIES PATTERN SEEDS > more.csv
#
# At most MOST runs (six) are under way at once. The third form measures further seeds of those cells of SERIES, first
# or held_out, whose first five columns match PATTERN, an extended regular expression; it prints no header. Results must
# not go into this folder's tables while it runs, since it reads from them how long runs of a cell last.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scenario=$here/scenario.json

. "$here/cells.sh"

# With the cell in $network, $workers, $size and $scheme.
ddlsim() {
  verb=$1 out=$2
  shift 2
  "$program" "$verb" "$scenario" --quiet --out "$out" --set name=cell --set platform.workers="$workers" \
    --set platform.bandwidth="$(bandwidth "$network")" --set platform.server_bandwidth="$(widest "$network")Mbps" \
    --set wire.model_bytes="${size}MB" --set algorithm="$(algorithm "$scheme")" "$@"
}

# A column of the cell's first row in the tables, if it is there. So all runs of a cell are equally long, though the
# model TCP may have changed since the first.
known() {
  cat "$here/measured.csv" "$here/held_out_lan.csv" 2>/dev/null |
    awk -F, -v cell="$network,$workers,$size,$scheme,$queue," -v column="$1" '
      index($0, cell) == 1 { print $column; exit }'
}

# Prints how many runs of the cell may be under way at once and how many seconds each lasts: twelve steps of every
# worker as simulated with seed 1, three seconds at least. Together runs carry at most 300 Mbit/s: of three workers that
# exchange all to all over 100 Mbit/s and carry 280, two runs at once take 10 % longer than one on two cores, four 25 %.
plan() {
  stop=$(known 7) bytes=$(known 9)
  if [ -z "$stop" ]; then
    work=$(mktemp -d)
    ddlsim run "$work" --seed 1 --set platform.network.model=TCP
    planned=$work/cell/1/summary.json
    stop=$(awk -v t="$(number simulated_seconds "$planned")" 'BEGIN { t = t < 3 ? 3 : t; printf "%.1f", t + 0.05 }')
    bytes=$(number bytes_sent "$planned")
    rm -rf "$work"
  fi
  awk -v bytes="$bytes" -v seconds="$stop" -v most="$most" 'BEGIN {
    at_once = int(300e6 * seconds / (8 * bytes))
    print (at_once < 1 ? 1 : at_once > most ? most : at_once), seconds
  }'
}

if [ "$1" = --measure ]; then
  program=$2 network=$3 workers=$4 size=$5 scheme=$6 queue=$7 stop=$8 seed=$9
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  measured=$work/cell-measured/$seed
  for _ in 1 2 3; do
    ddlsim emulate "$work" --force --queue "${queue}s" --seed "$seed" --set stop="{\"time\": \"${stop}s\"}"
    if ! is_disturbed "$measured/timing.json"; then break; fi
    echo "$*: disturbed" >&2
  done
  if is_disturbed "$measured/timing.json"; then
    echo "disturbed three times; when the machine does less:" \
      "measure.sh $program 1 SERIES '^$network,$workers,$size,$scheme,$queue,' $seed" >&2
    exit 1
  fi
  of_timing() { number "$1" "$measured/timing.json"; }
  of_summary() { number "$1" "$measured/summary.json"; }
  echo "$network,$workers,$size,$scheme,$queue,$seed,$stop,$(cycle "$measured/iterations.csv"),$(of_summary bytes_sent)\
,$(of_summary iterations),$(of_summary utilisation),$(of_timing retransmitted_share),$(of_timing late_max_s)\
,$(of_timing own_share),$(of_timing soft_interrupt_share),$(of_timing busy_share)"
  exit
fi

program=$1 most=${2:-6} series=${3:-first} pattern=${4:-.} seeds=${5:-1 2 3}
[ "$most" -ge 1 ] 2>/dev/null || { echo "measure.sh: MOST is a number of runs, not $most" >&2; exit 2; }
if [ $# -lt 4 ]; then
  echo "network,workers,message_mb,scheme,queue_s,seed,stop_s,seconds_per_cycle,bytes_sent,steps,busiest_utilisation,\
retransmitted_share,late_max_s,own_share,soft_interrupt_share,busy_share"
fi

# Networks, numbers of workers and sizes. Those held out were measured after the rules of the models were settled.
if [ "$series" = held_out ]; then
  queues=0.05
  stars="uniform20,3 heterogeneous60,3 uniform20,6 heterogeneous60,6 uniform100,3"
  shapes=$(for star in $stars; do echo "$star,0.5 $star,2"; done)
else
  queues="0.2 0.05"
  stars="uniform,2 heterogeneous,2 uniform,4 heterogeneous,4 uniform,8 heterogeneous,8"
  shapes="$(for star in $stars; do echo "$star,0.25 $star,1"; done) uniform,2,4 heterogeneous,2,4"
fi
plans=$(mktemp)
trap 'rm "$plans"' EXIT
for shape in $shapes; do
  for scheme in ps_async ps_sync ako_p1 ako_p2 ako_p4 gossip ring_allreduce d_psgd ad_psgd; do
    for queue in $queues; do
      echo "$shape,$scheme,$queue," | grep -Eq "$pattern" || continue
      network=${shape%%,*} size=${shape##*,} workers=${shape#*,}
      workers=${workers%,*}
      planned=$(plan)
      for seed in $seeds; do
        echo "${planned% *} $program $network $workers $size $scheme $queue ${planned#* } $seed"
      done
    done
  done
done > "$plans"

# The kernel's threads for soft interrupts move all packets and end all waits of token buckets. They must not queue with
# compilers: links then lose some per cent of their bandwidth.
soft_interrupts() {
  for thread in $(pgrep '^ksoftirqd/'); do chrt "$@" "$thread"; done
}
trap 'rm "$plans"; soft_interrupts --other --pid 0' EXIT
soft_interrupts --fifo --pid 1

at_once=$most failed=0
while [ "$at_once" -gt 0 ]; do
  sed -n "s/^$at_once //p" "$plans" | xargs -r -P "$at_once" -L 1 sh "$0" --measure || failed=1
  at_once=$((at_once - 1))
done
exit $failed
