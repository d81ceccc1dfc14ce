# SPDX-License-Identifier: MIT
#
# scatter.awk - points for scatter.gp out of `gmvalidate --format csv --verbose`.
#
#   awk -v folder=DIR -f ../validate/csv.awk -f scatter.awk comparisons.csv
#
# For each metric of the modelled family with something to draw: DIR/METRIC.dat, one launch a line
# (measured, predicted, 1 if outside the band, and for the farthest outside their name, to be written
# right of the point or left of it), and DIR/METRIC.set, what scatter.gp must know of all of them.
# Prints the metrics' names. Counts are drawn on logarithmic axes, where a 0 has no place: such
# launches are counted and the plot says so. Rates are drawn from 0 to 100.

FNR == 1 {
    columns = cut($0, head)
    for (i = 1; i <= columns; i++)
        column[head[i]] = i
    if (!("trace" in column && "metric" in column && "predicted" in column && "outcome" in column)) {
        print "scatter.awk: " FILENAME ": is not gmvalidate's CSV with --verbose" >"/dev/stderr"
        exit failed = 1
    }
    next
}

cut($0, field) == columns && field[column["family"]] == "modelled" &&
field[column["predicted"]] != "" && field[column["measured"]] != "" {
    name = field[column["metric"]]
    if (name !~ /^[A-Za-z0-9_.]+$/)
        next # names files, and gnuplot reads it
    if (!(name in launches))
        order[++metrics] = name
    n = ++launches[name]
    predicted[name, n] = field[column["predicted"]] + 0
    measured[name, n] = field[column["measured"]] + 0
    label[name, n] = field[column["trace"]]
    gsub(/[^A-Za-z0-9_.:+-]/, "?", label[name, n])
}

END {
    for (i = 1; !failed && i <= metrics; i++)
        write(order[i])
    exit failed
}

# How far outside the band: 10 % of the measured count, 5 points of a rate.
function outside(percent, p, m) {
    if (percent)
        return p - m > 5 ? p - m - 5 : m - p > 5 ? m - p - 5 : 0
    return p > 1.1 * m ? log(p / m) : p < 0.9 * m ? log(m / p) : 0
}

function write(name,    percent, n, i, k, p, m, low, high, shown, zeros, inside, at, far, best, marked, text, right, data, set) {
    percent = percent_axis = name ~ /[._]pct$/
    for (n = 1; n <= launches[name]; n++) {
        p = predicted[name, n]
        m = measured[name, n]
        if (!percent && (p <= 0 || m <= 0)) {
            zeros += p != m
            continue
        }
        shown++
        at[shown] = n
        far[n] = outside(percent, p, m)
        inside += far[n] == 0
        if (low == "" || p < low) low = p
        if (m < low) low = m
        if (p > high) high = p
        if (m > high) high = m
    }
    if (!shown)
        return
    # Whole decades around the points, none on the edge, where gnuplot may drop its name; rates from
    # 0 to 100, and beyond where ncu says so.
    if (percent) {
        low = 0
        high = high > 100 ? high * 1.05 : 100
    } else {
        low = 10 ^ floor(log(low) / log(10) - 1e-9)
        high = 10 ^ (floor(log(high) / log(10) + 1e-9) + 1)
    }
    base = percent ? low : log(low)
    span = (percent ? high : log(high)) - base
    # Names beside the farthest, where they do not cover one another.
    for (k = 1; k <= 3; k++) {
        best = 0
        for (i = 1; i <= shown; i++)
            if (far[at[i]] > 0 && (!best || far[at[i]] > far[best]) && has_room(name, at[i], marked))
                best = at[i]
        if (best)
            marked[best] = 1
    }
    data = folder "/" name ".dat"
    set = folder "/" name ".set"
    print "# measured predicted outside name name" >data
    for (i = 1; i <= shown; i++) {
        n = at[i]
        text = (n in marked) ? label[name, n] : ""
        right = place(measured[name, n]) > 0.5 # a name there stands left of its point
        printf("%.15g %.15g %d \"%s\" \"%s\"\n", measured[name, n], predicted[name, n],
            (far[n] > 0), right ? "" : text, right ? text : "") >data
    }
    close(data)
    printf "name = \"%s\"\npercent = %d\nlow = %.15g\nhigh = %.15g\nshown = %d\nzeros = %d\ninside = %d\n",
        name, percent, low, high, shown, zeros, inside >set
    close(set)
    print name
}

# Whether a name beside this point stays clear of those marked already. Axes as in write().
function has_room(name, n, marked,    other, dx, dy) {
    for (other in marked) {
        dx = place(measured[name, n]) - place(measured[name, other])
        dy = place(predicted[name, n]) - place(predicted[name, other])
        if (dx < 0.4 && dx > -0.4 && dy < 0.05 && dy > -0.05)
            return 0
    }
    return 1
}

# Along the axis, from 0 to 1.
function place(value) {
    return ((percent_axis ? value : log(value)) - base) / span
}

function floor(x) {
    return int(x) <= x ? int(x) : int(x) - 1
}
