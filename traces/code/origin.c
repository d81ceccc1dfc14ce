/* SPDX-License-Identifier: MIT
 *
 * origin.c - an allocation's name: the variable whose address the call takes, as the source has it
 * at the call's line. Where the call stands in a function of the program's that passes memory on,
 * the line that calls that one tells. A trace that is made elsewhere than its program has lines
 * alone, one of a program without lines the function that calls, where there are symbols, and the
 * number of the call.
 */
#include "traces/code/origin.h"

#include "traces/code/call_text.h"
#include "traces/code/lines.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NAME = 64,
    MAX_FUNCTION = 256,
    DEPTH = 4 /* callers that are asked for a name */
};

/* An address that allocates, with its line; on lines with several calls it is one of them. */
typedef struct place {
    gmt_line line;
    const char *call;
} place;

static place *places;
static size_t place_count;
static char **kept; /* names handed out */
static size_t kept_count;

static const char *keep(const char *name)
{
    for (size_t i = 0; i < kept_count; i++)
        if (strcmp(kept[i], name) == 0)
            return kept[i];
    char **grown = realloc(kept, (kept_count + 1) * sizeof *kept);
    char *copy = grown != NULL ? strdup(name) : NULL;
    if (grown != NULL)
        kept = grown;
    if (copy != NULL)
        kept[kept_count++] = copy;
    return copy != NULL ? copy : "";
}

static bool same_line(gmt_line a, gmt_line b)
{
    return a.number == b.number &&
           (a.file == b.file || (a.file != NULL && b.file != NULL && strcmp(a.file, b.file) == 0));
}

/* Which of the line's addresses with this call it is, counted as they are met. */
static unsigned place_of(gmt_line line, const char *call)
{
    unsigned number = 0;
    for (size_t i = 0; i < place_count; i++) {
        if (places[i].line.address == line.address && places[i].call == call)
            return number;
        number += same_line(places[i].line, line) && strcmp(places[i].call, call) == 0;
    }
    place *grown = realloc(places, (place_count + 1) * sizeof *places);
    if (grown == NULL)
        return number;
    places = grown;
    places[place_count++] = (place){line, call};
    return number;
}

/* The innermost line's own word. False where another line has to tell, or none does. */
static bool own_name(const gmt_made *made, gmt_line line, char name[MAX_NAME], bool *passed_on)
{
    const char *text = gmt_line_text(line);
    bool in_order;
    const unsigned which = place_of(line, made->call);
    const unsigned calls = gmt_calls_in(text, made->call, &in_order);
    *passed_on = false;
    if (calls > 1 && !in_order)
        return false;
    return calls > 0 ? gmt_argument_of(text, made->call, which % calls, name, MAX_NAME, passed_on)
                     : gmt_variable_of(text, name, MAX_NAME);
}

/* A program without lines may have symbols: "main()" tells of the place what is known. */
static const char *in_function(const char *function)
{
    char text[MAX_FUNCTION];
    if (function == NULL)
        return "";
    const size_t length = strlen(function);
    const int size = snprintf(text, sizeof text, "%s%s", function,
                              length > 0 && function[length - 1] == ')' ? "" : "()");
    return size < (int)sizeof text ? keep(text) : "";
}

static void fill(const gmt_made *made, bool by_callers)
{
    gmtrace_origin *origin = made->origin;
    const gmt_line line = gmt_line_of(made->frames, 0);
    char name[MAX_NAME] = "", outer[MAX_NAME];
    bool passed_on;
    *origin = (gmtrace_origin){.name = "", .call = made->call, .file = "", .number = made->number};
    if (line.file == NULL) {
        origin->file = in_function(gmt_caller_of(made->frames, made->call));
        return;
    }
    origin->file = line.file;
    origin->line = line.number;
    const bool own = own_name(made, line, name, &passed_on);
    for (unsigned depth = 1; (!own || passed_on || by_callers) && depth < DEPTH; depth++) {
        const gmt_line caller = gmt_line_of(made->frames, depth);
        if (!gmt_variable_of(gmt_line_text(caller), outer, sizeof outer))
            continue;
        memcpy(name, outer, sizeof name);
        origin->file = caller.file;
        origin->line = caller.number;
        break;
    }
    origin->name = keep(name);
}

/* A line that allocates. Where it does so for several callers it is a function's that gives memory
 * to others, and its own variable says little. */
typedef struct giver {
    gmt_line line, caller; /* the first one */
    bool shared;
} giver;

static int by_line(const void *a, const void *b)
{
    const gmt_line x = ((const giver *)a)->line, y = ((const giver *)b)->line;
    return x.number != y.number ? (x.number > y.number) - (x.number < y.number)
                                : strcmp(x.file, y.file);
}

static bool is_shared(void *const *givers, const gmt_made *made)
{
    const giver wanted = {.line = gmt_line_of(made->frames, 0)};
    giver *const *found = wanted.line.file != NULL ? tfind(&wanted, givers, by_line) : NULL;
    return found != NULL && (*found)->shared && gmt_line_of(made->frames, 1).file != NULL;
}

static void note_giver(void **givers, const gmt_made *made)
{
    const giver here = {gmt_line_of(made->frames, 0), gmt_line_of(made->frames, 1), false};
    giver *const *found = here.line.file != NULL ? tfind(&here, givers, by_line) : NULL;
    giver *added = found == NULL && here.line.file != NULL ? malloc(sizeof *added) : NULL;
    if (found != NULL && !same_line((*found)->caller, here.caller))
        (*found)->shared = true;
    if (added == NULL)
        return;
    *added = here;
    if (tsearch(added, givers, by_line) == NULL)
        free(added);
}

void gmt_find_origins(const gmt_made *made, size_t count)
{
    void **address = calloc(count * GMT_FRAMES + 1, sizeof *address), *givers = NULL;
    size_t addresses = 0;
    for (size_t i = 0; address != NULL && i < count; i++)
        for (unsigned k = 0; k < made[i].frames->count; k++)
            address[addresses++] = made[i].frames->address[k];
    if (address != NULL)
        gmt_find_lines(address, addresses);
    free(address);
    for (size_t i = 0; i < count; i++)
        note_giver(&givers, &made[i]);
    for (size_t i = 0; i < count; i++)
        fill(&made[i], is_shared(&givers, &made[i]));
    tdestroy(givers, free);
}
