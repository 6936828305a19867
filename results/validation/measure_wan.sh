#!/bin/sh
# Measures the cells with real distances over real TCP (a delay box) and appends one CSV row for each to FILE. Cells that
# FILE has are left out, so an interrupted series goes on where it stopped, and CELLS bounds what one call does. A
# disturbed run (cells.sh says which) goes to FILE.disturbed instead; call again for its cell. Needs root.
#
#   results/validation/measure_wan.sh PROGRAM FILE [CELLS [JOBS [PATTERN [SEEDS]]]]
#
# PATTERN, an extended regular expression, chooses cells by their first nine columns, such as
# '^uniform,2,.*,50,gossip,.*,1,'. Without it, the cells of wan.csv; those of held_out.csv are
# '^(uniform30|uniform100|heterogeneous60),'. SEEDS: "1 2 3" without it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scenario=$here/scenario.json

. "$here/cells.sh"

# A run lasts as long as twelve steps of every worker take in the simulation with seed 1 where latency is only added, and
# three seconds at least; where that is more than 40 s, 40 s or five steps, whichever is longer.
cell() {
  program=$1 file=$2 network=$3 workers=$4 size=$5 latency=$6 scheme=$7 congestion=$8 after_idle=$9
  shift 9
  compute=$1 seed=$2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  set -- "$scenario" --quiet --out "$work" --set platform.workers="$workers" \
    --set platform.bandwidth="$(bandwidth "$network")" --set platform.server_bandwidth="$(widest "$network")Mbps" \
    --set platform.latency="${latency}ms" \
    --set wire.model_bytes="${size}MB" --set algorithm="$(algorithm "$scheme")" \
    --set compute.seconds_per_batch="${compute}ms"
  "$program" run "$@" --seed 1 --set name=planned --set platform.network.model=CM02
  stop=$(awk -v t="$(number simulated_seconds "$work/planned/1/summary.json")" \
    'BEGIN { if (t > 40) t = t * 5 / 12 > 40 ? t * 5 / 12 : 40; printf "%.1f", (t < 3 ? 3 : t) + 0.05 }')
  "$program" emulate "$@" --congestion "$congestion" --slow-start-after-idle "$after_idle" --seed "$seed" \
    --set name=cell --set stop="{\"time\": \"${stop}s\"}"
  measured=$work/cell-measured/$seed timing=$work/cell-measured/$seed/timing.json
  row="$network,$workers,$size,$latency,$scheme,$congestion,$after_idle,$compute,$seed,$stop,$(cycle "$measured/iterations.csv")\
,$(number bytes_sent "$measured/summary.json"),$(number iterations "$measured/summary.json")\
,$(number retransmitted_share "$timing"),$(number late_max_s "$timing"),$(number error_p99_s "$timing")\
,$(number processor_share "$timing"),$(number busy_share "$timing")"
  if is_disturbed "$timing" "$latency"; then echo "$row" >> "$file.disturbed"; else echo "$row" >> "$file"; fi
}

if [ "$1" = --cell ]; then
  shift
  cell "$@"
  exit
fi

program=$1 file=$2 most=${3:-1000000} jobs=${4:-2} pattern=${5:-'^(uniform|uniform20|heterogeneous),'} seeds=${6:-1 2 3}
if [ ! -s "$file" ]; then
  echo "network,workers,message_mb,latency_ms,scheme,congestion,slow_start_after_idle,compute_ms,seed,stop_s,\
seconds_per_cycle,bytes_sent,steps,retransmitted_share,late_max_s,error_p99_s,box_share,busy_share" > "$file"
fi

schemes="ps_async ps_sync ako_p1 ako_p2 ako_p4 gossip ring_allreduce d_psgd ad_psgd"
wan_rows() {
  for seed in $seeds; do
    # First looks: one quick group.
    for size in 0.25 2; do echo "uniform20 3 $size 30 ps_async cubic on 50 $seed"; done
  done
  for seed in $seeds; do
    for network in uniform heterogeneous; do
      for latency in 5 20 50; do
        for size in 0.25 1; do
          for workers in 2 4 8; do
            for scheme in $schemes; do echo "$network $workers $size $latency $scheme cubic on 100 $seed"; done
          done
        done
        for scheme in $schemes; do echo "$network 2 4 $latency $scheme cubic on 100 $seed"; done
      done
      # Another congestion control, and windows that are kept while idle.
      for scheme in ps_async ako_p4 ring_allreduce; do
        echo "$network 4 0.25 20 $scheme bbr on 100 $seed"
        echo "$network 4 0.25 20 $scheme cubic off 100 $seed"
      done
    done
  done
}

# Other widths, numbers of workers, sizes and latencies, measured after the rules of the models were settled.
held_out_rows() {
  for seed in $seeds; do
    for latency in 2 10 30; do
      for size in 0.5 2; do
        for network in "uniform30 3" "uniform30 6" "heterogeneous60 3" "heterogeneous60 6" "uniform100 3"; do
          for scheme in $schemes; do echo "$network $size $latency $scheme cubic on 100 $seed"; done
        done
      done
    done
  done
}

# The first nine columns say which cell a row is of.
{ wan_rows && held_out_rows; } | while read -r row; do
  key=$(echo "$row" | tr ' ' ','),
  if echo "$key" | grep -Eq "$pattern" && ! grep -q "^$key" "$file"; then echo "$program $file $row"; fi
done | head -n "$most" | xargs -r -P "$jobs" -L 1 sh "$0" --cell
