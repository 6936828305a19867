# How busy links were, over time. Expects $cells (row, start, end, utilisation), link_name[] per row from below, x_label,
# plot_title, x_start, x_end.
set title plot_title
set xlabel x_label
unset grid
unset border
set ytics scale 0
set xrange [x_start:x_end]
set yrange [0.5:|link_name|+0.5]
set ytics ()
set for [i=1:|link_name|] ytics add (link_name[i] i)
set cbrange [0:100]
# The blank keeps the label off the numbers, for which too little room is left.
set format cb "%h "
set cblabel "share of the bandwidth (%)"
set cbtics 25
# From Viridis: brightness alone tells its colours apart.
set palette defined (0 "#440154", 1 "#3b528b", 2 "#21918c", 3 "#5ec962", 4 "#fde725")
plot $cells using 2:1:2:3:($1-0.45):($1+0.45):($4*100) with boxxyerror fillstyle solid 1 noborder palette notitle
