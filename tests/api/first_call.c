/* SPDX-License-Identifier: MIT
 *
 * first_call.c - a process's first call into libgmsim while making GLib's C locale leaves errno
 * set, as it may for a thread that waits until another has made it. newlocale() below stands in for
 * the C library's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <locale.h>

#include "sim/gmsim.h"

static unsigned made; /* locales */

locale_t newlocale(int mask, const char *name, locale_t base)
{
    locale_t (*real)(int, const char *, locale_t);
    *(void **)&real = dlsym(RTLD_NEXT, "newlocale");
    locale_t made_now = real(mask, name, base);

    made++;
    errno = EAGAIN;
    return made_now;
}

static char *report, *error;
static gmsim_status status;

static void test_launch_number(void)
{
    if (made == 0) {
        g_test_skip("GLib makes no locale of its own here");
        return;
    }
    g_assert_cmpstr(error, ==, NULL);
    g_assert_cmpint(status, ==, GMSIM_DONE);
    gmsim_free(report);
}

/* The call comes before GTest's start, which reads numbers, too. */
int main(int argc, char **argv)
{
    const gmsim_job job = {.size = sizeof job,
                           .synthetic = "stride:n=1K,bytes=4,stride=4",
                           .launch = "0",
                           .format = "json"};

    status = gmsim_simulate(&job, &report, &error);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/api/first-call", test_launch_number);
    return g_test_run();
}
