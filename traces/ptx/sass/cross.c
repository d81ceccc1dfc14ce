/* SPDX-License-Identifier: MIT
 *
 * cross.c - operations in which lanes see each other. Those that go the same way take part: code
 * brings lanes together before.
 */
#include "traces/ptx/sass/sass.h"

/* What PTX's operation of that name does. */
static ptx_run run_of(const char *key, ptx_type type)
{
    for (const ptx_row *row = gmptx_warp_rows; row->key; row++)
        if (row->type == type && strcmp(row->key, key) == 0)
            return row->run;
    return NULL;
}

static bool make_shfl(sass_builder *b)
{
    const char *key = sass_take(&b->in, SASS_WORD_UP)     ? "shfl.sync.up"
                      : sass_take(&b->in, SASS_WORD_DOWN) ? "shfl.sync.down"
                      : sass_take(&b->in, SASS_WORD_BFLY) ? "shfl.sync.bfly"
                      : sass_take(&b->in, SASS_WORD_IDX)  ? "shfl.sync.idx"
                                                          : "";
    gmsass_result_and_predicate(b);
    for (unsigned i = 0; i < 3; i++)
        gmsass_source(b, 1);
    gmsass_ref(b, gmsass_constant(b, 0, 0)); /* no members are named that could be missing */
    b->op->run = run_of(key, PTX_B32);
    return true;
}

/* r = d, p, predicate; op->mode: 0 any, 1 all, 2 equal */
static void vote(ptx_warp *w, const ptx_op *op)
{
    const uint32_t set = predicate_of(w, op, 2) & w->active;
    const bool yes = op->mode == 0   ? set != 0
                     : op->mode == 1 ? set == w->active
                                     : set == w->active || !set;
    uint32_t *d = lanes_of(w, op->r[0]), *p = mask_of(w, op->r[1]);
    if (op->type) { /* uniform results */
        EACH_LANE d[i] = set;
        *p = yes ? UINT32_MAX : 0;
        return;
    }
    EACH_ACTIVE(w) d[i] = set;
    set_predicate(w, op, 1, yes ? UINT32_MAX : 0);
}
static bool make_vote(sass_builder *b)
{
    b->op->mode = sass_take(&b->in, SASS_WORD_ANY)   ? 0
                  : sass_take(&b->in, SASS_WORD_ALL) ? 1
                  : sass_take(&b->in, SASS_WORD_EQ)  ? 2
                                                     : 3;
    b->op->type = b->in.name == SASS_VOTEU;
    b->op->flags &= (uint8_t)~SASS_IS_UNIFORM; /* it looks at lanes */
    if (gmsass_at_predicate(b)) {
        gmsass_ref(b, gmsass_register_place(SASS_REG, SASS_ZERO));
        gmsass_set_predicate(b);
    } else {
        gmsass_result(b, 1);
        gmsass_set_predicate(b);
    }
    gmsass_predicate(b);
    b->op->run = vote;
    return b->op->mode < 3;
}

/* r = d, p, a: who has the same; with op->mode, whether all have. */
static void match(ptx_warp *w, const ptx_op *op)
{
    uint64_t a[LANES];
    uint32_t out[LANES], valid = 0;
    if (op->vector == 8)
        wide_of(w, op, 2, a);
    else
        for (unsigned i = 0; i < LANES; i++)
            a[i] = ((const uint32_t *)lanes_of(w, op->r[2]))[i];
    EACH_ACTIVE(w)
    {
        uint32_t same = 0;
        for (unsigned k = 0; k < LANES; k++)
            same |= (uint32_t)(w->active >> k & 1 && a[k] == a[i]) << k;
        const bool good = !op->mode || same == w->active;
        valid |= (uint32_t)good << i;
        out[i] = good ? same : 0;
    }
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_ACTIVE(w) d[i] = out[i];
    set_predicate(w, op, 1, valid);
}
static bool make_match(sass_builder *b)
{
    const bool any = sass_take(&b->in, SASS_WORD_ANY);
    b->op->mode = !any;
    b->op->vector = sass_take(&b->in, SASS_WORD_U64) ? 8 : 4;
    if (!any && !sass_take(&b->in, SASS_WORD_ALL))
        return false;
    gmsass_result_and_predicate(b);
    gmsass_source(b, b->op->vector == 8 ? 2 : 1);
    b->op->run = match;
    return true;
}

/* r = d, a; op->mode: sass_word, op->type: signed. */
static void redux(ptx_warp *w, const ptx_op *op)
{
    const uint32_t *a = lanes_of(w, op->r[1]);
    const uint32_t top = op->type ? 0x80000000u : 0;
    uint32_t all = a[__builtin_ctz(w->active)];
    for (uint32_t left = w->active & (w->active - 1); left; left &= left - 1) {
        const uint32_t x = a[__builtin_ctz(left)];
        const bool less = (x ^ top) < (all ^ top);
        switch (op->mode) {
        case SASS_WORD_SUM:
            all += x;
            break;
        case SASS_WORD_AND:
            all &= x;
            break;
        case SASS_WORD_OR:
            all |= x;
            break;
        case SASS_WORD_XOR:
            all ^= x;
            break;
        case SASS_WORD_MIN:
            all = less ? x : all;
            break;
        default:
            all = less ? all : x;
        }
    }
    uint32_t *d = lanes_of(w, op->r[0]);
    EACH_LANE d[i] = all;
}
static bool make_redux(sass_builder *b)
{
    static const sass_word words[] = {SASS_WORD_SUM, SASS_WORD_AND, SASS_WORD_OR,
                                      SASS_WORD_XOR, SASS_WORD_MIN, SASS_WORD_MAX};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sass_take(&b->in, words[i])) {
            b->op->mode = (uint8_t)words[i];
            found++;
        }
    b->op->type = sass_take(&b->in, SASS_WORD_S32);
    sass_take(&b->in, SASS_WORD_U32);
    gmsass_result(b, 1);
    gmsass_source(b, 1);
    b->op->run = redux;
    return found == 1;
}

const sass_row gmsass_warp_rows[] = {
    {SASS_SHFL, make_shfl},   {SASS_VOTE, make_vote},   {SASS_VOTEU, make_vote},
    {SASS_MATCH, make_match}, {SASS_REDUX, make_redux}, {SASS_NOP, NULL},
};
