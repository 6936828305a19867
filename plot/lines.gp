# Lines in panels. Expects $points (a block per panel and series: x, y, low, high), per series colour[], mark[], dash[],
# every_th[] (points from mark to mark), per panel left[], right[], bottom[], top[], shape (0: lines with bands, 1: joined
# points with intervals, `apart` from each other, and a line at `one`, 2: staircases); ranges, marks of axes and all texts
# are set.
series = |colour|
moved(x, i) = x + apart * (i - (series + 1) / 2.0)
set style fill transparent solid 0.16 noborder
set multiplot
do for [p=1:|left|] {
  set lmargin at screen left[p]
  set rmargin at screen right[p]
  set bmargin at screen bottom[p]
  set tmargin at screen top[p]
  first = (p - 1) * series - 1
  if (shape == 0) {
    plot \
      for [i=1:series] $points index first+i using 1:3:4 with filledcurves linecolor rgb colour[i], \
      for [i=1:series] $points index first+i using 1:2 with linespoints linewidth line_width dashtype int(dash[i]) \
        pointtype int(mark[i]) pointsize mark_size pointinterval int(every_th[i]) linecolor rgb colour[i]
  } else { if (shape == 1) {
    plot one with lines linewidth line_width/2 dashtype 3 linecolor rgb soft, \
      for [i=1:series] $points index first+i using (moved($1, i)):2:3:4 with yerrorbars linewidth line_width/2 \
        pointtype -1 linecolor rgb colour[i], \
      for [i=1:series] $points index first+i using (moved($1, i)):2 with linespoints linewidth line_width \
        dashtype int(dash[i]) pointtype int(mark[i]) pointsize mark_size linecolor rgb colour[i]
  } else {
    plot \
      for [i=1:series] $points index first+i using 1:2 with steps linewidth line_width dashtype int(dash[i]) \
        linecolor rgb colour[i], \
      for [i=1:series] $points index first+i every int(every_th[i]) using 1:2 with points \
        pointtype int(mark[i]) pointsize mark_size linecolor rgb colour[i]
  } }
  unset label
  unset arrow
}
unset multiplot
