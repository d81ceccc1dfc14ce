/* SPDX-License-Identifier: MIT
 *
 * hot.h - how the replay's hot functions are compiled: twice on x86-64, the better one for the host
 * chosen at start, with everything they call inlined into each. Only gcc does so: what clang 14 to
 * 16 makes of target_clones cannot be called from other files. All is compiled with -fno-ipa-ra
 * (configure.ac): with wide registers in use behind a call, or behind a return, each narrow vector
 * instruction of other code waits for the one before.
 */
#ifndef GMSIM_HOT_H
#define GMSIM_HOT_H

#define GMSIM_INLINE static inline __attribute__((always_inline))

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define GMSIM_CLONES
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GMSIM_CLONES
#endif
#if !defined(GMSIM_CLONES) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#if __has_attribute(target_clones) && __GNUC__ >= 12
#define GMSIM_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#elif __has_attribute(target_clones)
#define GMSIM_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef GMSIM_CLONES
#define GMSIM_CLONES
#endif

#endif
