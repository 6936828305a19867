# What all pictures have in common. Expects picture_format ("svg", "png", "pdf"), picture_file, width, height and
# type_size: on paper (paper = 1) in points, on a screen in pixels.
# Cairo's terminals take 96 dots an inch for their type: hence 72 / 96 of its size.
type = sprintf("DejaVu Sans,%g", type_size)
if (picture_format eq "svg") {
  set terminal svg size width,height font type linewidth (paper ? 0.7 : 1) background rgb "white"
} else { if (picture_format eq "png") {
  dots = paper ? 300 / 72.0 : 2
  set terminal pngcairo size dots*width,dots*height font type fontscale 0.75*dots linewidth dots*0.8 \
    pointscale dots*0.8 background rgb "white"
} else {
  inches = paper ? 1 / 72.0 : 1 / 100.0
  set terminal pdfcairo size inches*width,inches*height font type fontscale 0.75*(paper ? 1 : 0.72) linewidth 1.3 \
    background rgb "white"
} }
set termoption noenhanced
set output picture_file
line_width = type_size < 10 ? 1.2 : 2
mark_size = type_size < 10 ? 0.5 : 0.7
soft = "#555555"
set border 3 linewidth 1 linecolor rgb "#444444"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics linetype 1 linewidth 0.6 linecolor rgb "#e4e4e4"
set key off
