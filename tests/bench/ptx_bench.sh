#!/bin/sh
# SPDX-License-Identifier: MIT
# `make bench`: speed of the PTX interpreter on one core, with a trace and without; host instructions
# a warp instruction where valgrind is installed (they repeat; rates depend on the machine).
set -e
. "$GMSIM_SRCDIR/tests/support/instructions.sh"
bench=$GMSIM_BUILDDIR/tests/ptx_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
        few=$(instructions gmptx_run "$work/run" "$bench" "$kernel" 64 $file)
        many=$(instructions gmptx_run "$work/run" "$bench" "$kernel" 192 $file)
        host=
        [ -z "$few" ] || host=$(awk -v few="$few" -v many="$many" -v all="${rate% *}" \
            'BEGIN { printf "%.0f", (many - few) / (all / 8192 * 128) }')
        printf '%-8s %-6s %18s %8s %12s\n' "$kernel" "$trace" "${rate% *}" "${rate#* }" "${host:--}"
    done
done
