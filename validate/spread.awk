# SPDX-License-Identifier: MIT
#
# spread.awk - how far several runs of one measurement lie apart.
#
#   awk -f csv.awk -f spread.awk RUN1.csv RUN2.csv ...
#
# The files come from tidy.awk: header, units, one row a launch. Launches are told apart by case,
# kernel, shape and order. Prints one line a launch and metric whose runs differ, with the spread
# in percent of the median; equal runs are not listed.

BEGIN {
    print "Case,Kernel Name,launch,metric,runs,min,median,max,spread_percent"
}

FNR == 1 {
    columns = cut($0, name)
    split("", seen)
    next
}

cut($0, field) != columns || field[2] == "" { next }

{
    key = field[1] SUBSEP field[2] SUBSEP field[3] SUBSEP field[4]
    key = key SUBSEP seen[key]++
    if (!(key in known)) {
        known[key] = 1
        order[++launches] = key
        title[key] = field[1] "," quoted(field[2]) "," seen_number(key)
    }
    for (i = 6; i <= columns; i++)
        if (field[i] ~ /^-?[0-9.]+$/) {
            n = ++runs[key, name[i]]
            value[key, name[i], n] = field[i] + 0
        }
    if (!metrics)
        for (i = 6; i <= columns; i++)
            metric[++metrics] = name[i]
}

END {
    for (l = 1; l <= launches; l++)
        for (m = 1; m <= metrics; m++)
            report(order[l], metric[m])
}

function report(key, what,    n, i, j, t, v, middle) {
    n = runs[key, what]
    for (i = 1; i <= n; i++)
        v[i] = value[key, what, i]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
            t = v[j]
            v[j] = v[j - 1]
            v[j - 1] = t
        }
    if (n < 2 || v[1] == v[n])
        return
    middle = (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
    printf "%s,%s,%d,%.15g,%.15g,%.15g,%s\n", title[key], what, n, v[1], middle, v[n],
        middle != 0 ? sprintf("%.3f", 100 * (v[n] - v[1]) / middle) : ""
}

function seen_number(key,    part, n) {
    n = split(key, part, SUBSEP)
    return part[n]
}
