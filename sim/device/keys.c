/* SPDX-License-Identifier: MIT
 *
 * keys.c - the schema table, and text to number and back. GKeyFile's own conversions accept too
 * much (128KiB fails, "8 # ways" passes), so values are parsed here, to the last character.
 */
#include "sim/device/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(gmsim_gpu, name)

const gmsim_key gmsim_keys[] = {
    {"gpu", "title", GMSIM_KEY_TEXT, FIELD(title), 0, 63, false, "the part's name"},
    {"gpu", "cc_major", GMSIM_KEY_COUNT, FIELD(gpu_cc_major), 7, 12, false,
     "compute capability, before the point"},
    {"gpu", "cc_minor", GMSIM_KEY_COUNT, FIELD(gpu_cc_minor), 0, 9, false,
     "compute capability, after the point"},
    {"gpu", "sm_count", GMSIM_KEY_COUNT, FIELD(gpu_sm_count), 1, 1024, false, "SMs"},
    {"gpu", "clock_mhz", GMSIM_KEY_COUNT, FIELD(gpu_clock_mhz), 100, 10000, false,
     "SM clock under load"},
    {"occupancy", "warps_per_sm", GMSIM_KEY_COUNT, FIELD(occupancy_warps_per_sm), 1, 64, false,
     "resident warps an SM"},
    {"occupancy", "threads_per_sm", GMSIM_KEY_COUNT, FIELD(occupancy_threads_per_sm), 32, 2048,
     false, "resident threads an SM"},
    {"occupancy", "threads_per_block", GMSIM_KEY_COUNT, FIELD(occupancy_threads_per_block), 32,
     1024, false, "threads a CTA may have"},
    {"occupancy", "blocks_per_sm", GMSIM_KEY_COUNT, FIELD(occupancy_blocks_per_sm), 1, 32, false,
     "resident CTAs an SM"},
    {"occupancy", "registers_per_sm", GMSIM_KEY_COUNT, FIELD(occupancy_registers_per_sm), 1024,
     1u << 20, false, "32-bit registers an SM"},
    {"occupancy", "registers_per_block", GMSIM_KEY_COUNT, FIELD(occupancy_registers_per_block),
     1024, 1u << 20, false, "32-bit registers a CTA may have"},
    {"occupancy", "registers_per_thread", GMSIM_KEY_COUNT, FIELD(occupancy_registers_per_thread),
     16, 256, false, "32-bit registers a thread may have"},
    {"occupancy", "register_unit", GMSIM_KEY_COUNT, FIELD(occupancy_register_unit), 1, 4096, false,
     "a warp's registers are rounded up to this"},
    {"occupancy", "sub_partitions", GMSIM_KEY_COUNT, FIELD(occupancy_sub_partitions), 1, 8, false,
     "sub-partitions of an SM; registers are divided among them"},
    {"occupancy", "barriers_per_sm", GMSIM_KEY_COUNT, FIELD(occupancy_barriers_per_sm), 0, 1024,
     false, "named barriers an SM; 0: they limit nothing"},
    {"shared", "per_sm", GMSIM_KEY_SIZE, FIELD(shared_per_sm), 1024, 1u << 20, false,
     "largest carve-out"},
    {"shared", "per_block", GMSIM_KEY_SIZE, FIELD(shared_per_block), 1024, 1u << 20, false,
     "shared memory a CTA may have without opting in"},
    {"shared", "per_block_optin", GMSIM_KEY_SIZE, FIELD(shared_per_block_optin), 1024, 1u << 20,
     false, "shared memory a CTA may have after opting in"},
    {"shared", "reserved", GMSIM_KEY_SIZE, FIELD(shared_reserved), 0, 1u << 16, false,
     "shared memory the system takes in each CTA"},
    {"shared", "unit", GMSIM_KEY_SIZE, FIELD(shared_unit), 1, 1u << 16, false,
     "a CTA's shared memory is rounded up to this"},
    {"shared", "generous", GMSIM_KEY_SIZE, FIELD(shared_generous), 0, 1u << 20, true,
     "carve-out up to which the driver leaves room for twice the CTAs"},
    {"shared", "carveouts", GMSIM_KEY_SIZES, FIELD(shared_carveouts), 0, 1u << 20, false,
     "carve-outs the hardware offers"},
    {"l1", "size", GMSIM_KEY_SIZE, FIELD(l1_size), 1024, 1u << 22, false,
     "unified L1 and shared memory of an SM"},
    {"l1", "max_cache", GMSIM_KEY_SIZE, FIELD(l1_max_cache), 1024, 1u << 22, false,
     "most of it that caches"},
    {"l1", "reserved", GMSIM_KEY_SIZE, FIELD(l1_reserved), 0, 1u << 20, false,
     "what neither the carve-out takes nor L1 can use"},
    {"l1", "sets", GMSIM_KEY_COUNT, FIELD(l1_sets), 1, 4096, false,
     "sets of L1, whatever its size"},
    {"l1", "store_allocate", GMSIM_KEY_BOOL, FIELD(l1_store_allocate), 0, 1, false,
     "a store that misses leaves its line behind"},
    {"l1", "latency", GMSIM_KEY_COUNT, FIELD(l1_latency), 1, 10000, false,
     "clocks of a load that hits"},
    {"shared", "latency", GMSIM_KEY_COUNT, FIELD(shared_latency), 1, 10000, false,
     "clocks of a shared load without conflict"},
    {"l2", "size", GMSIM_KEY_SIZE64, FIELD(l2_size), 1u << 16, 1ull << 32, false, "L2"},
    {"l2", "ways", GMSIM_KEY_COUNT, FIELD(l2_ways), 1, 32, false, "ways of a set of L2"},
    {"l2", "slices", GMSIM_KEY_COUNT, FIELD(l2_slices), 1, 512, true, "slices of L2"},
    {"l2", "partitions", GMSIM_KEY_COUNT, FIELD(l2_partitions), 1, 16, true,
     "partitions of L2 that keep copies of each other's lines"},
    {"l2", "fill_sectors", GMSIM_KEY_COUNT, FIELD(l2_fill_sectors), 1, 4, false,
     "sectors brought from DRAM for a missing one"},
    {"l2", "bytes_per_clock", GMSIM_KEY_COUNT, FIELD(l2_bytes_per_clock), 1, 1u << 20, true,
     "bytes L2 gives all SMs together, an SM clock"},
    {"l2", "write_bytes_per_clock", GMSIM_KEY_COUNT, FIELD(l2_write_bytes_per_clock), 1, 1u << 20,
     true, "bytes L2 takes from all SMs together, an SM clock"},
    {"l2", "reads_per_clock", GMSIM_KEY_COUNT, FIELD(l2_reads_per_clock), 1, 1u << 16, true,
     "lines of loads that L2 looks up, an SM clock"},
    {"l2", "atomics_per_clock", GMSIM_KEY_COUNT, FIELD(l2_atomics_per_clock), 1, 1u << 16, true,
     "atomic operations of different sectors, an SM clock"},
    {"l2", "dirty_percent", GMSIM_KEY_COUNT, FIELD(l2_dirty_percent), 1, 100, false,
     "lines of a set that may be dirty"},
    {"l2", "partial_percent", GMSIM_KEY_COUNT, FIELD(l2_partial_percent), 1, 100, false,
     "lines of a set that may hold partly written sectors"},
    {"l2", "flush_dirty", GMSIM_KEY_COUNT, FIELD(l2_flush_dirty), 0, 1u << 24, false,
     "dirty sectors that a profiler's flush leaves behind"},
    {"l2", "latency", GMSIM_KEY_COUNT, FIELD(l2_latency), 1, 10000, false,
     "clocks of a load that L2 serves"},
    {"l2", "far_latency", GMSIM_KEY_COUNT, FIELD(l2_far_latency), 1, 10000, false,
     "clocks of a load that L2's other partition serves"},
    {"lrc", "merge", GMSIM_KEY_COUNT, FIELD(lrc_merge), 1, 64, false,
     "reads of a line by SMs of a GPC that become one before L2; 1: none do"},
    {"dram", "latency", GMSIM_KEY_COUNT, FIELD(dram_latency), 1, 100000, false,
     "clocks of a load that DRAM serves, on the reader's side of L2"},
    {"dram", "far_latency", GMSIM_KEY_COUNT, FIELD(dram_far_latency), 1, 100000, true,
     "clocks of a load that DRAM serves, on the other side"},
    {"dram", "bank_clocks", GMSIM_KEY_COUNT, FIELD(dram_bank_clocks), 0, 100000, true,
     "clocks of waiting for others in a bank, times load / (1 - load / 2)"},
    {"dram", "row_bytes", GMSIM_KEY_COUNT, FIELD(dram_row_bytes), 1, 4096, true,
     "bytes' time that an access to another row costs"},
    {"dram", "refresh_period", GMSIM_KEY_COUNT, FIELD(dram_refresh_period), 1, 1u << 20, true,
     "clocks from one refresh of a bank to the next"},
    {"dram", "refresh_clocks", GMSIM_KEY_COUNT, FIELD(dram_refresh_clocks), 1, 1u << 20, true,
     "clocks that a refresh takes"},
    {"dram", "size", GMSIM_KEY_SIZE64, FIELD(dram_size), 1u << 20, 1ull << 44, false,
     "device memory"},
    {"dram", "bytes_per_clock", GMSIM_KEY_COUNT, FIELD(dram_bytes_per_clock), 1, 1u << 20, true,
     "bytes DRAM gives, an SM clock"},
    {"launch", "groups", GMSIM_KEY_COUNTS, FIELD(launch_groups), 1, 1024, true,
     "SMs of each group of SMs, in the order in which the first CTAs fill them"},
    {"launch", "overhead", GMSIM_KEY_COUNT, FIELD(launch_overhead), 0, 1u << 20, true,
     "clocks of a launch before its first and after its last warp"},
    {"launch", "first", GMSIM_KEY_COUNT, FIELD(launch_first), 0, 1u << 16, false,
     "clocks from the start of an SM's first CTA to its first instruction"},
    {"launch", "start", GMSIM_KEY_COUNT, FIELD(launch_start), 0, 1u << 16, false,
     "clocks from a later CTA's start to its first instruction"},
    {"launch", "exit", GMSIM_KEY_COUNT, FIELD(launch_exit), 0, 1u << 16, false,
     "clocks from a warp's last instruction until it is gone"},
    {"launch", "refill", GMSIM_KEY_COUNT, FIELD(launch_refill), 0, 1u << 16, false,
     "clocks from a CTA's end until the next starts in its place"},
    {"launch", "half", GMSIM_KEY_COUNT, FIELD(launch_half), 0, 1u << 16, false,
     "clocks by which the second half of an SM's first warps starts later"},
    {"launch", "ctas", GMSIM_KEY_COUNT, FIELD(launch_ctas), 1, 1u << 20, true,
     "CTAs that can end in 1000 clocks, on all SMs together"},
    {"launch", "again", GMSIM_KEY_COUNT, FIELD(launch_again), 1, 32, true,
     "groups after which the first has another turn"},
};
const unsigned gmsim_key_count = G_N_ELEMENTS(gmsim_keys);

const gmsim_key *gmsim_key_find(const char *group, const char *key)
{
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!strcmp(gmsim_keys[i].group, group) && !strcmp(gmsim_keys[i].key, key))
            return &gmsim_keys[i];
    return NULL;
}

/* Levenshtein's distance; names are short. */
static unsigned distance(const char *a, const char *b)
{
    size_t n = strlen(b);
    unsigned row[64];
    if (n >= G_N_ELEMENTS(row))
        return UINT_MAX;
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; *a; a++, i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            unsigned best = MIN(MIN(row[j], row[j - 1]) + 1, diagonal + (*a != b[j - 1]));
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const gmsim_key *gmsim_key_suggest(const char *name)
{
    const gmsim_key *nearest = NULL;
    unsigned best = MIN(4u, (unsigned)strlen(name) / 3u + 1u); /* more errors: another word */
    const char *dot = strchr(name, '.'), *bare = dot ? dot + 1 : name;
    for (unsigned i = 0; i < gmsim_key_count; i++) {
        g_autofree char *full = g_strdup_printf("%s.%s", gmsim_keys[i].group, gmsim_keys[i].key);
        unsigned d = distance(name, full);
        if (d < best) {
            best = d;
            nearest = &gmsim_keys[i];
        }
    }
    /* The right key of the wrong group, or of none. */
    for (unsigned i = 0; !nearest && i < gmsim_key_count; i++)
        if (!strcmp(bare, gmsim_keys[i].key))
            nearest = &gmsim_keys[i];
    return nearest;
}

static char *parse_number(const char *text, bool size, uint64_t *value)
{
    char *end;
    if (!*text)
        return g_strdup("has no value");
    if (!g_ascii_isdigit(*text))
        return g_strdup_printf("'%s' is not a number", text);
    errno = 0;
    uint64_t number = g_ascii_strtoull(text, &end, 10);
    if (errno == ERANGE)
        return g_strdup_printf("'%s' is too large", text);
    if (size && *end) {
        static const char unit[] = "KMG";
        const char *u = strchr(unit, g_ascii_toupper(*end));
        unsigned shift = u ? 10u * (unsigned)(u - unit + 1) : 0;
        if (u)
            end += !strcmp(end + 1, "iB") ? 3 : 1;
        if (number > UINT64_MAX >> shift)
            return g_strdup_printf("'%s' is too large", text);
        number <<= shift;
    }
    if (*end)
        return g_strdup_printf("'%s' is not a %s", text,
                               size ? "size (like 65536, 64K or 64KiB)" : "number");
    *value = number;
    return NULL;
}

static char *check_range(const gmsim_key *key, uint64_t value)
{
    if (value >= key->min && value <= key->max)
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT " is out of range (%" G_GUINT64_FORMAT
                           " to %" G_GUINT64_FORMAT "%s)",
                           value, key->min, key->max, key->may_be_unknown ? ", or unknown" : "");
}

static char *parse_list(const gmsim_key *key, const char *text, gmsim_list *field)
{
    bool sizes = key->kind == GMSIM_KEY_SIZES;
    g_auto(GStrv) part = g_strsplit_set(text, ", ", -1);
    gmsim_list list = {.count = 0};
    if (key->may_be_unknown && !strcmp(text, "unknown")) {
        *field = list;
        return NULL;
    }
    for (char **p = part; *p; p++) {
        uint64_t value = 0;
        if (!**p)
            continue;
        char *wrong = parse_number(*p, sizes, &value);
        if (!wrong)
            wrong = check_range(key, value);
        if (wrong)
            return wrong;
        if (list.count == GMSIM_LIST_MAX)
            return g_strdup_printf("more than %u %s", GMSIM_LIST_MAX, sizes ? "sizes" : "numbers");
        if (sizes && list.count && value <= list.value[list.count - 1])
            return g_strdup("the sizes must ascend");
        list.value[list.count++] = (uint32_t)value;
    }
    if (!list.count)
        return g_strdup(sizes ? "no size given" : "no number given");
    *field = list;
    return NULL;
}

char *gmsim_key_parse(const gmsim_key *key, const char *text, gmsim_gpu *gpu)
{
    char *field = (char *)gpu + key->offset, *wrong = NULL;
    uint64_t value = 0;
    switch (key->kind) {
    case GMSIM_KEY_TEXT:
        if (!*text || strlen(text) > key->max || !g_utf8_validate(text, -1, NULL))
            return g_strdup_printf("a name of 1 to %u characters is needed", (unsigned)key->max);
        g_strlcpy(field, text, key->max + 1);
        return NULL;
    case GMSIM_KEY_SIZES:
    case GMSIM_KEY_COUNTS:
        return parse_list(key, text, (gmsim_list *)(void *)field);
    case GMSIM_KEY_BOOL:
        if (strcmp(text, "yes") && strcmp(text, "no"))
            return g_strdup_printf("'%s' is neither yes nor no", text);
        *(bool *)field = !strcmp(text, "yes");
        return NULL;
    case GMSIM_KEY_COUNT:
    case GMSIM_KEY_SIZE:
    case GMSIM_KEY_SIZE64:
        break;
    }
    if (!strcmp(text, "unknown")) {
        if (!key->may_be_unknown)
            wrong = g_strdup("the model cannot do without this number");
    } else {
        wrong = parse_number(text, key->kind != GMSIM_KEY_COUNT, &value);
        if (!wrong)
            wrong = check_range(key, value);
    }
    if (wrong)
        return wrong;
    if (key->kind == GMSIM_KEY_SIZE64)
        memcpy(field, &value, sizeof value);
    else
        memcpy(field, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    return NULL;
}

static char *format_size(uint64_t bytes)
{
    static const char *const unit[] = {"", "K", "M", "G"};
    unsigned u = 0;
    while (u < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        u++;
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT "%s", bytes, unit[u]);
}

char *gmsim_key_format(const gmsim_key *key, const gmsim_gpu *gpu)
{
    const char *field = (const char *)gpu + key->offset;
    uint64_t value;
    uint32_t small;
    switch (key->kind) {
    case GMSIM_KEY_TEXT:
        return g_strdup(field);
    case GMSIM_KEY_BOOL:
        return g_strdup(*(const bool *)field ? "yes" : "no");
    case GMSIM_KEY_SIZES:
    case GMSIM_KEY_COUNTS: {
        gmsim_list list;
        GString *words = g_string_new(NULL);
        memcpy(&list, field, sizeof list);
        if (list.count == 0)
            g_string_append(words, "unknown");
        for (uint32_t i = 0; i < list.count; i++) {
            g_autofree char *word = key->kind == GMSIM_KEY_SIZES
                                        ? format_size(list.value[i])
                                        : g_strdup_printf("%u", list.value[i]);
            g_string_append_printf(words, "%s%s", i ? ", " : "", word);
        }
        return g_string_free(words, FALSE);
    }
    case GMSIM_KEY_SIZE64:
        memcpy(&value, field, sizeof value);
        return format_size(value);
    case GMSIM_KEY_SIZE:
    case GMSIM_KEY_COUNT:
        break;
    }
    memcpy(&small, field, sizeof small);
    if (key->may_be_unknown && !small)
        return g_strdup("unknown");
    return key->kind == GMSIM_KEY_SIZE ? format_size(small) : g_strdup_printf("%u", small);
}
