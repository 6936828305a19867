# Lines in panels, with one legend. Expects $points (a block per panel and series: x, y, low, high), per series name[],
# colour[], mark[], dash[], every_th[] (points from mark to mark), key_x[], key_y[]; per panel panel_title[], left[],
# right[], bottom[], top[], is_first[], is_lowest[]; x_range, y_range, x_label, y_label, plot_title, note, log_x, log_y,
# shape (0: lines with bands, 1: joined points with intervals beside each other, `apart`, and a line at 1; 2: staircases).
beside(x, i) = log_x ? x * exp(apart * (i - (|name| + 1) / 2.0)) : x + apart * (i - (|name| + 1) / 2.0)
set style fill transparent solid 0.16 noborder
if (log_x) { set logscale x }
if (log_y) { set logscale y }
eval "set xrange " . x_range . (shape == 1 ? "" : " noextend")
eval "set yrange " . y_range
set multiplot
set label 1 plot_title at screen 0.5,title_y center
set label 2 note at screen note_x,note_y left font note_font textcolor rgb soft
do for [i=1:|name|] {
  set arrow 10+i from screen key_x[i],key_y[i] to screen key_x[i]+key_length,key_y[i] nohead \
    linecolor rgb colour[i] linewidth line_width dashtype int(dash[i])
  set label 100+i "" at screen key_x[i]+key_length/2,key_y[i] \
    point pointtype int(mark[i]) pointsize mark_size linecolor rgb colour[i]
  set label 500+i name[i] at screen key_x[i]+key_length+key_gap,key_y[i] left
}
do for [p=1:|panel_title|] {
  set lmargin at screen left[p]
  set rmargin at screen right[p]
  set bmargin at screen bottom[p]
  set tmargin at screen top[p]
  set title panel_title[p] offset 0,-0.5
  set xlabel (is_lowest[p] > 0 ? x_label : "") offset 0,0.3
  # At one place, whatever the width of the numbers beside it.
  set label 2000 (is_first[p] > 0 ? y_label : "") at screen y_label_x,(bottom[p]+top[p])/2 center rotate by 90
  first = (p - 1) * |name| - 1
  if (shape == 0) {
    plot \
      for [i=1:|name|] $points index first+i using 1:3:4 with filledcurves linecolor rgb colour[i], \
      for [i=1:|name|] $points index first+i using 1:2 with linespoints linewidth line_width dashtype int(dash[i]) \
        pointtype int(mark[i]) pointsize mark_size pointinterval int(every_th[i]) linecolor rgb colour[i]
  } else { if (shape == 1) {
    plot 1 with lines linewidth line_width/2 dashtype 3 linecolor rgb soft, \
      for [i=1:|name|] $points index first+i using (beside($1, i)):2:3:4 with yerrorbars linewidth line_width/2 \
        pointtype -1 linecolor rgb colour[i], \
      for [i=1:|name|] $points index first+i using (beside($1, i)):2 with linespoints linewidth line_width \
        dashtype int(dash[i]) pointtype int(mark[i]) pointsize mark_size linecolor rgb colour[i]
  } else {
    plot \
      for [i=1:|name|] $points index first+i using 1:2 with steps linewidth line_width dashtype int(dash[i]) \
        linecolor rgb colour[i], \
      for [i=1:|name|] $points index first+i every int(every_th[i]) using 1:2 with points \
        pointtype int(mark[i]) pointsize mark_size linecolor rgb colour[i]
  } }
  unset label
  unset arrow
}
unset multiplot
