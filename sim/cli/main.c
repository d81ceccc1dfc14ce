/* SPDX-License-Identifier: MIT
 *
 * main.c - the gmsim command: picks the subcommand. Without one, `gmsim --trace F` replays a trace.
 */
#include "sim/cli/cli.h"

#include <locale.h>
#include <signal.h>
#include <string.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {{"advise", cli_advise},   {"gpus", cli_gpus},
                                         {"compare", cli_compare}, {"sweep", cli_sweep},
                                         {"check", cli_check},     {"samples", cli_samples}};

int main(int argc, char **argv)
{
    /* Messages in the user's character set, numbers in nobody's: reports read the same anywhere. */
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    g_set_prgname("gmsim");
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */

    for (unsigned i = 0; argc > 1 && i < G_N_ELEMENTS(subcommands); i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    }
    return cli_simulate(argc, argv);
}
