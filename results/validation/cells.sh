# What the measurements in this folder have in common: the settings of a cell, and what is read of its result.

algorithm() {
  case $1 in
    ako_p*) echo "{\"name\": \"ako\", \"partitions\": ${1#ako_p}, \"overflow\": \"block\"}" ;;
    *) echo "\"$1\"" ;;
  esac
}

# Mbit/s of the widest links of a network: uniform60 or heterogeneous60 have 60, without a number it is 40.
widest() {
  width=$(echo "$1" | tr -d a-z)
  echo "${width:-40}"
}

# Of a heterogeneous network every third worker has half of the widest, every third a quarter.
bandwidth() {
  case $1 in
    uniform*) echo "\"$(widest "$1")Mbps\"" ;;
    heterogeneous*) widest "$1" | awk '{ printf "[\"%gMbps\", \"%gMbps\", \"%gMbps\"]", $1, $1 / 2, $1 / 4 }' ;;
  esac
}

number() { sed -n "s/.*\"$1\": *\([-0-9.e]*\).*/\1/p" "$2" | head -n 1; }

# The mean over workers of each worker's mean time of a finished step.
cycle() {
  awk -F, 'NR > 1 { sum[$1] += $6 - $3; ++count[$1] }
           END { for (worker in sum) { mean += sum[worker] / count[worker]; ++workers } print mean / workers }' "$1"
}

# Whether the machine was so busy with other things that a run, whose timing.json this is, measured them: sleeps ended
# more than 50 ms late, or, over distances, 1 % of all packets left the box late, by more than 5 ms or than the latency
# (the second argument, in ms).
is_disturbed() {
  awk -v late="$(number late_max_s "$1")" -v error="$(number error_p99_s "$1")" -v latency="${2:-0}" \
    'BEGIN { exit !(late > 0.05 || error > 0.005 || error > latency / 1000) }'
}
