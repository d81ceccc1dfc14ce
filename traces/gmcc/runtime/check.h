/* SPDX-License-Identifier: MIT
 *
 * check.h - mistakes that `gmsim --run --check` tells of, and the file they go to. The runtime's
 * other files say what happened; here it becomes a list, one entry a place. The caller holds the
 * runtime's lock.
 */
#ifndef GMCUDA_CHECK_H
#define GMCUDA_CHECK_H

#include "traces/gmcc/runtime/runtime.h"

typedef enum gmcuda_check_what {
    GMCUDA_CHECK_MEMORY,
    GMCUDA_CHECK_RACES,
    GMCUDA_CHECK_UNWRITTEN,
    GMCUDA_CHECK_BARRIERS,
    GMCUDA_CHECK_LEAKS,
    GMCUDA_CHECKS
} gmcuda_check_what;

bool gmcuda_checks(gmcuda_check_what what);
bool gmcuda_checks_any(void);

/* Texts are its own, to be freed. Of a call of the host's sides is 0. */
typedef struct gmcuda_mistake {
    gmcuda_check_what what;
    char *title, *kernel, *detail;
    char *file[2], *role[2];
    uint32_t line[2], ptx_line[2], block[2][3], thread[2][3];
    unsigned sides;
    gmt_frames frames, origin;
    uint64_t count;
} gmcuda_mistake;

/* Takes what the mistake holds; one that nobody asked for is dropped. */
void gmcuda_add_mistake(gmcuda_mistake *mistake);
/* To be freed; NULL without memory. */
char *gmcuda_text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A call of the host's; frames NULL: the one that runs. origin: where the memory in question was
 * allocated, or NULL. */
void gmcuda_found_call(gmcuda_check_what what, const gmt_frames *frames,
                       const gmt_frames *origin, const char *title, const char *detail);
void gmcuda_races_incomplete(void); /* there was no memory to watch all */
/* Writes the file where something is new. */
void gmcuda_save_mistakes(void);

/* ------------------------------------------------------------------------------- found.c */

/* For gmptx_checks.found; `user` is the function. A wrong access becomes the sticky error. */
void gmcuda_found(void *user, const gmptx_finding *finding);
void gmcuda_found_race(const gmcuda_function *function, const gmptx_race *race);
/* What ended a launch. */
void gmcuda_found_fault(const gmcuda_function *function, const gmptx_fault *fault);

#endif
