/* SPDX-License-Identifier: MIT
 *
 * json.c - the streaming JSON writer of json.h. Leaves out reading and any tree in memory.
 */
#include "sim/report/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void gmsim_json_init(gmsim_json *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

void gmsim_json_finish(gmsim_json *json)
{
    g_assert(json->depth == 0);
    fputc('\n', json->out);
}

static void indent(const gmsim_json *json)
{
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

static void write_string(const gmsim_json *json, const char *text)
{
    FILE *out = json->out;
    char *valid = g_utf8_make_valid(text, -1);

    fputc('"', out);
    for (const char *p = valid; *p != 0; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c == '\t')
            fputs("\\t", out);
        else if (c == '<' && json->page)
            fputs("\\u003c", out);
        else if (!g_unichar_iscntrl(c) && g_unichar_type(c) != G_UNICODE_FORMAT)
            fwrite(p, 1, (size_t)(g_utf8_next_char(p) - p), out);
        else if (c < 0x10000)
            fprintf(out, "\\u%04x", c);
        else /* as two halves of UTF-16 */
            fprintf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    }
    fputc('"', out);
    g_free(valid);
}

/* What stands before any value: comma, line break, key. */
static void lead(gmsim_json *json, const char *key)
{
    if (json->depth > 0) {
        gmsim_json_level *level = &json->level[json->depth - 1];

        g_assert((key != NULL) == (level->close == '}'));
        if (level->begun)
            fputs(level->one_line && !json->page ? ", " : ",", json->out);
        if (!level->one_line)
            indent(json);
        level->begun = true;
    } else {
        g_assert(key == NULL);
    }
    if (key != NULL) {
        write_string(json, key);
        fputs(json->page ? ":" : ": ", json->out);
    }
}

static void enter(gmsim_json *json, const char *key, bool one_line, char open, char close)
{
    bool inherited = json->depth > 0 && json->level[json->depth - 1].one_line;

    lead(json, key);
    g_assert(json->depth < GMSIM_JSON_DEPTH);
    json->level[json->depth++] =
        (gmsim_json_level){.close = close, .one_line = one_line || inherited, .begun = false};
    fputc(open, json->out);
}

void gmsim_json_object(gmsim_json *json, const char *key, bool one_line)
{
    enter(json, key, one_line, '{', '}');
}

void gmsim_json_array(gmsim_json *json, const char *key, bool one_line)
{
    enter(json, key, one_line, '[', ']');
}

void gmsim_json_close(gmsim_json *json)
{
    gmsim_json_level level;

    g_assert(json->depth > 0);
    level = json->level[--json->depth];
    if (level.begun && !level.one_line)
        indent(json);
    fputc(level.close, json->out);
}

void gmsim_json_string(gmsim_json *json, const char *key, const char *value)
{
    if (value == NULL) {
        gmsim_json_null(json, key);
        return;
    }
    lead(json, key);
    write_string(json, value);
}

void gmsim_json_uint(gmsim_json *json, const char *key, uint64_t value)
{
    lead(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void gmsim_json_int(gmsim_json *json, const char *key, int64_t value)
{
    lead(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void gmsim_json_real(gmsim_json *json, const char *key, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    if (!isfinite(value)) {
        gmsim_json_null(json, key);
        return;
    }
    lead(json, key);
    for (int digits = 15; digits <= 17; digits++) {
        char format[8];

        g_snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(text, sizeof text, format, value);
        if (!(g_ascii_strtod(text, NULL) < value) && !(g_ascii_strtod(text, NULL) > value))
            break;
    }
    fputs(text, json->out);
}

void gmsim_json_number(gmsim_json *json, const char *key, double value)
{
    if (value >= 0 && value < 9007199254740992.0 && value == floor(value))
        gmsim_json_uint(json, key, (uint64_t)value);
    else
        gmsim_json_real(json, key, value);
}

void gmsim_json_bool(gmsim_json *json, const char *key, bool value)
{
    lead(json, key);
    fputs(value ? "true" : "false", json->out);
}

void gmsim_json_null(gmsim_json *json, const char *key)
{
    lead(json, key);
    fputs("null", json->out);
}

void gmsim_json_raw(gmsim_json *json, const char *key, const char *text)
{
    lead(json, key);
    fputs(text, json->out);
}

void gmsim_json_uint3(gmsim_json *json, const char *key, const uint32_t value[3])
{
    gmsim_json_array(json, key, true);
    for (unsigned i = 0; i < 3; i++)
        gmsim_json_uint(json, NULL, value[i]);
    gmsim_json_close(json);
}
