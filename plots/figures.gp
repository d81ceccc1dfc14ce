# SPDX-License-Identifier: MIT
#
# figures.gp - one figure of predicted against measured. plots/figures calls it with
#   figure   which one
#   data     its points, rows of them
#   target   the files to write, without .svg and .png
#   limit    (registers) what the hardware's occupancy calculator says
# Measured is blue, with circles or full bars; predicted is vermilion, with triangles and dashes or
# hatched bars: shape tells them apart without colour, in print too (colours: Okabe and Ito).
set encoding utf8
blue = "#0072b2"
red = "#d55e00"
green = "#009e73"
set style line 1 linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.9
set style line 2 linecolor rgb red linewidth 2 dashtype 2 pointtype 8 pointsize 1.2
set style line 3 linecolor rgb green linewidth 2 pointtype 5 pointsize 0.9
set style line 4 linecolor rgb green linewidth 2 dashtype 2 pointtype 4 pointsize 1.2
set border 3 linecolor rgb "#404040"
set tics nomirror out
set grid linecolor rgb "#e4e4e4" linetype 1 linewidth 0.5
set key top right samplen 2
width = 720
height = figure eq "speedups" ? 90 + 24 * rows : figure eq "working_set" ? 720 : 440

do for [format in "svg png"] {
    if (format eq "svg") {
        set terminal svg size width, height font "DejaVu Sans,12" background "white" enhanced
    } else {
        set terminal pngcairo size width, height font "DejaVu Sans,10" background "white" enhanced
    }
    set output target.".".format
    if (figure eq "speedups") {
        set title "Speed-up of each pair: bars from 1, error of the prediction at the right" noenhanced
        set logscale x
        set xrange [0.02:1000]
        set yrange [rows - 0.5:-1.6]
        set xlabel "speed-up of the variant over the base (cycles)"
        set ytics font ",9"
        set lmargin 34
        set key top left horizontal
        set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb "#404040" back
        plot data using 2:0:(1):2:($0 - 0.36):($0):ytic(stringcolumn(1)) with boxxyerror \
                 fillstyle solid 1.0 noborder linecolor rgb blue title "measured", \
             data using 3:0:(1):3:($0):($0 + 0.36) with boxxyerror \
                 fillstyle pattern 4 linecolor rgb red title "predicted", \
             data using 5:0 with points pointtype 2 pointsize 0.8 linecolor rgb "#000000" title "claimed", \
             data using (600):0:(sprintf("%+.0f %%", $4)) with labels font ",9" right notitle
    }
    if (figure eq "stride") {
        set title "Vector add: useful bandwidth against stride"
        set logscale x 2
        set xlabel "stride (elements of 4 bytes)"
        set ylabel "GB/s of bytes asked for"
        set yrange [0:*]
        set xrange [0.9:36]
        plot data using 1:3 with linespoints linestyle 1 title "measured", \
             data using 1:2 with linespoints linestyle 2 title "predicted"
    }
    if (figure eq "bank_stride") {
        set title "Shared-memory reads: time against bank stride"
        set logscale x 2
        set logscale y
        set xlabel "stride (words of 4 bytes)"
        set ylabel "time (µs)"
        set xrange [0.9:36]
        set key top left
        plot data using 1:3 with linespoints linestyle 1 title "measured", \
             data using 1:2 with linespoints linestyle 2 title "predicted"
    }
    if (figure eq "working_set") {
        set multiplot layout 2, 1
        set lmargin 10
        set logscale x
        set xrange [4:500000]
        set xlabel "working set (KiB: a block's for L1 kernels, the grid's for L2 kernels)"
        set ylabel "hit rate (%)"
        set yrange [-3:103]
        set title "Hit rate and bandwidth against working set"
        set key at graph 0.62, 0.75
        plot data using 1:5 with linespoints linestyle 1 title "L1 measured", \
             data using 1:4 with linespoints linestyle 2 title "L1 predicted", \
             data using 1:7 with linespoints linestyle 3 title "L2 measured", \
             data using 1:6 with linespoints linestyle 4 title "L2 predicted"
        unset title
        set key top right
        set ylabel "GB/s loaded"
        set yrange [*:*]
        set logscale y
        plot data using 1:3 with linespoints linestyle 1 title "measured", \
             data using 1:2 with linespoints linestyle 2 title "predicted"
        unset logscale y
        unset multiplot
    }
    if (figure eq "registers") {
        set title "Occupancy against registers a thread (grids of a wave or more)"
        set xlabel "registers a thread"
        set ylabel "occupancy (%)"
        set yrange [0:105]
        set xrange [0:260]
        plot limit using 1:2 with lines linestyle 3 title "can be resident, measured, 256 threads", \
             data using 1:3 with points pointtype 4 pointsize 1.4 linecolor rgb "#404040" title "theoretical, kernels", \
             data using 1:5 with points linestyle 1 title "achieved, measured", \
             data using 1:4 with points linestyle 2 title "achieved, predicted"
    }
    unset output
}
