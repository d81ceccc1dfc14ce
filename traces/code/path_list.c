/* SPDX-License-Identifier: MIT
 *
 * path_list.c - lists of pieces of code: joining, comparing, summing up.
 */
#include "traces/code/path_list.h"

#include "traces/code/path_graph.h"
#include "traces/format/grow.h"

#include <xxhash.h>

/* -------------------------------------------------------------------------------------- memory */

#define PART_SIZE 65536u

struct path_arena_part {
    struct path_arena_part *next;
    uint64_t bytes[];
};

void *path_arena_take(path_arena *arena, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (!arena->part || arena->room - arena->used < size) {
        const size_t room = size > PART_SIZE ? size : PART_SIZE;
        struct path_arena_part *part = calloc(1, sizeof *part + room);
        if (!part)
            return NULL;
        part->next = arena->part;
        *arena = (path_arena){part, 0, room};
    }
    void *taken = (char *)arena->part->bytes + arena->used;
    arena->used += size;
    return taken;
}

void path_arena_free(path_arena *arena)
{
    while (arena->part) {
        struct path_arena_part *next = arena->part->next;
        free(arena->part);
        arena->part = next;
    }
}

static bool grow_slots(path_set *set)
{
    if (set->slots / 4 * 3 > set->found)
        return true;
    const uint32_t slots = set->slots ? set->slots * 2 : 256;
    struct path_set_slot *slot = malloc(slots * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, 0xff, slots * sizeof *slot);
    for (uint32_t i = 0; i < set->slots; i++) {
        uint32_t at = set->slot[i].hash & (slots - 1);
        if (set->slot[i].number == UINT32_MAX)
            continue;
        while (slot[at].number != UINT32_MAX)
            at = (at + 1) & (slots - 1);
        slot[at] = set->slot[i];
    }
    free(set->slot);
    set->slot = slot;
    set->slots = slots;
    return true;
}

uint32_t path_set_add(path_set *set, const void *bytes, size_t size)
{
    void *copy = GMT_GROW(set->entry, set->count) ? path_arena_take(&set->arena, size) : NULL;
    if (!copy)
        return UINT32_MAX;
    if (size)
        memcpy(copy, bytes, size);
    set->entry[set->count] = (struct path_set_entry){copy, size};
    return set->count++;
}

uint32_t path_set_put(path_set *set, const void *bytes, size_t size)
{
    const uint32_t hash = (uint32_t)(XXH3_64bits(bytes, size) >> 32);
    if (!grow_slots(set))
        return UINT32_MAX;
    uint32_t at = hash & (set->slots - 1);
    for (; set->slot[at].number != UINT32_MAX; at = (at + 1) & (set->slots - 1)) {
        if (set->slot[at].hash != hash)
            continue;
        const struct path_set_entry *e = &set->entry[set->slot[at].number];
        if (e->size == size && (!size || !memcmp(e->bytes, bytes, size)))
            return set->slot[at].number;
    }
    const uint32_t number = path_set_add(set, bytes, size);
    if (number != UINT32_MAX) {
        set->slot[at] = (struct path_set_slot){hash, number};
        set->found++;
    }
    return number;
}

void path_set_free(path_set *set)
{
    path_arena_free(&set->arena);
    free(set->entry);
    free(set->slot);
}

/* --------------------------------------------------------------------------------------- lists */

void path_list_add(path_list *list, gmtrace_path_piece piece)
{
    if (!piece.count || !piece.times)
        return;
    if (list->count) {
        gmtrace_path_piece *last = &list->piece[list->count - 1];
        if (last->times == 1 && piece.times == 1 && last->first + last->count == piece.first) {
            last->count += piece.count;
            return;
        }
    }
    if (list->count == list->room) {
        const uint32_t room = list->room ? list->room * 2 : 64;
        gmtrace_path_piece *grown = realloc(list->piece, room * sizeof *grown);
        if (!grown) {
            list->failed = true;
            return;
        }
        list->piece = grown;
        list->room = room;
    }
    list->piece[list->count++] = piece;
}

void path_list_free(path_list *list)
{
    free(list->piece);
}

uint64_t path_pieces_length(const gmtrace_path_piece *piece, uint32_t count)
{
    uint64_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += (uint64_t)piece[i].count * piece[i].times;
    return length;
}

static void add_part(path_list *list, const gmtrace_path_piece *piece, uint32_t count,
                     uint64_t skip, uint64_t drop)
{
    const uint64_t length = path_pieces_length(piece, count);
    uint64_t at = 0, end = drop < length ? length - drop : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t size = (uint64_t)piece[i].count * piece[i].times;
        const uint64_t from = skip > at ? skip - at : 0, to = end > at ? end - at : 0;
        at += size;
        if (from == 0 && to >= size) {
            path_list_add(list, piece[i]);
            continue;
        }
        const uint64_t last = to < size ? to : size;
        /* A part of a repetition: round by round. */
        for (uint64_t n = from; n < last;) {
            const uint32_t begin = (uint32_t)(n % piece[i].count);
            uint64_t run = piece[i].count - begin;
            run = run < last - n ? run : last - n;
            path_list_add(list, (gmtrace_path_piece){piece[i].first + begin, (uint32_t)run, 1});
            n += run;
        }
    }
}

uint64_t path_pieces_prefix(const gmtrace_path_piece *a, uint32_t a_count,
                            const gmtrace_path_piece *b, uint32_t b_count)
{
    uint64_t length = 0, in_a = 0, in_b = 0; /* instructions of the first piece that are behind */
    while (a_count && b_count) {
        const uint32_t at_a = (uint32_t)(in_a % a->count), at_b = (uint32_t)(in_b % b->count);
        if (a->first + at_a != b->first + at_b)
            break;
        const uint32_t left_a = a->count - at_a, left_b = b->count - at_b;
        uint64_t run = left_a < left_b ? left_a : left_b;
        if (a->first == b->first && a->count == b->count && !in_a && !in_b)
            run *= a->times < b->times ? a->times : b->times;
        length += run;
        in_a += run;
        in_b += run;
        if (in_a == (uint64_t)a->count * a->times) {
            in_a = 0;
            a++;
            a_count--;
        }
        if (in_b == (uint64_t)b->count * b->times) {
            in_b = 0;
            b++;
            b_count--;
        }
    }
    return length;
}

/* Is there such a place among the instructions that are done? Repetitions are not looked into. */
static bool met_before(const gmtrace_instr *instr, const path_view *view)
{
    uint64_t at = 0;
    for (uint32_t p = 0; p < view->count && at < view->done; p++) {
        const gmtrace_path_piece *piece = &view->piece[p];
        for (uint32_t i = 0; i < piece->count && at + i < view->done; i++)
            if (path_is_meeting(&instr[piece->first + i]))
                return true;
        at += (uint64_t)piece->count * piece->times;
    }
    return false;
}

/* The list from instruction `skip` on, in one run where nothing is repeated. */
static uint64_t common_run(const gmtrace_path_piece *a, uint32_t a_count, uint32_t a_skip,
                           const gmtrace_path_piece *b, uint32_t b_count, uint32_t b_skip)
{
    uint64_t length = 0;
    while (a_count && b_count) {
        const uint32_t x = a->count - a_skip, y = b->count - b_skip, run = x < y ? x : y;
        if (run && (a->first + a_skip != b->first + b_skip || a->times != 1 || b->times != 1))
            break;
        length += run;
        a_skip += run;
        b_skip += run;
        if (a_skip < a->count && b_skip < b->count)
            break;
        if (a_skip == a->count)
            a++, a_count--, a_skip = 0;
        if (b_skip == b->count)
            b++, b_count--, b_skip = 0;
    }
    return length;
}

/* Is there a place to meet in a piece that the other list has, too? */
static bool meets_in(const gmtrace_instr *instr, const gmtrace_path_piece *piece,
                     const gmtrace_path_piece *other, uint32_t other_count)
{
    for (uint32_t n = piece->first; n < piece->first + piece->count; n++)
        for (uint32_t o = 0; o < other_count && path_is_meeting(&instr[n]); o++)
            if (n - other[o].first < other[o].count)
                return true;
    return false;
}

/* Keeps joins in order, and of two that overlap the longer. */
static void add_join(path_view *view, const path_join *join)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < view->joins; i++) {
        const path_join *other = &view->join[i];
        if (join->at < other->at + other->count && other->at < join->at + join->count) {
            if (join->count > other->count)
                view->join[i] = *join;
            return;
        }
        place += other->at < join->at;
    }
    if (view->joins == PATH_JOINS)
        return;
    for (uint32_t i = view->joins++; i > place; i--)
        view->join[i] = view->join[i - 1u];
    view->join[place] = *join;
}

void path_view_join(const gmtrace_instr *instr, path_view *view, const gmtrace_path_piece *other,
                    uint32_t other_count)
{
    path_join longest = {0};
    uint64_t at = 0;
    for (uint32_t p = 0; p < view->count; p++) {
        const gmtrace_path_piece *piece = &view->piece[p];
        if (piece->times > 1 && meets_in(instr, piece, other, other_count)) {
            /* Round after round of the loop they met, and went on together from there. */
            for (; p < view->count && view->piece[p].times > 1; p++)
                at += (uint64_t)view->piece[p].count * view->piece[p].times;
            view->done = view->done > at ? view->done : at;
            p--;
            continue;
        }
        for (uint32_t i = 0; i < piece->count && piece->times == 1; i++) {
            const uint32_t meeting = piece->first + i;
            if (at + i < view->done || !path_is_meeting(&instr[meeting]))
                continue;
            for (uint32_t o = 0; o < other_count; o++) {
                if (meeting - other[o].first >= other[o].count || other[o].times != 1)
                    continue;
                const uint32_t skip = meeting - other[o].first + 1u;
                const uint64_t length =
                    common_run(piece, view->count - p, i + 1, &other[o], other_count - o, skip);
                if (length <= longest.count)
                    continue;
                const uint64_t rest = path_pieces_length(&other[o], other_count - o) - skip;
                longest = (path_join){at + i + 1u, length, length == rest};
            }
        }
        at += (uint64_t)piece->count * piece->times;
    }
    if (longest.count)
        add_join(view, &longest);
}

void path_list_add_view(path_list *list, const path_view *view, uint64_t drop)
{
    const uint64_t length = path_pieces_length(view->piece, view->count);
    uint64_t done = view->done;
    for (uint32_t i = 0; i < view->joins; i++) {
        const uint64_t behind = length - view->join[i].at;
        add_part(list, view->piece, view->count, done, behind > drop ? behind : drop);
        done = view->join[i].at + view->join[i].count;
    }
    add_part(list, view->piece, view->count, done, drop);
}

/* How many instructions at the end of `a` others execute for it that it last joined, as far as they
 * went, if those are `b`: code goes straight on from there to where `b` stands, and they go on
 * alike for the last `common`. 0: they are not. */
static uint64_t joined_to_end(const path_view *a, const path_view *b, uint64_t common)
{
    if (!a->joins || !common || b->done || common != path_pieces_length(b->piece, b->count))
        return 0;
    const path_join *last = &a->join[a->joins - 1u];
    const uint64_t length = path_pieces_length(a->piece, a->count);
    const uint64_t end = last->at + last->count, start = length - common;
    if (!last->whole || end > start || end < a->done)
        return 0;
    uint64_t at = 0;
    const gmtrace_path_piece *piece = a->piece; /* the one that goes on from there */
    while (at + (uint64_t)piece->count * piece->times <= end)
        at += (uint64_t)piece->count * piece->times, piece++;
    const bool straight = piece->times == 1 && start <= at + piece->count;
    return straight && piece->first + (start - at) == b->piece[0].first ? length - end : 0;
}

uint64_t path_views_together(const gmtrace_instr *instr, const path_view *a, const path_view *b)
{
    uint64_t common = 0, behind = 0;
    for (uint32_t i = a->count, j = b->count; i-- && j--;) {
        const gmtrace_path_piece *x = &a->piece[i], *y = &b->piece[j];
        const uint32_t end = x->first + x->count;
        if (end != y->first + y->count || x->times != y->times ||
            (x->count != y->count && x->times > 1))
            break;
        const uint32_t run = x->count < y->count ? x->count : y->count;
        for (uint32_t n = 0; n < run; n++)
            if (path_is_meeting(&instr[end - 1 - n]))
                behind = common + n;
        common += (uint64_t)run * x->times;
        if (x->count != y->count)
            break;
    }
    const uint64_t a_left = path_pieces_length(a->piece, a->count) - a->done;
    const uint64_t b_left = path_pieces_length(b->piece, b->count) - b->done;
    if (a_left == b_left && a_left <= common && met_before(instr, a) && met_before(instr, b))
        return a_left;
    const uint64_t joined = joined_to_end(a, b, common);
    if (joined)
        return joined;
    return joined_to_end(b, a, common) ? a_left : behind;
}

/* --------------------------------------------------------------------------------------- sums */

void path_sum(gmtrace_path *path, const gmtrace_instr *instr)
{
    for (unsigned b = 0; b < GMTRACE_PATH_BARRIERS; b++) {
        path->wait_at[b] = GMTRACE_PATH_NEVER;
        path->set_by[b] = GMTRACE_NO_INSTR;
    }
    for (uint32_t p = 0; p < path->piece_count; p++) {
        const gmtrace_path_piece *piece = &path->piece[p];
        uint64_t slots = 0;
        for (uint32_t n = 0; n < piece->count; n++) {
            const gmtrace_instr *i = &instr[piece->first + n];
            const uint64_t now = path->slots + slots;
            for (unsigned b = 0; b < GMTRACE_PATH_BARRIERS; b++)
                if (i->wait_mask >> b & 1 && path->wait_at[b] == GMTRACE_PATH_NEVER)
                    path->wait_at[b] =
                        now < GMTRACE_PATH_NEVER ? (uint32_t)now : GMTRACE_PATH_NEVER - 1;
            path->wait_mask |= i->wait_mask;
            if (i->write_barrier < GMTRACE_PATH_BARRIERS)
                path->set_by[i->write_barrier] = piece->first + n;
            if (i->read_barrier < GMTRACE_PATH_BARRIERS)
                path->set_by[i->read_barrier] = piece->first + n;
            path->by_class[i->op_class] += piece->times;
            slots += i->stall ? i->stall : 1;
        }
        path->instructions += (uint64_t)piece->count * piece->times;
        path->slots += slots * piece->times;
    }
}
