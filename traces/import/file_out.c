/* SPDX-License-Identifier: MIT
 *
 * file_out.c - a file that is written from one end to the other, but for few bytes that are changed
 * later.
 */
#include "traces/import/export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool write_at(accel_file *file, const char *text, size_t length, uint64_t offset)
{
    while (length && !file->problem) {
        const ssize_t done = pwrite(file->fd, text, length, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            file->problem = errno;
            break;
        }
        text += done;
        length -= (size_t)done;
        offset += (uint64_t)done;
    }
    return !file->problem;
}

bool accel_file_flush(accel_file *file)
{
    write_at(file, file->buffer, file->used, file->offset);
    file->offset += file->used;
    file->used = 0;
    return !file->problem;
}

void accel_file_put(accel_file *file, const char *text, size_t length)
{
    while (length) {
        const size_t room = sizeof file->buffer - file->used;
        const size_t step = length < room ? length : room;
        memcpy(file->buffer + file->used, text, step);
        file->used += step;
        text += step;
        length -= step;
        if (file->used == sizeof file->buffer)
            accel_file_flush(file);
    }
}

void accel_file_print(accel_file *file, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    accel_file_put(file, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

uint64_t accel_file_offset(const accel_file *file)
{
    return file->offset + file->used;
}

void accel_file_patch(accel_file *file, uint64_t offset, const char *text, size_t length)
{
    if (offset >= file->offset && offset + length <= accel_file_offset(file))
        memcpy(file->buffer + (offset - file->offset), text, length);
    else if (accel_file_flush(file))
        write_at(file, text, length, offset);
}
