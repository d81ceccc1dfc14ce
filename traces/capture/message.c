/* SPDX-License-Identifier: MIT
 *
 * message.c - lines on standard error, each in one write: the program writes there too.
 */
#include "traces/capture/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int gmc_verbose;

static void say(const char *format, va_list list)
{
    char text[1024] = "gmcapture: ";
    size_t length = strlen(text);
    vsnprintf(text + length, sizeof text - length - 1, format, list);
    length = strlen(text);
    text[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

void gmc_warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void gmc_note(const char *format, ...)
{
    if (!gmc_verbose)
        return;
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}
