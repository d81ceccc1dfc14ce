# SPDX-License-Identifier: MIT
# Sourced by scripts that something is too slow or too strange for under a sanitizer.

# sanitized [SYMBOL]: is what is tested built with one, or with that one?
sanitized()
{
    grep -q "${1:-__asan_init\|__ubsan_handle}" "${GMSIM_BUILDDIR:-.}/gmtrace" "${GMSIM_BUILDDIR:-.}/.libs/gmtrace" \
        2>/dev/null
}
