#!/bin/sh
# Measures the cells on local networks over real TCP and prints one CSV row for each cell and seed. Needs root; takes
# some 80 minutes with four cells at once, which mostly sleep.
#
#   results/validation/measure.sh PROGRAM [JOBS] > measured.csv
#   results/validation/measure.sh PROGRAM JOBS held_out > held_out_lan.csv
#   results/validation/measure.sh PROGRAM JOBS SERIES PATTERN SEEDS > more.csv
#
# The third form measures further seeds of those cells of SERIES, first or held_out, whose first five columns match
# PATTERN, an extended regular expression; it prints no header. Results must not go into this folder's tables while it
# runs, since it reads from them how long runs of a cell last.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scenario=$here/scenario.json

. "$here/cells.sh"

# A run lasts as long as twelve steps of every worker take in the simulation with seed 1, and three seconds at least.
# All runs of a cell are equally long, though the model TCP may have changed since the first.
known_stop() {
  for file in "$here/measured.csv" "$here/held_out_lan.csv"; do
    test ! -e "$file" || awk -F, -v cell="$1," 'index($0, cell) == 1 { print $7; exit }' "$file"
  done
}

cell() {
  program=$1 network=$2 workers=$3 size=$4 scheme=$5 seed=$6 queue=$7
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  set -- "$scenario" --quiet --out "$work" --set platform.workers="$workers" \
    --set platform.bandwidth="$(bandwidth "$network")" --set platform.server_bandwidth="$(widest "$network")Mbps" \
    --set wire.model_bytes="${size}MB" --set algorithm="$(algorithm "$scheme")"
  stop=$(known_stop "$network,$workers,$size,$scheme,$queue")
  if [ -z "$stop" ]; then
    "$program" run "$@" --seed 1 --set name=planned --set platform.network.model=TCP
    stop=$(awk -v t="$(number simulated_seconds "$work/planned/1/summary.json")" \
      'BEGIN { t = t < 3 ? 3 : t; printf "%.1f", t + 0.05 }')
  fi
  "$program" emulate "$@" --queue "${queue}s" --seed "$seed" --set name=cell --set stop="{\"time\": \"${stop}s\"}"
  measured=$work/cell-measured/$seed
  echo "$network,$workers,$size,$scheme,$queue,$seed,$stop,$(cycle "$measured/iterations.csv")\
,$(number bytes_sent "$measured/summary.json"),$(number iterations "$measured/summary.json")\
,$(number utilisation "$measured/summary.json"),$(number retransmitted_share "$measured/timing.json"),$(number late_max_s "$measured/timing.json")\
,$(number own_share "$measured/timing.json"),$(number soft_interrupt_share "$measured/timing.json")\
,$(number busy_share "$measured/timing.json")"
}

if [ "$1" = --cell ]; then
  shift
  cell "$@"
  exit
fi

program=$1 jobs=${2:-4} series=${3:-first} pattern=${4:-.} seeds=${5:-1 2 3} queues="0.2 0.05"
if [ $# -lt 4 ]; then
  echo "network,workers,message_mb,scheme,queue_s,seed,stop_s,seconds_per_cycle,bytes_sent,steps,busiest_utilisation,\
retransmitted_share,late_max_s,own_share,soft_interrupt_share,busy_share"
fi
rows() {
  network=$1 workers=$2 size=$3
  for scheme in ps_async ps_sync ako_p1 ako_p2 ako_p4 gossip ring_allreduce d_psgd ad_psgd; do
    for queue in $queues; do
      echo "$network,$workers,$size,$scheme,$queue," | grep -Eq "$pattern" || continue
      for seed in $seeds; do echo "$program $network $workers $size $scheme $seed $queue"; done
    done
  done
}

# The kernel's threads for soft interrupts move all packets and end all waits of token buckets. They must not queue with
# compilers: links then lose some per cent of their bandwidth.
soft_interrupts() {
  for thread in $(pgrep '^ksoftirqd/'); do chrt "$@" "$thread"; done
}
trap 'soft_interrupts --other --pid 0' EXIT
soft_interrupts --fifo --pid 1

measure() { xargs -P "$1" -L 1 sh "$0" --cell; }

# Other widths, numbers of workers and sizes, measured after the rules of the models were settled.
if [ "$series" = held_out ]; then
  queues=0.05
  for size in 0.5 2; do
    for network in uniform20 heterogeneous60; do
      for workers in 3 6; do rows $network $workers $size; done
    done
    rows uniform100 3 $size
  done | measure "$jobs"
  exit
fi

# Larger messages take minutes for each run. Eight workers on quick links keep a core busy: fewer of them at once.
for network in uniform heterogeneous; do
  for size in 1 0.25; do
    for workers in 2 4; do rows $network $workers $size; done
  done
  rows $network 2 4
done | measure "$jobs"
for size in 1 0.25; do rows heterogeneous 8 $size; done | measure $(((jobs + 1) / 2))
for size in 1 0.25; do rows uniform 8 $size; done | measure $(((jobs + 2) / 4))
