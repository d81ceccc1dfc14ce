/* SPDX-License-Identifier: MIT
 *
 * text.c - reads .traceg files: lines out of one large buffer, and the grouping of instruction
 * lines by CTA and warp. Ungrouped .trace files are refused: their order is the tracer's.
 */
#include "traces/import/source.h"
#include "traces/import/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE ((size_t)1 << 20)
#define LARGEST    ((size_t)16 << 20) /* no line is longer */

enum place { IN_HEADER, BETWEEN_CTAS, IN_CTA };

typedef struct accel_text {
    accel_source *source;
    char *buffer;
    size_t size, used, have; /* bytes: of the buffer, consumed, filled */
    bool ended;
    enum place place;
    uint64_t left;  /* instruction lines that the warp still has */
    bool has_warp;  /* a "warp =" line came, its "insts =" not yet */
    bool has_cta;   /* "thread block =" came */
    uint64_t warps; /* bit w: warp w was in this CTA */
} accel_text;

/* More bytes into the buffer; false at the end of the file and on failure (*problem is set). */
static bool fill(accel_text *text, const char **problem)
{
    *problem = NULL;
    if (text->ended)
        return false;
    if (text->used) {
        memmove(text->buffer, text->buffer + text->used, text->have - text->used);
        text->have -= text->used;
        text->used = 0;
    }
    if (text->have + 1 >= text->size) { /* one byte stays free for a NUL */
        char *larger = text->size < LARGEST ? realloc(text->buffer, text->size * 2) : NULL;
        if (!larger) {
            *problem = text->size < LARGEST ? "out of memory"
                                            : "a line of more than 16 MiB; this is no trace";
            return false;
        }
        text->buffer = larger;
        text->size *= 2;
    }
    const ssize_t got = accel_source_read(text->source, text->buffer + text->have,
                                          text->size - 1 - text->have, problem);
    text->ended = got == 0;
    if (got <= 0)
        return false;
    text->have += (size_t)got;
    return true;
}

typedef enum line_result { LINE_NONE, LINE_WHOLE, LINE_CUT, LINE_FAILED } line_result;

/* The next line, without its end; LINE_CUT where the file ends before the line does. */
static inline line_result next_line(accel_stream *stream)
{
    accel_text *text = stream->text;
    size_t searched = 0;
    for (;;) {
        char *start = text->buffer + text->used;
        char *end = memchr(start + searched, '\n', text->have - text->used - searched);
        if (end) {
            text->used = (size_t)(end - text->buffer) + 1;
            stream->number++;
            end -= end > start && end[-1] == '\r';
            *end = '\0';
            stream->line = start;
            stream->length = (size_t)(end - start);
            return LINE_WHOLE;
        }
        searched = text->have - text->used;
        const char *problem;
        if (fill(text, &problem))
            continue;
        if (problem) {
            stream->number++;
            accel_stream_fail(stream, "%s", problem);
            return LINE_FAILED;
        }
        if (!searched)
            return LINE_NONE;
        stream->number++;
        stream->line = text->buffer + text->used;
        stream->length = searched;
        stream->line[searched] = '\0';
        text->used = text->have;
        return LINE_CUT;
    }
}

static accel_event failed(accel_stream *stream, const char *problem)
{
    accel_stream_fail(stream, "%s", problem);
    return ACCEL_FAILED;
}

/* A line that is neither an instruction nor blank. */
static bool is_blank(const accel_stream *stream)
{
    return *accel_blanks(stream->line) == '\0' && strlen(stream->line) == stream->length;
}

/* "key = value": the value, or NULL where the line says something else. */
static const char *value_of(const char *line, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    line = accel_blanks(line + length);
    return *line == '=' ? accel_blanks(line + 1) : NULL;
}

static bool whole(const char *end)
{
    return end && *accel_blanks(end) == '\0';
}

/* ------------------------------------------------------------------------------------ grouping */

static accel_event begin_cta(accel_stream *stream, const char *value)
{
    accel_text *text = stream->text;
    if (text->has_cta)
        return failed(stream, "a second 'thread block' before #END_TB");
    if (!whole(accel_triple(value, stream->cta)))
        return failed(stream, "cannot read 'thread block = x,y,z'");
    text->has_cta = true;
    text->warps = 0;
    stream->warp = 0;
    return ACCEL_CTA;
}

static bool begin_warp(accel_stream *stream, const char *value)
{
    accel_text *text = stream->text;
    uint64_t warp;
    if (!whole(accel_decimal(value, &warp)))
        return accel_stream_fail(stream, "cannot read 'warp = n'");
    const accel_header *h = &stream->header;
    if (warp >= (h->block[0] * h->block[1] * h->block[2] + 31) / 32)
        return accel_stream_fail(stream, "the block has no warp %" PRIu64, warp);
    if (text->warps >> warp & 1)
        return accel_stream_fail(stream, "warp %" PRIu64 " comes twice in this CTA", warp);
    if (text->has_warp)
        return accel_stream_fail(stream, "a warp without 'insts ='");
    text->warps |= 1ull << warp;
    text->has_warp = true;
    stream->warp = (uint32_t)warp;
    return true;
}

/* A line inside a CTA that is no instruction. Returns ACCEL_END for one that makes no event. */
static accel_event group_line(accel_stream *stream)
{
    accel_text *text = stream->text;
    const char *line = stream->line, *value;
    if (strncmp(line, "#END_TB", 7) == 0) {
        if (!text->has_cta || text->has_warp)
            return failed(stream, text->has_cta ? "#END_TB comes where 'insts =' should stand"
                                                : "a CTA without 'thread block ='");
        text->place = BETWEEN_CTAS;
        return ACCEL_CTA_END;
    }
    if ((value = value_of(line, "thread block")))
        return begin_cta(stream, value);
    if (!text->has_cta)
        return failed(stream, "'thread block = x,y,z' should stand here");
    if ((value = value_of(line, "warp")))
        return begin_warp(stream, value) ? ACCEL_END : ACCEL_FAILED;
    if ((value = value_of(line, "insts"))) {
        if (!text->has_warp)
            return failed(stream, "'insts =' without 'warp ='");
        if (!whole(accel_decimal(value, &text->left)))
            return failed(stream, "cannot read 'insts = n'");
        text->has_warp = false;
        return ACCEL_WARP;
    }
    if ((value = value_of(line, "cluster cta"))) {
        stream->clustered = true;
        return whole(accel_triple(value, stream->cluster_cta))
                   ? ACCEL_END
                   : failed(stream, "cannot read 'cluster cta = x,y,z'");
    }
    if (value_of(line, "cluster id") || value_of(line, "cluster rank"))
        return ACCEL_END;
    return failed(stream, "neither 'warp =', 'insts =' nor #END_TB, and all instructions that "
                          "'insts =' announced were read");
}

accel_event accel_text_next(accel_stream *stream)
{
    accel_text *text = stream->text;
    for (;;) {
        const line_result result = next_line(stream);
        if (result == LINE_FAILED)
            return ACCEL_FAILED;
        if (result == LINE_NONE)
            return text->place == BETWEEN_CTAS
                       ? ACCEL_END
                       : failed(stream, "the file ends inside a CTA; it is cut short");
        if (text->left) {
            if (result == LINE_CUT)
                return failed(stream, "the file ends inside this line; it is cut short");
            if (is_blank(stream))
                continue;
            if (stream->line[0] == '#' || stream->line[0] == 'w')
                return failed(stream, "the warp has fewer instructions than 'insts =' announced");
            text->left--;
            return ACCEL_LINE;
        }
        if (is_blank(stream))
            continue;
        if (text->place == BETWEEN_CTAS) {
            if (strncmp(stream->line, "#BEGIN_TB", 9) != 0) {
                if (stream->line[0] == '#')
                    continue;
                return failed(stream, "#BEGIN_TB should stand here; an ungrouped .trace file must "
                                      "first go through post-traces-processing");
            }
            text->place = IN_CTA;
            text->has_cta = text->has_warp = false;
            stream->clustered = false;
            continue;
        }
        const accel_event event = group_line(stream);
        if (event != ACCEL_END)
            return event;
    }
}

/* ------------------------------------------------------------------------------ open and close */

static bool read_header(accel_stream *stream)
{
    for (;;) {
        const line_result result = next_line(stream);
        if (result == LINE_FAILED)
            return false;
        if (result == LINE_NONE)
            return accel_stream_fail(stream, "the file ends before '#traces format'; is it a "
                                             "kernel trace?");
        if (is_blank(stream))
            continue;
        const char *problem;
        if (stream->line[0] == '#')
            break;
        if (stream->line[0] != '-')
            return accel_stream_fail(stream, "neither '-key = value' nor '#traces format'; is it a "
                                             "kernel trace?");
        if (!accel_header_line(&stream->header, stream->line, &problem))
            return accel_stream_fail(stream, "%s", problem);
    }
    accel_text *text = stream->text;
    const bool begins = strncmp(stream->line, "#BEGIN_TB", 9) == 0;
    text->place = begins ? IN_CTA : BETWEEN_CTAS;
    return true;
}

bool accel_text_open(accel_stream *stream)
{
    accel_text *text = calloc(1, sizeof *text);
    stream->text = text;
    if (text && (text->buffer = malloc(FIRST_SIZE)))
        text->size = FIRST_SIZE;
    else
        return accel_fail(stream->error, "%s: out of memory", stream->path);
    text->source = accel_source_open(stream->path, stream->error);
    return text->source && read_header(stream);
}

void accel_text_close(accel_text *text)
{
    if (!text)
        return;
    accel_source_close(text->source);
    free(text->buffer);
    free(text);
}
