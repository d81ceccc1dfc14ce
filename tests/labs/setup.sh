# SPDX-License-Identifier: MIT
# setup.sh - for the tests of the labs: `lab N FOLDER` checks an answer, `show` what it said. A machine
# without clang skips them.
. "${GMSIM_SRCDIR:?}/tests/gmcc/setup.sh"
labs=$GMSIM_SRCDIR/kernels/labs
solutions=$GMSIM_SRCDIR/tests/labs/solutions
GMSIM=$GMSIM_BUILDDIR/gmsim
GMCC=$GMSIM_BUILDDIR/traces/gmcc/gmcc
GMSIM_INCLUDE=$GMSIM_SRCDIR
export GMSIM GMCC GMSIM_INCLUDE

lab() # N FOLDER
{
    sh "$labs/check" "$1" "$2" >"$work/said" 2>&1
}
# As `lab`, of a copy of the solution in which one file was changed by sed.
changed() # N FILE SCRIPT
{
    rm -rf "$work/changed"
    cp -r "$solutions" "$work/changed" && chmod -R u+w "$work/changed" &&
        sed "$3" "$solutions/$2" >"$work/changed/$2" && ! cmp -s "$solutions/$2" "$work/changed/$2" &&
        lab "$1" "$work/changed"
    [ $? -eq 1 ]
}
# The check said so much wrong, as many times.
said() # PATTERN COUNT
{
    [ "$(grep -c "$1" "$work/said")" -eq "$2" ]
}
