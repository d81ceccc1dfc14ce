/* SPDX-License-Identifier: MIT
 *
 * sweep_program.c - the programs of a sweep: each is run once with each of its arguments, before
 * the first point is simulated, and leaves a trace for all points of it. One after the other: they
 * may use all processors, and have one terminal.
 */
#include "sim/cli/sweep.h"

#include <string.h>

/* "FOLDER/program.trc", "FOLDER/program.trc.1", ... */
static char *trace_name(const sweep_study *study, unsigned number)
{
    return number == 0 ? g_strdup(study->trace) : g_strdup_printf("%s.%u", study->trace, number);
}

/* Which programs have points in this process' share. */
static uint8_t *needed(const sweep_study *study)
{
    uint8_t *is = g_new0(uint8_t, study->plan.commands->len + 1u);

    for (uint64_t i = study->sweep.first; i < study->sweep.count; i += study->sweep.step) {
        int command = sweep_plan_command(&study->plan, i);

        if (command >= 0)
            is[command] = 1;
    }
    return is;
}

static void fail_points(sweep_study *study, unsigned command)
{
    for (uint64_t i = study->sweep.first; i < study->sweep.count; i += study->sweep.step) {
        gmsim_sweep_point *point = &study->sweep.point[i];

        if (sweep_plan_command(&study->plan, i) == (int)command) {
            point->failure = g_strdup("its program failed");
            point->code = CLI_FAILED;
        }
    }
}

static bool run_one(sweep_study *study, unsigned command, int *ended)
{
    char **words = study->plan.commands->pdata[command];
    char *path = trace_name(study, command);

    if (cli_program_run(words[0], words + 1, path, ended)) {
        study->plan.left->pdata[command] = path;
        return true;
    }
    g_free(path);
    if (*ended == 0)
        fail_points(study, command);
    return false;
}

bool sweep_programs_run(sweep_study *study, int *ended)
{
    const unsigned count = study->plan.commands->len;
    cli_progress progress;
    bool good = true;
    uint8_t *wanted;

    *ended = 0;
    if (count == 0)
        return true;
    study->trace = cli_program_trace();
    if (study->trace == NULL)
        return false;
    cli_guard_numbered(count - 1u);
    wanted = needed(study);
    cli_progress_init(&progress, !study->quiet);
    for (unsigned i = 0; i < count && *ended == 0 && (good || study->keep_going); i++) {
        if (!wanted[i])
            continue;
        cli_progress_parts(&progress, "programs", i, count, 1);
        cli_progress_end(&progress);
        good = run_one(study, i, ended) && good;
    }
    g_free(wanted);
    return *ended == 0 && (good || study->keep_going);
}

void sweep_programs_forget(sweep_study *study)
{
    if (study->trace == NULL)
        return;
    cli_guard_numbered(0);
    cli_program_forget(study->trace);
    g_clear_pointer(&study->trace, g_free);
}
