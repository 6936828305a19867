#!/bin/sh
# Makes everything in this folder again, but README.md: measures (root; some 80 minutes), simulates, draws. Needs gnuplot.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=$root/build/release/ddlsim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/ddlsim" --version
sh "$here/measure.sh" "$program" > "$work/measured.csv"
mv "$work/measured.csv" "$here/measured.csv"

# The two learning curves: five minutes each, at the same time. Ako waits for its queues, as in all cells.
for scheme in ps_async ako_p4; do
  set -- "$root/scenarios/het_wan_$scheme.json" --quiet --out "$work"
  if [ $scheme = ako_p4 ]; then set -- "$@" --set algorithm.overflow=block; fi
  "$program" emulate "$@" --threads 1 &
  "$program" run "$@"
done
wait
{
  echo "system,runtime,time_s,test_accuracy"
  for scheme in ps_async ako_p4; do
    for runtime in measured simulated; do
      folder=$work/het_wan_$scheme
      if [ $runtime = measured ]; then folder=$folder-measured; fi
      awk -F, -v name="$scheme,$runtime" '$2 == "mean" { print name "," $1 "," $9 }' "$folder/1/curve.csv"
    done
  done
} > "$here/curves.csv"

# What was measured is part of the program that judges by it.
cmake --build "$root/build/release" --target ddlsim
"$program" reproduce validation --quiet --out "$work/study"
cp "$work/study/tables/"validation_*.csv "$here/../tables/"
cp "$work/study/validation.md" "$here/../validation.md"
cd "$here"
gnuplot -e 'picture_format="svg"; picture_file="validation.svg"' "$root/plot/validation.gp"
