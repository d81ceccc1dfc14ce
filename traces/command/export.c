/* SPDX-License-Identifier: MIT
 *
 * export.c - gmtrace export: a trace with every instruction as Accel-Sim's kernelslist.g and one
 * .traceg a launch, in the order of the trace. No MemcpyHtoD lines are written: a trace does not
 * know which memory was copied to.
 */
#include "traces/command/command.h"
#include "traces/format/hold.h"
#include "traces/import/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT_WIDTH 12 /* characters that "insts = " keeps free for its number */

/* ------------------------------------------------------------------------------------- a launch */

typedef struct exporter {
    gmtrace_reader *reader;
    const char *path, *folder;
    accel_file file;
    accel_lines lines;
    uint64_t instructions;
    bool stand_ins;
} exporter;

static void put_header(exporter *e, uint32_t number)
{
    const gmtrace_launch *l = gmtrace_get_launch(e->reader, number);
    const gmtrace_kernel *k = gmtrace_get_kernel(e->reader, l->kernel);
    const gmtrace_capture *c = gmtrace_get_capture(e->reader);
    accel_file *f = &e->file;
    accel_file_print(f, "-kernel name = ");
    const char *name = *k->mangled ? k->mangled : "unnamed";
    accel_file_put(f, name, strcspn(name, "\r\n"));
    accel_file_print(f, "\n-kernel id = %u\n", number + 1);
    accel_file_print(f, "-grid dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2]);
    accel_file_print(f, "-block dim = (%u,%u,%u)\n", l->block[0], l->block[1], l->block[2]);
    accel_file_print(f, "-shmem = %u\n-nregs = %u\n", k->static_shared + l->dynamic_shared,
                     k->registers);
    accel_file_print(f, "-binary version = %u\n", c->cc_major * 10 + c->cc_minor);
    accel_file_print(f, "-cuda stream id = %u\n", l->stream);
    accel_file_print(f, "-shmem base_addr = 0x%016x\n", ACCEL_SHARED_BASE);
    accel_file_print(f, "-local mem base_addr = 0x%016x\n", ACCEL_LOCAL_BASE);
    accel_file_print(f, "-nvbit version = none\n-accelsim tracer version = 5\n");
    accel_file_print(f, "-enable lineinfo = %d\n\n", e->lines.line_info);
    accel_file_print(f, "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                        "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n");
}

static bool put_warp(exporter *e, uint64_t cta, uint32_t warp, gmtrace_error *error)
{
    gmtrace_cursor cursor;
    if (!gmtrace_cursor_open(e->reader, &cursor, cta, warp, error))
        return false;
    accel_file_print(&e->file, "\nwarp = %u\ninsts = ", warp);
    const uint64_t place = accel_file_offset(&e->file);
    accel_file_print(&e->file, "%*s\n", COUNT_WIDTH, "");
    e->lines.count = 0;
    const char *problem = NULL;
    do
        for (; cursor.next < cursor.end && !problem; cursor.next++)
            problem = accel_lines_record(&e->lines, cursor.chunk, cursor.next);
    while (!problem && gmtrace_cursor_refill(e->reader, &cursor, error));
    if (problem) {
        gmtrace_cursor_close(e->reader, &cursor);
        *error = (gmtrace_error){.status = GMTRACE_UNSUPPORTED};
        snprintf(error->text, sizeof error->text, "cannot be written for Accel-Sim: %s", problem);
        return false;
    }
    if (error->status != GMTRACE_OK)
        return false;
    accel_lines_end_warp(&e->lines);
    char count[32];
    const int length = snprintf(count, sizeof count, "%" PRIu64, e->lines.count);
    accel_file_patch(&e->file, place, count, (size_t)length);
    e->instructions += e->lines.count;
    return true;
}

static bool put_ctas(exporter *e, uint32_t number, gmtrace_error *error)
{
    static const number_list all = {0};
    const gmtrace_launch *l = gmtrace_get_launch(e->reader, number);
    const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
    uint64_t *cta = NULL;
    size_t count = 0;
    bool done = gmtrace_select_launch(e->reader, number, error) &&
                list_ctas(e->reader, &all, &cta, &count, error);
    for (size_t i = 0; done && i < count; i++) {
        const uint64_t x = cta[i] % l->grid[0], yz = cta[i] / l->grid[0];
        accel_file_print(&e->file,
                         "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", x,
                         yz % l->grid[1], yz / l->grid[1]);
        for (uint32_t warp = 0; done && warp < warps; warp++)
            done = put_warp(e, cta[i], warp, error);
        accel_file_print(&e->file, "\n#END_TB\n\n");
    }
    free(cta);
    return done;
}

/* Opens FOLDER/NAME.XXXXXX, a new file whatever lies there. */
static bool open_file(exporter *e, const char *name, char *path, size_t size, gmtrace_error *error)
{
    const mode_t mask = umask(0);
    umask(mask);
    snprintf(path, size, "%s/%s.XXXXXX", e->folder, name);
    e->file.problem = 0;
    e->file.offset = e->file.used = 0;
    sigset_t before;
    gmt_hold(&before);
    e->file.fd = mkstemp(path);
    if (e->file.fd >= 0)
        guard_file(path);
    gmt_release(&before);
    if (e->file.fd >= 0) {
        (void)fchmod(e->file.fd, 0666 & ~mask);
        return true;
    }
    *error = (gmtrace_error){.status = GMTRACE_IO};
    snprintf(error->text, sizeof error->text, "%s: %s", name, strerror(errno));
    return false;
}

/* Closes it and, with `keep`, gives it its name. */
static bool close_file(exporter *e, const char *path, bool keep, gmtrace_error *error)
{
    char name[4096];
    int problem = keep && !accel_file_flush(&e->file) ? e->file.problem : 0;
    if (close(e->file.fd) != 0 && !problem)
        problem = errno;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(path) - strlen(".XXXXXX")), path);
    const bool done = keep && !problem && rename(path, name) == 0;
    if (keep && !done) {
        *error = (gmtrace_error){.status = GMTRACE_IO};
        snprintf(error->text, sizeof error->text, "%s", strerror(problem ? problem : errno));
    }
    if (!done)
        unlink(path);
    guard_file(NULL);
    return done;
}

static int export_launch(exporter *e, uint32_t number)
{
    const gmtrace_launch *l = gmtrace_get_launch(e->reader, number);
    char path[4000], name[40];
    gmtrace_error error = {.status = GMTRACE_OK};
    snprintf(name, sizeof name, "kernel-%u.traceg", number + 1);
    if (!open_file(e, name, path, sizeof path, &error))
        return complain(e->folder, &error);
    bool done = accel_lines_open(&e->lines, gmtrace_get_kernel(e->reader, l->kernel));
    if (!done)
        error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
    e->lines.file = &e->file;
    e->stand_ins |= e->lines.stand_ins;
    if (done)
        put_header(e, number);
    done = done && put_ctas(e, number, &error);
    accel_lines_close(&e->lines);
    const bool kept = close_file(e, path, done, &error);
    return kept ? EXIT_DONE : complain(done ? e->folder : e->path, &error);
}

static int put_list(exporter *e, const number_list *list, uint32_t *count)
{
    char path[4000];
    gmtrace_error error;
    if (!open_file(e, "kernelslist.g", path, sizeof path, &error))
        return complain(e->folder, &error);
    for (uint32_t i = 0; i < gmtrace_launch_count(e->reader); i++)
        if (has_number(list, i)) {
            accel_file_print(&e->file, "kernel-%u.traceg\n", i + 1);
            ++*count;
        }
    return close_file(e, path, true, &error) ? EXIT_DONE : complain(e->folder, &error);
}

/* ------------------------------------------------------------------------------------- command */

static int run(exporter *e, const number_list *list)
{
    gmtrace_error error = {.status = GMTRACE_USAGE};
    e->reader = open_trace(e->path, &error);
    if (!e->reader)
        return complain(e->path, &error);
    const gmtrace_capture *capture = gmtrace_get_capture(e->reader);
    error = (gmtrace_error){.status = GMTRACE_UNSUPPORTED};
    if (capture->detail != GMTRACE_DETAIL_FULL) {
        snprintf(error.text, sizeof error.text,
                 "holds memory instructions alone, Accel-Sim needs all; export traces that "
                 "gmtrace import or the PTX interpreter made");
        return complain(e->path, &error);
    }
    if (gmtrace_damage(e->reader))
        return report_damage(e->path, e->reader);
    if (mkdir(e->folder, 0777) != 0 && errno != EEXIST) {
        snprintf(error.text, sizeof error.text, "%s", strerror(errno));
        return complain(e->folder, &error);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < gmtrace_launch_count(e->reader); i++) {
        const int status = has_number(list, i) ? export_launch(e, i) : EXIT_DONE;
        if (status != EXIT_DONE)
            return status;
    }
    const int status = put_list(e, list, &count);
    if (status == EXIT_DONE)
        printf("%s/kernelslist.g: %u launches, %" PRIu64 " warp instructions%s%s\n",
               clean(e->folder), count, e->instructions,
               e->stand_ins ? "; PTX opcodes are written as SASS ones of the same kind" : "",
               capture->cc_major ? "" : "; no binary version is known, set '-binary version'");
    return status;
}

int command_export(int argc, char **argv)
{
    static const struct option options[] = {
        {"accelsim", required_argument, NULL, 'a'}, {"launch", required_argument, NULL, 'l'}, {0}};
    static exporter e;
    number_list list = {0};
    for (int option; (option = getopt_long(argc, argv, "l:", options, NULL)) != -1;) {
        if (option == 'a')
            e.folder = optarg;
        else if (option != 'l')
            return complain_option();
        else if (!parse_numbers(optarg, &list))
            return complain_usage("'%s' is no list of numbers", optarg);
    }
    if (argc - optind != 1)
        return complain_usage("export needs one trace");
    if (!e.folder)
        return complain_usage("export needs --accelsim with a folder");
    if (strlen(e.folder) > 3900)
        return complain_usage("the folder's name is too long");
    e.path = argv[optind];
    const int status = run(&e, &list);
    gmtrace_close(e.reader);
    return finish_output(status);
}
