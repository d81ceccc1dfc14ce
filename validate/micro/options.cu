/* SPDX-License-Identifier: MIT
 *
 * options.cu - command line and table of launches of the pattern programs. Host code only.
 */
#include "validate/micro/patterns.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static unsigned long number(const char *program, const char *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value > 1000000) {
        fprintf(stderr, "%s: %s: '%s' is not a whole number below a million\n", program, option,
                text);
        exit(2);
    }
    return value;
}

micro_options micro_parse(int argc, char **argv, const char *what, const char *const *ops,
                          int count)
{
    static const struct option longs[] = {{"op", required_argument, nullptr, 'o'},
                                          {"width", required_argument, nullptr, 'w'},
                                          {"csv", required_argument, nullptr, 'c'},
                                          {"seed", required_argument, nullptr, 's'},
                                          {"random", required_argument, nullptr, 'r'},
                                          {"dry-run", no_argument, nullptr, 'd'},
                                          {"ops", no_argument, nullptr, 'l'},
                                          {"help", no_argument, nullptr, 'h'},
                                          {nullptr, 0, nullptr, 0}};
    const char *slash = strrchr(argv[0], '/');
    micro_options o = {slash ? slash + 1 : argv[0], nullptr, nullptr, 0, 100, 1, false};
    int c;
    while ((c = getopt_long(argc, argv, "", longs, nullptr)) != -1) {
        switch (c) {
        case 'o':
            o.op = optarg;
            break;
        case 'w':
            o.width = (unsigned)number(o.program, "--width", optarg);
            if (o.width % 8 || o.width < 8 || o.width > 128) {
                fprintf(stderr, "%s: --width is in bits: 8, 16, 32, 64 or 128\n", o.program);
                exit(2);
            }
            o.width /= 8;
            break;
        case 'c':
            o.csv = optarg;
            break;
        case 's':
            o.seed = number(o.program, "--seed", optarg);
            break;
        case 'r':
            o.random = (int)number(o.program, "--random", optarg);
            break;
        case 'd':
            o.dry_run = true;
            break;
        case 'l':
            for (int i = 0; i < count; i++)
                if (i == 0 || strcmp(ops[i], ops[i - 1]) != 0)
                    puts(ops[i]);
            exit(0);
        case 'h':
            printf("Usage: %s [OPTION]...\n%s\n\n"
                   "  --op=NAME    this instruction alone (--ops lists them)\n"
                   "  --width=BITS this width alone\n"
                   "  --csv=FILE   write the pattern of every launch there\n"
                   "  --random=N   random patterns an instruction and width (100)\n"
                   "  --seed=N     what they start from (1)\n"
                   "  --dry-run    launch nothing; needs no GPU\n",
                   o.program, what);
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: '%s' was not expected; see --help\n", o.program, argv[optind]);
        exit(2);
    }
    bool known = !o.op;
    for (int i = 0; i < count && !known; i++)
        known = strcmp(ops[i], o.op) == 0;
    if (!known) {
        fprintf(stderr, "%s: --op %s is unknown; --ops lists them\n", o.program, o.op);
        exit(2);
    }
    return o;
}

FILE *micro_csv_open(const micro_options &options)
{
    if (!options.csv)
        return nullptr;
    FILE *csv = fopen(options.csv, "w");
    if (!csv) {
        fprintf(stderr, "%s: %s: %s\n", options.program, options.csv, strerror(errno));
        exit(1);
    }
    fprintf(csv, "launch,kernel,op,width_bits,pattern,mask,shared_mask");
    for (int lane = 0; lane < LANES; lane++)
        fprintf(csv, ",o%d", lane);
    fputc('\n', csv);
    return csv;
}

void micro_csv_row(FILE *csv, int launch, const char *kernel, const char *op, unsigned width,
                   const pattern &p)
{
    if (!csv)
        return;
    fprintf(csv, "%d,%s,%s,%u,%s,0x%08x,0x%08x", launch, kernel, op, width * 8, p.name, p.mask,
            p.shared_mask);
    for (int lane = 0; lane < LANES; lane++)
        fprintf(csv, ",%u", p.offsets.at[lane]);
    fputc('\n', csv);
}

void micro_csv_close(FILE *csv, const micro_options &options)
{
    if (!csv)
        return;
    bool bad = ferror(csv) != 0;
    if (fclose(csv) != 0 || bad) {
        fprintf(stderr, "%s: %s: could not be written\n", options.program, options.csv);
        exit(1);
    }
}
