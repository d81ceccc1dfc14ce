# SPDX-License-Identifier: MIT
#
# as_nvcc.awk - preprocessed CUDA C++ that nvcc reads and clang does not, so that clang does:
#   kernel << <grid, block >> >(...)      as some editors put the blanks
#   __shared__ alignas(16) float tile[8]  alignas goes before all other words of a declaration
#   asm("mov.u32 %0, %laneid;" ...)       a register's % is doubled, as clang asks for
#   __shared__ barrier bars[2];           where `constructed` has its place (|FILE:LINE|): room without
#                                         a constructor, which nvcc would not call either
# Lines stay where they are. Left out: words of one declaration on several lines.

/^# [0-9]+ "/ {
    line = $2 - 1
    file = $0
    sub(/^# [0-9]+ "/, "", file)
    sub(/"[^"]*$/, "", file)
    print
    next
}
{ line++ }
/^#/ { print; next }

# A word that ends a statement's own text is not looked for: what is open closes on a later line, too.
function launches(text) {
    while (match(text, /<<[ \t]+</)) {
        text = substr(text, 1, RSTART - 1) "<<<" substr(text, RSTART + RLENGTH)
        open++
    }
    while (open && match(text, />>[ \t]+>/)) {
        text = substr(text, 1, RSTART - 1) ">>>" substr(text, RSTART + RLENGTH)
        open--
    }
    return text
}

# The place behind the bracket that closes the one at `at`; 0 where this line has none.
function closing(text, at, depth, c) {
    for (depth = 0; at <= length(text); at++) {
        c = substr(text, at, 1)
        if (c == "(")
            depth++
        else if (c == ")" && --depth == 0)
            return at + 1
    }
    return 0
}

function alignments(text, done, words, start, end) {
    done = ""
    while (match(text, declaration)) {
        start = RSTART + RLENGTH - 1 # the bracket
        end = closing(text, start)
        if (!end)
            break
        words = substr(text, RSTART, RLENGTH)
        sub(/alignas[ \t]*\($/, "", words)
        done = done substr(text, 1, RSTART - 1) "alignas" substr(text, start, end - start) " " words
        text = substr(text, end)
    }
    return done text
}

function rooms(text, start, end, type, name, dims) {
    if (!match(text, /__attribute__[(][(]shared[)][)][ \t]+/))
        return text
    start = RSTART + RLENGTH
    end = index(substr(text, start), ";")
    if (!end)
        return text
    type = substr(text, start, end - 1)
    sub(/^static[ \t]+/, "", type)
    if (!match(type, /[A-Za-z_][A-Za-z0-9_]*[ \t]*(\[[^]]*\][ \t]*)*$/))
        return text
    name = substr(type, RSTART)
    type = substr(type, 1, RSTART - 1)
    dims = ""
    if (match(name, /[ \t[]/)) {
        dims = substr(name, RSTART)
        name = substr(name, 1, RSTART - 1)
    }
    return substr(text, 1, start - 1) "::__gmcuda_room<" type dims "> __gmcuda_" name "; auto &" name \
        " = __gmcuda_" name ".get();" substr(text, start + end)
}

# The statement may go over lines: `inside` counts its brackets, `quoted` is a string of it.
function assembler(text, done, c, at) {
    done = ""
    for (at = 1; at <= length(text); at++) {
        if (!started) {
            if (!match(substr(text, at), /(^|[^A-Za-z0-9_])(asm|__asm__|__asm)([^A-Za-z0-9_]|$)/))
                return done substr(text, at)
            done = done substr(text, at, RSTART + 2)
            at += RSTART + 2
            started = 1
            inside = quoted = 0
        }
        c = substr(text, at, 1)
        done = done c
        if (quoted && c == "\\")
            done = done substr(text, ++at, 1)
        else if (c == "\"")
            quoted = !quoted
        else if (quoted && c == "%" && substr(text, at + 1, 1) == "%")
            done = done substr(text, ++at, 1)
        else if (quoted && c == "%" && match(substr(text, at + 1), registers) == 1)
            done = done "%"
        else if (!quoted && c == "(")
            inside++
        else if (!quoted && c == ")" && --inside == 0)
            started = 0
    }
    return done
}

BEGIN {
    word = "(extern|static|volatile|const|inline)[ \t]+"
    declaration = "(" word ")*__attribute__[(][(](shared|device|constant|managed)[)][)][ \t]+(" word ")*alignas[ \t]*[(]"
    registers = "^(tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|lanemask_|clock|globaltimer|dynamic_smem_size|total_smem_size|envreg|pm[0-7]|cluster|nclusterid)"
}

{
    text = alignments(launches($0))
    print assembler(index(constructed, "|" file ":" line "|") ? rooms(text) : text)
}
