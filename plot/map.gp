# Which scheme wins where. Expects $cells (column, row, colour) and the place of the panel; ranges and all texts are set.
set lmargin at screen left[1]
set rmargin at screen right[1]
set bmargin at screen bottom[1]
set tmargin at screen top[1]
unset grid
unset border
set style fill solid 1 border rgb "white"
plot $cells using 1:2:($1-0.49):($1+0.49):($2-0.49):($2+0.49):3 with boxxyerror fillcolor rgb variable
