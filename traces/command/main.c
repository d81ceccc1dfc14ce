/* SPDX-License-Identifier: MIT
 *
 * main.c - the gmtrace command: looks into, checks, cuts, completes and imports traces.
 */
#include "traces/command/command.h"

#include "config.h"

#include <string.h>

static const char help[] =
    "Usage: gmtrace info [--instructions] TRACE\n"
    "       gmtrace dump [--launch LIST] [--cta LIST] [--warp LIST] [--lanes] TRACE\n"
    "       gmtrace executed [--launch LIST] [--by-class] TRACE\n"
    "       gmtrace verify TRACE...\n"
    "       gmtrace slice -o OUTPUT [--launch LIST] [--kernel REGEX] [--cta LIST]\n"
    "                     [--relative-to FOLDER] TRACE\n"
    "       gmtrace complete -o OUTPUT [--verbose] TRACE\n"
    "       gmtrace import --accelsim LIST -o OUTPUT [--carveout SIZE] [--gpu NAME]\n"
    "       gmtrace synthetic SPEC -o OUTPUT\n"
    "       gmtrace export --accelsim FOLDER [--launch LIST] TRACE\n"
    "       gmtrace run --ptx FILE [--kernel NAME] --grid X,Y,Z --block X,Y,Z\n"
    "                   --args LIST [--shared BYTES] [--registers N] -o OUTPUT\n"
    "\n"
    "Looks into, checks, cuts and imports traces of GPU memory accesses (.trc files).\n"
    "\n"
    "Commands:\n"
    "  info      print what was captured, the launches and their sizes\n"
    "  dump      print every record, one a line\n"
    "  executed  count the warp instructions of each launch, those between the\n"
    "            records reconstructed from the code\n"
    "  verify    check every byte: checksums, contents, totals, index\n"
    "  slice     copy chosen launches or CTAs to a new trace\n"
    "  complete  copy a trace and add register spills that its capture left out\n"
    "  import    make a trace of an Accel-Sim trace\n"
    "  export    make an Accel-Sim trace of a trace that has every instruction\n"
    "  run       execute a kernel of a PTX file on this computer and trace it\n"
    "  synthetic make a trace of a pattern of accesses: stride:n=1M,stride=32;\n"
    "            'gmtrace synthetic help' lists the patterns and their keys\n"
    "\n"
    "Options:\n"
    "  -i, --instructions   info: print each kernel's SASS with its control bits\n"
    "  -b, --by-class       executed: count each class of instruction, too\n"
    "  -l, --launch=LIST    dump, executed, export, slice: only these launches, from 0\n"
    "  -k, --kernel=REGEX   slice: only launches of kernels whose name matches\n"
    "  -c, --cta=LIST       dump, slice: only these CTAs, by linear number\n"
    "  -w, --warp=LIST      dump: only these warps of each CTA\n"
    "  -a, --lanes          dump: print the address of every active lane\n"
    "  -o, --output=FILE    slice, complete, import, synthetic, run: the trace to write\n"
    "  -r, --relative-to=FOLDER  slice: name source files from this folder\n"
    "  -v, --verbose        complete: say how much was added\n"
    "      --accelsim=LIST  import: kernelslist.g, or one kernel's .traceg or .tracez;\n"
    "                       export: the folder to write\n"
    "      --carveout=SIZE  import: shared memory an SM, as 100K, or a preference, 50%\n"
    "      --gpu=NAME       import: the GPU that the trace was made on\n"
    "      --ptx=FILE       run: the PTX; --kernel: its mangled name, where it holds several\n"
    "      --grid=X,Y,Z     run: CTAs; --block=X,Y,Z: threads of one\n"
    "      --args=LIST      run: buf:BYTES, ramp-i32:BYTES, ramp-f32:BYTES, i32:5, i64:5,\n"
    "                       f32:1.5, f64:1.5, with commas between, one a parameter\n"
    "      --shared=BYTES   run: dynamic shared memory of a block\n"
    "      --registers=N    run: registers a thread (default: an estimate)\n"
    "      --threads=N      run: host threads (default 1)\n"
    "      --limit=N        run: give up after N warp instructions of a block\n"
    "      --limit-memory=SIZE  what a trace may make any command take, as 4G, or none\n"
    "                       (default 1G)\n"
    "  -h, --help           print this help and exit\n"
    "  -V, --version        print the version and exit\n"
    "\n"
    "LIST is numbers and ranges: 3 or 0-7 or 2,5-8,100-. TRACE may be - for standard\n"
    "input.\n"
    "\n"
    "Exit status: 0 done, 1 failed or the trace is corrupt or cut short, 2 wrong usage.\n"
    "\n"
    "Examples:\n"
    "  gmtrace info -i transpose.trc\n"
    "  gmtrace dump --cta 0 --warp 0-3 transpose.trc\n"
    "  gmtrace slice -o small.trc --kernel '^gemm' --cta 0-131 network.trc\n";

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } command[] = {
        {"info", command_info},         {"dump", command_dump},
        {"verify", command_verify},     {"slice", command_slice},
        {"complete", command_complete}, {"executed", command_executed},
        {"import", command_import},     {"export", command_export},
        {"run", command_run},           {"synthetic", command_synthetic},
    };
    if (argc < 2)
        return complain_usage("a command is missing");
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i - 1][0] == '-' && i > 1) /* perhaps what that option is given */
            continue;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return finish_output(EXIT_DONE);
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            printf("gmtrace (gmsim) %s, trace format %u.%u\n", PACKAGE_VERSION,
                   GMTRACE_FORMAT_MAJOR, GMTRACE_FORMAT_MINOR);
            return finish_output(EXIT_DONE);
        }
    }
    if (!take_limit(&argc, argv))
        return EXIT_USAGE;
    for (size_t i = 0; i < sizeof command / sizeof *command && argc > 1; i++)
        if (strcmp(argv[1], command[i].name) == 0) {
            static char name[] = "gmtrace";
            argv[1] = name; /* for getopt's messages */
            guard_signals();
            return command[i].run(argc - 1, argv + 1);
        }
    return complain_usage("unknown command '%s'", argv[1]);
}
