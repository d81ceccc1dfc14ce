/* SPDX-License-Identifier: MIT
 *
 * arrays.c - which allocation every byte of a launch's traffic belongs to. Allocations are sorted
 * by address, so that one is found by halving, mostly at the place where the last one was found.
 * Leaves out arrays within an allocation (a program's own pool is one array) and shared memory.
 */
#include "sim/analysis/arrays.h"

#include "sim/analysis/rows.h"
#include "sim/analysis/touched.h"
#include "sim/model/count/lanes.h"
#include "sim/model/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct gmsim_arrays {
    gmsim_watch watch;
    const gmtrace_launch *launch;
    uint32_t allocations, room, last;
    gmsim_array *array; /* one an allocation, then one of each other kind */
    gmsim_array *shown;
    gmsim_touched touched;
    gmsim_array cleaned; /* DRAM's part of what is being served that is other lines' */
};

uint64_t gmsim_array_useful(const gmsim_array *array)
{
    return array->bytes_read + array->bytes_written + array->bytes_updated;
}

uint64_t gmsim_array_moved(const gmsim_array *array)
{
    return array->sectors * GMSIM_SECTOR_BYTES;
}

uint64_t gmsim_array_l2(const gmsim_array *array)
{
    return (array->l2_read + array->l2_written + array->l2_atomics) * GMSIM_SECTOR_BYTES;
}

uint64_t gmsim_array_dram(const gmsim_array *array)
{
    return (array->dram_read + array->dram_written) * GMSIM_SECTOR_BYTES;
}

static const gmsim_names kinds[GMSIM_ARRAY_KINDS] = {
    [GMSIM_ARRAY_ALLOCATION] = {"allocation", "allocation"},
    [GMSIM_ARRAY_ELSEWHERE] = {"elsewhere", "no allocation seen"},
    [GMSIM_ARRAY_LOCAL] = {"local", "local memory"},
    [GMSIM_ARRAY_EARLIER] = {"earlier", "left in L2 by ncu"},
};

const char *gmsim_array_key(gmsim_array_kind kind)
{
    return kinds[kind].key;
}

char *gmsim_origin_name(const gmtrace_origin *origin, bool shares_name)
{
    const char *text = origin == NULL ? "" : origin->name[0] != 0 ? origin->name : origin->call;

    if (text[0] == 0)
        return NULL;
    if (origin->number == 0 || (origin->name[0] != 0 && !shares_name))
        return g_strdup(text);
    return g_strdup_printf("%s #%" PRIu64, text, origin->number);
}

char *gmsim_origin_place(const gmtrace_origin *origin)
{
    const char *slash;

    if (gmtrace_origin_is_function(origin))
        return g_strdup(origin->file);
    if (origin == NULL || origin->file[0] == 0 || origin->line == 0)
        return NULL;
    slash = strrchr(origin->file, '/');
    return g_strdup_printf("%s:%u", slash != NULL ? slash + 1 : origin->file, origin->line);
}

char *gmsim_array_name(const gmsim_array *array)
{
    char *name = gmsim_origin_name(array->origin, array->shares_name);

    if (name != NULL || array->kind != GMSIM_ARRAY_ALLOCATION)
        return name != NULL ? name : g_strdup(kinds[array->kind].name);
    return g_strdup_printf("allocation %u", array->number);
}

static gmsim_array *of_kind(gmsim_arrays *arrays, gmsim_array_kind kind)
{
    return &arrays->array[arrays->allocations + (uint32_t)kind - 1u];
}

static bool holds(const gmsim_array *array, uint64_t address)
{
    return address - array->base < array->size; /* below the base that wraps around */
}

static gmsim_array *array_at(gmsim_arrays *arrays, uint64_t address)
{
    uint32_t low = 0, high = arrays->allocations;
    if (address >= GMSIM_LOCAL_WINDOWS)
        return of_kind(arrays, GMSIM_ARRAY_LOCAL);
    if (arrays->last < high && holds(&arrays->array[arrays->last], address))
        return &arrays->array[arrays->last];
    while (low < high) { /* the first that begins above the address */
        uint32_t middle = low + (high - low) / 2u;
        if (arrays->array[middle].base <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low == 0 || !holds(&arrays->array[low - 1u], address))
        return of_kind(arrays, GMSIM_ARRAY_ELSEWHERE);
    arrays->last = low - 1u;
    return &arrays->array[low - 1u];
}

/* A line that two arrays share is that of the first byte that belongs to an allocation. */
static gmsim_array *array_of_line(gmsim_arrays *arrays, uint64_t line)
{
    uint64_t address = line * GMSIM_LINE_BYTES;
    if (line == GMSIM_NO_LINE)
        return of_kind(arrays, GMSIM_ARRAY_EARLIER);
    gmsim_array *array = array_at(arrays, address);
    for (uint32_t sector = 1; array->kind == GMSIM_ARRAY_ELSEWHERE && sector < 4u; sector++)
        array = array_at(arrays, address + sector * GMSIM_SECTOR_BYTES);
    return array;
}

static gmsim_arrays *of_watch(gmsim_watch *watch)
{
    return (gmsim_arrays *)(void *)watch; /* its first member */
}

static void begin(gmsim_watch *watch)
{
    gmsim_arrays *arrays = of_watch(watch);
    const gmtrace_launch *launch = arrays->launch;
    for (uint32_t i = 0; i < arrays->allocations; i++)
        arrays->array[i] = (gmsim_array){.kind = GMSIM_ARRAY_ALLOCATION,
                                         .number = i + 1u,
                                         .base = launch->allocation[i].base,
                                         .size = launch->allocation[i].size,
                                         .origin = launch->allocation[i].origin};
    for (uint32_t kind = 1; kind < GMSIM_ARRAY_KINDS; kind++)
        *of_kind(arrays, (gmsim_array_kind)kind) = (gmsim_array){.kind = (gmsim_array_kind)kind};
    memset(&arrays->cleaned, 0, sizeof arrays->cleaned);
    gmsim_touched_reset(&arrays->touched);
}

static void add_bytes(gmsim_array *array, gmsim_row row, uint64_t bytes)
{
    if (gmsim_row_in(row, GMSIM_ROWS_UPDATE))
        array->bytes_updated += bytes;
    else if (gmsim_row_in(row,
                          GMSIM_ROW(GLOBAL_STORE) | GMSIM_ROW(LOCAL_STORE) | GMSIM_ROW(BULK_STORE)))
        array->bytes_written += bytes;
    else
        array->bytes_read += bytes;
}

/* The bytes that each lane asks for are those of the array in which the first of them lies; the
 * request counts for each array that it reaches into. */
static void add_lanes(gmsim_arrays *arrays, gmsim_row row, const gmtrace_chunk *chunk,
                      const gmtrace_record *record)
{
    uint64_t address[GMTRACE_WARP_LANES];
    gmsim_array *seen[GMTRACE_WARP_LANES];
    unsigned count = 0;
    gmsim_lane_addresses(chunk, record, address);
    for (uint32_t left = record->mask; left; left &= left - 1u) {
        gmsim_array *array = array_at(arrays, address[gmsim_lowest(left)]);
        unsigned i = 0;
        while (i < count && seen[i] != array)
            i++;
        if (i == count)
            seen[count++] = array;
        add_bytes(array, row, record->size);
    }
    for (unsigned i = 0; i < count; i++)
        seen[i]->requests++;
}

static void access_memory(gmsim_watch *watch, gmsim_row row, const gmtrace_chunk *chunk,
                          const gmtrace_record *record, const gmsim_footprint *footprint)
{
    gmsim_arrays *arrays = of_watch(watch);
    const bool loads = gmsim_row_in(row, GMSIM_ROWS_READ | GMSIM_ROW(LOCAL_LOAD));
    if (gmsim_row_in(row, GMSIM_ROWS_LOCAL)) {
        gmsim_array *local = of_kind(arrays, GMSIM_ARRAY_LOCAL);
        local->requests++;
        if (record)
            add_bytes(local, row, (uint64_t)gmsim_lane_count(record->mask) * record->size);
    } else if (record && gmsim_row_in(row, GMSIM_ROWS_BULK)) {
        add_bytes(array_of_line(arrays, footprint->line[0]), row, record->aux);
    } else if (record) {
        add_lanes(arrays, row, chunk, record);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        gmsim_array *array = array_of_line(arrays, footprint->line[i]);
        uint32_t sectors = gmsim_sector_count(footprint->touched[i]);
        array->sectors += sectors;
        array->l1_load_sectors += loads ? sectors : 0;
        array->touched +=
            gmsim_touched_add(&arrays->touched, footprint->line[i], footprint->touched[i]);
    }
}

static void missed(gmsim_watch *watch, uint64_t line, uint32_t sectors)
{
    array_of_line(of_watch(watch), line)->l1_missed += gmsim_sector_count(sectors);
}

static void add_dram(gmsim_array *array, uint64_t read, uint64_t written)
{
    array->dram_read += read;
    array->dram_written += written;
}

static void cleaned(gmsim_watch *watch, uint64_t line, uint32_t read, uint32_t written)
{
    gmsim_arrays *arrays = of_watch(watch);
    add_dram(array_of_line(arrays, line), read, written);
    add_dram(&arrays->cleaned, read, written);
}

static void served(gmsim_watch *watch, uint64_t line, const gmsim_l2_counts *counts)
{
    gmsim_arrays *arrays = of_watch(watch);
    gmsim_array *array = array_of_line(arrays, line);
    array->l2_read += counts->read_sectors;
    array->l2_read_hit += counts->read_hit_sectors;
    array->l2_written += counts->write_sectors;
    array->l2_atomics += gmsim_l2_updates(counts);
    add_dram(array, counts->dram_read_sectors - arrays->cleaned.dram_read,
             counts->dram_write_sectors - arrays->cleaned.dram_written);
    arrays->cleaned.dram_read = arrays->cleaned.dram_written = 0;
}

gmsim_arrays *gmsim_arrays_new(void)
{
    gmsim_arrays *arrays = g_new0(gmsim_arrays, 1);
    arrays->watch = (gmsim_watch){begin, access_memory, missed, cleaned, served};
    return arrays;
}

void gmsim_arrays_free(gmsim_arrays *arrays)
{
    if (!arrays)
        return;
    gmsim_touched_clear(&arrays->touched);
    g_free(arrays->array);
    g_free(arrays->shown);
    g_free(arrays);
}

gmsim_watch *gmsim_arrays_watch(gmsim_arrays *arrays)
{
    return &arrays->watch;
}

void gmsim_arrays_begin(gmsim_arrays *arrays, const gmtrace_launch *launch)
{
    const uint32_t all = launch->allocation_count + GMSIM_ARRAY_KINDS - 1u;
    arrays->launch = launch;
    arrays->allocations = launch->allocation_count;
    arrays->last = 0;
    if (all > arrays->room) {
        arrays->room = all;
        arrays->array = g_renew(gmsim_array, arrays->array, all);
        arrays->shown = g_renew(gmsim_array, arrays->shown, all);
    }
    begin(&arrays->watch);
}

static void add_array(gmsim_array *sum, const gmsim_array *array)
{
    sum->requests += array->requests;
    sum->bytes_read += array->bytes_read;
    sum->bytes_written += array->bytes_written;
    sum->bytes_updated += array->bytes_updated;
    sum->sectors += array->sectors;
    sum->l1_load_sectors += array->l1_load_sectors;
    sum->l1_missed += array->l1_missed;
    sum->l2_read += array->l2_read;
    sum->l2_read_hit += array->l2_read_hit;
    sum->l2_written += array->l2_written;
    sum->l2_atomics += array->l2_atomics;
    add_dram(sum, array->dram_read, array->dram_written);
    sum->touched += array->touched;
}

static uint64_t traffic(const gmsim_array *array)
{
    return gmsim_array_moved(array) + gmsim_array_l2(array) + gmsim_array_dram(array);
}

static int by_moved(const void *left, const void *right)
{
    const gmsim_array *a = left, *b = right;
    uint64_t of_a = gmsim_array_moved(a), of_b = gmsim_array_moved(b);
    if (of_a == of_b) {
        of_a = traffic(a);
        of_b = traffic(b);
    }
    if (of_a != of_b)
        return of_a < of_b ? 1 : -1;
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1)
                              : (a->base > b->base) - (a->base < b->base);
}

/* Which of the launch's allocations are called alike. */
static void compare_names(gmsim_arrays *arrays)
{
    GHashTable *first = g_hash_table_new(g_str_hash, g_str_equal);

    for (uint32_t i = 0; i < arrays->allocations; i++) {
        const gmtrace_origin *origin = arrays->array[i].origin;
        gmsim_array *other;

        if (origin == NULL || origin->name[0] == 0)
            continue;
        other = g_hash_table_lookup(first, origin->name);
        if (other == NULL) {
            g_hash_table_insert(first, (gpointer)(uintptr_t)origin->name, &arrays->array[i]);
            continue;
        }
        other->shares_name = arrays->array[i].shares_name = true;
    }
    g_hash_table_destroy(first);
}

const gmsim_array *gmsim_arrays_read(gmsim_arrays *arrays, unsigned *count, gmsim_array *all)
{
    memset(all, 0, sizeof *all);
    *count = 0;
    compare_names(arrays);
    for (uint32_t i = 0; i < arrays->allocations + GMSIM_ARRAY_KINDS - 1u; i++) {
        const gmsim_array *array = &arrays->array[i];
        if (array->requests == 0 && traffic(array) == 0)
            continue;
        add_array(all, array);
        arrays->shown[(*count)++] = *array;
    }
    qsort(arrays->shown, *count, sizeof *arrays->shown, by_moved);
    return arrays->shown;
}
