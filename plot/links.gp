# How busy links were, over time. Expects $cells (row, start, end, utilisation), the place of the panel and that of the
# scale beside it (scale_left, scale_width); ranges, marks of axes and all texts are set.
set lmargin at screen left[1]
set rmargin at screen right[1]
set bmargin at screen bottom[1]
set tmargin at screen top[1]
unset grid
unset border
set cbrange [0:100]
set cbtics ("" 0, "" 25, "" 50, "" 75, "" 100)
set colorbox user origin screen scale_left,bottom[1] size screen scale_width,top[1]-bottom[1]
# From Viridis: brightness alone tells its colours apart.
set palette defined (0 "#440154", 1 "#3b528b", 2 "#21918c", 3 "#5ec962", 4 "#fde725")
plot $cells using 2:1:2:3:($1-0.45):($1+0.45):($4*100) with boxxyerror fillstyle solid 1 noborder palette
