/* SPDX-License-Identifier: MIT
 *
 * copy.h - copies launches from one trace to another, with the kernels they need.
 */
#ifndef GMTRACE_COPY_H
#define GMTRACE_COPY_H

#include "traces/command/command.h"
#include "traces/code/unseen.h"

typedef struct copier {
    number_list cta;    /* to copy; the rest is left out */
    const char *folder; /* source files below it are named from there; NULL: as they are */
    bool complete;      /* add the accesses that the capture did not see */
    uint64_t added;     /* how many there were */
    uint64_t doubtful, lost;

    gmtrace_reader *reader; /* private from here on */
    gmtrace_writer *writer;
    uint64_t chunk;         /* the first not looked at yet */
    uint32_t *kernel;       /* number in the output, or UINT32_MAX */
    uint32_t *launch;       /* their numbers in the copy, UINT32_MAX of those left out */
    uint32_t launches;      /* copied */
    gmtrace_unseen *unseen; /* of the launch in progress; NULL where there is nothing to add */
} copier;

bool copier_open(copier *copier, gmtrace_reader *reader, const char *output, gmtrace_error *error);
bool copier_copy(copier *copier, uint32_t launch, gmtrace_error *error);
/* With `keep` the output appears under its name. Can be called twice. */
bool copier_close(copier *copier, bool keep, gmtrace_error *error);

#endif
