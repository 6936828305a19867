#!/bin/sh
# Makes everything in this folder again, but the texts, wan.csv and the held_out*.csv: measures (root; an hour),
# simulates, draws. Drawing needs pandas and matplotlib. Local networks then have three seeds again; README.md says how they get more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=$root/build/release/ddlsim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/ddlsim" reproduce > "$work/studies"   # which builds the laboratory, too: measure.sh emulates
sh "$here/measure.sh" "$program" > "$work/measured.csv" || {
  cp "$work/measured.csv" "$here/measured.csv.part"
  echo "measured.csv.part lacks the runs named above" >&2
  exit 1
}
mv "$work/measured.csv" "$here/measured.csv"

# Accuracy over time; cells over distances take some hours (measure_wan.sh) and are kept.
sh "$here/measure_curves.sh" "$program" > "$work/curves.csv"
mv "$work/curves.csv" "$here/curves.csv"

# What was measured is part of the program that judges by it, the laboratory.
cmake --build "$root/build/release" --target ddlsim ddlsim-lab
"$program" reproduce validation --quiet --out "$work/study"
cp "$work/study/tables/"validation_*.csv "$here/../tables/"
cp "$work/study/validation.md" "$here/../validation.md"
python3 "$here/draw.py"
