/* SPDX-License-Identifier: MIT
 *
 * image.c - builds a kernel: which functions belong to it, where its shared variables and its
 * functions' parameters and local variables lie, and one operation for every statement.
 */
#include "traces/ptx/sass/sass.h"
#include "traces/ptx/tensor.h"

#include <stdlib.h>

#define MOST_REGISTERS 255u /* of a thread */

/* Recursion and calls through pointers: what a thread, and a warp's registers, may use. */
#define DEEP_STACK     16384u
#define DEEP_LOCAL     65536u
#define DEEP_REGISTERS (4u << 20)
#define MAX_LOCAL      (1u << 20)

static void free_code(ptx_kernel *k)
{
    sass_kernel *s = k->sass;
    gmtrace_sass_free(&s->code);
    for (unsigned i = 0; i < SASS_BANKS; i++)
        free(s->bank[i]);
    free(s->constant);
    free(s->filled);
    free(s);
}

void gmptx_free_kernel(ptx_kernel *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < k->call_count; i++)
        free(k->call[i].argument);
    for (uint32_t i = 0; i < k->image_count; i++)
        free(k->image[i].param);
    if (k->sass) { /* names are those of the kernel it stands for */
        free_code(k);
    } else {
        for (uint32_t i = 0; k->info.param && i < k->info.param_count; i++)
            free((char *)k->info.param[i].name);
        free((gmptx_param *)k->info.param);
        free((char *)k->info.mangled);
    }
    free(k->op);
    free(k->op_function);
    free(k->image);
    free(k->image_of);
    free(k->target);
    free(k->call);
    free(k->wide);
    free(k->tensor);
    free(k->pool);
    free(k->shared_offset);
    free(k);
}

static bool is_call(const ptx_statement *s)
{
    return s->opcode.length >= 4 && memcmp(s->opcode.text, "call", 4) == 0;
}

/* --------------------------------------------------------------------------------- reachability */

static bool add_function(ptx_kernel *k, uint32_t function)
{
    if (k->image_of[function] != PTX_UNKNOWN || !k->module->function[function].has_body)
        return true;
    if (!GMT_GROW(k->image, k->image_count))
        return false;
    k->image[k->image_count] = (ptx_image_function){.function = function};
    k->image_of[function] = k->image_count++;
    return true;
}

/* What a statement of a function calls: the function, or PTX_UNKNOWN through a pointer. */
static bool callee_of(const gmptx_module *m, const ptx_function *f, const ptx_statement *s,
                      uint32_t *callee)
{
    *callee = PTX_UNKNOWN;
    if (!is_call(s))
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        const ptx_operand *o = &f->operand[s->first + i];
        if (o->kind == OPERAND_SYMBOL && m->symbol[o->index].is_function)
            *callee = m->symbol[o->index].index;
    }
    return true;
}

static bool find_functions(ptx_kernel *k)
{
    const gmptx_module *m = k->module;
    if (!add_function(k, k->function))
        return false;
    for (uint32_t i = 0; i < k->image_count; i++) {
        const ptx_function *f = &m->function[k->image[i].function];
        for (uint32_t n = 0; n < f->statement_count; n++) {
            uint32_t callee;
            if (!callee_of(m, f, &f->statement[n], &callee))
                continue;
            if (callee != PTX_UNKNOWN) {
                if (!add_function(k, callee))
                    return false;
                continue;
            }
            for (uint32_t t = 0; t < m->function_count; t++)
                if (m->function[t].address_taken && !m->function[t].is_entry && !add_function(k, t))
                    return false;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- layout */

static uint64_t align_up(uint64_t v, uint64_t align)
{
    return align ? (v + align - 1) / align * align : v;
}

static void mark_shared(ptx_kernel *k, const ptx_operand *o, uint32_t count)
{
    const gmptx_module *m = k->module;
    for (uint32_t i = 0; i < count; i++) {
        const bool symbol = o[i].kind == OPERAND_SYMBOL ||
                            (o[i].kind == OPERAND_ADDRESS && o[i].base == OPERAND_SYMBOL);
        if (!symbol || m->symbol[o[i].index].is_function)
            continue;
        const uint32_t v = m->symbol[o[i].index].index;
        if (m->variable[v].space == PTX_SPACE_SHARED)
            k->shared_offset[v] = 0;
    }
}

/* Static variables in the order of the module, dynamic ones behind them. */
static bool lay_out_shared(ptx_kernel *k, gmtrace_error *error)
{
    const gmptx_module *m = k->module;
    uint64_t top = 0, align = 1, rooms = 0;
    for (uint32_t i = 0; i < k->image_count; i++) {
        const ptx_function *f = &m->function[k->image[i].function];
        mark_shared(k, f->operand, f->operand_count);
        mark_shared(k, f->element, f->element_count);
    }
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        if (dynamic) {
            k->static_bytes = (uint32_t)top;
            k->info.static_shared = (uint32_t)(top - rooms);
            top = align_up(top, align > 16 ? align : 16);
        }
        for (uint32_t i = 0; i < m->variable_count; i++) {
            const ptx_variable *v = &m->variable[i];
            if (v->space != PTX_SPACE_SHARED || k->shared_offset[i] == UINT64_MAX)
                continue;
            const bool is_dynamic = v->is_dynamic || (v->is_extern && v->size == 0);
            if (!dynamic && is_dynamic)
                align = v->align > align ? v->align : align;
            if (is_dynamic != dynamic)
                continue;
            if (v->is_extern && !is_dynamic)
                return gmptx_fail(error, GMTRACE_UNSUPPORTED, v->line,
                                  "shared variable %.*s is defined in another module",
                                  SLICE(v->name));
            k->shared_offset[i] = align_up(top, v->align);
            if (!dynamic) {
                top = k->shared_offset[i] + v->size + m->apart;
                rooms += m->apart;
            }
            if (top > 1u << 24)
                return gmptx_fail(error, GMTRACE_UNSUPPORTED, v->line,
                                  "more than 16 MiB of shared memory");
        }
    }
    k->dynamic_start = (uint32_t)top; /* where dynamic memory begins */
    return true;
}

static uint64_t put_variable(ptx_variable *v, uint64_t top)
{
    v->offset = align_up(top, v->align);
    return v->offset + v->size;
}

/* Parameters of a kernel lie in its parameter block, those of a function in its frame, before the
 * .param variables of its own calls. */
static bool lay_out_function(ptx_kernel *k, ptx_image_function *image, gmtrace_error *error)
{
    gmptx_module *m = k->module;
    const ptx_function *f = &m->function[image->function];
    const size_t count = (size_t)f->param_count + f->result_count;
    uint64_t top = 0, local = 0;
    image->param = calloc(count + 1, sizeof *image->param);
    if (!image->param)
        return gmptx_fail(error, GMTRACE_MEMORY, f->line, "out of memory");
    for (size_t i = 0; i < count; i++) {
        ptx_variable *v =
            &m->variable[i < f->param_count ? f->param[i] : f->result[i - f->param_count]];
        top = put_variable(v, top);
        image->param[i] = (ptx_slot){(uint32_t)v->offset, (uint32_t)v->size};
    }
    if (f->is_entry) {
        k->info.param_bytes = (uint32_t)top;
        top = 0;
    }
    for (uint32_t i = 0; i < f->local_count; i++) {
        ptx_variable *v = &m->variable[f->local[i]];
        if (v->space == PTX_SPACE_PARAM)
            top = put_variable(v, top);
        if (v->space == PTX_SPACE_LOCAL)
            local = put_variable(v, local);
    }
    image->stack_bytes = (uint32_t)align_up(top, 16);
    image->local_bytes = (uint32_t)align_up(local < MAX_LOCAL ? local : MAX_LOCAL, 16);
    if (top > MAX_LOCAL || local > MAX_LOCAL)
        return gmptx_fail(error, GMTRACE_UNSUPPORTED, f->line,
                          "%.*s uses more than 1 MiB of memory a thread", SLICE(f->name));
    return true;
}

static bool is_virtual(ptx_ref ref)
{
    return ref != REF_NONE && REF_FILE(ref) == PTX_FILE_VIRTUAL;
}

/* ptxas has an instruction of its own for these, which counts the lanes of a word together. */
static bool counts(const ptx_kernel *k, const ptx_op *op)
{
    uint32_t added = 0;
    if (op->space != PTX_SPACE_SHARED || op->mode != ATOMIC_ADD || op->refs != op->writes + 1u ||
        (op->type != PTX_U32 && op->type != PTX_S32) ||
        REF_FILE(op->r[op->writes]) != PTX_FILE_POOL)
        return false;
    memcpy(&added, k->pool + REF_OFFSET(op->r[op->writes]), sizeof added);
    return added == 1;
}

/* atom on global memory whose result nobody reads becomes red, as ptxas makes it; exchanges and
 * compare-and-swap have no such form. */
static bool reduce_unread_atomics(ptx_kernel *k, const ptx_image_function *image,
                                  const ptx_function *f)
{
    uint8_t *read = calloc((size_t)f->reg_count + 1, 1);
    if (!read)
        return false;
    for (uint32_t i = 0; i < image->count; i++) {
        const ptx_op *op = &k->op[image->first + i];
        const ptx_ref *refs = gmptx_refs(k, op);
        for (unsigned n = op->writes; n < op->refs; n++)
            if (is_virtual(refs[n]))
                read[REF_OFFSET(refs[n])] = 1;
        if (is_virtual(op->guard))
            read[REF_OFFSET(op->guard)] = 1;
        if (is_virtual(op->address))
            read[REF_OFFSET(op->address)] = 1;
    }
    for (uint32_t i = 0; i < image->count; i++) {
        ptx_op *op = &k->op[image->first + i];
        if (op->op_class != GMTRACE_CLASS_ATOMIC && op->op_class != GMTRACE_CLASS_REDUCTION)
            continue;
        const bool unread = !op->writes || (is_virtual(op->r[0]) && !read[REF_OFFSET(op->r[0])]);
        if (unread && counts(k, op))
            op->flags |= PTX_FLAG_COUNTS;
        if (!unread || !(op->flags & PTX_FLAG_RETURNS) || op->space != PTX_SPACE_GLOBAL ||
            op->mode == ATOMIC_EXCH || op->mode == ATOMIC_CAS)
            continue;
        op->refs--;
        memmove(op->r, op->r + 1, op->refs * sizeof op->r[0]);
        op->r[op->refs] = REF_NONE;
        op->writes = 0;
        op->flags &= (uint8_t)~PTX_FLAG_RETURNS;
        op->op_class = GMTRACE_CLASS_REDUCTION;
    }
    free(read);
    return true;
}

/* --------------------------------------------------------------------------------------- decode */

static bool decode_function(ptx_decoder *d, gmtrace_error *error)
{
    ptx_kernel *k = d->kernel;
    ptx_image_function *image = d->image;
    const ptx_function *f = d->function;
    for (uint32_t i = 0; i < f->statement_count; i++) {
        ptx_op *op = &k->op[image->first + i];
        d->statement = &f->statement[i];
        if (!gmptx_decode(d, op))
            return false;
        if (op->control == CONTROL_BARRIER && k->info.barriers < 16) {
            const ptx_ref id = op->r[op->writes];
            uint32_t number = 15;
            if (REF_FILE(id) == PTX_FILE_POOL)
                memcpy(&number, k->pool + REF_OFFSET(id), sizeof number);
            if (number < 16 && number + 1 > k->info.barriers)
                k->info.barriers = number + 1;
        }
    }
    /* a return at the end, for labels that stand there and texts that stop */
    ptx_op *last = &k->op[image->first + f->statement_count];
    memset(last, 0, sizeof *last);
    memset(last->r, 0xff, sizeof last->r);
    last->guard = last->address = REF_NONE;
    last->target = last->reconverge = PTX_UNKNOWN;
    last->control = f->is_entry ? CONTROL_EXIT : CONTROL_RETURN;
    last->op_class = f->is_entry ? GMTRACE_CLASS_EXIT : GMTRACE_CLASS_RETURN;
    for (uint32_t i = 0; i < image->count; i++) {
        ptx_op *op = &k->op[image->first + i];
        if (op->control != CONTROL_BRANCH || op->guard == REF_NONE)
            continue;
        const ptx_op *to = &k->op[op->target];
        const bool returns =
            to->control == CONTROL_RETURN || (f->is_entry && to->control == CONTROL_EXIT);
        if (returns && to->guard == REF_NONE)
            op->control = CONTROL_BRANCH_RETURN;
    }
    if (!reduce_unread_atomics(k, image, f))
        return gmptx_fail(error, GMTRACE_MEMORY, f->line, "out of memory");
    gmt_graph graph;
    bool good = gmptx_build_graph(k, image->first, image->count, &graph) &&
                gmptx_find_reconvergence(k, image->first, &graph);
    if (!good)
        gmptx_fail(error, GMTRACE_MEMORY, f->line, "out of memory");
    good = good && gmptx_place_registers(k, image, &graph, f, error);
    gmt_graph_free(&graph);
    return good;
}

/* ------------------------------------------------------------------------------- what is needed */

/* Adds up along the deepest chain of calls. 1 on the way, 2 done; a call back is recursion. */
typedef struct need {
    uint64_t registers, stack, local;
    uint32_t count; /* 32-bit registers */
} need;

static void find_need(ptx_kernel *k, uint32_t at, uint8_t *state, need *needs)
{
    const ptx_image_function *image = &k->image[at];
    const ptx_function *f = &k->module->function[image->function];
    need most = {0};
    state[at] = 1;
    for (uint32_t i = 0; i < f->statement_count; i++) {
        uint32_t callee;
        if (!callee_of(k->module, f, &f->statement[i], &callee))
            continue;
        if (callee == PTX_UNKNOWN) {
            k->recursive = true;
            continue;
        }
        const uint32_t to = k->image_of[callee];
        if (to == PTX_UNKNOWN)
            continue;
        if (state[to] == 1) {
            k->recursive = true;
            continue;
        }
        if (state[to] == 0)
            find_need(k, to, state, needs);
        const need *n = &needs[to];
        most.registers = n->registers > most.registers ? n->registers : most.registers;
        most.stack = n->stack > most.stack ? n->stack : most.stack;
        most.local = n->local > most.local ? n->local : most.local;
        most.count = n->count > most.count ? n->count : most.count;
    }
    state[at] = 2;
    needs[at] = (need){most.registers + image->frame_bytes, most.stack + image->stack_bytes,
                       most.local + image->local_bytes,
                       most.count > image->registers ? most.count : image->registers};
}

static bool find_needs(ptx_kernel *k)
{
    uint8_t *state = calloc(k->image_count, 1);
    need *needs = calloc(k->image_count, sizeof *needs);
    if (state && needs && k->image_count < 10000) {
        find_need(k, 0, state, needs);
        k->register_bytes = needs[0].registers;
        k->stack_bytes = needs[0].stack;
        k->local_bytes = needs[0].local;
        k->info.registers = needs[0].count;
        k->info.local_bytes = (uint32_t)k->local_bytes;
    }
    if (k->recursive) {
        k->register_bytes += DEEP_REGISTERS;
        k->stack_bytes += DEEP_STACK;
        k->local_bytes += DEEP_LOCAL;
        for (uint32_t i = 0; i < k->image_count; i++)
            k->info.registers = k->image[i].registers > k->info.registers ? k->image[i].registers
                                                                          : k->info.registers;
    }
    if (k->info.registers > MOST_REGISTERS)
        k->info.registers = MOST_REGISTERS; /* ptxas spills the rest */
    const bool good = state && needs && k->image_count < 10000;
    free(state);
    free(needs);
    return good;
}

static bool fill_info(ptx_kernel *k)
{
    const ptx_function *f = &k->module->function[k->function];
    gmptx_param *param = calloc(f->param_count + 1, sizeof *param);
    k->info.param = param;
    k->info.param_count = f->param_count;
    k->info.mangled = strndup(f->name.text, f->name.length);
    k->info.max_threads = f->max_threads;
    k->info.instr_count = k->op_count;
    if (!param || !k->info.mangled)
        return false;
    for (uint32_t i = 0; i < f->param_count; i++) {
        const ptx_variable *v = &k->module->variable[f->param[i]];
        param[i] = (gmptx_param){strndup(v->name.text, v->name.length), k->image[0].param[i].offset,
                                 k->image[0].param[i].size, v->align};
        if (!param[i].name)
            return false;
    }
    return true;
}

static bool build(ptx_kernel *k, gmtrace_error *error)
{
    gmptx_module *m = k->module;
    k->image_of = malloc((m->function_count + 1) * sizeof *k->image_of);
    k->shared_offset = malloc((m->variable_count + 1) * sizeof *k->shared_offset);
    if (!k->image_of || !k->shared_offset)
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    memset(k->image_of, 0xff, (m->function_count + 1) * sizeof *k->image_of);
    memset(k->shared_offset, 0xff, (m->variable_count + 1) * sizeof *k->shared_offset);
    if (!find_functions(k))
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    if (!lay_out_shared(k, error))
        return false;
    for (uint32_t i = 0; i < k->image_count; i++) {
        ptx_image_function *image = &k->image[i];
        image->first = k->op_count;
        image->count = m->function[image->function].statement_count + 1;
        k->op_count += image->count;
        if (!lay_out_function(k, image, error))
            return false;
    }
    k->op = calloc(k->op_count, sizeof *k->op);
    k->op_function = calloc(k->op_count, sizeof *k->op_function);
    if (!k->op || !k->op_function)
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    ptx_decoder d = {.kernel = k, .module = m, .error = error};
    bool good = true;
    for (uint32_t i = 0; good && i < k->image_count; i++) {
        ptx_image_function *image = &k->image[i];
        d.image = image;
        d.function = &m->function[image->function];
        for (uint32_t n = 0; n < image->count; n++)
            k->op_function[image->first + n] = i;
        good = decode_function(&d, error);
    }
    free(d.pool_slot);
    if (good && (!find_needs(k) || !fill_info(k)))
        return gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
    return good;
}

ptx_kernel *gmptx_make_kernel(gmptx_module *module, uint32_t function, gmtrace_error *error)
{
    ptx_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
        return NULL;
    }
    k->module = module;
    k->function = function;
    if (build(k, error))
        return k;
    gmptx_free_kernel(k);
    return NULL;
}
