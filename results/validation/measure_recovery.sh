#!/bin/sh
# How long a worker whose link was down for a while needs until it ends its next step, measured over real TCP (a delay
# box) and simulated with three network models: two workers, 1 MB, 40 Mbit/s, 20 ms one way, the link of w1 down from
# 5 s on. Needs root, and some 12 minutes.
#
#   results/validation/measure_recovery.sh PROGRAM
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cells.sh"
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From the link's return on; nothing if no step ended.
recovery() { awk -F, -v up="$1" '$1 == "w1" && $6 > up { printf " %.2f", $6 - up; exit }' "$2"; }

echo "scheme,down_s,measured,packets,TCP (seconds, of seeds 1 to 3)"
for scheme in ps_async ako_p2 gossip; do
  for down in 2 5 10 20; do
    up=$((5 + down)) line=$scheme,$down
    for by in measured packets TCP; do
      line=$line,
      for seed in 1 2 3; do
        set -- "$here/scenario.json" --quiet --force --out "$work" --seed "$seed" --set name=recovery \
          --set platform.workers=2 --set platform.latency=20ms --set algorithm="$(algorithm "$scheme")" \
          --set stop="{\"time\": \"$((up + 12))s\"}" \
          --set faults="[{\"type\": \"link_down\", \"link\": \"w1\", \"from\": \"5s\", \"until\": \"${up}s\"}]"
        if [ "$by" = measured ]; then
          "$program" emulate "$@" > /dev/null
          line=$line$(recovery "$up" "$work/recovery-measured/$seed/iterations.csv")
        else
          "$program" run "$@" --set platform.network.model="$by" > /dev/null
          line=$line$(recovery "$up" "$work/recovery/$seed/iterations.csv")
        fi
      done
    done
    echo "$line"
  done
done
