# SPDX-License-Identifier: MIT
#
# csv.awk - reading and writing CSV; for the other scripts here, named before them: awk -f csv.awk -f ...

# Fields of one record of RFC 4180; returns how many.
function cut(line, out,    n, i, c, text, open) {
    split("", out)
    n = 0
    text = ""
    open = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (open && c == "\"" && substr(line, i + 1, 1) == "\"") {
            text = text "\""
            i++
        } else if (c == "\"") {
            open = !open
        } else if (c == "," && !open) {
            out[++n] = text
            text = ""
        } else {
            text = text c
        }
    }
    out[++n] = text
    return n
}

function quoted(text) {
    if (text !~ /[",]/)
        return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}
