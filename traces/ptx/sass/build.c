/* SPDX-License-Identifier: MIT
 *
 * build.c - a kernel of machine code, made ready to run: its listing becomes operations, its
 * constants get their places.
 */
#include "traces/ptx/sass/sass.h"

#include <stdio.h>
#include <stdlib.h>

/* The first bytes of a CTA's shared memory, which cubins count as the kernel's. */
#define SASS_SYSTEM_SHARED 1024u

/* ----------------------------------------------------------------------------------- operations */

static sass_make maker_of(sass_name name)
{
    static const sass_row *const tables[] = {
        gmsass_int_rows,  gmsass_float_rows, gmsass_convert_rows, gmsass_half_rows,
        gmsass_move_rows, gmsass_warp_rows,  gmsass_memory_rows,  gmsass_control_rows};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const sass_row *row = tables[t]; row->make; row++)
            if (row->name == name)
                return row->make;
    return NULL;
}

static bool make_op(sass_builder *b, const gmtrace_instr *instr)
{
    ptx_op *op = b->op;
    memset(op->r, 0xff, sizeof op->r);
    op->guard = op->address = REF_NONE;
    op->target = instr->target;
    op->reconverge = PTX_UNKNOWN;
    op->op_class = instr->op_class;
    op->trace_space = instr->space;
    op->cache = instr->cache;
    op->bypass_l1 = instr->bypass_l1;
    if (!gmt_sass_read(instr, &b->in))
        return false;
    if (b->in.guard != 7) {
        const sass_operand guard = {.kind = b->in.guard_uniform ? SASS_UPRED : SASS_PRED,
                                    .number = b->in.guard};
        op->guard = gmsass_predicate_place(&guard);
    }
    op->guard_negated = b->in.guard_negated;
    if (b->in.guard_uniform)
        op->flags |= SASS_IS_UNIFORM;
    b->next = 0;
    b->bad = false;
    const sass_make make = maker_of(b->in.name);
    return make && make(b) && !b->bad && b->next == b->in.count && !b->in.words[0] &&
           !b->in.words[1] && !b->in.words[2] && (op->run || op->control);
}

/* ------------------------------------------------------------------------------------ constants */

typedef struct bank_user {
    ptx_kernel *kernel;
    bool good;
} bank_user;

static void add_variable(void *user, const char *name, uint64_t offset, uint64_t size)
{
    bank_user *u = user;
    sass_kernel *s = u->kernel->sass;
    const gmptx_variable *v = gmptx_find_variable(u->kernel->module, name);
    sass_filled *f = realloc(s->filled, (s->filled_count + 1) * sizeof *f);
    if (f)
        s->filled = f;
    u->good = u->good && f && v && size <= v->size && offset <= s->bank_bytes[3] &&
              size <= s->bank_bytes[3] - offset;
    if (u->good)
        s->filled[s->filled_count++] = (sass_filled){(uint32_t)offset, (uint32_t)size, v->address};
}

/* An address that is not known stays 0: of functions, whose calls are not executed anyway. */
static void add_pointer(void *user, uint64_t offset, const char *symbol, int64_t addend)
{
    bank_user *u = user;
    const gmptx_variable *v = gmptx_find_variable(u->kernel->module, symbol);
    const uint64_t value = v ? (uint64_t)(uintptr_t)v->address + (uint64_t)addend : 0;
    if (offset <= u->kernel->sass->bank_bytes[4] &&
        sizeof value <= u->kernel->sass->bank_bytes[4] - offset)
        memcpy(u->kernel->sass->bank[4] + offset, &value, sizeof value);
}

static bool fill_banks(ptx_kernel *k, const sass_cubin *cubin)
{
    char literals[1024];
    sass_kernel *s = k->sass;
    snprintf(literals, sizeof literals, ".nv.constant2.%s", k->info.mangled);
    const char *const section[SASS_BANKS] = {NULL, NULL, literals, ".nv.constant3",
                                             ".nv.constant4"};
    s->bank_bytes[0] = SASS_PARAMS + ((k->info.param_bytes + 7u) & ~7u);
    s->bank[0] = calloc(1, s->bank_bytes[0]);
    for (unsigned i = 2; i < SASS_BANKS; i++) {
        size_t size = 0;
        const uint8_t *from = gmsass_section(cubin, section[i], &size);
        if (!from || size > (64u << 10))
            continue;
        s->bank[i] = malloc(size + 1);
        if (!s->bank[i])
            return false;
        memcpy(s->bank[i], from, size);
        s->bank_bytes[i] = (uint32_t)size;
    }
    bank_user user = {k, true};
    gmsass_each_variable(cubin, ".nv.constant3", add_variable, &user);
    gmsass_each_pointer(cubin, ".nv.constant4", add_pointer, &user);
    return s->bank[0] && user.good;
}

/* --------------------------------------------------------------------------------------- kernel */

static bool read_code(ptx_kernel *k, const gmptx_code *code)
{
    char section[1024];
    snprintf(section, sizeof section, ".text.%s", k->info.mangled);
    gmtrace_sass *s = &k->sass->code;
    if (!gmtrace_sass_listing(s, code->listing, section, 0) || !s->instr_count)
        return false;
    if (code->lives)
        gmtrace_sass_lives(s, code->lives, section, 0);
    gmtrace_sass_link(s);
    return true;
}

/* The image's one function: all the code, nothing of it PTX. */
static bool lay_out(ptx_kernel *k, const ptx_kernel *of)
{
    const uint32_t count = k->sass->code.instr_count;
    k->op = calloc(count, sizeof *k->op);
    k->op_function = calloc(count, sizeof *k->op_function);
    k->image = calloc(1, sizeof *k->image);
    if (!k->op || !k->op_function || !k->image)
        return false;
    k->op_count = k->info.instr_count = count;
    k->image_count = 1;
    k->image[0].function = of->function;
    k->image[0].count = count;
    return true;
}

/* What the launch needs to know is that of the PTX kernel; shared memory begins with what the
 * system keeps. */
static void inherit(ptx_kernel *k, const ptx_kernel *of, const sass_resources *r)
{
    k->info = of->info;
    k->info.registers = r->registers;
    k->info.local_bytes = r->local_bytes;
    k->info.barriers = r->barriers;
    k->module = of->module;
    k->function = of->function;
    k->order_matters = of->order_matters;
    k->static_bytes = r->shared_bytes > SASS_SYSTEM_SHARED ? r->shared_bytes : SASS_SYSTEM_SHARED;
    k->dynamic_start = k->static_bytes;
    k->info.static_shared = k->static_bytes - SASS_SYSTEM_SHARED;
    k->local_bytes = r->local_bytes;
}

static bool build(ptx_kernel *k, const ptx_kernel *of, const gmptx_code *code, gmtrace_error *error)
{
    const sass_cubin cubin = {code->cubin, code->cubin_bytes};
    sass_resources resources;
    sass_builder b = {.kernel = k};
    if (!gmsass_resources(&cubin, of->info.mangled, &resources))
        return gmptx_fail(error, GMTRACE_UNSUPPORTED, 0, "ptxas made no code of it");
    inherit(k, of, &resources);
    k->sass = calloc(1, sizeof *k->sass);
    if (!k->sass)
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    if (!read_code(k, code))
        return gmptx_fail(error, GMTRACE_UNSUPPORTED, 0, "its machine code cannot be read");
    if (!fill_banks(k, &cubin))
        return gmptx_fail(error, GMTRACE_UNSUPPORTED, 0, "its constants cannot be read");
    if (!lay_out(k, of))
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    for (uint32_t i = 0; i < k->op_count; i++) {
        const gmtrace_instr *instr = &k->sass->code.instr[i];
        b.op = &k->op[i];
        if (!make_op(&b, instr))
            return gmptx_fail(error, GMTRACE_UNSUPPORTED, 0, "%.60s %.80s is not executed",
                              instr->opcode, instr->operands);
    }
    k->register_bytes = SASS_CONSTANTS + (uint64_t)k->sass->constant_count * PTX_UNIT;
    return true;
}

static ptx_kernel *make_kernel(const ptx_kernel *of, const gmptx_code *code, gmtrace_error *error)
{
    ptx_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
        return NULL;
    }
    const bool good = build(k, of, code, error);
    if (good)
        return k;
    gmptx_free_kernel(k);
    return NULL;
}

const gmptx_kernel *gmptx_assemble(gmptx_module *module, const gmptx_kernel *kernel,
                                   const gmptx_code *code, gmtrace_error *error)
{
    ptx_kernel *made = make_kernel(kernel_of(kernel), code, error);
    if (!made)
        return NULL;
    if (!GMT_GROW(module->assembled, module->assembled_count)) {
        gmptx_free_kernel(made);
        gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
        return NULL;
    }
    module->assembled[module->assembled_count++] = made;
    return &made->info;
}

/* ------------------------------------------------------------------------------------ constants */

void gmsass_begin_launch(const gmptx_launch *l, const uint8_t *params)
{
    const ptx_kernel *k = kernel_of(l->kernel);
    const sass_kernel *s = k->sass;
    uint32_t head[12] = {l->block[0],
                         l->block[1],
                         l->block[2],
                         l->grid[0],
                         l->grid[1],
                         l->grid[2],
                         0,
                         (uint32_t)(GMPTX_SHARED_WINDOW >> 32),
                         0,
                         (uint32_t)(GMPTX_LOCAL_WINDOW >> 32),
                         (uint32_t)k->local_bytes};
    memcpy(s->bank[0], head, sizeof head);
    memcpy(s->bank[0] + SASS_PARAMS, params, k->info.param_bytes);
    for (uint32_t i = 0; i < s->filled_count; i++)
        memcpy(s->bank[3] + s->filled[i].offset, s->filled[i].from, s->filled[i].size);
}

void gmsass_set_constants(ptx_warp *w)
{
    const sass_kernel *s = w->kernel->sass;
    for (uint32_t n = 0; n < s->constant_count; n++) {
        uint32_t value, *to = (uint32_t *)(void *)(w->registers + SASS_CONSTANTS + n * PTX_UNIT);
        memcpy(&value, s->bank[s->constant[n].bank] + s->constant[n].offset, sizeof value);
        EACH_LANE to[i] = value;
    }
}
