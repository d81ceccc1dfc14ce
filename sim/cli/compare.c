/* SPDX-License-Identifier: MIT
 *
 * compare.c - `gmsim compare A B`: two traces side by side, or two kernels of one trace, or one
 * trace on two GPUs. Launches are paired in the order of the traces.
 */
#include "config.h"

#include "sim/cli/job.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/compare.h"

/* Lives as long as the process. */
static struct {
    char *gpu_b, *kernel_b, *launch_b, **set_b, **fail_if;
    gboolean all;
} given;

static const GOptionEntry entries[] = {
    {"gpu2", 0, 0, G_OPTION_ARG_FILENAME, &given.gpu_b,
     "GPU for B alone; with this or one of the next, B may be left out", "NAME|FILE.ini"},
    {"set2", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.set_b,
     "A changed number for B alone, on top of --set", "KEY=VALUE"},
    {"kernel2", 0, 0, G_OPTION_ARG_FILENAME, &given.kernel_b, "Launches of B", "REGEX"},
    {"launch2", 0, 0, G_OPTION_ARG_FILENAME, &given.launch_b, "Launch of B", "N"},
    {"functional", 0, 0, G_OPTION_ARG_NONE, &cli_given.functional, "Count without timing: faster",
     NULL},
    {"fail-if", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.fail_if,
     "Exit 3 where this holds: 'speedup < 1.5', 'B.shared.excess > 0'; repeatable", "CONDITION"},
    {"all", 'a', 0, G_OPTION_ARG_NONE, &given.all, "List every instruction", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cli_given.quiet, "Only the sentence", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli_given.rest, NULL, "A [B]"},
    G_OPTION_ENTRY_NULL,
};

static const char summary[] =
    "Replays two traces and sets what they count and take side by side; A is the base. A side may\n"
    "be synthetic:PATTERN[:KEY=VALUE,...] in place of a file.";

static const char description[] =
    "Examples:\n"
    "  gmsim compare transpose_nopad.trc transpose_pad.trc\n"
    "  gmsim compare app.trc --gpu h200 --gpu2 a100\n"
    "  gmsim compare app.trc --set2 l2.size=100M --fail-if 'speedup < 1.1'\n"
    "\n"
    "Exit status: 0 done, 1 failed or damaged input, 2 usage, 3 a --fail-if condition holds.\n";

/* ----------------------------------------------------------------------------------- conditions */

typedef struct condition {
    const char *text;
    char *key;
    unsigned side;
    char op[3];
    double number;
} condition;

/* "[A.|B.]KEY OP NUMBER"; without a side it is B's. */
static bool parse_condition(const char *text, condition *c)
{
    const char *op = strpbrk(text, "<>=!");
    char *key, *end;
    size_t length;

    memset(c, 0, sizeof *c);
    c->text = text;
    c->side = 1;
    if (op == NULL)
        return false;
    length = op[1] == '=' ? 2 : 1;
    memcpy(c->op, op, length);
    c->number = g_ascii_strtod(op + length, &end);
    if (end == op + length || end[strspn(end, " ")] != 0 || strcmp(c->op, "=") == 0 ||
        strcmp(c->op, "!") == 0)
        return false;
    key = g_strstrip(g_strndup(text, (gsize)(op - text)));
    if (g_str_has_prefix(key, "A.") || g_str_has_prefix(key, "B.")) {
        c->side = key[0] == 'B';
        memmove(key, key + 2, strlen(key + 2) + 1);
    }
    c->key = key;
    return *key != 0;
}

static bool condition_holds(const condition *c, double value)
{
    if (strcmp(c->op, "<") == 0)
        return value < c->number;
    if (strcmp(c->op, ">") == 0)
        return value > c->number;
    if (strcmp(c->op, "<=") == 0)
        return value <= c->number;
    if (strcmp(c->op, ">=") == 0)
        return value >= c->number;
    return (fabs(value - c->number) > 0) == (c->op[0] == '!');
}

static bool parse_conditions(GArray *conditions)
{
    for (char **text = given.fail_if; text != NULL && *text != NULL; text++) {
        condition c;
        bool good = parse_condition(*text, &c);

        g_array_append_val(conditions, c);
        if (!good) {
            cli_say("--fail-if %s: must be [A.|B.]QUANTITY, one of < <= > >= == !=, and a number",
                    *text);
            return false;
        }
    }
    return true;
}

static int check_conditions(const GArray *conditions, const gmsim_comparison_of_two *compare)
{
    int code = CLI_DONE;

    for (unsigned i = 0; i < conditions->len; i++) {
        const condition *c = &g_array_index(conditions, condition, i);
        double value;

        if (!gmsim_compare_value(compare, c->side, c->key, &value)) {
            cli_say("--fail-if %s: there is no such quantity here; --format csv names them",
                    c->text);
            return CLI_USAGE;
        }
        if (condition_holds(c, value)) {
            cli_say("--fail-if %s: holds, it is %.12g", c->text, value);
            code = CLI_LIMIT;
        }
    }
    return code;
}

/* ---------------------------------------------------------------------------------------- sides */

#define SYNTHETIC "synthetic:"

static bool open_side(gmsim_simulation *simulation, unsigned side, GError **error)
{
    bool b = side == 1;
    char **rest = cli_given.rest;
    const char *name = b && rest[1] != NULL ? rest[1] : rest[0];
    const bool synthetic = g_str_has_prefix(name, SYNTHETIC);
    GPtrArray *set = g_ptr_array_new();
    gmsim_job job = cli_job();
    bool opened;

    job.trace = synthetic ? NULL : name;
    job.synthetic = synthetic ? name + strlen(SYNTHETIC) : NULL;
    if (b && given.gpu_b != NULL)
        job.gpu = given.gpu_b;
    if (b && given.kernel_b != NULL)
        job.kernel = given.kernel_b;
    if (b && given.launch_b != NULL) {
        job.launch = given.launch_b;
        job.launches = NULL;
    }
    for (char **one = cli_given.set; one != NULL && *one != NULL; one++)
        g_ptr_array_add(set, *one);
    for (char **one = b ? given.set_b : NULL; one != NULL && *one != NULL; one++)
        g_ptr_array_add(set, *one);
    g_ptr_array_add(set, NULL);
    job.set = (const char *const *)set->pdata;
    opened = gmsim_simulation_open(simulation, &job, "--", error);
    g_ptr_array_free(set, TRUE);
    return opened;
}

/* Progress of both sides: how far the other is stands still meanwhile. */
typedef struct both_sides {
    cli_progress progress;
    const gmsim_simulation *other;
} both_sides;

static void tell_progress(uint64_t done, uint64_t total, gpointer data)
{
    both_sides *both = (both_sides *)data;

    cli_progress_update(done + both->other->passed, total + both->other->expected, &both->progress);
}

static bool replay_side(gmsim_simulation simulations[2], unsigned side, gmsim_side *into,
                        GError **error)
{
    static both_sides both; /* over all launches */
    gmsim_simulation *simulation = &simulations[side];
    bool done = true;

    if (both.progress.last == 0)
        cli_progress_init(&both.progress, !cli_given.quiet);
    both.other = &simulations[1 - side];
    into->result = NULL;
    while (done && into->result == NULL) {
        char *what = g_strdup_printf("%c, launch %u of %u", "AB"[side], simulation -> begun + 1,
                                     simulation -> replays);

        cli_progress_begin(&both.progress, what, simulation->passed + both.other->passed,
                           simulation->expected + both.other->expected);
        done = gmsim_simulation_replay(simulation, &into->result, &into->index, tell_progress,
                                       &both, error);
        cli_progress_end(&both.progress);
        g_free(what);
    }
    into->trace = simulation->report.trace;
    into->gpu = simulation->report.gpu;
    return done;
}

static int compare_all(gmsim_simulation simulation[2], const gmsim_format *format,
                       gmsim_report *report, const GArray *conditions)
{
    GError *error = NULL;
    int code = CLI_DONE;

    if (format->begin_pairs != NULL)
        format->begin_pairs(report);
    while (error == NULL && code != CLI_USAGE && gmsim_simulation_pending(&simulation[0])) {
        gmsim_comparison_of_two compare;
        gmsim_side side[2];
        int held;

        if (!replay_side(simulation, 0, &side[0], &error) ||
            !replay_side(simulation, 1, &side[1], &error))
            break;
        gmsim_compare_make(&compare, &side[0], &side[1]);
        format->pair(report, &compare);
        held = check_conditions(conditions, &compare);
        gmsim_compare_clear(&compare);
        code = held != CLI_DONE ? held : code;
    }
    if (error == NULL && gmsim_simulation_damage(&simulation[0], &error))
        (void)gmsim_simulation_damage(&simulation[1], &error);
    if (format->end_pairs != NULL)
        format->end_pairs(report, error == NULL && code != CLI_USAGE);
    return error != NULL ? cli_fail(NULL, error) : code;
}

static int run(const gmsim_format *format, const GArray *conditions)
{
    gmsim_simulation simulation[2] = {0};
    gmsim_report report = {
        .version = PACKAGE_VERSION, .verbose = given.all, .quiet = cli_given.quiet};
    cli_output output = {0};
    GError *error = NULL;
    int code = CLI_FAILED;

    if (!open_side(&simulation[0], 0, &error) || !open_side(&simulation[1], 1, &error)) {
        code = cli_fail(NULL, error);
    } else if (simulation[0].report.selected != simulation[1].report.selected) {
        cli_say("A has %u launch%s to compare and B has %u; pick with --kernel, --launch, "
                "--kernel2 and --launch2",
                simulation[0].report.selected, simulation[0].report.selected == 1 ? "" : "es",
                simulation[1].report.selected);
        code = CLI_USAGE;
    } else if (cli_output_open(&output, cli_given.output)) {
        report.out = output.file;
        code = compare_all(simulation, format, &report, conditions);
        if (!cli_output_close(&output, code == CLI_DONE || code == CLI_LIMIT) && code == CLI_DONE)
            code = CLI_FAILED;
    }
    gmsim_simulation_close(&simulation[0]);
    gmsim_simulation_close(&simulation[1]);
    return code;
}

/* One trace is enough where something else tells the sides apart. */
static bool check_sides(void)
{
    unsigned named = cli_given.rest != NULL ? g_strv_length(cli_given.rest) : 0;
    bool differ = given.gpu_b != NULL || given.set_b != NULL || given.kernel_b != NULL ||
                  given.launch_b != NULL;

    if (named == 2 || (named == 1 && differ))
        return cli_job_spares("--output", cli_given.output, given.gpu_b);
    if (named > 2)
        cli_say("%s: two traces at a time", cli_given.rest[2]);
    else if (named == 1)
        cli_say("%s: compared with what? name a second trace, or give one of --gpu2, --set2, "
                "--kernel2, --launch2",
                cli_given.rest[0]);
    else
        cli_say("compare: no traces given; try 'gmsim compare A.trc B.trc'");
    return false;
}

static void clear_condition(gpointer data)
{
    g_free(((condition *)data)->key);
}

int cli_compare(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {cli_gpu_entries, cli_replay_entries,
                                                 cli_output_entries, entries, NULL};
    GArray *conditions = g_array_new(FALSE, TRUE, sizeof(condition));
    const gmsim_format *format;
    int code = CLI_USAGE;

    g_array_set_clear_func(conditions, clear_condition);
    if (cli_parse(summary, description, tables, &argc, &argv) && check_sides() &&
        cli_job_threads() && parse_conditions(conditions) &&
        (format = cli_format(cli_given.format, cli_given.output)) != NULL &&
        (format->pair != NULL || !cli_say_lacks(format, "comparisons")))
        code = run(format, conditions);
    g_array_free(conditions, TRUE);
    return code;
}
