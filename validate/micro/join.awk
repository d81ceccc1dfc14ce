# SPDX-License-Identifier: MIT
# Joins what a profiler measured with the table of launches that a microbenchmark wrote:
#     awk -f join.awk patterns.csv measured.csv >joined.csv
# measured.csv is the output of `ncu --csv --page raw`, other output around it included. A row is
# the launch's row of patterns.csv followed by every metric. Fails if the two disagree.

function fail(text) { print "join.awk: " text >"/dev/stderr"; failed = 1; exit 1 }

# Splits a line of quoted values that may hold commas; returns their number.
function values(line, field,    n) {
    n = 0
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            match(line, /^"[^"]*"/)
            field[++n] = substr(line, 2, RLENGTH - 2)
        } else {
            match(line, /^[^,]*/)
            field[++n] = substr(line, 1, RLENGTH)
        }
        line = substr(line, RLENGTH + 2)
    }
    return n
}

FNR == 1 { file++ }
{ sub(/\r$/, "") }

file == 1 && FNR == 1 {
    if ($0 !~ /^launch,/) fail(FILENAME ": line 1: not a table of launches")
    heading = $0
    columns = split($0, name, ",")
    for (i = 1; i <= columns; i++) if (name[i] == "kernel") kernel_column = i
    next
}
file == 1 {
    split($0, part, ",")
    launch[part[1]] = $0
    kernel[part[1]] = kernel_column ? part[kernel_column] : ""
    launches++
    next
}

/^"ID",/ {
    metrics = 0
    count = values($0, label)
    for (i = 1; i <= count; i++) {
        if (label[i] == "ID") id = i
        if (label[i] == "Kernel Name") name_at = i
        if (label[i] ~ /__/) metric[++metrics] = i
    }
    if (!metrics || !name_at) fail(FILENAME ": no metrics in the heading")
    printf "%s", heading
    for (i = 1; i <= metrics; i++) printf ",%s", label[metric[i]]
    print ""
    next
}
metrics && /^"[0-9]+",/ {
    if (values($0, value) != count) fail(FILENAME ":" FNR ": other columns than the heading")
    key = value[id]
    if (!(key in launch)) fail(FILENAME ":" FNR ": launch " key " is not in the table of launches")
    measured = value[name_at]
    sub(/^void /, "", measured)
    sub(/[<(].*/, "", measured)
    if (kernel[key] != "" && measured != kernel[key])
        fail(FILENAME ":" FNR ": launch " key " is " measured ", not " kernel[key])
    printf "%s", launch[key]
    for (i = 1; i <= metrics; i++) {
        gsub(/,/, "", value[metric[i]]) # thousands
        printf ",%s", value[metric[i]]
    }
    print ""
    joined++
}

END {
    if (failed) exit 1
    if (joined != launches) fail(joined + 0 " of " launches + 0 " launches were measured")
}
