/* SPDX-License-Identifier: MIT
 *
 * exec_tensor_memory.c - matrices from and to memory. wmma.load and wmma.store become the accesses
 * that ptxas makes of them: for each register one of 4 bytes a lane, of 8 for two floats side by
 * side in a row; ldmatrix for halves from shared memory. Halves that lie across are loaded along
 * memory and turned in registers, as MOVM does; that is in no record.
 */
#include "traces/ptx/access.h"
#include "traces/ptx/tensor.h"

/* A matrix in units that are moved whole: elements, or words of those smaller than a byte. */
typedef struct tile {
    ptx_matrix shape;
    unsigned bytes; /* of a unit */
    unsigned per;   /* units of a register */
    uint64_t unit[32 * 32];
} tile;

/* An access with what it moves: unit first[i] of lane i, and those `ahead` of it. */
typedef struct tile_access {
    ptx_access access;
    tile *tile;
    unsigned units, ahead;
    uint16_t first[LANES];
} tile_access;

static tile_access *tile_of(const ptx_access *a)
{
    return (tile_access *)(uintptr_t)a; /* its first member */
}

static void read_units(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    tile_access *t = tile_of(a);
    (void)w;
    (void)op;
    LANES_IN(a->mask)
    for (unsigned n = 0; n < t->units; n++)
        memcpy(&t->tile->unit[t->first[i] + n * t->ahead], a->host[i] + n * t->tile->bytes,
               t->tile->bytes);
}

static void write_units(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    tile_access *t = tile_of(a);
    (void)w;
    (void)op;
    LANES_IN(a->mask)
    for (unsigned n = 0; n < t->units; n++)
        memcpy(a->host[i] + n * t->tile->bytes, &t->tile->unit[t->first[i] + n * t->ahead],
               t->tile->bytes);
}

static void describe(tile *t, const ptx_matrix *x)
{
    const unsigned bits = gmptx_element_bits((ptx_element)x->element);
    memset(t, 0, sizeof *t);
    t->shape = *x;
    t->bytes = bits < 8 ? 4 : bits / 8;
    t->per = t->bytes > 4 ? 1 : 4 / t->bytes;
    if (bits < 8)
        *(x->role == ROLE_B ? &t->shape.rows : &t->shape.columns) /= (uint16_t)(32 / bits);
}

static unsigned unit_at(const tile *t, unsigned row, unsigned column)
{
    return row * t->shape.columns + column;
}

/* Between registers and the tile. */
static void move_registers(ptx_warp *w, const ptx_op *op, tile *t, bool to_tile)
{
    const ptx_matrix *x = &t->shape;
    const ptx_ref *refs = gmptx_refs(w->kernel, op) + x->first;
    const unsigned once = gmptx_registers_of(&w->kernel->tensor[op->imm].matrix[x->role]);
    const unsigned ahead = x->role == ROLE_B ? x->columns : 1, bytes = t->bytes;
    for (unsigned reg = 0; reg < (to_tile ? once : x->registers); reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row, column;
            gmptx_position(x, t->per, reg % once, lane, &row, &column);
            uint8_t *at = (uint8_t *)lanes_of(w, refs[reg]) + lane * bytes * t->per;
            for (unsigned i = 0; i < t->per; i++) {
                uint64_t *unit = &t->unit[unit_at(t, row, column) + i * ahead];
                if (to_tile)
                    memcpy(unit, at + i * bytes, bytes);
                else
                    memcpy(at + i * bytes, unit, bytes);
            }
        }
}

typedef struct walk {
    ptx_warp *w;
    const ptx_op *op;
    tile_access t;
    uint64_t base, stride; /* bytes, from line to line */
    ptx_action act;
    gmtrace_op what;
} walk;

static void set_lane(walk *s, unsigned lane, unsigned row, unsigned column)
{
    const tile *t = s->t.tile;
    const unsigned line = t->shape.by_column ? column : row;
    const unsigned along = t->shape.by_column ? row : column;
    s->t.first[lane] = (uint16_t)unit_at(t, row, column);
    s->w->address[lane] = s->base + line * s->stride + along * t->bytes;
}

static void go(walk *s, unsigned units)
{
    if (s->w->cta->fault.kind != GMPTX_FAULT_NONE)
        return;
    s->t.units = units;
    s->t.ahead = s->t.tile->shape.by_column ? s->t.tile->shape.columns : 1;
    s->t.access.bytes = units * s->t.tile->bytes;
    gmptx_run_spaces(s->w, s->op, &s->t.access, s->act, s->what);
}

/* ldmatrix: four blocks of 8 lines of 16 bytes at a time. */
static void walk_blocks(walk *s)
{
    const ptx_matrix *x = &s->t.tile->shape;
    const unsigned lines = x->by_column ? x->columns : x->rows;
    const unsigned all = x->rows * x->columns / 8u; /* lines of blocks */
    for (unsigned first = 0; first < all; first += LANES) {
        s->w->active = all - first < LANES ? (1u << (all - first)) - 1 : ALL_LANES;
        for (unsigned lane = 0; lane < LANES; lane++) {
            const unsigned n = (first + lane) % all, line = n % lines, along = n / lines * 8;
            set_lane(s, lane, x->by_column ? along : line, x->by_column ? line : along);
        }
        go(s, 8);
    }
    s->w->active = ALL_LANES;
}

/* Register by register. Units of one that lie side by side in memory are one access; halves that do
 * not are taken as if rows were columns, all others one by one. */
static void walk_registers(walk *s)
{
    const tile *t = s->t.tile;
    const ptx_matrix *x = &t->shape;
    const bool sums = x->role == ROLE_C || x->role == ROLE_D;
    const bool along = (x->role == ROLE_B) == (x->by_column != 0);
    const unsigned once = gmptx_registers_of(&s->w->kernel->tensor[s->op->imm].matrix[x->role]);
    const unsigned registers = sums && t->per == 1 && along ? 2 : 1; /* of an access */
    const bool turned = !along && t->bytes == 2;
    const unsigned parts = along || turned ? 1 : t->per;
    for (unsigned reg = 0; reg < once; reg += registers)
        for (unsigned part = 0; part < parts; part++) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                unsigned row, column;
                gmptx_position(x, t->per, reg, lane, &row, &column);
                if (turned) { /* within the block of 8 by 8 */
                    const unsigned r = row % 8, c = column % 8;
                    row = row - r + c;
                    column = column - c + r;
                }
                *(x->role == ROLE_B ? &row : &column) += part;
                set_lane(s, lane, row, column);
            }
            go(s, parts > 1 ? 1 : registers * t->per);
        }
}

static void move_tile(ptx_warp *w, const ptx_op *op, tile *t, bool write)
{
    const struct ptx_tensor *tensor = &w->kernel->tensor[op->imm];
    const ptx_ref *refs = gmptx_refs(w->kernel, op);
    const unsigned bits = gmptx_element_bits((ptx_element)t->shape.element);
    uint64_t stride = (t->shape.by_column ? t->shape.rows : t->shape.columns) * t->bytes;
    if (tensor->has_stride)
        stride = (uint64_t) * (const uint32_t *)lanes_of(w, refs[op->refs - 1]) * bits / 8;
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    walk s = {.w = w,
              .op = op,
              .t = {.access = {.write = write}, .tile = t},
              .base = w->address[0],
              .stride = stride,
              .act = write ? write_units : read_units,
              .what = write ? GMTRACE_OP_STORE : GMTRACE_OP_LOAD};
    const bool shared = op->space == PTX_SPACE_SHARED ||
                        (op->space == PTX_SPACE_NONE && s.base >> 56 == GMPTX_SHARED_WINDOW >> 56);
    if (tensor->matrices && shared)
        walk_blocks(&s);
    else
        walk_registers(&s);
}

static const ptx_matrix *matrix_of(const ptx_warp *w, const ptx_op *op)
{
    const struct ptx_tensor *tensor = &w->kernel->tensor[op->imm];
    unsigned role = 0;
    while (!tensor->matrix[role].registers)
        role++;
    return &tensor->matrix[role];
}

void gmptx_run_wmma_load(ptx_warp *w, const ptx_op *op)
{
    tile t;
    if (!gmptx_whole_warp(w, op))
        return;
    describe(&t, matrix_of(w, op));
    move_tile(w, op, &t, false);
    move_registers(w, op, &t, false);
}

void gmptx_run_wmma_store(ptx_warp *w, const ptx_op *op)
{
    tile t;
    if (!gmptx_whole_warp(w, op))
        return;
    describe(&t, matrix_of(w, op));
    move_registers(w, op, &t, true);
    move_tile(w, op, &t, true);
}

/* ------------------------------------------------------------------------------------- ldmatrix */

typedef struct rows_access {
    ptx_access access;
    uint16_t row[LANES][8];
} rows_access;

static void read_rows(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    rows_access *r = (rows_access *)(uintptr_t)a;
    (void)w;
    (void)op;
    LANES_IN(a->mask) memcpy(r->row[i], a->host[i], sizeof r->row[i]);
}

static void write_rows(ptx_warp *w, const ptx_op *op, const ptx_access *a)
{
    rows_access *r = (rows_access *)(uintptr_t)a;
    (void)w;
    (void)op;
    LANES_IN(a->mask) memcpy(a->host[i], r->row[i], sizeof r->row[i]);
}

/* Lane 4 i + j holds elements 2 j and 2 j + 1 of row i; of column i where it is transposed. */
static void exchange(ptx_warp *w, const ptx_op *op, rows_access *rows, bool load)
{
    const struct ptx_tensor *t = &w->kernel->tensor[op->imm];
    const ptx_ref *refs = gmptx_refs(w->kernel, op);
    for (unsigned m = 0; m < t->matrices; m++) {
        uint16_t *lane = lanes_of(w, refs[m]);
        for (unsigned i = 0; i < 8; i++)
            for (unsigned j = 0; j < 8; j++) {
                uint16_t *own = &lane[8 * i + j];
                uint16_t *row = t->transposed ? &rows->row[8 * m + j][i] : &rows->row[8 * m + i][j];
                if (load)
                    *own = *row;
                else
                    *row = *own;
            }
    }
}

static void run_matrices(ptx_warp *w, const ptx_op *op, bool load)
{
    rows_access r = {.access = {.bytes = 16, .write = !load}};
    const unsigned rows = 8u * w->kernel->tensor[op->imm].matrices;
    if (!gmptx_whole_warp(w, op))
        return;
    if (!load)
        exchange(w, op, &r, false);
    gmptx_compute_addresses(w, op, op->address, op->offset, op->narrow);
    w->active = rows < LANES ? (1u << rows) - 1 : ALL_LANES; /* who names rows */
    gmptx_run_spaces(w, op, &r.access, load ? read_rows : write_rows,
                     load ? GMTRACE_OP_LOAD : GMTRACE_OP_STORE);
    w->active = ALL_LANES;
    if (load)
        exchange(w, op, &r, true);
}

void gmptx_run_ldmatrix(ptx_warp *w, const ptx_op *op)
{
    run_matrices(w, op, true);
}

void gmptx_run_stmatrix(ptx_warp *w, const ptx_op *op)
{
    run_matrices(w, op, false);
}
