#!/bin/sh
# Our runtime beside plain SimGrid sending the same messages, in turn on this machine; medians of processor seconds
# (both run on one thread), which a busy machine disturbs less than wall time.
#   tests/lab/bench/events.sh [BUILD_FOLDER [REPETITIONS]]
set -eu
build=${1:-build/release}
times=${2:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

scenario() {  # pattern workers
  case $1 in
    ps_sync) more=', "servers": 1, "server_bandwidth": "10Gbps"'; algorithm='"ps_sync"' ;;
    d_psgd) more=''; algorithm='{"name": "d_psgd", "topology": "random_regular", "degree": 4}' ;;
    gossip) more=''; algorithm='"gossip"' ;;
  esac
  cat <<END
{ "name": "events", "platform": { "topology": "star", "workers": $2, "bandwidth": "100Mbps", "latency": "1ms"$more,
    "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "1MB" }, "compute": { "seconds_per_batch": "100ms" },
  "algorithm": $algorithm, "stop": { "iterations": 20 }, "record": { "iterations": false } }
END
}

printf '%-8s %7s %11s %10s %12s %6s\n' pattern workers solver "ours (s)" "SimGrid (s)" ratio
for row in "ps_sync 100 simgrid Full" "ps_sync 100 accelerator Full" "gossip 100 simgrid Full" "gossip 100 accelerator Full" "gossip 400 accelerator Full" \
           "d_psgd 100 simgrid Full" "d_psgd 100 accelerator Full" "gossip 1000 accelerator Lazy" "ps_sync 1000 accelerator Lazy"; do
  set -- $row
  scenario "$1" "$2" > "$scratch/events.json"
  : > "$scratch/ours"
  : > "$scratch/plain"
  for turn in $(seq "$times"); do
    "$build/tests/with_solver" "$scratch/events.json" "$3" | awk '{ print $1 }' >> "$scratch/ours"
    "$build/tests/plain_simgrid" "$1" "$2" 20 "$4" | awk '{ print $3 }' >> "$scratch/plain"
  done
  ours=$(median "$scratch/ours")
  plain=$(median "$scratch/plain")
  printf '%-8s %7s %11s %10s %12s %6s\n' "$1" "$2" "$3" "$ours" "$plain ($4)" "$(awk "BEGIN { printf \"%.2f\", $ours / $plain }")"
done
