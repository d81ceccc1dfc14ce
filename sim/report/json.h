/* SPDX-License-Identifier: MIT
 *
 * json.h - a streaming JSON writer: constant memory, 64-bit integers exact, valid for any string.
 *
 * The caller says what comes next; the writer places commas, indents and escapes. A key is NULL
 * inside an array. Nesting mistakes are programming errors and stop the program.
 */
#ifndef GMSIM_JSON_H
#define GMSIM_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

G_BEGIN_DECLS

#define GMSIM_JSON_DEPTH 16u

typedef struct gmsim_json_level {
    char close;    /* ']' or '}' */
    bool one_line; /* this container and all it holds stand on one line */
    bool begun;    /* something was written in it */
} gmsim_json_level;

typedef struct gmsim_json {
    FILE *out;
    GString *text; /* in place of it, or NULL */
    bool page;     /* it stands in an HTML page: no '<' that could end it, and no blanks */
    unsigned depth;
    gmsim_json_level level[GMSIM_JSON_DEPTH];
} gmsim_json;

void gmsim_json_init(gmsim_json *json, FILE *out);
/* The same into memory. */
void gmsim_json_init_text(gmsim_json *json, GString *text);
/* Writes the last newline. Every container must be closed. */
void gmsim_json_finish(gmsim_json *json);

void gmsim_json_object(gmsim_json *json, const char *key, bool one_line);
void gmsim_json_array(gmsim_json *json, const char *key, bool one_line);
void gmsim_json_close(gmsim_json *json);

/* Bytes that are not UTF-8 become U+FFFD; NULL is written as null. */
void gmsim_json_string(gmsim_json *json, const char *key, const char *value);
void gmsim_json_uint(gmsim_json *json, const char *key, uint64_t value);
void gmsim_json_int(gmsim_json *json, const char *key, int64_t value);
/* Shortest text that reads back as the same number; not finite: null. */
void gmsim_json_real(gmsim_json *json, const char *key, double value);
/* As an integer where it is whole. */
void gmsim_json_number(gmsim_json *json, const char *key, double value);
void gmsim_json_bool(gmsim_json *json, const char *key, bool value);
void gmsim_json_null(gmsim_json *json, const char *key);

/* Text that is JSON already. */
void gmsim_json_raw(gmsim_json *json, const char *key, const char *text);

/* "[1, 2, 3]" */
void gmsim_json_uint3(gmsim_json *json, const char *key, const uint32_t value[3]);

G_END_DECLS

#endif
