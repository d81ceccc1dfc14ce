/* SPDX-License-Identifier: MIT
 *
 * decode_memory.c - ld, st, atom, red, cp.async, prefetch. Left out: accesses with a cache policy
 * (.level::cache_hint), vectors of atomics, 128-bit atomics, multimem, bulk copies.
 */
#include "traces/ptx/decode.h"

static ptx_space take_space(ptx_parts *parts, bool *given)
{
    static const struct {
        const char *name;
        ptx_space space;
    } table[] = {{"global", PTX_SPACE_GLOBAL},      {"shared", PTX_SPACE_SHARED},
                 {"shared::cta", PTX_SPACE_SHARED}, {"local", PTX_SPACE_LOCAL},
                 {"param", PTX_SPACE_PARAM},        {"param::entry", PTX_SPACE_PARAM},
                 {"param::func", PTX_SPACE_PARAM},  {"const", PTX_SPACE_CONST}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gmptx_take(parts, table[i].name)) {
            *given = true;
            return table[i].space;
        }
    *given = false;
    return PTX_SPACE_NONE;
}

/* What SASS ptxas makes of PTX's cache operators, memory orders and scopes. */
static uint8_t take_cache(ptx_parts *parts)
{
    static const struct {
        const char *name;
        gmtrace_cache cache;
    } table[] = {{"ca", GMTRACE_CACHE_DEFAULT},
                 {"wb", GMTRACE_CACHE_DEFAULT},
                 {"cg", GMTRACE_CACHE_STRONG_GPU},
                 {"cs", GMTRACE_CACHE_EVICT_FIRST},
                 {"lu", GMTRACE_CACHE_LAST_USE},
                 {"cv", GMTRACE_CACHE_STRONG_SYS},
                 {"wt", GMTRACE_CACHE_STRONG_SYS},
                 {"volatile", GMTRACE_CACHE_STRONG_SYS},
                 {"L1::evict_first", GMTRACE_CACHE_EVICT_FIRST},
                 {"L1::evict_last", GMTRACE_CACHE_EVICT_LAST},
                 {"L1::evict_normal", GMTRACE_CACHE_DEFAULT},
                 {"L1::evict_unchanged", GMTRACE_CACHE_EVICT_UNCHANGED},
                 {"L1::no_allocate", GMTRACE_CACHE_NO_ALLOCATE}};
    static const char *const neutral[] = {"weak",           "nc",
                                          "L2::64B",        "L2::128B",
                                          "L2::256B",       "L2::evict_first",
                                          "L2::evict_last", "L2::evict_normal"};
    uint8_t cache = GMTRACE_CACHE_DEFAULT;
    for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
        gmptx_take(parts, neutral[i]);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gmptx_take(parts, table[i].name))
            cache = (uint8_t)table[i].cache;
    bool ordered = gmptx_take(parts, "relaxed");
    ordered = gmptx_take(parts, "acquire") || ordered;
    ordered = gmptx_take(parts, "release") || ordered;
    ordered = gmptx_take(parts, "acq_rel") || ordered;
    const bool cta = gmptx_take(parts, "cta"), gpu = gmptx_take(parts, "gpu");
    const bool sys = gmptx_take(parts, "sys");
    if (ordered || cta || gpu || sys)
        cache = cta   ? GMTRACE_CACHE_STRONG_SM
                : sys ? GMTRACE_CACHE_STRONG_SYS
                      : GMTRACE_CACHE_STRONG_GPU;
    return cache;
}

static ptx_type take_type(ptx_parts *parts)
{
    const ptx_slice last = parts->part[parts->count - 1];
    const ptx_type type = parts->count > 1 ? gmptx_type_of(last) : PTX_NONE;
    if (type != PTX_NONE)
        parts->used |= 1u << (parts->count - 1);
    return type;
}

static uint8_t trace_space(ptx_space space)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
        return GMTRACE_SPACE_GLOBAL;
    case PTX_SPACE_SHARED:
        return GMTRACE_SPACE_SHARED;
    case PTX_SPACE_LOCAL:
        return GMTRACE_SPACE_LOCAL;
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM:
        return GMTRACE_SPACE_CONSTANT;
    default:
        return GMTRACE_SPACE_GENERIC;
    }
}

/* The registers of a load or store: one, or a vector's. All have the same width. */
static bool place_data(ptx_decoder *d, ptx_op *op, const ptx_operand *o, bool is_load)
{
    const unsigned bytes = gmptx_type_bytes((ptx_type)op->type);
    const bool vector = o && o->kind == OPERAND_VECTOR;
    if (!o || (vector ? o->count : 1) != op->vector)
        return false;
    for (unsigned i = 0; i < op->vector; i++) {
        const ptx_operand *e = vector ? gmptx_element(d, o, i) : o;
        unsigned width = gmptx_register_bytes(d, e);
        ptx_ref ref;
        if (e->kind != OPERAND_REGISTER)
            width = bytes < 2 ? 2 : bytes;
        if (op->width[0] && op->width[0] != width && e->kind == OPERAND_REGISTER)
            return false;
        if (e->kind == OPERAND_REGISTER || !op->width[0])
            op->width[0] = (uint8_t)width;
        if (width < bytes || (is_load ? !gmptx_place_result(d, e, op->width[0], &ref)
                                      : !gmptx_place(d, e, op->width[0], (ptx_type)op->type, &ref)))
            return false;
        if (!gmptx_add_ref(op, ref))
            return false;
    }
    op->writes = is_load ? op->vector : 0;
    return true;
}

/* What it reads depends on other CTAs, and it may be how they are waited for. */
static void look_at_others(ptx_decoder *d, ptx_op *op)
{
    d->kernel->order_matters = true;
    op->inner = op->run;
    op->run = gmptx_run_and_pause;
}

static bool decode_access(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool is_load)
{
    bool given;
    const ptx_space space = take_space(parts, &given);
    op->cache = take_cache(parts);
    op->vector = gmptx_take(parts, "v2") ? 2 : gmptx_take(parts, "v4") ? 4 : 1;
    const ptx_type type = take_type(parts);
    op->type = (uint8_t)type;
    const unsigned bytes = gmptx_type_bytes(type) * op->vector;
    if (!gmptx_all_taken(parts) || !bytes || bytes > 16 || type == PTX_B128)
        return gmptx_unsupported(d);
    if (!is_load && space == PTX_SPACE_CONST)
        return gmptx_unsupported(d);
    if (!place_data(d, op, gmptx_operand(d, is_load ? 0 : 1), is_load))
        return gmptx_bad_operand(d, is_load ? 0 : 1);
    const uint8_t vector = op->vector;
    if (!gmptx_decode_address(d, op, gmptx_operand(d, is_load ? 1 : 0), space))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, is_load ? 1 : 0);
    op->vector = vector;
    op->run = is_load ? gmptx_run_load : gmptx_run_store;
    op->control = CONTROL_MEMORY;
    op->op_class = is_load ? GMTRACE_CLASS_LOAD : GMTRACE_CLASS_STORE;
    op->trace_space = trace_space(space);
    /* What other CTAs wrote is looked for by loads that pass L1. */
    if (is_load && (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_NONE) &&
        op->cache >= GMTRACE_CACHE_STRONG_SM && op->cache <= GMTRACE_CACHE_STRONG_SYS)
        look_at_others(d, op);
    if (space == PTX_SPACE_PARAM && op->mode2) { /* registers, on hardware */
        op->op_class = GMTRACE_CLASS_INT;
        op->trace_space = GMTRACE_SPACE_NONE;
    }
    return gmptx_operand_count(d) == 2 || gmptx_bad_operand(d, 2);
}

static bool decode_atomic(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool returns)
{
    static const char *const names[] = {"add", "and", "or",  "xor",  "min",
                                        "max", "inc", "dec", "exch", "cas"};
    bool given, found = false;
    const ptx_space space = take_space(parts, &given);
    op->cache = take_cache(parts);
    if (op->cache == GMTRACE_CACHE_DEFAULT)
        op->cache = GMTRACE_CACHE_STRONG_GPU;
    gmptx_take(parts, "noftz");
    const ptx_type type = take_type(parts);
    for (unsigned i = 0; i < sizeof names / sizeof *names && !found; i++)
        if (gmptx_take(parts, names[i])) {
            op->mode = (uint8_t)i;
            found = true;
        }
    op->type = (uint8_t)type;
    const unsigned bytes = gmptx_type_bytes(type);
    const bool real = type_is_float(type);
    if (!found || !gmptx_all_taken(parts) || bytes < 2 || bytes > 8 ||
        (real && op->mode != ATOMIC_ADD) || (bytes == 2 && !real && op->mode != ATOMIC_CAS) ||
        (space != PTX_SPACE_NONE && space != PTX_SPACE_GLOBAL && space != PTX_SPACE_SHARED) ||
        ((op->mode == ATOMIC_INC || op->mode == ATOMIC_DEC) && type != PTX_U32))
        return gmptx_unsupported(d);
    unsigned number = 0;
    ptx_ref ref;
    if (returns) {
        if (!gmptx_place_result(d, gmptx_operand(d, number), bytes, &ref) ||
            !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, number);
        number++;
        op->writes = 1;
        op->flags |= PTX_FLAG_RETURNS;
    }
    const uint8_t mode = op->mode;
    if (!gmptx_decode_address(d, op, gmptx_operand(d, number), space))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, number);
    op->mode = mode;
    op->mode2 = 0;
    const unsigned sources = op->mode == ATOMIC_CAS ? 2 : 1;
    for (unsigned i = 0; i < sources; i++)
        if (!gmptx_place(d, gmptx_operand(d, ++number), bytes, type, &ref) ||
            !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, number);
    op->run = gmptx_run_atomic;
    op->control = CONTROL_MEMORY;
    op->op_class = returns ? GMTRACE_CLASS_ATOMIC : GMTRACE_CLASS_REDUCTION;
    op->trace_space = trace_space(space);
    op->vector = 1;
    if (space != PTX_SPACE_SHARED)
        look_at_others(d, op);
    return gmptx_operand_count(d) == number + 1 || gmptx_bad_operand(d, number + 1);
}

/* cp.async.cg.shared.global [dst], [src], 16[, bytes]; cp.async.commit_group; cp.async.wait_group N
 */
static bool decode_copy(ptx_decoder *d, ptx_op *op, ptx_parts *parts)
{
    if (!gmptx_take(parts, "async"))
        return gmptx_unsupported(d);
    if (gmptx_take(parts, "mbarrier"))
        return gmptx_decode_copy_arrival(d, op, parts);
    const bool commit = gmptx_take(parts, "commit_group"), all = gmptx_take(parts, "wait_all");
    const bool wait = gmptx_take(parts, "wait_group");
    const ptx_operand *first = gmptx_operand(d, 0);
    op->control = CONTROL_MEMORY;
    if (commit || all || wait) {
        op->run = gmptx_run_copy_commit;
        op->op_class = GMTRACE_CLASS_FENCE;
        op->imm = commit ? UINT32_MAX : 0;
        if (wait) {
            if (!first || first->kind != OPERAND_INT || first->value < 0 || first->value > 255)
                return gmptx_bad_operand(d, 0);
            op->imm = (uint32_t)first->value;
        }
        return gmptx_operand_count(d) == (wait ? 1u : 0u) || gmptx_bad_operand(d, 1);
    }
    const bool bypass = gmptx_take(parts, "cg");
    if (!bypass && !gmptx_take(parts, "ca"))
        return gmptx_unsupported(d);
    gmptx_take(parts, "L2::64B");
    gmptx_take(parts, "L2::128B");
    gmptx_take(parts, "L2::256B");
    if ((!gmptx_take(parts, "shared") && !gmptx_take(parts, "shared::cta")) ||
        !gmptx_take(parts, "global") || !gmptx_all_taken(parts))
        return gmptx_unsupported(d);
    ptx_op destination = *op;
    if (!gmptx_decode_address(d, &destination, first, PTX_SPACE_SHARED))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, 0);
    if (!gmptx_decode_address(d, op, gmptx_operand(d, 1), PTX_SPACE_GLOBAL))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, 1);
    const ptx_operand *size = gmptx_operand(d, 2);
    if (!size || size->kind != OPERAND_INT ||
        (size->value != 4 && size->value != 8 && size->value != 16) ||
        (bypass && size->value != 16))
        return gmptx_bad_operand(d, 2);
    if (destination.offset > INT32_MAX || destination.offset < INT32_MIN)
        return gmptx_bad_operand(d, 0);
    op->imm = (uint32_t)(int32_t)destination.offset;
    op->narrow = destination.narrow;
    op->vector = (uint8_t)size->value;
    gmptx_add_ref(op, destination.address);
    if (gmptx_operand_count(d) > 3) {
        ptx_ref ref;
        if (gmptx_is_predicate(d, gmptx_operand(d, 3)))
            return gmptx_unsupported(d);
        if (!gmptx_place(d, gmptx_operand(d, 3), 4, PTX_U32, &ref) || !gmptx_add_ref(op, ref))
            return gmptx_bad_operand(d, 3);
    }
    op->run = gmptx_run_copy_async;
    op->op_class = GMTRACE_CLASS_COPY_ASYNC;
    op->trace_space = GMTRACE_SPACE_GLOBAL;
    op->bypass_l1 = bypass;
    return gmptx_operand_count(d) <= 4 || gmptx_bad_operand(d, 4);
}

/* prefetch.global.L2 [a]; hints that do nothing here are executed and nothing more. */
static bool decode_prefetch(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool is_hint)
{
    bool given;
    const ptx_space space = take_space(parts, &given);
    gmptx_take(parts, "L1");
    gmptx_take(parts, "L2");
    gmptx_take(parts, "L2::evict_last");
    gmptx_take(parts, "L2::evict_normal");
    if (!gmptx_all_taken(parts))
        return gmptx_unsupported(d);
    if (!gmptx_decode_address(d, op, gmptx_operand(d, 0), space))
        return d->error->status != GMTRACE_OK ? false : gmptx_bad_operand(d, 0);
    op->op_class = GMTRACE_CLASS_FENCE; /* CCTL */
    op->trace_space = trace_space(space);
    op->control = is_hint ? CONTROL_NONE : CONTROL_MEMORY;
    op->run = is_hint ? gmptx_run_nothing : gmptx_run_prefetch;
    return true;
}

bool gmptx_decode_memory(ptx_decoder *d, ptx_op *op, ptx_parts *parts, bool *known)
{
    const ptx_slice base = parts->part[0];
    *known = true;
    if (slice_is(base, "ld") || slice_is(base, "ldu"))
        return decode_access(d, op, parts, true);
    if (slice_is(base, "st"))
        return decode_access(d, op, parts, false);
    if (slice_is(base, "atom") || slice_is(base, "red"))
        return decode_atomic(d, op, parts, slice_is(base, "atom"));
    if (slice_is(base, "cp"))
        return decode_copy(d, op, parts);
    if (slice_is(base, "prefetch") || slice_is(base, "prefetchu"))
        return decode_prefetch(d, op, parts, false);
    if (slice_is(base, "discard") || slice_is(base, "applypriority"))
        return decode_prefetch(d, op, parts, true);
    *known = false;
    return true;
}
