# Simulation against real TCP: cycle times of all cells, and two learning curves. From the folder results/validation:
#   gnuplot -e 'picture_format="svg"; picture_file="validation.svg"' ../../plot/validation.gp
width = 1150; height = 470; type_size = 14; paper = 0
load "../../plot/style.gp"
array palette[2] = ["#0072b2", "#d55e00"]
colour(i) = palette[i]
set datafile separator comma
cycles = "../tables/validation_cycles.csv"
curves = "curves.csv"
set multiplot layout 1,2 margins 0.06,0.985,0.14,0.9 spacing 0.075

set title "Seconds per cycle: simulated over measured" 
set xlabel "measured over real TCP, seconds"
set ylabel "simulated / measured"
set logscale x
set xrange [0.08:12]
set yrange [0.7:1.5]
set arrow 1 from 0.08,1 to 12,1 nohead linecolor rgb "#444444" linewidth 1
set object 1 rectangle from 0.08,0.88 to 12,1.12 behind fillcolor rgb "#eeeeee" fillstyle solid noborder
set key top left Left reverse samplen 1
plot cycles using (strcol(5) eq "fair" ? $6 : NaN):($7/$6) with points pointtype 6 pointsize 0.9 linecolor rgb colour(2) title "fair sharing", \
     cycles using (strcol(5) eq "tcp" ? $6 : NaN):($7/$6) with points pointtype 7 pointsize 0.7 linecolor rgb colour(1) title "tcp sharing"

unset arrow 1
unset object 1
unset logscale x
set title "Mean test accuracy on the heterogeneous wide-area network"
set xlabel "seconds"
set ylabel "accuracy"
set xrange [0:300]
set yrange [0:0.6]
line(system, runtime) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' %s", system, runtime, curves)
plot line("ako_p4", "measured") using 3:4 with lines linecolor rgb colour(1) linewidth 2 title "Ako P=4, measured", \
     line("ako_p4", "simulated") using 3:4 with lines linecolor rgb colour(1) linewidth 2 dashtype 2 title "Ako P=4, simulated", \
     line("ps_async", "measured") using 3:4 with lines linecolor rgb colour(2) linewidth 2 title "asynchronous PS, measured", \
     line("ps_async", "simulated") using 3:4 with lines linecolor rgb colour(2) linewidth 2 dashtype 2 title "asynchronous PS, simulated"
unset multiplot
