# SPDX-License-Identifier: MIT
#
# executed.awk - error table of reconstructed executed instructions: after csv.awk, with a file of
# measurements and one of "CASE<tab>COUNT" lines, one a launch, in order.

NR == FNR {
    cut($0, field)
    if (FNR == 1)
        for (i in field)
            column[field[i]] = i
    else if (field[column["Case"]] != "")
        measured[field[column["Case"]], ++launches[field[column["Case"]]]] = \
            field[column["smsp__inst_executed.sum"]]
    next
}
FNR == 1 {
    printf "%-30s %14s %14s %9s\n", "launch", "predicted", "measured", "error %"
}
{
    split($0, line, "\t")
    name = line[1]
    turn = ++seen[name]
    if (!((name, turn) in measured)) {
        missing++
        next
    }
    truth = measured[name, turn]
    error = (line[2] - truth) / truth * 100
    size = error < 0 ? -error : error
    sum += size
    worst = size > worst ? size : worst
    count++
    printf "%-30s %14d %14d %9.3f\n", name (turn > 1 ? " " turn : ""), line[2], truth, error
}
END {
    printf "mean %.4f worst %.4f launches %d missing %d\n", count ? sum / count : 100, worst,
        count, missing
}
