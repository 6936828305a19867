# Horizontal bars in panels. Expects $points (a block per panel and series: value, -, low, high), per series colour[], per
# panel left[], right[], bottom[], top[], and `foot`, where bars start; ranges, marks of axes and all texts are set.
series = |colour|
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb "#e4e4e4"
set border 1
set multiplot
do for [p=1:|left|] {
  set lmargin at screen left[p]
  set rmargin at screen right[p]
  set bmargin at screen bottom[p]
  set tmargin at screen top[p]
  first = (p - 1) * series - 1
  plot \
    for [i=1:series] $points index first+i using 1:(i):(foot):1:(i-0.36):(i+0.36) with boxxyerror \
      fillstyle solid 0.85 noborder linecolor rgb colour[i], \
    for [i=1:series] $points index first+i using 1:(i):3:4 with xerrorbars linewidth 1.7*line_width pointtype -1 \
      linecolor rgb "#ffffff", \
    for [i=1:series] $points index first+i using 1:(i):3:4 with xerrorbars linewidth line_width/2 pointtype -1 \
      linecolor rgb "#222222"
  unset label
}
unset multiplot
