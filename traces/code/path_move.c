/* SPDX-License-Identifier: MIT
 *
 * path_move.c - a move of a warp from one state to another: what its parts execute, those that are
 * in the record's mask and those that wait for them, and what they execute together.
 *
 * A part that stays behind notes which ways those who left took: what it has in common with them
 * at its beginning was executed together, before they parted. It notes, too, which ways led across
 * a BSYNC that it can reach itself: those who went there waited for it and went on with it.
 */
#include "traces/code/path_private.h"
#include "traces/format/grow.h"

const path_part *path_parts(const gmtrace_paths *p, uint32_t state, uint32_t *count)
{
    size_t size;
    const path_part *found = path_set_get(&p->states, state, &size);
    *count = (uint32_t)(size / sizeof *found);
    return found;
}

/* Is it a whole warp of which no part went elsewhere, and is it known what its lanes have? */
static bool is_whole(const path_part *part, uint32_t count)
{
    return count == 1 && part->values != PATH_NO_VALUES && part->taken[0] == UINT32_MAX &&
           part->met[0] == UINT32_MAX;
}

/* Room for the first move of a state. */
static bool make_room(gmtrace_paths *p, uint32_t state)
{
    if (state < p->state_rooms)
        return true;
    const uint32_t larger = state < 512 ? 1024 : 2 * state;
    uint32_t *grown =
        state < UINT32_MAX / 4 ? realloc(p->first_move, larger * sizeof *grown) : NULL;
    if (!grown)
        return false;
    memset(grown + p->state_rooms, 0, (larger - p->state_rooms) * sizeof *grown);
    p->first_move = grown;
    p->state_rooms = larger;
    return true;
}

uint32_t path_put_state(gmtrace_paths *p, const path_part *part, uint32_t count)
{
    uint32_t state;
    const uint32_t before = p->states.count;
    const size_t size = count * sizeof *part;
    if (!is_whole(part, count)) {
        state = path_set_put(&p->states, part, size);
    } else {
        path_had *had = path_had_of(p, part->values);
        if (!had)
            return UINT32_MAX;
        state = had->state;
        if (state != UINT32_MAX && path_parts(p, state, &count)->place == part->place)
            return state;
        /* Nearly always values that are new, too. */
        const bool only = state == UINT32_MAX;
        state = only ? path_set_add(&p->states, part, size) : path_set_put(&p->states, part, size);
        if (only)
            had->state = state;
        if (p->states.count > before &&
            part->place < PATH_FEW) { /* it may have been there without one */
            p->state_count -= path_few_have(had->stood, part->place);
            path_few_add(had->stood, part->place);
        }
    }
    p->state_count += p->states.count - before;
    if (state == UINT32_MAX || !make_room(p, state))
        return UINT32_MAX;
    return state;
}

void path_stand(gmtrace_paths *p, gmtrace_path_warp *warp, uint32_t place, uint32_t values)
{
    path_had *had = path_had_of(p, values);
    warp->place = place;
    warp->values = values;
    warp->state = UINT32_MAX;
    if (place >= PATH_FEW) {
        path_stand_still(p, warp);
    } else if (had && !path_few_have(had->stood, place)) {
        path_few_add(had->stood, place);
        p->state_count++;
    }
}

bool path_stand_still(gmtrace_paths *p, gmtrace_path_warp *warp)
{
    path_part part;
    memset(&part, 0xff, sizeof part);
    part.place = warp->place;
    part.values = warp->values;
    if (warp->state == UINT32_MAX)
        warp->state = path_put_state(p, &part, 1);
    return warp->state != UINT32_MAX;
}

static uint64_t common_start(const gmtrace_paths *p, const path_part *from, const path_view *own)
{
    uint64_t longest = 0;
    uint32_t other_count;
    for (unsigned i = 0; i < PATH_TAKEN && from->taken[i] != UINT32_MAX; i++) {
        const gmtrace_path_piece *other = path_pieces(p, from->taken[i], &other_count);
        const uint64_t common = path_pieces_prefix(own->piece, own->count, other, other_count);
        longest = common > longest ? common : longest;
    }
    return longest;
}

static void note_taken(path_part *who, uint32_t list)
{
    for (unsigned i = 0; i < PATH_TAKEN; i++) {
        if (who->taken[i] == list)
            return;
        if (who->taken[i] == UINT32_MAX) {
            who->taken[i] = list;
            return;
        }
    }
    memmove(who->taken, who->taken + 1, (PATH_TAKEN - 1) * sizeof *who->taken);
    who->taken[PATH_TAKEN - 1] = list;
}

/* Can the part have waited where this way crosses a BSYNC? */
static bool can_meet(gmtrace_paths *p, const path_part *who, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = piece[i].first; n < piece[i].first + piece[i].count; n++) {
            if (!path_is_meeting(&p->kernel->instr[n]))
                continue;
            const path_way_key key = {who->place, p->graph.flow.block_of[n], true, PATH_NO_VALUES,
                                      0};
            const path_found *to = path_find_way(p, &key);
            if (to && to->found && !to->lost)
                return true;
            piece = path_pieces(p, list, &count);
        }
    return false;
}

static void note_met(gmtrace_paths *p, path_part *who, uint32_t list)
{
    for (unsigned i = 0; i < PATH_MET; i++) {
        if (who->met[i] == list)
            return;
        if (who->met[i] != UINT32_MAX)
            continue;
        if (can_meet(p, who, list))
            who->met[i] = list;
        return;
    }
}

/* Each group of lanes that comes to a BSYNC has a BSSY for it, or came to it with others: what is
 * done of the view. */
static bool waits_for_none(const gmtrace_paths *p, const path_view *view)
{
    uint32_t begun = 0;
    uint64_t at = 0;
    for (uint32_t i = 0; i < view->count; i++)
        for (uint32_t n = view->piece[i].first; n < view->piece[i].first + view->piece[i].count;
             n++, at++) {
            begun += gmt_has_prefix(p->kernel->instr[n].opcode, "BSSY");
            if (!path_is_meeting(&p->kernel->instr[n]))
                continue;
            if (!begun && at >= view->done)
                return false;
            begun -= begun != 0;
        }
    return true;
}

/* The rest of a way, from an instruction on. */
static uint32_t rest_of(gmtrace_paths *p, uint32_t list, uint32_t piece, uint32_t n)
{
    uint32_t count;
    const gmtrace_path_piece *from = path_pieces(p, list, &count);
    p->whole.count = 0;
    path_list_add(&p->whole, (gmtrace_path_piece){n, from[piece].first + from[piece].count - n, 1});
    for (uint32_t i = piece + 1u; i < count; i++)
        path_list_add(&p->whole, from[i]);
    return path_set_put(&p->lists, p->whole.piece, p->whole.count * sizeof *p->whole.piece);
}

/* The same place in the code, whatever is known of predicates. */
static bool same_spot(const gmtrace_paths *p, uint32_t a, uint32_t b)
{
    const path_place one = path_get_place(p, a), other = path_get_place(p, b);
    return one.block == other.block && one.stack == other.stack;
}

/* How much of a way was, or is, gone together with those who went along the list from `place`. */
static uint64_t together(const gmtrace_paths *p, const path_part *who, const path_view *own,
                         uint32_t place, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    const uint64_t before = common_start(p, who, own);
    const uint64_t now = same_spot(p, who->place, place)
                             ? path_pieces_prefix(own->piece, own->count, piece, count)
                             : 0;
    return before > now ? before : now;
}

static void put_at(path_part *who, const path_found *to, uint32_t taken)
{
    memset(who, 0xff, sizeof *who);
    who->place = to->end;
    who->values = to->values;
    who->taken[0] = taken;
}

/* A guarded record of others on the way that all go together: these have a predicate that is false.
 * False where it is not so. */
static bool come_along(gmtrace_paths *p, path_part *who, uint32_t place, uint32_t to, uint32_t list)
{
    const path_way_key key = {who->place, to, false, who->values,
                              path_values_mask(p->values, who->values)};
    const path_found *found = path_find_way(p, &key);
    if (!found || !found->found || found->lost || found->ambiguous || found->against ||
        found->values == PATH_NO_VALUES)
        return false;
    path_view own = {0};
    own.piece = path_pieces(p, found->list, &own.count);
    if (together(p, who, &own, place, list) != path_pieces_length(own.piece, own.count))
        return false;
    put_at(who, found, UINT32_MAX);
    return true;
}

/* Is there a branch on the rest of a way, where lanes that are together may part? */
static bool may_part(const gmtrace_paths *p, uint32_t list, uint32_t from, uint32_t n)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    for (uint32_t i = from; i < count; i++, n = i < count ? piece[i].first : n)
        for (; n < piece[i].first + piece[i].count; n++)
            if (gmt_transfers(&p->kernel->instr[n]) && gmt_may_fall(&p->kernel->instr[n]))
                return true;
    return false;
}

/* Parts that came the same way from where they last were together came with one another: has one
 * done so in this move? */
static bool came_before(gmtrace_paths *p, const path_view *own, uint32_t crossed)
{
    const path_wait wait = {path_set_put(&p->lists, own->piece, own->count * sizeof *own->piece),
                            crossed, own->done};
    for (uint32_t i = 0; i < p->waits; i++)
        if (p->wait[i].list == wait.list && p->wait[i].crossed == crossed &&
            p->wait[i].done == wait.done)
            return wait.list != UINT32_MAX;
    if (p->waits < PATH_WAITS)
        p->wait[p->waits++] = wait;
    return false;
}

/* Lanes that stayed behind wait at a BSYNC which the others' way crosses: from there they go on
 * together, until they part again. False where they do not meet. */
static bool advance(gmtrace_paths *p, path_part *who, uint32_t place, uint32_t list, bool guarded)
{
    uint32_t count;
    bool met = false;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = piece[i].first; n < piece[i].first + piece[i].count; n++) {
            if (!path_is_meeting(&p->kernel->instr[n]) ||
                !(guarded || may_part(p, list, i, n + 1u)))
                continue;
            const path_way_key key = {who->place, p->graph.flow.block_of[n], true, who->values,
                                      path_values_mask(p->values, who->values)};
            const path_found *to = path_find_way(p, &key);
            if (!to || !to->found || to->lost || to->against || to->values == PATH_NO_VALUES)
                continue;
            path_view own = {0};
            own.piece = path_pieces(p, to->list, &own.count);
            own.done = together(p, who, &own, place, list);
            if (!waits_for_none(p, &own))
                continue;
            own.done = 0;
            p->whole.count = 0; /* its way and the BSYNC, to which it may have come with others */
            path_list_add_view(&p->whole, &own, 0);
            path_list_add(&p->whole, (gmtrace_path_piece){n, 1, 1});
            own.piece = p->whole.piece;
            own.count = p->whole.count;
            own.done = together(p, who, &own, place, list);
            if (!came_before(p, &own, i))
                path_list_add_view(&p->alone, &own, 0);
            put_at(who, to, rest_of(p, list, i, n + 1u));
            piece = path_pieces(p, list, &count);
            met = true;
        }
    return met;
}

static path_place meet(path_place a, path_place b)
{
    const uint8_t known =
        a.facts.known & b.facts.known & (uint8_t) ~(a.facts.value ^ b.facts.value);
    a.facts.known = known;
    a.facts.value &= known;
    if (a.stack != b.stack)
        a.stack = 0;
    return a;
}

/* The list as what is executed. NULL without memory. */
static const gmtrace_path *keep_path(gmtrace_paths *p, uint32_t list, const path_found *sum)
{
    const uint32_t key[] = {list, sum->ambiguous, sum->estimated, sum->lost};
    const uint32_t known = p->path_keys.count;
    const uint32_t number = path_set_put(&p->path_keys, key, sizeof key);
    if (key[0] == UINT32_MAX || number == UINT32_MAX)
        return NULL;
    if (number < known)
        return p->path[number];
    if (!GMT_GROW(p->path, number) || !GMT_GROW(p->taken, number))
        return NULL;
    gmtrace_path *path = path_arena_take(&p->arena, sizeof *path);
    if (!path)
        return NULL;
    p->path[number] = path;
    p->made_paths = number + 1u;
    path->piece = path_pieces(p, key[0], &path->piece_count);
    path->number = number + 1u; /* 0: the empty one */
    path->ambiguous = sum->ambiguous;
    path->estimated = sum->estimated;
    path->lost = sum->lost;
    path_sum(path, p->kernel->instr);
    return path;
}

/* What those of a part have that stay behind. */
static uint32_t values_left(gmtrace_paths *p, uint32_t values, uint32_t gone)
{
    if (values == PATH_NO_VALUES)
        return values;
    path_lanes *lanes = path_values_open(p->values, values);
    lanes->mask &= ~gone;
    return path_values_keep(p->values, lanes);
}

static uint32_t values_together(gmtrace_paths *p, uint32_t a, uint32_t b)
{
    if (a == PATH_NO_VALUES || b == PATH_NO_VALUES)
        return PATH_NO_VALUES;
    path_lanes *lanes = path_values_open(p->values, a);
    path_values_join(p->values, b, lanes);
    return path_values_keep(p->values, lanes);
}

/* A move while it is made. */
typedef struct making {
    path_move *move;
    const path_part *from; /* the parts before */
    uint32_t count;
    bool guarded;
    uint32_t movers, mover[GMTRACE_WARP_LANES];   /* parts of `from` of which lanes go ... */
    uint32_t list[GMTRACE_WARP_LANES];            /* ... and their ways, */
    bool of_all[GMTRACE_WARP_LANES];              /* which those that stay went, too */
    path_view view[GMTRACE_WARP_LANES];           /* what of these is theirs alone */
    uint32_t left, stays[GMTRACE_WARP_LANES + 1]; /* which part of `from` each of `next` was */
    path_part next[GMTRACE_WARP_LANES + 1];       /* the parts behind, first those who went */
    path_found sum;                               /* of all ways */
    path_place end;                               /* where those who went stand ... */
    uint32_t values;                              /* ... and what they have */
} making;

/* Lanes of a part that stay, unless all go; `divided`: others of it do. */
static void leave_behind(gmtrace_paths *p, making *m, uint32_t part, bool divided)
{
    path_part *who = &m->next[m->left];
    *who = m->from[part];
    m->stays[m->left++] = part;
    if (divided)
        who->values = values_left(p, who->values, m->move->mask);
}

static bool crosses_meeting(const gmtrace_paths *p, uint32_t list)
{
    uint32_t count;
    const gmtrace_path_piece *piece = path_pieces(p, list, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = piece[i].first; n < piece[i].first + piece[i].count; n++)
            if (path_is_meeting(&p->kernel->instr[n]))
                return true;
    return false;
}

/* The way of those of a part that go. Where it crosses a BSYNC the others may have come there, too,
 * and left later: if all can have gone it, all have. NULL without memory. */
static const path_found *way_of(gmtrace_paths *p, path_way_key *key, uint32_t goes)
{
    path_way_key all = *key;
    key->mask &= goes;
    const path_found *way = path_find_way(p, key);
    if (!way || key->mask == all.mask || way->against || !crosses_meeting(p, way->list))
        return way;
    const path_found *together = path_find_way(p, &all);
    const bool good = together && together->found && !together->against && !together->ambiguous &&
                      !together->lost;
    if (good)
        key->mask = all.mask;
    return good || !together ? together : path_find_way(p, key);
}

/* Those who go, with their ways, to one place. False without memory. */
static bool go(gmtrace_paths *p, making *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const unsigned code = m->move->code >> 2 * i & 3;
        const bool divided = code == PATH_SOME_GO && !m->guarded;
        if (code == PATH_NONE_GO || divided)
            leave_behind(p, m, i, divided);
        if (code == PATH_NONE_GO)
            continue;
        path_way_key key = {m->from[i].place, m->move->to, code == PATH_ALL_GO || !m->guarded,
                            m->from[i].values, 0};
        if (key.values != PATH_NO_VALUES)
            key.mask = path_values_mask(p->values, key.values);
        const uint32_t all = key.mask;
        const path_found *way = way_of(p, &key, divided ? m->move->mask : UINT32_MAX);
        if (!way)
            return false;
        const path_place end = path_get_place(p, way->end);
        m->end = m->movers ? meet(m->end, end) : end;
        const uint32_t values = divided ? values_left(p, way->values, ~m->move->mask) : way->values;
        m->values = m->movers ? values_together(p, m->values, values) : values;
        m->sum.ambiguous |= way->ambiguous;
        m->sum.estimated |= way->estimated;
        m->sum.lost |= way->lost;
        m->mover[m->movers] = i;
        m->of_all[m->movers] = key.mask == all;
        m->list[m->movers++] = way->list;
        if (divided)
            note_taken(&m->next[m->left - 1], way->list);
    }
    return true;
}

/* What of their ways they have not executed together with others before. */
static void look_back(const gmtrace_paths *p, making *m)
{
    for (uint32_t i = 0; i < m->movers; i++) {
        const path_part *who = &m->from[m->mover[i]];
        path_view *view = &m->view[i];
        memset(view, 0, sizeof *view);
        view->piece = path_pieces(p, m->list[i], &view->count);
        view->done = common_start(p, who, view);
        for (uint32_t o = 0; o < i; o++) {
            if (who->values == PATH_NO_VALUES ||
                !same_spot(p, who->place, m->from[m->mover[o]].place))
                continue;
            const uint64_t with =
                path_pieces_prefix(view->piece, view->count, m->view[o].piece, m->view[o].count);
            view->done = with > view->done ? with : view->done;
        }
        for (unsigned k = 0; k < PATH_MET && who->met[k] != UINT32_MAX; k++) {
            uint32_t count;
            const gmtrace_path_piece *other = path_pieces(p, who->met[k], &count);
            path_view_join(p->kernel->instr, view, other, count);
        }
    }
}

/* Those who stay wait where the others come by, where it is known what they have. */
static void let_wait(gmtrace_paths *p, making *m)
{
    p->alone.count = p->waits = 0;
    for (uint32_t s = 1; s < m->left && s <= GMTRACE_WARP_LANES; s++) {
        path_part *who = &m->next[s];
        bool met = who->values == PATH_NO_VALUES;
        for (uint32_t i = 0; i < m->movers && !met; i++) {
            const uint32_t place = m->from[m->mover[i]].place;
            if (m->mover[i] == m->stays[s] && m->of_all[i])
                continue;
            met = advance(p, who, place, m->list[i], m->guarded);
            const bool came = m->guarded && who->values != PATH_NO_VALUES &&
                              come_along(p, who, place, m->move->to, m->list[i]);
            if (!met && !came && same_spot(p, who->place, place))
                note_taken(who, m->list[i]);
        }
    }
}

/* What all execute, from the last to the first, so that what they have in common at the end comes
 * last. */
static void execute(gmtrace_paths *p, making *m)
{
    p->made.count = 0;
    for (uint32_t i = 0; i < p->alone.count; i++)
        path_list_add(&p->made, p->alone.piece[i]);
    for (uint32_t i = m->movers; i-- > 0;) {
        uint64_t shared = 0;
        for (uint32_t o = 0; o < i; o++) {
            const uint64_t with = path_views_together(p->kernel->instr, &m->view[i], &m->view[o]);
            shared = with > shared ? with : shared;
        }
        path_list_add_view(&p->made, &m->view[i], shared);
    }
}

/* A warp of which no part went elsewhere: its way is all there is. */
static bool make_whole(gmtrace_paths *p, path_move *move, const path_part *from)
{
    const path_way_key key = {from->place, move->to, (move->code & 3u) == PATH_ALL_GO, from->values,
                              path_values_mask(p->values, from->values)};
    path_found found;
    const path_plain *plain = p->failed ? NULL : path_plain_run(p, &key, &found);
    const path_found *way = plain ? &found : path_find_way_once(p, &key);
    if (!way)
        return false;
    path_part next;
    put_at(&next, way, UINT32_MAX);
    move->next = path_put_state(p, &next, 1);
    move->next_parts = 1;
    move->place = next.place;
    move->values = next.values;
    move->path = plain ? plain->path : keep_path(p, way->list, way);
    if (move->path)
        path_plain_note(p, &key, way, move->path);
    return move->path && move->next != UINT32_MAX;
}

bool path_move_make(gmtrace_paths *p, path_move *move)
{
    making m;
    m.move = move;
    m.from = path_parts(p, move->state, &m.count);
    m.guarded =
        move->to != PATH_END &&
        p->kernel->instr[p->graph.flow.block[move->to].first].predicate != GMTRACE_NO_REGISTER;
    const unsigned code = move->code & 3u;
    if (is_whole(m.from, m.count) && (m.guarded ? code != PATH_NONE_GO : code == PATH_ALL_GO))
        return make_whole(p, move, m.from);
    m.movers = 0;
    m.left = 1;
    m.sum = (path_found){0};
    m.end = (path_place){.block = move->to};
    m.values = PATH_NO_VALUES;
    if (!go(p, &m))
        return false;
    look_back(p, &m);
    let_wait(p, &m);
    execute(p, &m);
    for (uint32_t s = 1; s < m.left && s <= GMTRACE_WARP_LANES; s++)
        for (uint32_t i = 0; i < m.movers; i++)
            if (m.next[s].values == PATH_NO_VALUES && m.mover[i] != m.stays[s])
                note_met(p, &m.next[s], m.list[i]);
    memset(&m.next[0], 0xff, sizeof m.next[0]);
    m.next[0].place = path_put_place(p, m.end);
    m.next[0].values = m.values;
    if (m.left > GMTRACE_WARP_LANES || p->state_count >= GMTRACE_PATH_LIMIT)
        m.left = 1;
    move->next = path_put_state(p, m.next, m.left);
    move->next_parts = m.left;
    move->place = m.next[0].place;
    move->values = m.left == 1 ? m.values : PATH_NO_VALUES;
    const uint32_t list =
        path_set_put(&p->lists, p->made.piece, p->made.count * sizeof *p->made.piece);
    move->path = keep_path(p, list, &m.sum);
    return move->path && m.next[0].place != UINT32_MAX && move->next != UINT32_MAX &&
           !p->made.failed;
}
