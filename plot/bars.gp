# Horizontal bars in panels. Expects $points (a block per panel and series: value, -, low, high), per series name[],
# colour[]; per panel panel_title[], left[], right[], bottom[], top[], is_first[], is_lowest[]; said[] (per panel and
# series: beside a bar, or instead of it), x_range, x_label, plot_title, note, log_x.
if (log_x) { set logscale x }
eval "set xrange " . x_range
set yrange [|name|+0.5:0.5]
set ytics scale 0
unset grid
set grid xtics linetype 1 linewidth 0.6 linecolor rgb "#e4e4e4"
set border 1 linewidth 1 linecolor rgb "#444444"
set multiplot
set label 1 plot_title at screen 0.5,title_y center
set label 2 note at screen note_x,note_y left font note_font textcolor rgb soft
do for [p=1:|panel_title|] {
  set lmargin at screen left[p]
  set rmargin at screen right[p]
  set bmargin at screen bottom[p]
  set tmargin at screen top[p]
  set title panel_title[p] offset 0,-0.5
  set xlabel (is_lowest[p] > 0 ? x_label : "") offset 0,0.3
  set ytics ()
  do for [i=1:|name|] {
    set ytics add ((is_first[p] > 0 ? name[i] : "") i)
    set label 10+i said[(p - 1) * |name| + i] at graph 0,first i left offset 0.6,0 font note_font textcolor rgb soft
  }
  first = (p - 1) * |name| - 1
  plot \
    for [i=1:|name|] $points index first+i using 1:(i):(log_x ? 1e-300 : 0):1:(i-0.36):(i+0.36) with boxxyerror \
      fillstyle solid 0.85 noborder linecolor rgb colour[i], \
    for [i=1:|name|] $points index first+i using 1:(i):3:4 with xerrorbars linewidth 1.7*line_width pointtype -1 \
      linecolor rgb "#ffffff", \
    for [i=1:|name|] $points index first+i using 1:(i):3:4 with xerrorbars linewidth line_width/2 pointtype -1 \
      linecolor rgb "#222222"
  unset label
}
unset multiplot
