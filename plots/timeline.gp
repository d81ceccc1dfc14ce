# SPDX-License-Identifier: MIT
#
# timeline.gp - what a launch did over time. plots/timeline calls it with
#   work     the folder of its tables: ctas, waits (added up), flows, hits
#   target   the file to write
#   kind     svg or png
#   end      the last microsecond
#   sms      how many SMs there are to show
#   waits    names of the parts of waits
# Colours are those of Okabe and Ito, and grey.
set encoding utf8
if (kind eq "svg") {
    set terminal svg size 900, 900 font "DejaVu Sans,11" background "white"
} else {
    set terminal pngcairo size 900, 900 font "DejaVu Sans,9" background "white"
}
set output target
colours = "#bbbbbb #666666 #cc79a7 #56b4e9 #009e73 #e69f00 #d55e00 #0072b2 #f0e442"
colour(i) = word(colours, i)
set border 3 linecolor rgb "#404040"
set tics nomirror out
set xrange [0:end]
set lmargin 10
set rmargin 22
set key outside right center samplen 1.5 font ",10" noenhanced
set multiplot
height = 0.235
panel(i) = 1 - height * (i + 1) - 0.01

set origin 0, panel(0)
set size 1, height
set ylabel "CTAs by SM"
set yrange [0:sms] reverse
set format x ""
unset key
plot for [shade=0:2] work."/ctas" using ($5 == shade ? $1 : NaN):3:1:2:3:4 with boxxyerror \
    fillstyle solid 1.0 noborder linecolor rgb word("#0072b2 #56b4e9 #9fc5e8", shade + 1)

set key
set grid y linecolor rgb "#e4e4e4" linetype 1 linewidth 0.5
set origin 0, panel(1)
set yrange [0:*] noreverse
set ylabel "warps, by what they wait for"
plot for [i=words(waits):1:-1] work."/waits" using 1:i + 1 with fillsteps \
    fillstyle solid 1.0 noborder linecolor rgb colour(i) title word(waits, i)

set origin 0, panel(2)
set ylabel "GB/s"
names = "'L1 hit' 'L1 missed' 'L2 read' 'L2 written' 'DRAM read' 'DRAM written'"
lines = "#cc79a7 #56b4e9 #009e73 #e69f00 #0072b2 #d55e00"
plot for [i=1:6] work."/flows" using 1:i + 1 with steps linewidth 1.5 \
    linecolor rgb word(lines, i) title word(names, i)

set origin 0, panel(3) - 0.03
set size 1, height + 0.03
set yrange [0:100]
set format x "%g"
set xlabel "microseconds"
set ylabel "found, percent"
plot work."/hits" using 1:2 with steps linewidth 1.5 linecolor rgb "#56b4e9" title "in L1", \
    work."/hits" using 1:3 with steps linewidth 1.5 linecolor rgb "#009e73" title "in L2"
unset multiplot
