# SPDX-License-Identifier: MIT
# Sourced by tests that hold what gmsim predicts of a microbenchmark's launches on an H200, captured
# there, to what was measured. Brings tap.sh; skips where there is no python3, and with sanitizers, where
# compiled tests and whole reports see to what these would. $work is a folder that goes when the test ends.
. "${GMSIM_SRCDIR:?}/tests/support/tap.sh"
! sanitized || { echo "1..0 # SKIP too slow with sanitizers: tests/report and tests/model's compiled ones run"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP needs python3"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# TRACE MICRO LAUNCHES: replays tests/data/TRACE.trc, each launch with an empty L2. LAUNCHES is an awk
# condition: those of MICRO's table that the trace has.
replay()
{
    "$GMSIM_BUILDDIR/gmsim" --trace "$GMSIM_SRCDIR/tests/data/$1.trc" --flush --format json \
        --output "$work/report.json" || echo "# gmsim failed"
    awk -F, "NR == 1 || $3" "$GMSIM_SRCDIR/validate/measured/h200/micro-$2.csv" >"$work/table.csv"
}

# METRIC PERCENT KEY=VALUE...: of those launches
held()
{
    held_metric=$1
    held_percent=$2
    shift 2
    python3 "$GMSIM_SRCDIR/tests/support/measured.py" "$work/report.json" "$work/table.csv" "$held_metric" \
        "$held_metric" "$held_percent" "$@"
}
