/* SPDX-License-Identifier: MIT
 *
 * indices.c - see indices.h. The code between the loads and the index is run for each lane by
 * path_const.h, as varying.c does it, but with what the lane has loaded.
 */
#include "traces/code/indices.h"
#include "traces/code/deciding.h"
#include "traces/code/decoded_private.h"

#include <stdlib.h>
#include <string.h>

#define LOADS   32u   /* that indices are made of */
#define WARPS   3u    /* of a CTA that are looked at, */
#define SAMPLES 8u    /* of an index in each, */
#define RECORDS 4096u /* and records, at most */
#define PEERS   64u   /* loads of constants whose lanes are looked for */
#define NONE    0xffu

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* A load, and what the lanes of a warp have from it. */
typedef struct load {
    uint32_t instr, known; /* a lane each */
    bool made_up;          /* but for which are the same */
    uint32_t value[GMTRACE_WARP_LANES][GMT_WORDS];
} load;

/* A load of constants, and an access in the same straight piece of code, which all lanes do that
 * do the one. */
typedef struct peer {
    uint32_t instr, access;
    uint32_t lanes; /* that were seen to */
} peer;

struct gmtrace_loaded {
    const gmtrace_launch *launch; /* of which constants are known; or NULL */
    uint32_t loads, peers;
    load load[LOADS];
    peer peer[PEERS];
};

/* A load of constants by an index that was loaded. */
typedef struct user {
    uint32_t instr, loads;       /* a bit each */
    uint32_t addresses, samples; /* sums of all warps, */
    uint32_t own;                /* samples of this one */
} user;

typedef struct sampler {
    const gmtrace_kernel *kernel;
    const gmtrace_decoded *decoded;
    path_memory memory;
    path_const state;
    uint8_t *slot; /* which of the loads an instruction is, or NONE */
    user *user;
    uint32_t users, loads;
    uint32_t warp;    /* lanes of a CTA's first warp */
    load load[LOADS]; /* of the warp that is looked at */
    gmtrace_loaded *kept;
} sampler;

static bool is_load(const gmtrace_instr *instr, const gmtrace_decoded *decoded)
{
    return instr->op_class == GMTRACE_CLASS_LOAD && decoded->lanes == GMTRACE_LANES_DIFFER &&
           (decoded->space == GMTRACE_SPACE_GLOBAL ||
            (decoded->space == GMTRACE_SPACE_SHARED && !gmt_has_prefix(instr->opcode, "LDSM")));
}

/* How many of the instructions that an index is made of, in the code's order, and whether all in
 * which lanes differ are such loads or threads' numbers, and some are loads. */
static uint32_t made_by_loads(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                              uint32_t at, uint32_t made[GMT_MADE_OF], bool *loaded)
{
    *loaded = false;
    if (decoded[at].unit != GMTRACE_UNIT_LDC || decoded[at].addresses < 2u)
        return 0;
    bool differ, only = true;
    const uint32_t count = gmt_makes_index(kernel, decoded, at, made, &differ);
    for (uint32_t i = 0; i < count; i++) {
        const gmtrace_decoded *d = &decoded[made[i]];
        const bool loads = is_load(&kernel->instr[made[i]], d);
        *loaded |= loads;
        only &= loads || d->lanes != GMTRACE_LANES_DIFFER || d->unit == GMTRACE_UNIT_S2R;
    }
    *loaded &= only;
    return count;
}

bool gmt_index_loads(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint8_t *loads)
{
    uint32_t made[GMT_MADE_OF];
    bool any = false, loaded;
    for (uint32_t n = 0; n < kernel->instr_count; n++) {
        const uint32_t count = made_by_loads(kernel, decoded, n, made, &loaded);
        for (uint32_t i = 0; i < count && loaded; i++)
            if (is_load(&kernel->instr[made[i]], &decoded[made[i]]) &&
                decoded[made[i]].space == GMTRACE_SPACE_GLOBAL) /* which captures keep */
                loads[made[i]] = any = true;
    }
    return any;
}

static bool find_users(sampler *s)
{
    uint32_t made[GMT_MADE_OF];
    bool loaded;
    for (uint32_t n = 0; n < s->kernel->instr_count; n++) {
        const uint32_t count = made_by_loads(s->kernel, s->decoded, n, made, &loaded);
        if (!loaded)
            continue;
        if (!s->user && !(s->user = calloc(s->kernel->instr_count, sizeof *s->user)))
            return false;
        user *own = &s->user[s->users];
        *own = (user){.instr = n};
        for (uint32_t i = 0; i < count && loaded; i++) {
            uint8_t *slot = &s->slot[made[i]];
            if (!is_load(&s->kernel->instr[made[i]], &s->decoded[made[i]]))
                continue;
            if (*slot == NONE && s->loads < LOADS) {
                s->load[s->loads].instr = made[i];
                *slot = (uint8_t)s->loads++;
            }
            loaded = *slot != NONE;
            own->loads |= loaded ? UINT32_C(1) << *slot : 0;
        }
        s->users += loaded;
    }
    return true;
}

static bool is_access(const gmtrace_instr *instr)
{
    return instr->predicate == GMTRACE_NO_REGISTER && gmtrace_accesses_by_lane(instr);
}

/* Where control flow leaves the instruction but for the next, or other lanes may come from. */
static bool ends_piece(const gmtrace_instr *instr)
{
    return instr->op_class == GMTRACE_CLASS_BRANCH || instr->op_class == GMTRACE_CLASS_CALL ||
           instr->op_class == GMTRACE_CLASS_RETURN || instr->op_class == GMTRACE_CLASS_EXIT ||
           (instr->op_class == GMTRACE_CLASS_RECONVERGE && !gmt_has_prefix(instr->opcode, "BSSY"));
}

/* The next access behind instruction `at`, or else the last before it, of the same straight piece
 * of code; `at` itself if there is none. */
static uint32_t access_beside(const gmtrace_kernel *kernel, uint32_t at, const uint8_t *target)
{
    for (uint32_t n = at + 1u; n < kernel->instr_count && !target[n]; n++) {
        if (is_access(&kernel->instr[n]))
            return n;
        if (ends_piece(&kernel->instr[n]))
            break;
    }
    for (uint32_t n = at; n > 0 && !target[n] && !ends_piece(&kernel->instr[n - 1u]); n--)
        if (is_access(&kernel->instr[n - 1u]))
            return n - 1u;
    return at;
}

/* Loads of constants of which few lanes of a warp may be there. */
static bool find_peers(sampler *s)
{
    const uint32_t count = s->kernel->instr_count;
    uint8_t *target = calloc(count + (size_t)1, 1);
    if (!target)
        return false;
    for (uint32_t n = 0; n < count; n++)
        if (s->kernel->instr[n].target < count)
            target[s->kernel->instr[n].target] = 1;
    for (uint32_t n = 0; n < count && s->kept->peers < PEERS; n++) {
        const uint32_t access =
            s->decoded[n].addresses > 1u ? access_beside(s->kernel, n, target) : n;
        if (access != n)
            s->kept->peer[s->kept->peers++] = (peer){.instr = n, .access = access};
    }
    free(target);
    return true;
}

const gmtrace_launch *gmt_launch_of(const gmtrace_loaded *loaded)
{
    return loaded ? loaded->launch : NULL;
}

/* Constants of variables are known: such ranges come last. */
static bool knows_constants(const gmtrace_launch *launch)
{
    const gmtrace_known *known = launch->known;
    return known && known->range_count &&
           known->range[known->range_count - 1u].base >= GMTRACE_BANK_ADDRESS(3u);
}

uint32_t gmt_lanes_at(const gmtrace_loaded *loaded, uint32_t number)
{
    for (uint32_t i = 0; loaded && i < loaded->peers; i++)
        if (loaded->peer[i].instr == number && loaded->peer[i].lanes)
            return loaded->peer[i].lanes;
    return UINT32_MAX;
}

/* Of memory that is not known: whatever lanes find, those that read the same find the same. */
static void make_up(load *own, const gmtrace_instr *instr, uint32_t mask, const uint64_t *address)
{
    own->known = mask;
    own->made_up = true;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
        for (uint32_t i = 0; i < GMT_WORDS; i++)
            own->value[lane][i] = gmt_narrow(instr, gmt_anything(address[lane] + 4u * i));
}

/* What the lanes of a record find in memory. */
static void find(sampler *s, load *own, const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    const gmtrace_instr *instr = &s->kernel->instr[own->instr];
    const uint32_t width = instr->width;
    const bool knows = s->memory.known && s->decoded[own->instr].space == GMTRACE_SPACE_GLOBAL &&
                       width && width <= 4u * GMT_WORDS;
    const gmtrace_known_range *last = NULL;
    uint64_t address[GMTRACE_WARP_LANES];
    gmtrace_expand(chunk, record, address);
    own->known = 0;
    own->made_up = false;
    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES && knows; lane++) {
        const uint8_t *bytes = record->mask >> lane & 1u
                                   ? path_memory_get(&s->memory, address[lane], width, &last)
                                   : NULL;
        if (!bytes)
            continue;
        uint32_t *value = own->value[lane];
        own->known |= UINT32_C(1) << lane;
        memset(value, 0, sizeof own->value[lane]);
        for (uint32_t i = 0; i < width; i++)
            value[i / 4u] |= (uint32_t)bytes[i] << i % 4u * 8u;
        *value = gmt_narrow(instr, *value);
    }
    if (!own->known)
        make_up(own, instr, record->mask, address);
}

bool gmt_set_loaded(const gmtrace_loaded *loaded, path_const *state, const gmtrace_instr *instr,
                    uint32_t number, uint32_t lane)
{
    for (uint32_t i = 0; loaded && i < loaded->loads; i++)
        if (loaded->load[i].instr == number && loaded->load[i].known) {
            gmt_set_words(state, instr, loaded->load[i].value[lane]);
            return true;
        }
    return false;
}

/* The index that a lane has after it has loaded what it found. */
static uint32_t index_of(sampler *s, const user *own, const uint32_t *made, uint32_t count,
                         uint32_t lane)
{
    path_const_begin(&s->state);
    s->state.launch = s->kept->launch;
    for (uint32_t i = 0; i < count; i++) {
        const gmtrace_instr *instr = &s->kernel->instr[made[i]];
        const uint8_t slot = s->slot[made[i]];
        if (slot == NONE) {
            gmt_run_made(&s->state, s->kernel, s->decoded, made[i], lane);
            continue;
        }
        gmt_set_words(&s->state, instr, s->load[slot].value[lane]);
    }
    return gmt_index(&s->state, &s->kernel->instr[own->instr]);
}

/* A warp has loaded all that the index is made of. */
static void sample(sampler *s, user *own, uint32_t lanes)
{
    uint32_t made[GMT_MADE_OF], index[GMTRACE_WARP_LANES], found = 0;
    bool loaded;
    const uint32_t count = made_by_loads(s->kernel, s->decoded, own->instr, made, &loaded);
    for (; lanes; lanes &= lanes - 1u) {
        const uint32_t one = index_of(s, own, made, count, (uint32_t)__builtin_ctz(lanes));
        uint32_t same = 0;
        while (same < found && index[same] != one)
            same++;
        index[same] = one;
        found += same == found;
    }
    own->addresses += found;
    own->samples++;
    own->own++;
}

/* What most lanes have loaded stands for what others load. */
static void keep(gmtrace_loaded *kept, uint32_t slot, const load *own)
{
    if (!own->made_up &&
        __builtin_popcount(own->known) >= __builtin_popcount(kept->load[slot].known))
        kept->load[slot] = *own;
}

static void take(sampler *s, const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    const uint8_t slot = record->instr < s->kernel->instr_count ? s->slot[record->instr] : NONE;
    for (uint32_t i = 0; i < s->kept->peers; i++)
        if (s->kept->peer[i].access == record->instr)
            s->kept->peer[i].lanes |= record->mask;
    if (slot == NONE || record->kind != GMTRACE_ACCESS)
        return;
    find(s, &s->load[slot], chunk, record);
    keep(s->kept, slot, &s->load[slot]);
    for (uint32_t i = 0; i < s->users; i++) {
        user *own = &s->user[i];
        if (!(own->loads >> slot & 1u) || own->own == SAMPLES)
            continue;
        uint32_t lanes = UINT32_MAX;
        for (uint32_t bits = own->loads; bits; bits &= bits - 1u)
            lanes &= s->load[__builtin_ctz(bits)].known;
        if (lanes)
            sample(s, own, lanes);
    }
}

static bool all_seen(const sampler *s)
{
    for (uint32_t i = 0; i < s->users; i++)
        if (s->user[i].own < SAMPLES)
            return false;
    for (uint32_t i = 0; i < s->kept->peers; i++)
        if (!s->kept->peer[i].lanes)
            return false;
    return true;
}

static bool read_warp(sampler *s, gmtrace_reader *reader, uint64_t cta, uint32_t warp,
                      gmtrace_error *error)
{
    gmtrace_cursor cursor;
    for (uint32_t i = 0; i < s->loads; i++)
        s->load[i].known = 0;
    for (uint32_t i = 0; i < s->users; i++)
        s->user[i].own = 0;
    if (gmtrace_cursor_open(reader, &cursor, cta, warp, error)) {
        uint32_t left = RECORDS;
        do
            for (; cursor.next < cursor.end && left; cursor.next++, left--)
                take(s, cursor.chunk, cursor.next);
        while (left && !all_seen(s) && gmtrace_cursor_refill(reader, &cursor, error));
        gmtrace_cursor_close(reader, &cursor);
    }
    return error->status == GMTRACE_OK || error->status == GMTRACE_TRUNCATED;
}

static uint32_t warps_of(const gmtrace_launch *launch)
{
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    return (uint32_t)((threads + GMTRACE_WARP_LANES - 1u) / GMTRACE_WARP_LANES);
}

/* Of those CTAs some warps, of each others. */
static bool read_warps(sampler *s, gmtrace_reader *reader, const gmtrace_launch *launch,
                       gmtrace_error *error)
{
    const uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t warps = warps_of(launch);
    uint64_t *cta;
    size_t count;
    uint32_t next = 0;
    if (!gmtrace_list_ctas(reader, &cta, &count, error))
        return false;
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        for (uint32_t w = 0; w < MIN(warps, WARPS) && gmt_cta_shows(ctas, cta[i]) && good; w++)
            good = read_warp(s, reader, cta[i], next++ % warps, error);
    free(cta);
    return good;
}

/* Lanes of which nothing is known have what others have. */
static void fill(gmtrace_loaded *kept)
{
    for (uint32_t i = 0; i < kept->loads; i++) {
        load *own = &kept->load[i];
        for (uint32_t lane = 0, from = 0; lane < GMTRACE_WARP_LANES && own->known; lane++) {
            if (own->known >> lane & 1u)
                continue;
            while (!(own->known >> from & 1u))
                from = (from + 1u) % GMTRACE_WARP_LANES;
            memcpy(own->value[lane], own->value[from], sizeof own->value[lane]);
            from = (from + 1u) % GMTRACE_WARP_LANES;
        }
    }
}

/* The loads and their users; and the memory that they may have read. */
static bool begin(sampler *s, const gmtrace_kernel *kernel, const gmtrace_launch *launch,
                  const gmtrace_decoded *decoded)
{
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    s->kernel = kernel;
    s->decoded = decoded;
    s->warp = threads < GMTRACE_WARP_LANES ? (UINT32_C(1) << threads) - 1u : UINT32_MAX;
    s->slot = malloc(kernel->instr_count + (size_t)1);
    if (!s->slot)
        return false;
    memset(s->slot, NONE, kernel->instr_count + (size_t)1);
    s->kept = calloc(1, sizeof *s->kept);
    if (!s->kept || !find_users(s) || !find_peers(s))
        return false;
    s->kept->launch = knows_constants(launch) ? launch : NULL;
    if (!s->users && !s->kept->peers && !s->kept->launch) {
        free(s->kept);
        s->kept = NULL;
        return true;
    }
    if (!path_memory_make(&s->memory, launch->known))
        return false;
    s->kept->loads = s->loads;
    for (uint32_t i = 0; i < s->loads; i++)
        s->kept->load[i].instr = s->load[i].instr;
    return true;
}

static void say(const sampler *s, gmtrace_decoded *decoded)
{
    for (uint32_t n = 0; s->kept && n < s->kernel->instr_count; n++) {
        const uint32_t lanes = gmt_lanes_at(s->kept, n) & s->warp;
        if (decoded[n].addresses > 1u && (lanes != s->warp || s->kept->launch))
            decoded[n].addresses =
                (uint8_t)gmt_addresses(s->kernel, decoded, n, lanes, s->kept->launch);
    }
    for (uint32_t i = 0; i < s->users; i++) {
        const user *own = &s->user[i];
        if (own->samples)
            decoded[own->instr].addresses =
                (uint8_t)((own->addresses + own->samples / 2u) / own->samples);
    }
    if (s->kept)
        fill(s->kept);
}

bool gmtrace_decode_indices(gmtrace_reader *reader, const gmtrace_kernel *kernel,
                            const gmtrace_launch *launch, gmtrace_decoded *decoded,
                            gmtrace_loaded **loaded, gmtrace_error *error)
{
    error->status = GMTRACE_OK;
    *loaded = NULL;
    sampler *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    const bool good =
        begin(s, kernel, launch, decoded) &&
        ((!s->users && !(s->kept && s->kept->peers)) || read_warps(s, reader, launch, error));
    if (good) {
        say(s, decoded);
        *loaded = s->kept;
    } else {
        free(s->kept);
    }
    path_memory_free(&s->memory);
    free(s->user);
    free(s->slot);
    free(s);
    return good;
}

void gmtrace_loaded_free(gmtrace_loaded *loaded)
{
    free(loaded);
}
