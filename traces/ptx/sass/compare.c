/* SPDX-License-Identifier: MIT
 *
 * compare.c - what comparisons of integers, floats and halves share.
 */
#include "traces/ptx/sass/sass.h"

/* How the comparison meets the predicate it is given: op->mode2. */
static bool take_joining(sass_builder *b)
{
    if (sass_take(&b->in, SASS_WORD_AND))
        b->op->mode2 = 0;
    else if (sass_take(&b->in, SASS_WORD_OR))
        b->op->mode2 = 1;
    else if (sass_take(&b->in, SASS_WORD_XOR))
        b->op->mode2 = 2;
    else
        return false;
    return true;
}

/* Bits of op->mode: less, equal, more, unordered. */
static const struct {
    sass_word word;
    uint8_t bits;
} comparisons[] = {
    {SASS_WORD_F, 0},    {SASS_WORD_LT, 1},   {SASS_WORD_EQ, 2},   {SASS_WORD_LE, 3},
    {SASS_WORD_GT, 4},   {SASS_WORD_NE, 5},   {SASS_WORD_GE, 6},   {SASS_WORD_NUM, 7},
    {SASS_WORD_NAN, 8},  {SASS_WORD_LTU, 9},  {SASS_WORD_EQU, 10}, {SASS_WORD_LEU, 11},
    {SASS_WORD_GTU, 12}, {SASS_WORD_NEU, 13}, {SASS_WORD_GEU, 14}, {SASS_WORD_T, 15},
};
bool gmsass_take_comparison(sass_builder *b)
{
    unsigned found = 0;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (sass_take(&b->in, comparisons[i].word)) {
            b->op->mode = comparisons[i].bits;
            found++;
        }
    return found == 1 && take_joining(b);
}
void gmsass_compared(sass_builder *b, unsigned units)
{
    gmsass_set_predicate(b);
    gmsass_set_predicate(b);
    gmsass_source(b, units);
    gmsass_source(b, units);
    gmsass_predicate(b);
}

bool gmsass_compare(const ptx_op *op, double a, double b)
{
    const unsigned is = isnan(a) || isnan(b) ? 8 : a < b ? 1 : a > b ? 4 : 2;
    return op->mode & is;
}
void gmsass_join(const ptx_warp *w, const ptx_op *op, uint32_t yes, uint32_t no, uint32_t p)
{
    set_predicate(w, op, 0, op->mode2 == 0 ? yes & p : op->mode2 == 1 ? yes | p : yes ^ p);
    set_predicate(w, op, 1, op->mode2 == 0 ? no & p : op->mode2 == 1 ? no | p : no ^ p);
}
