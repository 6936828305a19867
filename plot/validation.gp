# Simulation against real TCP: cycle times of all cells on local networks and over distances, and learning curves. From
# the folder results/validation:
#   gnuplot -e 'picture_format="svg"; picture_file="validation.svg"' ../../plot/validation.gp
width = 1150; height = 980; type_size = 14; paper = 0
load "../../plot/style.gp"
array palette[4] = ["#0072b2", "#d55e00", "#009e73", "#000000"]
colour(i) = palette[i]
set datafile separator comma
cycles = "../tables/validation_cycles.csv"
distances = "../tables/validation_distances.csv"
held_out = "../tables/validation_held_out.csv"
former(table, model) = sprintf("< awk -F, '$1 == \"%s\" && $7 == \"%s\" { print $8 \",\" $9 }' former_models.csv", table, model)
curves = "curves.csv"
set multiplot layout 2,2 margins 0.085,0.985,0.075,0.95 spacing 0.1,0.135

set xlabel "measured over real TCP, seconds per cycle"
set ylabel "simulated / measured"
set logscale x
set xrange [0.08:16]
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#444444" linewidth 1
set object 1 rectangle from graph 0, first 0.88 to graph 1, first 1.12 behind fillcolor rgb "#eeeeee" fillstyle solid \
  noborder
set key top left Left reverse samplen 1

set title "Local networks"
set yrange [0.5:1.5]
plot former("cycles", "fair") using 1:($2/$1) with points pointtype 6 pointsize 0.9 linecolor rgb colour(2) title "fair sharing", \
     cycles using (strcol(5) eq "TCP" ? $6 : NaN):($7/$6) with points pointtype 7 pointsize 0.7 linecolor rgb colour(1) title "TCP", \
     cycles using (strcol(5) eq "packets" ? $6 : NaN):($7/$6) with points pointtype 7 pointsize 0.4 linecolor rgb colour(4) title "packets"

set title "Packet by packet: real distances, and held-out cells"
at(latency, model) = sprintf("< awk -F, '$4 == \"%s\" && $6 == \"%s\"' %s", latency, model, distances)
plot for [i=1:3] at(word("5 20 50", i), "packets") using 7:($8/$7) with points pointtype 7 pointsize 0.7 \
     linecolor rgb colour(i) title word("5 20 50", i)." ms one way", \
     sprintf("< grep ,packets, %s", held_out) using 7:($8/$7) with points pointtype 6 pointsize 0.7 \
     linecolor rgb colour(4) title "held out, 0.1 to 30 ms"

set title "Real distances, all network models"
set logscale y
set yrange [0.25:12]
set ytics (0.25, 0.5, 1, 2, 4, 8)
of(model) = sprintf("< awk -F, '$6 == \"%s\"' %s", model, distances)
plot former("distances", "LV08") using 1:($2/$1) with points pointtype 6 pointsize 0.7 linecolor rgb colour(2) title "LV08", \
     former("distances", "CM02") using 1:($2/$1) with points pointtype 4 pointsize 0.6 linecolor rgb colour(3) title "CM02", \
     of("TCP") using 7:($8/$7) with points pointtype 7 pointsize 0.5 linecolor rgb colour(1) title "TCP", \
     of("packets") using 7:($8/$7) with points pointtype 7 pointsize 0.4 linecolor rgb colour(4) title "packets"

unset arrow 1
unset object 1
unset logscale
set title "Accuracy, mean of three seeds: heterogeneous WAN, 20 ms one way"
set xlabel "seconds"
set ylabel "mean test accuracy"
set xrange [0:150]
set yrange [0:0.8]
set ytics autofreq
set key top left Left reverse samplen 2.5
mean(system, runtime) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\" { sum[$4] += $5; ++n[$4] } END { for (t in n) print t \",\" sum[t]/n[t] }' %s | sort -t, -g", system, runtime, curves)
systems = "ako_p4 ps_async gossip"
array shown[3] = ["Ako P=4", "asynchronous PS", "gossip"]
plot for [i=1:3] mean(word(systems, i), "measured") using 1:2 with lines linecolor rgb colour(i) linewidth 2 title shown[i].", measured", \
     for [i=1:3] mean(word(systems, i), "simulated") using 1:2 with lines linecolor rgb colour(i) linewidth 2 dashtype 2 title shown[i].", simulated"
unset multiplot
