# SPDX-License-Identifier: MIT
# Sourced by tests and benchmarks: host instructions, which repeat where seconds do not.

# instructions FUNCTION OUTPUT COMMAND...: those inside FUNCTION, on standard output; the command's own
# output goes to the file OUTPUT. Prints nothing where valgrind is not installed, or cannot read the
# program: clang's debug information is too new for some versions, sanitizers have a runtime of theirs.
instructions()
{
    instructions_of=$1
    instructions_output=$2
    shift 2
    command -v valgrind >/dev/null || return 0
    "$GMSIM_BUILDDIR/libtool" --mode=execute valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null --toggle-collect="$instructions_of" "$@" 2>&1 \
        >"$instructions_output" | sed -n 's/.*Collected : \([1-9][0-9]*\).*/\1/p'
}
