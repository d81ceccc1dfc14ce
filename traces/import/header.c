/* SPDX-License-Identifier: MIT
 *
 * header.c - the header of an Accel-Sim kernel trace, the readers of numbers, and how a
 * failure is told.
 */
#include "traces/import/stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool accel_fail(accel_error *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    for (char *at = error->text; *at; at++) /* what a file contains may be anything */
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    return false;
}

bool accel_stream_fail(const accel_stream *stream, const char *format, ...)
{
    char problem[300];
    va_list list;
    va_start(list, format);
    vsnprintf(problem, sizeof problem, format, list);
    va_end(list);
    if (!stream->tracez)
        return accel_fail(stream->error, "%.250s:%" PRIu64 ": %s", stream->path, stream->number,
                          problem);
    return accel_fail(stream->error, "%.250s: CTA %u,%u,%u warp %u instruction %" PRIu64 ": %s",
                      stream->path, stream->cta[0], stream->cta[1], stream->cta[2], stream->warp,
                      stream->number, problem);
}

/* ------------------------------------------------------------------------------------- numbers */

const char *accel_decimal(const char *at, uint64_t *value)
{
    uint64_t number = 0;
    const char *start = at;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return NULL;
        number = number * 10 + digit;
    }
    *value = number;
    return at > start ? at : NULL;
}

const char *accel_signed(const char *at, int64_t *value)
{
    const bool negative = *at == '-';
    uint64_t number;
    at = accel_decimal(at + negative, &number);
    if (!at || number > (uint64_t)INT64_MAX + negative)
        return NULL;
    *value = (int64_t)(negative ? 0 - number : number);
    return at;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *accel_hex(const char *at, uint64_t *value)
{
    uint64_t number = 0;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    const char *start = at;
    for (int digit; (digit = hex_digit(*at)) >= 0; at++) {
        if (number >> 60)
            return NULL;
        number = number << 4 | (unsigned)digit;
    }
    *value = number;
    return at > start ? at : NULL;
}

const char *accel_triple(const char *at, uint32_t value[3])
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number;
        if (i && *at++ != ',')
            return NULL;
        at = accel_decimal(accel_blanks(at), &number);
        if (!at || number > UINT32_MAX)
            return NULL;
        value[i] = (uint32_t)number;
    }
    return at;
}

/* -------------------------------------------------------------------------------------- header */

typedef enum value_kind {
    VALUE_NAME,
    VALUE_DIM,
    VALUE_U32,
    VALUE_U64,
    VALUE_HEX,
    VALUE_FLAG
} value_kind;

static const struct {
    const char *key;
    value_kind kind;
    size_t offset;
    const char *problem;
} keys[] = {
#define KEY(name, kind, field)                                                                     \
    {                                                                                              \
        name, kind, offsetof(accel_header, field), "cannot read the value of '-" name "'"          \
    }
    KEY("kernel name", VALUE_NAME, name),
    KEY("grid dim", VALUE_DIM, grid),
    KEY("block dim", VALUE_DIM, block),
    KEY("shmem", VALUE_U32, shared),
    KEY("nregs", VALUE_U32, registers),
    KEY("binary version", VALUE_U32, binary_version),
    KEY("cuda stream id", VALUE_U64, stream),
    KEY("shmem base_addr", VALUE_HEX, shared_base),
    KEY("local mem base_addr", VALUE_HEX, local_base),
    KEY("accelsim tracer version", VALUE_U32, version),
    KEY("enable lineinfo", VALUE_FLAG, line_info),
#undef KEY
};

static const char *read_value(value_kind kind, const char *at, void *field)
{
    uint64_t number = 0;
    switch (kind) {
    case VALUE_NAME: {
        size_t length = strlen(at);
        while (length && at[length - 1] == ' ')
            length--;
        if (length == 0 || length >= sizeof((accel_header *)0)->name)
            return NULL;
        memcpy(field, at, length);
        ((char *)field)[length] = '\0';
        return at + length;
    }
    case VALUE_DIM:
        at = *at == '(' ? accel_triple(at + 1, field) : NULL;
        return at && *at == ')' ? at + 1 : NULL;
    case VALUE_HEX:
        return accel_hex(at, field);
    case VALUE_U64:
        return accel_decimal(at, field);
    case VALUE_U32:
        at = accel_decimal(at, &number);
        if (number > UINT32_MAX)
            return NULL;
        *(uint32_t *)field = (uint32_t)number;
        return at;
    case VALUE_FLAG:
        at = accel_decimal(at, &number);
        *(bool *)field = number != 0;
        return number <= 1 ? at : NULL;
    }
    return NULL;
}

bool accel_header_line(accel_header *header, const char *line, const char **problem)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t length = strlen(keys[i].key);
        if (strncmp(line + 1, keys[i].key, length) != 0)
            continue;
        const char *at = accel_blanks(line + 1 + length);
        if (*at != '=')
            continue;
        at = read_value(keys[i].kind, accel_blanks(at + 1), (char *)header + keys[i].offset);
        if (at && *accel_blanks(at) == '\0')
            return true;
        *problem = keys[i].problem;
        return false;
    }
    return true;
}

bool accel_header_done(const accel_header *header, const char **problem)
{
    *problem = NULL;
    if (!header->name[0])
        *problem = "the header has no '-kernel name'";
    else if (!header->grid[0] || !header->grid[1] || !header->grid[2])
        *problem = "the header has no '-grid dim', or an empty one";
    else if (!header->block[0] || !header->block[1] || !header->block[2])
        *problem = "the header has no '-block dim', or an empty one";
    else if ((uint64_t)header->block[0] * header->block[1] > 1024 ||
             (uint64_t)header->block[0] * header->block[1] * header->block[2] > 1024)
        *problem = "the block has more than 1024 threads";
    else if (header->version < ACCEL_FIRST_VERSION || header->version > ACCEL_LAST_VERSION)
        *problem = "'-accelsim tracer version' is missing or not from 2 to 6; trace the program "
                   "again with a tracer of one of these versions";
    return !*problem;
}
