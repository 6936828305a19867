#!/bin/sh
# Microseconds of one core that a message costs with the accelerator, in brackets with SimGrid's solver up to
# MOST_WITH_SIMGRID (400) workers: the runs of lab/bench (timing only, 1 MB, 100 Mbit/s, 20 rounds) in MODEL
# (TCP), start-up included. Processor time, of each run the least of REPETITIONS (3). For docs/performance.md.
#   tests/lab/bench/messages.sh [BUILD_FOLDER [WORKERS...]]
set -eu
build=${1:-build/release}
[ $# -gt 0 ] && shift
repetitions=${REPETITIONS:-3}
most_with_simgrid=${MOST_WITH_SIMGRID:-400}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

scenario() {  # system workers
  servers=''
  case $1 in
    ps_sync) algorithm='"ps_sync"'; servers=', "servers": 1, "server_bandwidth": "10Gbps"' ;;
    d_psgd) algorithm='{"name": "d_psgd", "topology": "random_regular", "degree": 4}' ;;
    ako) algorithm='{"name": "ako", "partitions": 4, "overflow": "block"}' ;;
    *) algorithm="\"$1\"" ;;
  esac
  cat <<END
{ "name": "messages", "platform": { "topology": "star", "workers": $2, "bandwidth": "100Mbps", "latency": "1ms"$servers,
    "network": { "model": "${MODEL:-TCP}" } },
  "model": "none", "wire": { "model_bytes": "1MB" }, "compute": { "seconds_per_batch": "100ms" },
  "algorithm": $algorithm, "stop": { "iterations": 20 }, "record": { "iterations": false } }
END
}

cost() {  # the same
  scenario "$@" > "$scratch/messages.json"
  for turn in $(seq "$repetitions"); do
    "$build/tests/with_solver" "$scratch/messages.json" "$3"
  done | awk 'NR == 1 || $1 < least { least = $1 } END { printf "%.1f", 1e6 * least / $2 }'
}

echo "| workers | ps_sync | d_psgd | gossip | ring_allreduce | ako |"
echo "| --- | --- | --- | --- | --- | --- |"
for workers in ${*:-100 400 1000 4000 16384}; do
  line="| $workers |"
  for system in ps_sync d_psgd gossip ring_allreduce ako; do
    # These send as many messages as the square of the workers.
    case "$system $workers" in
      "ako 100" | "ring_allreduce 100" | "ring_allreduce 400") ;;
      ako* | ring*) line="$line |"; continue ;;
    esac
    line="$line $(cost "$system" "$workers" accelerator)"
    [ "$workers" -gt "$most_with_simgrid" ] || [ "$system $workers" = "ako 100" ] ||
      [ "$system $workers" = "ring_allreduce 400" ] || line="$line ($(cost "$system" "$workers" simgrid))"
    line="$line |"
  done
  echo "$line"
done
