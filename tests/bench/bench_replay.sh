#!/bin/sh
# SPDX-License-Identifier: MIT
# `make bench`: replay rate of one core, peak memory and trace size for each access pattern; host
# instructions a warp access where valgrind is installed (they repeat; rates depend on the machine).
set -e
bench=$GMSIM_BUILDDIR/tests/bench_replay
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-10s %12s %10s %14s %9s %9s\n' pattern accesses 'M/s' 'host instr' 'peak MiB' 'B/access'
for entry in stream:4000000 divergent:1000000 gather:500000 conflict:4000000 scatter:1000000 \
    matmul:4000000; do
    pattern=${entry%:*}
    "$bench" make "$pattern" "${entry#*:}" "$work/t.trc"
    "$bench" run "$work/t.trc" >"$work/run"
    read -r accesses rate memory size <"$work/run"
    cost=-
    if command -v valgrind >/dev/null; then
        "$bench" make "$pattern" 100000 "$work/t.trc"
        "$GMSIM_BUILDDIR/libtool" --mode=execute valgrind --tool=callgrind \
            --callgrind-out-file="$work/callgrind" --toggle-collect=gmsim_schedule \
            "$bench" run "$work/t.trc" 2 >"$work/run" 2>"$work/log"
        read -r small rest <"$work/run"
        cost=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log")
        cost=$((cost / small / 2))
    fi
    printf '%-10s %12s %10s %14s %9s %9s\n' "$pattern" "$accesses" "$rate" "$cost" "$memory" "$size"
done
