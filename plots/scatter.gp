# SPDX-License-Identifier: MIT
#
# scatter.gp - predicted against measured, one panel a metric. plots/plot calls it with
#   folder    where scatter.awk put METRIC.dat and METRIC.set
#   metrics   their names; several share one picture
#   columns   panels side by side
#   target    the files to write, without .svg and .png
# Blue circles lie within the band, vermilion triangles outside; shape says it as well as colour,
# and the two colours (Okabe and Ito's) differ to every kind of colour vision.
panels = words(metrics)
rows = (panels + columns - 1) / columns
width = 430 * columns
height = 450 * rows
set encoding utf8
set style line 1 linecolor rgb "#0072b2" pointtype 6 pointsize 0.8 linewidth 1.4
set style line 2 linecolor rgb "#d55e00" pointtype 8 pointsize 1.0 linewidth 1.4
set border 3 linecolor rgb "#404040"
set tics nomirror out
set grid linecolor rgb "#e4e4e4" linetype 1 linewidth 0.5
set size square
set key below horizontal reverse Left samplen 1.5 width 1
set xlabel "measured"
set ylabel "predicted"
set samples 200

do for [format in "svg png"] {
    if (format eq "svg") {
        set terminal svg size width, height font "DejaVu Sans,12" background "white" enhanced
    } else {
        set terminal pngcairo size width, height font "DejaVu Sans,10" background "white" enhanced
    }
    set output target.".".format
    if (panels > 1) {
        set multiplot layout rows, columns
    }
    do for [metric in metrics] {
        load sprintf("%s/%s.set", folder, metric)
        points = sprintf("%s/%s.dat", folder, metric)
        # A log axis that begins anew for each panel.
        unset logscale
        set xrange [low:high]
        set yrange [low:high]
        if (percent) {
            set format "%g"
            band = "± 5 points"
        } else {
            set logscale xy
            set format "10^{%T}"
            band = "± 10 %"
        }
        lower(x) = percent ? x - 5 : 0.9 * x
        upper(x) = percent ? x + 5 : 1.1 * x
        note = zeros > 0 ? sprintf("%d of %d within %s; %d not drawn, 0 on one side", inside, shown, band, zeros) \
                         : sprintf("%d of %d within %s", inside, shown, band)
        set title sprintf("%s\n%s", name, note) font ",9" noenhanced
        plot "+" using 1:(lower($1)):(upper($1)) with filledcurves fillcolor rgb "#dddddd" notitle, \
             x with lines linecolor rgb "#808080" linewidth 1 notitle, \
             points using ($3 == 0 ? $1 : NaN):2 with points linestyle 1 title "within ".band, \
             points using ($3 == 1 ? $1 : NaN):2 with points linestyle 2 title "outside", \
             points using 1:2:4 with labels font ",8" offset 0.6,-0.6 left \
                 textcolor rgb "#404040" noenhanced notitle, \
             points using 1:2:5 with labels font ",8" offset -0.6,0.6 right \
                 textcolor rgb "#404040" noenhanced notitle
    }
    if (panels > 1) {
        unset multiplot
    }
    unset output
}
