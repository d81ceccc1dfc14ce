# SPDX-License-Identifier: MIT
# Sourced by *.test scripts: TAP from a shell. `check NAME COMMAND...` runs the command and reports;
# `plan` prints the plan last.
. "${GMSIM_SRCDIR:-.}/tests/support/sanitized.sh"
tap_count=0
tap_failed=0

ok()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

not_ok()
{
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $1"
}

check()
{
    tap_name=$1
    shift
    if "$@"; then ok "$tap_name"; else not_ok "$tap_name"; fi
}

plan()
{
    echo "1..$tap_count"
    test "$tap_failed" -eq 0
}
