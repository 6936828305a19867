# What all pictures have in common. Expects picture_format ("svg", "png", "pdf"), picture_file, and the size of what is
# drawn without the legend (plot_width, plot_height) and of the legend beside it (legend_width), in pixels.
legend_width = exists("legend_width") ? legend_width : 0
width = plot_width + legend_width
if (picture_format eq "svg") {
  set terminal svg size width,plot_height font "Helvetica,14" background rgb "white"
} else { if (picture_format eq "png") {
  set terminal pngcairo size 2*width,2*plot_height font "DejaVu Sans,10" fontscale 1.9 linewidth 1.6 background rgb "white"
} else {
  set terminal pdfcairo size width/100.0,plot_height/100.0 font "DejaVu Sans,10" fontscale 0.72 linewidth 1.3 background rgb "white"
} }
set termoption noenhanced
set output picture_file
set border 3 linewidth 1 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics linetype 1 linewidth 0.6 linecolor rgb "#e4e4e4"
set key off
# Okabe and Ito's colours, told apart by colour-blind readers too; after these, the same with other dashes.
array palette[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
colour(i) = palette[(i - 1) % 7 + 1]
dashes(i) = 1 + (i - 1) / 7
rgb_of(i) = int("0x" . colour(int(i))[2:])
