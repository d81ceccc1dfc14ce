/* SPDX-License-Identifier: MIT
 *
 * words.c - the field's words for the numbers of a trace, and sizes as users write them.
 */
#include "traces/gmtrace.h"

#include <string.h>

#define WORD(table, value)                                                                         \
    ((size_t)(value) < sizeof(table) / sizeof *(table) ? (table)[value] : "?")

const char *gmtrace_space_name(gmtrace_space space)
{
    static const char *const name[GMTRACE_SPACE_COUNT] = {
        "none", "global", "shared", "local", "remote-shared", "constant", "generic",
    };
    return WORD(name, space);
}

const char *gmtrace_op_name(gmtrace_op op)
{
    static const char *const name[GMTRACE_OP_COUNT] = {
        "none",       "load",     "store",     "atomic",     "reduction", "copy-read",
        "copy-write", "prefetch", "bulk-load", "bulk-store", "bulk-copy", "bulk-reduce",
    };
    return WORD(name, op);
}

const char *gmtrace_kind_name(gmtrace_kind kind)
{
    static const char *const name[GMTRACE_KIND_COUNT] = {
        "access",      "bulk",      "barrier",  "cluster-arrive", "cluster-wait", "syncwarp",
        "copy-commit", "copy-wait", "mbarrier", "exec",           "wgmma",        "tensor",
    };
    return WORD(name, kind);
}

const char *gmtrace_class_name(gmtrace_class op_class)
{
    static const char *const name[GMTRACE_CLASS_COUNT] = {
        "other", "load",   "store",   "atomic", "reduction", "copy-async", "bulk",    "barrier",
        "fence", "branch", "call",    "return", "exit",      "reconverge", "fp32",    "fp64",
        "fp16",  "int",    "special", "tensor", "uniform",   "texture",    "shuffle",
    };
    return WORD(name, op_class);
}

const char *gmtrace_cache_name(gmtrace_cache cache)
{
    static const char *const name[GMTRACE_CACHE_COUNT] = {
        "default",     "evict-first", "evict-last", "last-use",   "evict-unchanged",
        "no-allocate", "strong-sm",   "strong-gpu", "strong-sys",
    };
    return WORD(name, cache);
}

bool gmtrace_read_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGkmg";
    uint64_t number = 0;
    const char *at = text;
    bool fits = true;
    for (; *at >= '0' && *at <= '9'; at++)
        fits &= !__builtin_mul_overflow(number, 10u, &number) &&
                !__builtin_add_overflow(number, (uint64_t)(*at - '0'), &number);
    const bool digits = at > text;
    const char *unit = *at ? strchr(units, *at) : NULL;
    const unsigned shift = unit ? 10u * (unsigned)((unit - units) % 3 + 1) : 0;
    if (unit)
        at += strcmp(at + 1, "iB") == 0 ? 3 : 1;
    fits &= number <= UINT64_MAX >> shift;
    *bytes = !digits || *at ? 0 : fits ? number << shift : UINT64_MAX;
    return digits && !*at && fits;
}
