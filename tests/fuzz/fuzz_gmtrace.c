/* SPDX-License-Identifier: MIT
 *
 * fuzz_gmtrace.c - any bytes as a trace, given to gmtrace's commands. What they print does nothing
 * to a terminal, a failure is one line on standard error and leaves no file, and what they write is
 * sound: a slice verifies, an exported trace is imported again.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "tests/fuzz/fuzz.h"
#include "traces/command/command.h"
#include "traces/import/kernel.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static ssize_t look(void *cookie, const char *text, size_t length)
{
    (void)cookie;
    for (size_t i = 0; i < length; i++)
        NEED(text[i] == '\n' || (unsigned char)text[i] >= ' ');
    return (ssize_t)length;
}

/* The command's exit status; its output goes through look(), its messages are looked at here. */
static int call(int (*command)(int, char **), char **argv)
{
    static FILE *out;
    FILE *const kept_out = stdout, *const kept_err = stderr;
    char *said = NULL;
    size_t length;
    int argc = 0;
    if (!out)
        out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = look});
    while (argv[argc])
        argc++;
    optind = 0;
    stdout = out;
    stderr = open_memstream(&said, &length);
    const int status = command(argc, argv);
    fclose(stderr);
    stdout = kept_out;
    stderr = kept_err;
    NEED((status == EXIT_DONE) == (length == 0));
    NEED(!length || said[length - 1] == '\n');
    if (length) {
        said[strcspn(said, "\n")] = '\0'; /* a second line says where help is */
        fuzz_need_line(said);
    }
    free(said);
    return status;
}

static void need_sound(const char *path)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    NEED(reader && gmtrace_verify(reader, &error));
    gmtrace_close(reader);
    unlink(path);
}

/* Of what was exported; files beyond what one trace of ours can name are refused with a line. */
static void import_again(const char *folder, const char *output)
{
    char list[128];
    accel_error error = {""};
    accel_import import = {.output = output,
                           .shared_config = GMTRACE_UNKNOWN,
                           .carveout_percent = -1,
                           .error = &error};
    snprintf(list, sizeof list, "%s/kernelslist.g", folder);
    const bool done = accel_import_list(&import, list);
    NEED(gmtrace_writer_close(import.writer, done, NULL) || !done);
    NEED(done || error.text[0]);
    if (done && import.writer)
        need_sound(output);
    accel_import_free(&import);
}

static void empty(const char *folder)
{
    DIR *entries = opendir(folder);
    char path[512];
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (entries)
        closedir(entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = strdup(fuzz_file(data, size)), folder[80], output[96];
    NEED(path);
    snprintf(folder, sizeof folder, "%s/out", fuzz_folder());
    snprintf(output, sizeof output, "%s/out.trc", fuzz_folder());
    const struct {
        int (*run)(int, char **);
        const char *argv[8];
    } command[] = {
        {command_info, {"gmtrace", "-i", path}},
        {command_dump, {"gmtrace", "--cta", "0-7", path}},
        {command_dump, {"gmtrace", "--launch", "0", "--warp", "0", "--lanes", path}},
        {command_executed, {"gmtrace", "--by-class", path}},
        {command_verify, {"gmtrace", path}},
        {command_slice, {"gmtrace", "-o", output, "-r", "/usr", path}},
        {command_complete, {"gmtrace", "-o", output, path}},
        {command_export, {"gmtrace", "--accelsim", folder, path}},
    };
    const unsigned count = sizeof command / sizeof *command;
    for (unsigned i = 0; i < count; i++) {
        char *argv[8];
        if (!fuzz_tries(data, size, i, count))
            continue;
        memcpy(argv, command[i].argv, sizeof argv);
        const int status = call(command[i].run, argv);
        if (command[i].run == command_slice || command[i].run == command_complete) {
            if (status == EXIT_DONE)
                need_sound(output);
            NEED(access(output, F_OK) != 0);
        } else if (command[i].run == command_export) {
            if (status == EXIT_DONE)
                import_again(folder, output);
            empty(folder);
        }
    }
    free(path);
    return 0;
}
