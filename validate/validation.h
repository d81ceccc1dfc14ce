/* SPDX-License-Identifier: MIT
 *
 * validation.h - what the parts of the gmvalidate command share.
 */
#ifndef GMSIM_VALIDATE_VALIDATION_H
#define GMSIM_VALIDATE_VALIDATION_H

#include "validate/compare.h"
#include "validate/errors.h"
#include "validate/exceptions.h"
#include "validate/limits.h"
#include "sim/measured/match.h"
#include "validate/pairs.h"
#include "validate/report.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3 };

/* The command line. */
typedef struct gmsim_validate_options {
    char **measured, **set, **limit, **limits, **exceptions, **show, **reasons, **spread, **pairs,
        **trace;
    char *gpu, *format, *caches, *help;
    int worst;
    double within, share; /* of pairs, percent; share 0: no limit */
    gboolean errors, exact, complete, verbose, list, version;
} gmsim_validate_options;

/* A trace on the command line and what is known of it. */
typedef struct gmsim_trace_file {
    const char *path;
    char *label; /* file name without folder and .trc */
    gmtrace_reader *reader;
    bool told; /* that one of its launches ends early */
} gmsim_trace_file;

/* Where a launch stands. */
typedef struct gmsim_launch_place {
    unsigned trace;
    uint32_t launch;
} gmsim_launch_place;

/* Everything one run of the command knows. */
typedef struct gmsim_validation {
    const gmsim_validate_options *options;
    gmsim_validate_format format;
    gmsim_gpu gpu;
    gmsim_caches caches;
    GArray *limits;         /* gmsim_limit */
    GArray *exceptions;     /* gmsim_exception */
    GArray *reasons;        /* of gmsim_reasons_new() */
    gmsim_spreads *spreads; /* NULL without --spread */
    GArray *show;           /* unsigned */
    GArray *pairs;          /* gmsim_pair */
    gmsim_measured *measured;
    GStringChunk *names; /* of files and kernels, as they may be shown */
    GArray *traces;      /* gmsim_trace_file */
    GArray *launches;    /* gmsim_match */
    GArray *where;       /* gmsim_launch_place, beside launches */
    uint8_t *row_used;
    gmsim_comparisons all;
    GArray *compared;                                     /* gmsim_compared_launch */
    unsigned unpaired, damaged;                           /* launches of traces */
    unsigned exact_compared, exact_broken, exact_excused; /* values of the exact family */
} gmsim_validation;

/* options.c */
bool gmsim_validate_options_read(gmsim_validate_options *o, int *argc, char ***argv,
                                 GError **error);
void gmsim_validate_options_free(gmsim_validate_options *o);
/* Reads everything the options name but the traces. */
bool gmsim_validation_prepare(gmsim_validation *v, GError **error);

/* verdict.c */
/* Tables and remarks. To be called before the verdict. */
void gmsim_validation_print(gmsim_validation *v);
/* Says on standard error which limit does not hold; returns the exit status. */
int gmsim_validation_verdict(gmsim_validation *v);

#endif
