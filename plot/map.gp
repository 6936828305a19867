# Which scheme wins where. Expects $cells (column, row, scheme or 0, text), name[] and colour[] per scheme,
# column_name[], row_name[], x_label, y_label, plot_title, note.
set title plot_title
set xlabel x_label . (note eq "" ? "" : "\n" . note)
set ylabel y_label
unset grid
unset border
set tics scale 0
set xrange [0.5:|column_name|+0.5]
set yrange [0.5:|row_name|+0.5]
set xtics ()
set ytics ()
set for [i=1:|column_name|] xtics add (column_name[i] i)
set for [i=1:|row_name|] ytics add (row_name[i] i)
if (paper) {
  set bmargin 4.5 + (note eq "" ? 0 : 1.2) + 1.3 * ceil(|name| / 2.0)
  set key at screen 0.5,0.01 center bottom horizontal maxcols 2 Left reverse samplen 1
} else {
  set key outside right center Left reverse samplen 1 spacing 1.5 width 1
}
set style fill solid 1 border rgb "white"
rgb_of(i) = int("0x" . colour[int(i)][2:])
shade(i) = i < 1 ? 0xeeeeee : rgb_of(i)
# Black or white, whichever is read more easily on the colour (ITU-R BT.601).
bright(c) = 0.299 * (c / 65536) + 0.587 * (c / 256 % 256) + 0.114 * (c % 256)
ink(i) = bright(shade(i)) < 140 ? 0xffffff : 0x000000
plot \
  $cells using 1:2:($1-0.49):($1+0.49):($2-0.49):($2+0.49):(shade($3)) with boxxyerror fillcolor rgb variable notitle, \
  $cells using 1:2:4:(ink($3)) with labels textcolor rgb variable notitle, \
  for [i=1:|name|] NaN with boxes fillcolor rgb colour[i] title name[i]
