#!/bin/sh
# Makes everything in this folder again, but README.md, wan.csv and the held_out*.csv: measures (root; an hour),
# simulates, draws. Needs gnuplot. Local networks then have three seeds again. More, of cells of which three say too
# little: measure.sh PROGRAM 6 first "$(sh wide_cells.sh measured.csv 3 TABLE...)" "4 5 6 7 8 9" > more.csv, and for FILE
# wan.csv or held_out.csv: measure_wan.sh PROGRAM FILE 1000 2 "$(sh wide_cells.sh FILE 3 TABLE)" "4 5 6 7 8 9". Each TABLE
# is of a study of seeds 1 to 3 alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=$root/build/release/ddlsim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/ddlsim" --version
sh "$here/measure.sh" "$program" > "$work/measured.csv" || {
  cp "$work/measured.csv" "$here/measured.csv.part"
  echo "measured.csv.part lacks the runs named above" >&2
  exit 1
}
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
