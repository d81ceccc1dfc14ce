# SPDX-License-Identifier: MIT
#
# setup.sh - for the tests of gmcc: a work folder, gmcc from the build folder, and TAP. A machine
# without clang skips them.
set -u
: "${GMSIM_SRCDIR:=.}" "${GMSIM_BUILDDIR:=.}"
GMSIM_SRCDIR=$(cd "$GMSIM_SRCDIR" && pwd)
GMSIM_BUILDDIR=$(cd "$GMSIM_BUILDDIR" && pwd)

if ! command -v "${GMCC_CLANGXX:-clang++}" >/dev/null; then
    echo '1..0 # SKIP no clang++'
    exit 0
fi
. "$GMSIM_SRCDIR/tests/support/sanitized.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/gmcc-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

GMCC_INCLUDE=$GMSIM_SRCDIR/traces/gmcc/include
GMCC_LIBDIR=$GMSIM_BUILDDIR/.libs
GMCC_HEADERS=none # the project's own, whatever the machine has
export GMCC_INCLUDE GMCC_LIBDIR GMCC_HEADERS
gmcc() { "$GMSIM_BUILDDIR/traces/gmcc/gmcc" "$@"; }

count=0 bad=0
ok() { # STATUS NAME [FILE with what to show on failure]
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    bad=$((bad + 1))
    echo "not ok $count - $2"
    [ $# -lt 3 ] || sed 's/^/# /' "$3"
}
# The tests of a program that speaks TAP itself, renumbered.
include() { # PROGRAM NAME
    "./$1" >out 2>err
    status=$?
    while read -r first rest; do
        case $first in
        ok) ok 0 "$2: ${rest#* - }" ;;
        not) ok 1 "$2: ${rest#* - }" err ;;
        esac
    done <out
    planned=$(sed -n 's/^1\.\.//p' out)
    [ "$status" -eq 0 ] && [ "${planned:-0}" -eq "$(grep -c '^ok' out)" ]
    ok $? "$2: ran to its end" err
}
finish() {
    echo "1..$count"
    [ "$bad" -eq 0 ]
    exit
}
