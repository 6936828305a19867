# Lines with bands. Expects $curves (an indexed block per line: x, mean, low, high), name[] and banded[] per line,
# x_label, y_label, plot_title, y_top ("*" or "*<1"), legend_title.
set title plot_title
set xlabel x_label
set ylabel y_label
set xrange [0:*] noextend
eval "set yrange [0:" . y_top . "]"
set key title legend_title left
set key outside right center Left reverse samplen 2.5 spacing 1.25
set style fill transparent solid 0.16 noborder
plot \
  for [i=1:|name|] $curves index (i-1) using 1:(banded[i] > 0 ? $3 : NaN):4 with filledcurves \
    linecolor rgb colour(i) notitle, \
  for [i=1:|name|] $curves index (i-1) using 1:2 with lines linewidth 2 dashtype dashes(i) \
    linecolor rgb colour(i) title name[i]
