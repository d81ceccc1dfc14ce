/* SPDX-License-Identifier: MIT
 *
 * json.c - the streaming JSON writer of json.h. Leaves out reading and any tree in memory.
 */
#include "sim/report/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_bytes(const gmsim_json *json, const char *text, size_t length)
{
    if (json->text != NULL)
        g_string_append_len(json->text, text, (gssize)length);
    else
        fwrite(text, 1, length, json->out);
}

static void put(const gmsim_json *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

static void put_char(const gmsim_json *json, char c)
{
    put_bytes(json, &c, 1);
}

static void put_format(const gmsim_json *json, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Of numbers: what comes out is short. */
static void put_format(const gmsim_json *json, const char *format, ...)
{
    char text[32];
    va_list arguments;

    va_start(arguments, format);
    g_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(json, text);
}

void gmsim_json_init(gmsim_json *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

void gmsim_json_init_text(gmsim_json *json, GString *text)
{
    memset(json, 0, sizeof *json);
    json->text = text;
}

void gmsim_json_finish(gmsim_json *json)
{
    g_assert(json->depth == 0);
    put_char(json, '\n');
}

static void indent(const gmsim_json *json)
{
    put_char(json, '\n');
    for (unsigned i = 0; i < json->depth; i++)
        put(json, "  ");
}

static void write_string(const gmsim_json *json, const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);

    put_char(json, '"');
    for (const char *p = valid; *p != 0; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);

        if (c == '"' || c == '\\')
            put_format(json, "\\%c", (int)c);
        else if (c == '\n')
            put(json, "\\n");
        else if (c == '\t')
            put(json, "\\t");
        else if (c == '<' && json->page)
            put(json, "\\u003c");
        else if (!g_unichar_iscntrl(c) && g_unichar_type(c) != G_UNICODE_FORMAT)
            put_bytes(json, p, (size_t)(g_utf8_next_char(p) - p));
        else if (c < 0x10000)
            put_format(json, "\\u%04x", c);
        else /* as two halves of UTF-16 */
            put_format(json, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    }
    put_char(json, '"');
    g_free(valid);
}

/* What stands before any value: comma, line break, key. */
static void lead(gmsim_json *json, const char *key)
{
    if (json->depth > 0) {
        gmsim_json_level *level = &json->level[json->depth - 1];

        g_assert((key != NULL) == (level->close == '}'));
        if (level->begun)
            put(json, level->one_line && !json->page ? ", " : ",");
        if (!level->one_line)
            indent(json);
        level->begun = true;
    } else {
        g_assert(key == NULL);
    }
    if (key != NULL) {
        write_string(json, key);
        put(json, json->page ? ":" : ": ");
    }
}

static void enter(gmsim_json *json, const char *key, bool one_line, char open, char close)
{
    bool inherited = json->depth > 0 && json->level[json->depth - 1].one_line;

    lead(json, key);
    g_assert(json->depth < GMSIM_JSON_DEPTH);
    json->level[json->depth++] =
        (gmsim_json_level){.close = close, .one_line = one_line || inherited, .begun = false};
    put_char(json, open);
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
    put_char(json, level.close);
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
    put_format(json, "%" PRIu64, value);
}

void gmsim_json_int(gmsim_json *json, const char *key, int64_t value)
{
    lead(json, key);
    put_format(json, "%" PRId64, value);
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
    put(json, text);
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
    put(json, value ? "true" : "false");
}

void gmsim_json_null(gmsim_json *json, const char *key)
{
    lead(json, key);
    put(json, "null");
}

void gmsim_json_raw(gmsim_json *json, const char *key, const char *text)
{
    lead(json, key);
    put(json, text);
}

void gmsim_json_uint3(gmsim_json *json, const char *key, const uint32_t value[3])
{
    gmsim_json_array(json, key, true);
    for (unsigned i = 0; i < 3; i++)
        gmsim_json_uint(json, NULL, value[i]);
    gmsim_json_close(json);
}
