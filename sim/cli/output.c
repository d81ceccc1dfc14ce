/* SPDX-License-Identifier: MIT
 *
 * output.c - output that appears whole or not at all: written beside its place and renamed. An
 * interrupted run takes its partial file with it. Two outputs at a time.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool guarded[CLI_GUARDS], told; /* told: one has failed */

static void forget(cli_output *output)
{
    if (output->partial != NULL) {
        cli_guard(output->guard, NULL);
        guarded[output->guard] = false;
    }
    g_clear_pointer(&output->path, g_free);
    g_clear_pointer(&output->target, g_free);
    g_clear_pointer(&output->partial, g_free);
    output->file = NULL;
}

static bool open_partial(cli_output *output)
{
    mode_t mask = umask(0);
    sigset_t held;
    int fd;

    umask(mask);
    output->partial = g_strdup_printf("%s.XXXXXX", output->target);
    cli_guard_hold(&held);
    fd = g_mkstemp_full(output->partial, O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        output->guard = guarded[CLI_GUARD_OUTPUT] ? CLI_GUARD_SECOND : CLI_GUARD_OUTPUT;
        guarded[output->guard] = true;
        cli_guard(output->guard, output->partial);
    }
    cli_guard_release(&held);
    if (fd < 0)
        return false;
    if (fchmod(fd, 0666 & ~mask) != 0 || (output->file = fdopen(fd, "w")) == NULL) {
        int saved = errno;

        close(fd);
        g_unlink(output->partial);
        errno = saved;
        return false;
    }
    return true;
}

bool cli_output_is(const char *output, const char *input)
{
    struct stat in, out;

    return output != NULL && input != NULL && strcmp(output, "-") != 0 && stat(input, &in) == 0 &&
           stat(output, &out) == 0 && S_ISREG(out.st_mode) && in.st_dev == out.st_dev &&
           in.st_ino == out.st_ino;
}

bool cli_output_open(cli_output *output, const char *path)
{
    struct stat status;
    char *resolved;

    memset(output, 0, sizeof *output);
    if (path == NULL || strcmp(path, "-") == 0) {
        output->file = stdout;
        return true;
    }
    output->path = g_strdup(path);
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            cli_say("%s: is a folder; --output needs a file name", path);
            forget(output);
            return false;
        }
        resolved = realpath(path, NULL);
        output->target = g_strdup(resolved != NULL ? resolved : path);
        free(resolved);
        if (!S_ISREG(status.st_mode))
            output->file = fopen(path, "w");
        else
            (void)open_partial(output);
    } else {
        output->target = g_strdup(path);
        (void)open_partial(output);
    }
    if (output->file == NULL) {
        cli_say("%s: cannot be written: %s", path, g_strerror(errno));
        forget(output);
        return false;
    }
    return true;
}

bool cli_output_close(cli_output *output, bool keep)
{
    bool written;
    int why;

    errno = 0;
    written = fflush(output->file) == 0 && !ferror(output->file);
    why = errno != 0 ? errno : EIO; /* of an earlier write nothing is left but that it failed */

    if (output->file != stdout && fclose(output->file) != 0 && written) {
        why = errno;
        written = false;
    }
    if (output->partial != NULL) {
        if (written && keep && g_rename(output->partial, output->target) != 0) {
            why = errno;
            written = false;
        }
        if (!written || !keep)
            g_unlink(output->partial);
    }
    /* A reader that has gone away (`| head`) is no news to anybody, nor is a second output that
     * fails with the first. */
    if (!written && why != EPIPE && !told)
        cli_say("%s: %s", output->path != NULL ? output->path : "standard output", g_strerror(why));
    told = told || !written;
    forget(output);
    return written;
}
