# SPDX-License-Identifier: MIT
#
# predict.awk - after csv.awk, with tables of gmsim as CSV: their launches below one another, each with
# its case, the file's name, its kernel and its metrics.

FNR == 1 {
    columns = cut($0, name)
    kept = 0
    for (i = 1; i <= columns; i++)
        if (name[i] == "Kernel Name" || name[i] == "Unsteady" || name[i] ~ /__/)
            keep[++kept] = i
    label = FILENAME
    sub(/.*\//, "", label)
    sub(/\.csv$/, "", label)
}
{
    if (FNR == 1 && NR > 1)
        next
    cut($0, field)
    printf "%s", FNR == 1 ? "Case" : quoted(label)
    for (i = 1; i <= kept; i++)
        printf ",%s", quoted(field[keep[i]])
    print ""
}
