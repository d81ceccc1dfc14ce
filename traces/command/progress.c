/* SPDX-License-Identifier: MIT
 *
 * progress.c - how long gmtrace has been at work and how far it is: twice a second on stderr, on a
 * terminal only, erased before anything else is printed. A timer shows it, so that whatever takes
 * long is seen to, wherever it spends its time.
 */
#include "traces/command/command.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define INTERVAL_US 500000

static char label[100];
static volatile sig_atomic_t running, ticks;
static _Atomic uint64_t so_far, in_all;

/* What a signal handler may do: no stdio. */
static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *to++ = digits[--count];
    return to;
}

static char *put_words(char *to, const char *words)
{
    while (*words)
        *to++ = *words++;
    return to;
}

static void show(int number)
{
    (void)number;
    const int kept = errno;
    char line[200], *to = line;
    ticks = ticks + 1;
    to = put_words(to, "\r\033[K");
    to = put_words(to, label);
    to = put_number(to, (uint64_t)ticks / 2);
    to = put_words(to, " s");
    if (in_all) {
        to = put_words(to, "  ");
        to = put_number(to, so_far * 100 / in_all);
        to = put_words(to, " %");
    }
    if (write(STDERR_FILENO, line, (size_t)(to - line)) < 0)
        in_all = 0; /* nobody to tell */
    errno = kept;
}

static void set_timer(long interval)
{
    const struct itimerval timer = {.it_interval.tv_usec = interval, .it_value.tv_usec = interval};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_begin(const char *what, const char *path)
{
    if (running || !isatty(STDERR_FILENO))
        return;
    struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};
    snprintf(label, sizeof label, "gmtrace: %s %.60s  ", what, clean(path));
    so_far = in_all = 0;
    ticks = 0;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) != 0)
        return;
    running = 1;
    set_timer(INTERVAL_US);
}

void progress_at(uint64_t done, uint64_t total)
{
    so_far = done;
    in_all = total;
}

void progress_end(void)
{
    if (!running)
        return;
    set_timer(0);
    running = 0;
    if (ticks)
        fputs("\r\033[K", stderr);
}
