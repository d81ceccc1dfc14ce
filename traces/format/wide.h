/* SPDX-License-Identifier: MIT
 *
 * wide.h - WIDE: functions over all lanes of a warp are compiled twice, the second time for the
 * wide vectors of newer processors; the loader takes what the machine has. Both give the same bits,
 * where they say what is to be rounded: a*b+c is, twice, and fma() once. Private.
 */
#ifndef GMTRACE_WIDE_H
#define GMTRACE_WIDE_H

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    __GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

#endif
