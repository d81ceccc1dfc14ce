/* SPDX-License-Identifier: MIT
 *
 * jump_table.c - where jumps by a table lead: "BRX R10 -0xe10 (*"BRANCH_TARGETS 0x870,0x9b0"*)". In
 * older traces the disassembler's labels stand there, ".L_x_24,.L_x_14", without their places.
 * Where a label is that a branch names, too, its target says. The disassembler numbers the others
 * in the order of the code, so the k-th of them is the k-th place that nothing else leads to. Where
 * there are more of the ones than of the others, a switch is on what a strong load before it has
 * found ("while (!(state = *flag)); if (state == 2)"), and leads back to that load, too
 * (micro/poll_switch.cu). Left out: other code in which they are not as many; its tables are not
 * known.
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

/* The places of an instruction's table, as text. */
static const char *places_of(const gmtrace_instr *instr)
{
    const char *text =
        gmt_has_prefix(instr->opcode, "BRX") ? strstr(instr->operands, GMT_TABLE) : NULL;
    return text ? text + strlen(GMT_TABLE) : NULL;
}

uint32_t gmt_table_size(const gmtrace_instr *instr)
{
    const char *text = places_of(instr);
    uint32_t size = text && *text && *text != '"';
    for (; text && *text && *text != '"'; text++)
        size += *text == ',';
    return size;
}

/* Does its table say where its places are? */
static bool says_places(const gmtrace_instr *instr)
{
    const char *text = places_of(instr);
    return text && !strncmp(text, "0x", 2);
}

uint32_t gmt_instr_at(const gmtrace_instr *instr, uint32_t count, uint64_t pc)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        if (instr[middle].pc < pc)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < count && instr[low].pc == pc ? low : GMTRACE_NO_INSTR;
}

/* The places that a table says. None is known where one is no instruction's. */
static bool read_places(gmt_jump_tables *tables, uint32_t *found, const gmtrace_instr *instr,
                        uint32_t count, uint32_t number)
{
    const uint32_t before = *found, size = gmt_table_size(&instr[number]);
    const char *text = places_of(&instr[number]);
    for (uint32_t i = 0; i < size; i++) {
        char *end;
        const uint32_t at = gmt_instr_at(instr, count, strtoull(text, &end, 16));
        if (at == GMTRACE_NO_INSTR || (*end != ',' && *end != '"')) {
            *found = before;
            return true;
        }
        if (!GMT_GROW(tables->target, *found))
            return false;
        tables->target[(*found)++] = at;
        text = end + 1;
    }
    return true;
}

/* The strong load that finds what the jump's table is for: nothing leads away from the way between.
 */
static uint32_t polled_by(const gmtrace_instr *instr, uint32_t jump)
{
    for (uint32_t i = jump; i-- > 0;) {
        if (instr[i].target != GMTRACE_NO_INSTR || gmt_table_size(&instr[i]))
            break;
        const bool strong = instr[i].cache == GMTRACE_CACHE_STRONG_GPU ||
                            instr[i].cache == GMTRACE_CACHE_STRONG_SYS;
        if (instr[i].op_class == GMTRACE_CLASS_LOAD && strong)
            return i;
    }
    return GMTRACE_NO_INSTR;
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
        while (!says_places(&instr[i]) && (table || instr[i].target < count) &&
               next_label(&text, &number))
            if (!add(list, number, table ? GMTRACE_NO_INSTR : instr[i].target))
                return false;
    }
    return true;
}

/* Sorts the labels, each once; how many have no place. */
static uint32_t sort_them(labels *list)
{
    uint32_t kept = 0, none = 0;
    qsort(list->label, list->count, sizeof *list->label, by_number);
    for (uint32_t i = 0; i < list->count; i++) {
        if (kept && list->label[kept - 1u].number == list->label[i].number)
            continue;
        none += list->label[i].instr == GMTRACE_NO_INSTR;
        list->label[kept++] = list->label[i];
    }
    list->count = kept;
    return none;
}

/* Gives those labels that have none a place: `place`, and loads that the tables' jumps lead back
 * to, in order. False: they are not as many, or no memory. */
static bool place_them(labels *list, const gmtrace_instr *instr, uint32_t count,
                       const uint32_t *place, uint32_t places)
{
    const uint32_t wanted = sort_them(list);
    uint32_t next = 0, polled = 0;
    bool *is_place = calloc(count + (size_t)1, sizeof *is_place);
    for (uint32_t i = 0; is_place && wanted > places && i < count; i++) {
        const uint32_t load = gmt_table_size(&instr[i]) ? polled_by(instr, i) : GMTRACE_NO_INSTR;
        if (load == GMTRACE_NO_INSTR || is_place[load])
            continue;
        is_place[load] = true;
        polled++;
    }
    bool good = is_place && wanted == places + polled;
    for (uint32_t i = 0; good && i < places; i++) {
        good = !is_place[place[i]];
        is_place[place[i]] = true;
    }
    for (uint32_t i = 0; good && i < list->count; i++) {
        if (list->label[i].instr != GMTRACE_NO_INSTR)
            continue;
        while (!is_place[next])
            next++;
        list->label[i].instr = next++;
    }
    free(is_place);
    return good;
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
        any = gmt_table_size(&instr[i]) != 0 && !says_places(&instr[i]);
    bool good = tables->first && (!any || collect(&list, instr, count));
    const bool known = good && list.count && place_them(&list, instr, count, place, places);
    for (uint32_t i = 0; i < count && good; i++) {
        const char *text = instr[i].operands;
        unsigned long number;
        const bool says = says_places(&instr[i]);
        const bool table = known && !says && gmt_table_size(&instr[i]);
        tables->first[i] = found;
        good = !says || read_places(tables, &found, instr, count, i);
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
