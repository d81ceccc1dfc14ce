/* SPDX-License-Identifier: MIT
 *
 * simulation.h - one simulation from its options to its report, launch by launch: what the
 * library's gmsim_simulate() and the gmsim command have in common. Files, terminals and messages
 * are left to them.
 */
#ifndef GMSIM_SIMULATION_H
#define GMSIM_SIMULATION_H

#include "sim/api/measuring.h"
#include "sim/api/plugin.h"
#include "sim/gmsim.h"
#include "sim/model/model.h"
#include "sim/report/report.h"

G_BEGIN_DECLS

typedef struct gmsim_simulation {
    /* For the caller to read, and to change before gmsim_simulation_begin(): out, trace, verbose,
     * quiet, color of the report. */
    gmsim_report report;
    bool timeline;    /* to be set before the first launch: results have one */
    uint64_t records; /* replayed so far */
    /* Launches begun and to be replayed: unless L2 is flushed, those before a launch that is
     * reported are replayed as well, for what they leave there. */
    uint32_t begun, replays;
    /* Private. */
    const gmsim_format *format;
    gmsim_plugins *plugins;
    gmsim_gpu gpu;
    gmsim_options options;
    gmtrace_reader *reader;
    gmsim_model *model;
    gmsim_arrays *arrays;       /* NULL: not wanted */
    gmsim_measuring *measuring; /* NULL: not given */
    GRegex *kernel;
    char *trace;
    const char **kernels;      /* names of the trace's */
    uint8_t *picked;           /* of each launch: it is reported */
    uint32_t next, end;        /* launches still to be replayed */
    uint64_t passed, expected; /* records of launches ended, of all to be replayed */
    const char *cut;           /* NULL, or why records of a launch are missing */
    uint32_t cut_launch;
    uint64_t memory_limit;
} gmsim_simulation;

/* To be called before a number is read by GLib in a thread; gmsim_simulation_open() does. */
void gmsim_make_locale(void);

/* Reads the GPU, opens the trace and picks its launches. Messages name an option with `dashes`
 * before it ("--" for a command, "" for a library). Call gmsim_simulation_close() in any case. */
bool gmsim_simulation_open(gmsim_simulation *simulation, const gmsim_job *job, const char *dashes,
                           GError **error);

/* Writes the report's head to report.out. */
void gmsim_simulation_begin(gmsim_simulation *simulation);

/* True while launches are left. */
bool gmsim_simulation_pending(const gmsim_simulation *simulation);

/* Replays the next launch, and reports it where it was picked. *result is valid until the next one;
 * NULL of a launch that was replayed only for what it leaves in L2. Progress counts records over
 * all launches. False on error. */
bool gmsim_simulation_step(gmsim_simulation *simulation, const gmsim_result **result,
                           uint32_t *index, gmsim_progress progress, gpointer data, GError **error);

/* The same without reporting it; begin and end are not called then. */
bool gmsim_simulation_replay(gmsim_simulation *simulation, const gmsim_result **result,
                             uint32_t *index, gmsim_progress progress, gpointer data,
                             GError **error);
/* False with error set where the trace is damaged though its launches could be replayed. */
bool gmsim_simulation_damage(const gmsim_simulation *simulation, GError **error);

/* Writes the report's end. complete: every step was done. False with error set where the trace is
 * damaged though all launches could be replayed. */
bool gmsim_simulation_end(gmsim_simulation *simulation, bool complete, GError **error);

/* The picked launches are replayed anew, on a GPU that may be another, as they are (NULL) or
 * changed (sim/model/whatif.h). Results before are gone. */
void gmsim_simulation_restart(gmsim_simulation *simulation, const gmsim_gpu *gpu,
                              gmsim_whatif *whatif);

void gmsim_simulation_close(gmsim_simulation *simulation);

G_END_DECLS

#endif
