/* SPDX-License-Identifier: MIT
 *
 * words.c - the field's words for the numbers of a trace.
 */
#include "traces/gmtrace.h"

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
        "copy-commit", "copy-wait", "mbarrier", "exec",           "wgmma",
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
