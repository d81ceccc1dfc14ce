/* SPDX-License-Identifier: MIT
 *
 * memory.c - loads, stores, atomics, asynchronous copies, fences. Finding memory, checking and
 * recording it is the PTX interpreter's (access.h). Caches are left to the simulator.
 */
#include "traces/ptx/access.h"
#include "traces/ptx/sass/sass.h"

/* op->address: the register (REF_NONE: none), op->r[7]: the uniform one; op->narrow: 32 bits;
 * op->mode2: shift of the register; op->imm: offset. */
static void find_addresses(ptx_warp *w, const ptx_op *op)
{
    uint64_t *to = w->address;
    const uint64_t add = (uint64_t)(int64_t)(int32_t)op->imm;
    EACH_LANE to[i] = add;
    if (op->address != REF_NONE) {
        const uint32_t *low = lanes_of(w, op->address), *high = low + LANES;
        const unsigned shift = op->mode2 & 31;
        if (op->mode2 & 128) /* a pair */
            EACH_LANE to[i] += (uint64_t)high[i] << 32 | low[i];
        else
            EACH_LANE to[i] += (uint64_t)low[i] << shift;
    }
    if (op->r[7] != REF_NONE) {
        const uint32_t *low = lanes_of(w, op->r[7]), *high = low + LANES;
        EACH_LANE to[i] += op->narrow ? low[i] : (uint64_t)high[i] << 32 | low[i];
    }
    if (op->narrow)
        EACH_LANE to[i] = (uint32_t)to[i];
}

/* An address of `space`; .E says that it has 64 bits. */
static bool take_address(sass_builder *b, ptx_space space)
{
    const sass_operand *o = gmsass_peek(b);
    ptx_op *op = b->op;
    if (o->kind != SASS_ADDRESS || o->value != (int32_t)o->value)
        return false;
    op->space = (uint8_t)space;
    op->narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    op->imm = (uint32_t)o->value;
    op->mode2 = o->shift;
    if (o->number != SASS_ZERO) {
        op->address = gmsass_register_place(SASS_REG, o->number);
        if (!op->narrow && !o->narrow)
            op->mode2 |= 128;
    }
    if (o->uniform != SASS_ZERO)
        op->r[7] = gmsass_register_place(SASS_UREG, o->uniform);
    b->next++;
    return !(o->wide && op->narrow) && !(o->shift && op->mode2 & 128);
}

static ptx_space space_of(sass_name name)
{
    switch (name) {
    case SASS_LDS:
    case SASS_STS:
    case SASS_ATOMS:
        return PTX_SPACE_SHARED;
    case SASS_LDL:
    case SASS_STL:
        return PTX_SPACE_LOCAL;
    case SASS_LD:
    case SASS_ST:
    case SASS_ATOM:
        return PTX_SPACE_NONE; /* generic */
    default:
        return PTX_SPACE_GLOBAL;
    }
}

/* What says how caches treat it: the instruction table has it for the simulator. */
static void take_cache_words(sass_builder *b)
{
    static const sass_word words[] = {
        SASS_WORD_E,       SASS_WORD_EF,     SASS_WORD_EL,       SASS_WORD_EU,     SASS_WORD_LU,
        SASS_WORD_NA,      SASS_WORD_U,      SASS_WORD_CONSTANT, SASS_WORD_STRONG, SASS_WORD_WEAK,
        SASS_WORD_GPU,     SASS_WORD_SYS,    SASS_WORD_SM,       SASS_WORD_CTA,    SASS_WORD_LTC64B,
        SASS_WORD_LTC128B, SASS_WORD_LTC256B};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sass_take(&b->in, words[i]);
}

/* Bytes of a lane into op->vector, whether they have a sign into op->type. */
static void take_width(sass_builder *b)
{
    ptx_op *op = b->op;
    op->vector = 4;
    static const struct {
        sass_word word;
        uint8_t bytes, is_signed;
    } words[] = {{SASS_WORD_U8, 1, 0},  {SASS_WORD_S8, 1, 1},   {SASS_WORD__8, 1, 0},
                 {SASS_WORD_U16, 2, 0}, {SASS_WORD_S16, 2, 1},  {SASS_WORD__16, 2, 0},
                 {SASS_WORD__64, 8, 0}, {SASS_WORD__128, 16, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sass_take(&b->in, words[i].word)) {
            op->vector = words[i].bytes;
            op->type = words[i].is_signed;
        }
}

static void load(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    uint32_t *d = lanes_of(w, op->r[0]);
    if (a->bytes == 4 && a->lie == LIE_IN_A_ROW && !op->type) {
        memcpy(d, a->host[0], LANES * sizeof *d);
        return;
    }
    if (a->bytes == 4 && a->mask == ALL_LANES) {
        for (unsigned i = 0; i < LANES; i++)
            memcpy(&d[i], a->host[i], 4);
        return;
    }
    LANES_IN(a->mask)
    {
        uint32_t words[4] = {0};
        memcpy(words, a->host[i], a->bytes);
        if (op->type) {
            const unsigned shift = 32 - 8 * a->bytes;
            words[0] = (uint32_t)((int32_t)(words[0] << shift) >> shift);
        }
        for (unsigned n = 0; n < units_in(a->bytes); n++)
            d[n * LANES + i] = words[n];
    }
}
static void store(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    const uint32_t *from = lanes_of(w, op->r[0]);
    const bool zero = REF_FILE(op->r[0]) == PTX_FILE_POOL;
    if (a->bytes == 4 && a->lie == LIE_IN_A_ROW && !zero) {
        memcpy(a->host[0], from, LANES * sizeof *from);
        return;
    }
    LANES_IN(a->mask)
    {
        uint32_t words[4];
        for (unsigned n = 0; n < 4; n++)
            words[n] = n < units_in(a->bytes) && !zero ? from[n * LANES + i] : 0;
        memcpy(a->host[i], words, a->bytes);
    }
}

static void run_load(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, op->vector, false);
    find_addresses(w, op);
    gmptx_run_spaces(w, op, &a, load, GMTRACE_OP_LOAD);
}
static void run_store(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, op->vector, true);
    find_addresses(w, op);
    gmptx_run_spaces(w, op, &a, store, GMTRACE_OP_STORE);
}

static bool make_load(sass_builder *b)
{
    take_cache_words(b);
    take_width(b);
    gmsass_result(b, units_in(b->op->vector));
    b->op->control = CONTROL_MEMORY;
    b->op->run = run_load;
    return take_address(b, space_of(b->in.name));
}
static bool make_store(sass_builder *b)
{
    take_cache_words(b);
    take_width(b);
    if (!take_address(b, space_of(b->in.name)))
        return false;
    gmsass_source(b, 1);
    b->op->control = CONTROL_MEMORY;
    b->op->run = run_store;
    return !b->op->first && !b->op->count;
}

/* -------------------------------------------------------------------------------------- atomics */

/* r = [d,] b[, c]; op->writes: whether there is d; op->vector: bytes. */
static uint64_t value_of(const ptx_warp *w, const ptx_op *op, unsigned n, unsigned i)
{
    const uint32_t *low = lanes_of(w, op->r[n]);
    return op->vector == 8 ? (uint64_t)low[LANES + i] << 32 | low[i] : low[i];
}
static void atomic(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    uint32_t *d = op->writes ? lanes_of(w, op->r[0]) : NULL;
    const bool compares = op->mode == ATOMIC_CAS, counts = op->flags & PTX_FLAG_COUNTS;
    LANES_IN(a->mask)
    {
        uint64_t old = 0;
        const uint64_t x = counts ? 1 : value_of(w, op, op->writes, i);
        const uint64_t y = compares ? value_of(w, op, op->writes + 1u, i) : 0;
        memcpy(&old, a->host[i], a->bytes);
        const uint64_t value = gmptx_combine(op, old, x, y);
        memcpy(a->host[i], &value, a->bytes);
        if (!d)
            continue;
        if (op->flags & PTX_FLAG_NEGATED) { /* CAST says whether it did */
            d[i] = old == x;
            continue;
        }
        d[i] = (uint32_t)old;
        if (a->bytes == 8)
            d[LANES + i] = (uint32_t)(old >> 32);
    }
}
static void run_atomic(ptx_warp *w, const ptx_op *op)
{
    ptx_access a;
    gmptx_begin_access(&a, op->vector, true);
    find_addresses(w, op);
    gmptx_run_spaces(w, op, &a, atomic,
                     op->op_class == GMTRACE_CLASS_REDUCTION ? GMTRACE_OP_REDUCTION
                                                             : GMTRACE_OP_ATOMIC);
}

static bool take_operation(sass_builder *b)
{
    static const sass_choice words[] = {{SASS_WORD_ADD, ATOMIC_ADD},   {SASS_WORD_AND, ATOMIC_AND},
                                        {SASS_WORD_OR, ATOMIC_OR},     {SASS_WORD_XOR, ATOMIC_XOR},
                                        {SASS_WORD_MIN, ATOMIC_MIN},   {SASS_WORD_MAX, ATOMIC_MAX},
                                        {SASS_WORD_INC, ATOMIC_INC},   {SASS_WORD_DEC, ATOMIC_DEC},
                                        {SASS_WORD_EXCH, ATOMIC_EXCH}, {SASS_WORD_CAS, ATOMIC_CAS}};
    unsigned found = 0;
    ptx_op *op = b->op;
    if (sass_take(&b->in, SASS_WORD_CAST)) {
        op->mode = ATOMIC_CAS;
        op->flags |= PTX_FLAG_NEGATED;
        found++;
    }
    if (sass_take(&b->in, SASS_WORD_POPC)) { /* POPC.INC: every lane adds one */
        sass_take(&b->in, SASS_WORD_INC);
        op->mode = ATOMIC_ADD;
        op->flags |= PTX_FLAG_COUNTS;
        found++;
    }
    found += gmsass_take_choices(b, words, sizeof words / sizeof *words, &op->mode);
    const bool is_float = sass_take(&b->in, SASS_WORD_F32),
               is_double = sass_take(&b->in, SASS_WORD_F64);
    const bool plain_wide = sass_take(&b->in, SASS_WORD__64);
    const bool wide = sass_take(&b->in, SASS_WORD_U64) || plain_wide;
    const bool is_signed = sass_take(&b->in, SASS_WORD_S32),
               wide_signed = sass_take(&b->in, SASS_WORD_S64);
    sass_take(&b->in, SASS_WORD__32);
    sass_take(&b->in, SASS_WORD_U32);
    sass_take(&b->in, SASS_WORD_FTZ);
    sass_take(&b->in, SASS_WORD_RN);
    sass_take(&b->in, SASS_WORD_SPIN);
    op->type = is_double     ? PTX_F64
               : is_float    ? PTX_F32
               : wide_signed ? PTX_S64
               : wide        ? PTX_U64
               : is_signed   ? PTX_S32
                             : PTX_U32;
    op->vector = is_double || wide || wide_signed ? 8 : 4;
    return found == 1 && !((is_float || is_double) && op->mode != ATOMIC_ADD);
}

static bool make_atomic(sass_builder *b)
{
    const bool returns = b->in.name != SASS_RED && b->in.name != SASS_REDG;
    ptx_op *op = b->op;
    if (!take_operation(b))
        return false;
    take_cache_words(b);
    if (gmsass_at_predicate(b)) {
        if (gmsass_peek(b)->number != 7)
            return false;
        b->next++;
    }
    if (returns)
        gmsass_result(b, units_in(op->vector));
    if (!take_address(b, space_of(b->in.name)))
        return false;
    if (!(op->flags & PTX_FLAG_COUNTS))
        gmsass_source(b, units_in(op->vector));
    if (op->mode == ATOMIC_CAS)
        gmsass_source(b, units_in(op->vector));
    op->control = CONTROL_MEMORY;
    op->run = run_atomic;
    return !op->first && !op->count;
}

/* ------------------------------------------------------------------------------- copies, fences */

/* Shared [address] from global [r1 + r7 + offset]: two sets of address parts, the second's in r[1],
 * r[2] and op->target. */
static void run_ldgsts(ptx_warp *w, const ptx_op *op)
{
    ptx_op from = *op;
    from.address = op->r[1];
    from.r[7] = op->r[2];
    from.imm = op->target;
    from.mode2 = op->mode;
    from.narrow = 0;
    uint64_t source[LANES];
    uint32_t size[LANES];
    EACH_LANE size[i] = op->vector;
    find_addresses(w, &from);
    memcpy(source, w->address, sizeof source);
    find_addresses(w, op);
    gmptx_copy_async(w, op, source, w->active, size);
}
static bool make_ldgsts(sass_builder *b)
{
    ptx_op *op = b->op;
    take_cache_words(b);
    sass_take(&b->in, SASS_WORD_BYPASS);
    take_width(b);
    if (!take_address(b, PTX_SPACE_SHARED))
        return false;
    const ptx_op to = *op;
    op->address = op->r[7] = REF_NONE;
    if (!take_address(b, PTX_SPACE_GLOBAL))
        return false;
    op->r[1] = op->address;
    op->r[2] = op->r[7];
    op->target = op->imm;
    op->mode = op->mode2;
    op->address = to.address;
    op->r[7] = to.r[7];
    op->imm = to.imm;
    op->mode2 = to.mode2;
    op->narrow = to.narrow;
    op->control = CONTROL_MEMORY;
    op->run = run_ldgsts;
    return true;
}

static bool make_commit(sass_builder *b)
{
    b->op->imm = UINT32_MAX;
    b->op->control = CONTROL_MEMORY;
    b->op->run = gmptx_run_copy_commit;
    return true;
}
/* DEPBAR.LE SB0, n: n groups may stay pending. */
static bool make_wait(sass_builder *b)
{
    sass_take(&b->in, SASS_WORD_LE);
    const sass_operand *o = &b->in.operand[1];
    b->next = 2;
    b->op->imm = (uint32_t)o->value;
    b->op->control = CONTROL_MEMORY;
    b->op->run = gmptx_run_copy_commit;
    return b->in.count == 2 && o->kind == SASS_IMM && o->value >= 0;
}

/* Memory is in order here. */
static bool make_fence(sass_builder *b)
{
    static const sass_word words[] = {SASS_WORD_IVALL, SASS_WORD_SC,  SASS_WORD_ALL, SASS_WORD_GPU,
                                      SASS_WORD_CTA,   SASS_WORD_SYS, SASS_WORD_SM};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sass_take(&b->in, words[i]);
    b->op->run = gmptx_run_nothing;
    return true;
}

const sass_row gmsass_memory_rows[] = {
    {SASS_LD, make_load},         {SASS_LDG, make_load},      {SASS_LDS, make_load},
    {SASS_LDL, make_load},        {SASS_ST, make_store},      {SASS_STG, make_store},
    {SASS_STS, make_store},       {SASS_STL, make_store},     {SASS_ATOM, make_atomic},
    {SASS_ATOMG, make_atomic},    {SASS_ATOMS, make_atomic},  {SASS_RED, make_atomic},
    {SASS_REDG, make_atomic},     {SASS_LDGSTS, make_ldgsts}, {SASS_LDGDEPBAR, make_commit},
    {SASS_DEPBAR, make_wait},     {SASS_MEMBAR, make_fence},  {SASS_ERRBAR, make_fence},
    {SASS_CGAERRBAR, make_fence}, {SASS_CCTL, make_fence},    {SASS_NOP, NULL},
};
