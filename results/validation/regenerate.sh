#!/bin/sh
# Makes everything in this folder again, but README.md, wan.csv, repeated.csv and the held_out*.csv: measures (root; some
# 95 minutes), simulates, draws. Needs gnuplot. repeated.csv has the ten cells that were worst with seed 1, once more:
#   measure_wan.sh PROGRAM repeated.csv 10 2 \
#     '^(uniform,2,0.25,(20,(gossip|ad_psgd)|50,(ako_p1|gossip|d_psgd))|uniform,[48],0.25,50,d_psgd|uniform,2,1,50,ako_p4|heterogeneous,(2,0.25,50,gossip|4,1,50,ring_allreduce)),cubic,on,100,1,'
# and three held-out ones, '^(uniform100,3,2,30,(ps_sync|ring_allreduce)|uniform30,3,0.5,30,ps_sync),'.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=$root/build/release/ddlsim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/ddlsim" --version
sh "$here/measure.sh" "$program" > "$work/measured.csv"
mv "$work/measured.csv" "$here/measured.csv"

# Accuracy over time; cells over distances take some hours (measure_wan.sh) and are kept.
sh "$here/measure_curves.sh" "$program" > "$work/curves.csv"
mv "$work/curves.csv" "$here/curves.csv"

# What was measured is part of the program that judges by it.
cmake --build "$root/build/release" --target ddlsim
"$program" reproduce validation --quiet --out "$work/study"
cp "$work/study/tables/"validation_*.csv "$here/../tables/"
cp "$work/study/validation.md" "$here/../validation.md"
cd "$here"
gnuplot -e 'picture_format="svg"; picture_file="validation.svg"' "$root/plot/validation.gp"
