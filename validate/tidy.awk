# SPDX-License-Identifier: MIT
#
# tidy.awk - turns what `ncu --csv --page raw` wrote into a small table: the case each launch
# belongs to, its kernel and shape, and the wanted metrics in the wanted order, numbers without
# thousands separators. Leaves out process, host and device columns.
#
#   awk -v list=METRICS.txt -f csv.awk -f tidy.awk LOG...
#
# METRICS.txt has one metric a line. Beside each LOG stands LOG.pids, "case process-id" a line.

BEGIN {
    while ((getline line < list) > 0)
        if (line !~ /^#/ && line != "")
            want[++wanted] = line
    printf "Case,Kernel Name,Grid Size,Block Size,CC"
    for (i = 1; i <= wanted; i++)
        printf ",%s", want[i]
    print ""
}

# A new log: its own header will come, and its own process numbers.
FNR == 1 {
    split("", case_of)
    while ((getline line < (FILENAME ".pids")) > 0) {
        split(line, part, " ")
        case_of[part[2]] = part[1]
    }
    close(FILENAME ".pids")
    columns = 0
}

{ sub(/\r$/, "") }

columns == 0 {
    if ($0 !~ /"Kernel Name"/ || $0 ~ /^==/)
        next
    columns = cut($0, name)
    split("", at)
    for (i = 1; i <= columns; i++)
        at[name[i]] = i
    next
}

/^==/ || $0 == "" { next }

cut($0, field) != columns { next }

# The units record has no kernel name. It is printed once, for the first log.
field[at["Kernel Name"]] == "" {
    if (!units++) {
        printf ",,,,"
        for (i = 1; i <= wanted; i++)
            printf ",%s", want[i] in at ? field[at[want[i]]] : ""
        print ""
    }
    next
}

{
    process = field[at["Process ID"]]
    printf "%s,%s,%s,%s,%s", process in case_of ? case_of[process] : "",
        quoted(field[at["Kernel Name"]]), quoted(field[at["Grid Size"]]),
        quoted(field[at["Block Size"]]), field[at["CC"]]
    for (i = 1; i <= wanted; i++)
        printf ",%s", want[i] in at ? plain(field[at[want[i]]]) : ""
    print ""
}

function plain(text) {
    if (text ~ /^-?[0-9][0-9,]*(\.[0-9]+)?$/)
        gsub(/,/, "", text)
    return quoted(text)
}
