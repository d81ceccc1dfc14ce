/* SPDX-License-Identifier: MIT
 *
 * jump_table.c - where jumps by a table lead: "BRX R10 -0xe10 (*"BRANCH_TARGETS
 * .L_x_24,.L_x_14"*)". Where a label is that a branch names, too, its target says. The disassembler
 * numbers the others in the order of the code, so the k-th of them is the k-th place that nothing
 * else leads to. Left out: code in which there are more of the ones than of the others; its tables
 * are not known.
 */
#include "traces/code/jump_table.h"

#include "traces/code/graph.h"
#include "traces/format/grow.h"

#include <stdlib.h>
#include <string.h>

#define LABEL ".L_x_"

typedef struct label {
    unsigned long number;
    uint32_t instr; /* GMTRACE_NO_INSTR: not known yet */
} label;

typedef struct labels {
    label *label;
    uint32_t count;
} labels;

/* The next label in a text, whose place is moved behind it. False: there is none. */
static bool next_label(const char **text, unsigned long *number)
{
    const char *at = strstr(*text, LABEL);
    if (!at)
        return false;
    char *end;
    *number = strtoul(at + strlen(LABEL), &end, 10);
    *text = end;
    return true;
}

uint32_t gmt_table_size(const gmtrace_instr *instr)
{
    const char *text = instr->operands;
    unsigned long number;
    uint32_t size = 0;
    if (!gmt_has_prefix(instr->opcode, "BRX") || !strstr(text, "BRANCH_TARGETS"))
        return 0;
    while (next_label(&text, &number))
        size++;
    return size;
}

static bool add(labels *list, unsigned long number, uint32_t instr)
{
    if (!GMT_GROW(list->label, list->count))
        return false;
    list->label[list->count++] = (label){number, instr};
    return true;
}

/* By number, one whose place is known first. */
static int by_number(const void *a, const void *b)
{
    const label *one = a, *other = b;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->instr < other->instr ? -1 : one->instr > other->instr;
}

static bool collect(labels *list, const gmtrace_instr *instr, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool table = gmt_table_size(&instr[i]) != 0;
        const char *text = instr[i].operands;
        unsigned long number;
        while ((table || instr[i].target < count) && next_label(&text, &number))
            if (!add(list, number, table ? GMTRACE_NO_INSTR : instr[i].target))
                return false;
    }
    return true;
}

/* Sorts the labels, each once, and gives those places that have none. False: they are not as many.
 */
static bool place_them(labels *list, const uint32_t *place, uint32_t places)
{
    uint32_t kept = 0, used = 0;
    qsort(list->label, list->count, sizeof *list->label, by_number);
    for (uint32_t i = 0; i < list->count; i++) {
        if (kept && list->label[kept - 1u].number == list->label[i].number)
            continue;
        list->label[kept] = list->label[i];
        if (list->label[kept].instr == GMTRACE_NO_INSTR) {
            if (used == places)
                return false;
            list->label[kept].instr = place[used++];
        }
        kept++;
    }
    list->count = kept;
    return used == places;
}

static uint32_t find(const labels *list, unsigned long number)
{
    uint32_t low = 0, high = list->count;
    while (low + 1u < high) {
        const uint32_t middle = low + (high - low) / 2u;
        *(list->label[middle].number <= number ? &low : &high) = middle;
    }
    return list->label[low].instr;
}

bool gmt_jump_tables_find(gmt_jump_tables *tables, const gmtrace_instr *instr, uint32_t count,
                          const uint32_t *place, uint32_t places)
{
    labels list = {0};
    uint32_t found = 0;
    memset(tables, 0, sizeof *tables);
    tables->first = calloc(count + (size_t)1, sizeof *tables->first);
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++)
        any = gmt_table_size(&instr[i]) != 0;
    bool good = tables->first && (!any || collect(&list, instr, count));
    const bool known = good && list.count && place_them(&list, place, places);
    for (uint32_t i = 0; i < count && good; i++) {
        const char *text = instr[i].operands;
        unsigned long number;
        const bool table = known && gmt_table_size(&instr[i]);
        tables->first[i] = found;
        while (good && table && next_label(&text, &number)) {
            good = GMT_GROW(tables->target, found);
            if (good)
                tables->target[found++] = find(&list, number);
        }
    }
    if (good)
        tables->first[count] = found;
    free(list.label);
    return good;
}

void gmt_jump_tables_free(gmt_jump_tables *tables)
{
    free(tables->target);
    free(tables->first);
    memset(tables, 0, sizeof *tables);
}
