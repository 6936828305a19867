# Mean test accuracy against simulated time, one curve per result folder.
#   gnuplot -c plot/accuracy.gp OUT.svg "TITLE" RESULT_DIR...      (OUT.png for a bitmap; Debian: gnuplot-nox)
if (ARG1[strlen(ARG1)-3:] eq ".png") {
  set terminal pngcairo size 1000,560 font "DejaVu Sans,12"
} else {
  set terminal svg size 800,450 font "Helvetica,13" background rgb "white"
}
set output ARG1
set title ARG2
set datafile separator ","
set xlabel "simulated time (s)"
set ylabel "mean test accuracy"
set yrange [0:1]
set grid ytics linecolor rgb "#dddddd"
set border 3
set tics nomirror
set key outside right center
# Okabe and Ito's colours, told apart by colour-blind readers too.
array colour[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
scheme(folder) = system(sprintf("basename $(dirname %s)", folder))
plot for [i=3:ARGC] sprintf("< grep ',mean,' '%s/curve.csv'", value(sprintf("ARG%d", i))) using 1:9 with lines \
  linewidth 2 linecolor rgb colour[(i-3) % 7 + 1] title scheme(value(sprintf("ARG%d", i))) noenhanced
