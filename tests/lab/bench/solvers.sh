#!/bin/sh
# What a message costs with SimGrid's solver and with the accelerator, by the number of workers: microseconds of processor
# time, start-up taken off; of each run the least of REPETITIONS (5), since whatever else the machine does only adds. A run
# that takes longer than LIMIT seconds (60) is left out.
#   tests/lab/bench/solvers.sh [BUILD_FOLDER [WORKERS...]]
set -eu
build=${1:-build/release}
[ $# -gt 0 ] && shift
limit=${LIMIT:-60}
repetitions=${REPETITIONS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

scenario() {  # system workers solver model steps
  servers=''
  case $1 in
    ps_async) algorithm='"ps_async"'; servers='"servers": 1,' ;;
    ring) algorithm='"ring_allreduce"' ;;
    ako) algorithm='{"name": "ako", "partitions": 3}' ;;
  esac
  cat <<END
{ "name": "solvers", "platform": { "topology": "star", "workers": $2, $servers "bandwidth": ["40Mbps", "20Mbps", "10Mbps"],
    "latency": "20ms", "network": { "model": "$4" } },
  "model": "none", "wire": { "model_bytes": "17MB" }, "compute": { "seconds_per_batch": "340ms" },
  "algorithm": $algorithm, "stop": { "iterations": $5 }, "record": { "iterations": false } }
END
}

cost() {  # the same: processor seconds and messages
  scenario "$@" > "$scratch/solvers.json"
  : > "$scratch/seconds"
  for turn in $(seq "$repetitions"); do
    timeout "$limit" "$build/tests/with_solver" "$scratch/solvers.json" "$3" >> "$scratch/seconds" || { echo "- -"; return; }
  done
  sort -g "$scratch/seconds" | head -n 1
}

printf '%-9s %7s %14s %14s %18s %18s\n' system workers "SimGrid, CM02" "SimGrid, TCP" "accelerator, CM02" "accelerator, TCP"
for system in ps_async ring ako; do
  for workers in ${*:-4 8 16 32 64 100 300}; do
    case $system in
      ps_async) steps=$((2 + 800 / workers)) ;;
      ring) steps=$((1 + 1000 / workers / workers)) ;;
      ako) steps=$((2 + 3000 / workers / workers)) ;;
    esac
    line=$(printf '%-9s %7s' "$system" "$workers")
    for solver in simgrid accelerator; do
      for model in CM02 TCP; do
        idle=$(cost "$system" 2 "$solver" "$model" 1)
        line="$line $(echo "$(cost "$system" "$workers" "$solver" "$model" "$steps") $idle" |
          awk '{ if ($1 == "-") printf "%15s", "-"; else printf "%15.1f", 1e6 * ($1 - $3) / $2 }')"
      done
    done
    echo "$line"
  done
done
