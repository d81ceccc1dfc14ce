#!/bin/sh
# SPDX-License-Identifier: MIT
# `make bench`: speed of the PTX interpreter on one core, with a trace and without; host instructions
# a warp instruction where valgrind is installed (they repeat; rates depend on the machine).
set -e
bench=$GMSIM_BUILDDIR/tests/ptx_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cost() { # CTAS ...: host instructions of the launch
    "$GMSIM_BUILDDIR/libtool" --mode=execute valgrind --tool=callgrind \
        --callgrind-out-file="$work/callgrind" --toggle-collect=gmptx_run "$bench" "$@" 2>&1 \
        >"$work/run" | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
printf '%-8s %-6s %18s %8s %12s\n' ptx trace 'warp instructions' 'M/s' 'host instr'
for kernel in saxpy copy; do
    for trace in no yes; do
        file=
        [ "$trace" = no ] || file=$work/t.trc
        "$bench" "$kernel" 8192 $file >"$work/best"
        for again in 1 2 3 4; do # the machine's other work disturbs; the best run counts
            "$bench" "$kernel" 8192 $file >>"$work/best"
        done
        rate=$(sort -n -k 2 "$work/best" | tail -n 1)
        host=-
        if command -v valgrind >/dev/null; then
            few=$(cost "$kernel" 64 $file) many=$(cost "$kernel" 192 $file)
            host=$(awk -v few="$few" -v many="$many" -v all="${rate% *}" \
                'BEGIN { printf "%.0f", (many - few) / (all / 8192 * 128) }')
        fi
        printf '%-8s %-6s %18s %8s %12s\n' "$kernel" "$trace" "${rate% *}" "${rate#* }" "$host"
    done
done
