/* SPDX-License-Identifier: MIT
 *
 * cost.c - costs of instructions to text and back.
 */
#include "sim/device/cost.h"

#include <stdlib.h>
#include <string.h>

#define MOST 1000u /* clocks */

/* Of the sub-partition's pipes an instruction takes one, and the heavy half beside it. */
static const char *const pipes[GMSIM_PIPES] = {
    [GMSIM_PIPE_FMA] = "fma",   [GMSIM_PIPE_ALU] = "alu",       [GMSIM_PIPE_XU] = "xu",
    [GMSIM_PIPE_FP64] = "fp64", [GMSIM_PIPE_TENSOR] = "tensor", [GMSIM_PIPE_UNIFORM] = "uniform",
};

typedef struct part {
    const char *name;
    size_t offset;
} part;

static const part parts[] = {
    {"heavy", offsetof(gmsim_cost, heavy)},     {"full", offsetof(gmsim_cost, full)},
    {"doubles", offsetof(gmsim_cost, doubles)}, {"lsu", offsetof(gmsim_cost, unit)},
    {"issue", offsetof(gmsim_cost, issue)},     {"constant", offsetof(gmsim_cost, constant)},
    {"latency", offsetof(gmsim_cost, latency)}, {"delay", offsetof(gmsim_cost, delay)},
};

static uint16_t *field_of(gmsim_cost *cost, const char *name, uint16_t *pipe)
{
    for (uint16_t p = 0; p < GMSIM_PIPES; p++)
        if (pipes[p] && !strcmp(name, pipes[p])) {
            *pipe = p;
            return &cost->clocks;
        }
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!strcmp(name, parts[i].name))
            return (uint16_t *)(void *)((char *)cost + parts[i].offset);
    return NULL;
}

char *gmsim_cost_parse(const char *text, gmsim_cost *cost)
{
    g_auto(GStrv) word = g_strsplit(text, ",", -1);
    gmsim_cost read = {.pipe = GMSIM_PIPE_ISSUE};
    for (char **w = word; *w; w++) {
        char *name = g_strstrip(*w), *number = strchr(name, ' '), *end = NULL;
        if (!number)
            return g_strdup_printf("'%s' is not PIPE CLOCKS", name);
        *number++ = '\0';
        uint16_t pipe = GMSIM_PIPE_ISSUE;
        uint16_t *field = field_of(&read, name, &pipe);
        if (!field)
            return g_strdup_printf(
                "'%s' is no pipe (fma, heavy, full, alu, xu, fp64, doubles, tensor, "
                "uniform, lsu, constant), nor issue, latency or delay",
                name);
        if (*field)
            return g_strdup_printf("%s: one pipe of the sub-partition, and each word once", name);
        unsigned long value = g_ascii_isdigit(*g_strchug(number)) ? strtoul(number, &end, 10) : 0;
        if (!value || value > MOST || *end)
            return g_strdup_printf("%s: '%s' is not a number from 1 to %u", name, number, MOST);
        *field = (uint16_t)value;
        if (pipe != GMSIM_PIPE_ISSUE)
            read.pipe = pipe;
    }
    if (!word[0])
        return g_strdup("has no value");
    *cost = read;
    return NULL;
}

char *gmsim_cost_format(const gmsim_cost *cost)
{
    GString *text = g_string_new(NULL);
    if (cost->clocks)
        g_string_append_printf(text, "%s %u", pipes[cost->pipe], cost->clocks);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        uint16_t value;
        memcpy(&value, (const char *)cost + parts[i].offset, sizeof value);
        if (value)
            g_string_append_printf(text, "%s%s %u", text->len ? ", " : "", parts[i].name, value);
    }
    return g_string_free(text, FALSE);
}
