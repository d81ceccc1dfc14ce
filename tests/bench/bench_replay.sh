#!/bin/sh
# SPDX-License-Identifier: MIT
# `make bench`: replay rate of one core, peak memory and trace size for each access pattern; host
# instructions a warp access where valgrind is installed (they repeat; rates depend on the machine).
set -e
. "$GMSIM_SRCDIR/tests/support/instructions.sh"
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
    "$bench" make "$pattern" 100000 "$work/t.trc"
    cost=$(instructions gmsim_schedule "$work/run" "$bench" run "$work/t.trc" 2)
    if [ -n "$cost" ]; then
        read -r small rest <"$work/run"
        cost=$((cost / small / 2))
    fi
    printf '%-10s %12s %10s %14s %9s %9s\n' "$pattern" "$accesses" "$rate" "${cost:--}" "$memory" "$size"
done
