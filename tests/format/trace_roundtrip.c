/* SPDX-License-Identifier: MIT
 *
 * trace_roundtrip.c - what is written is what is read: random streams of every shape and kind,
 * through the sequential reader and through cursors, with and without early writes.
 */
#include "tests/support/trace_builder.h"

#include <glib.h>
#include <glib/gstdio.h>

/* A record as a test expects it back. */
typedef struct expected {
    gmtrace_record record;
    uint64_t address[GMTRACE_WARP_LANES];
} expected;

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static uint32_t below(uint32_t bound)
{
    return (uint32_t)((next_random() >> 32) % bound);
}

static gmtrace_reader *open_ok(const char *path)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    if (!reader)
        g_error("%s: %s", path, error.text);
    g_assert_null(gmtrace_damage(reader));
    if (!gmtrace_verify(reader, &error))
        g_error("verify: %s", error.text);
    return reader;
}

/* --------------------------------------------------------------------------- random streams */

static uint32_t random_mask(void)
{
    switch (below(4)) {
    case 0:
        return 1u << below(32);
    case 1:
        return (uint32_t)next_random() | 1;
    default:
        return UINT32_MAX;
    }
}

static void random_addresses(uint64_t address[GMTRACE_WARP_LANES], uint64_t base)
{
    const uint32_t pattern = below(7), log2 = 1 + below(4);
    const int64_t stride = (int64_t)below(4000) - 1000, stride2 = (int64_t)below(900000) - 9000;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        switch (pattern) {
        case 0:
            address[i] = base + 4 * i;
            break;
        case 1:
            address[i] = base + i * (uint64_t)stride;
            break;
        case 2:
            address[i] = base + (i & ((1u << log2) - 1)) * (uint64_t)stride +
                         (i >> log2) * (uint64_t)stride2;
            break;
        case 3:
            address[i] = base + 4 * (uint64_t)below(1u << 24);
            break;
        case 4:
            address[i] = base + below(64);
            break;
        case 5:
            address[i] = base + 16 * next_random(); /* far apart: FULL */
            break;
        default:
            address[i] = base + (uint64_t)below(UINT32_MAX); /* wide, unaligned */
        }
    }
}

#define MAPS 40u

/* Its coordinates mostly step, as in a loop. */
static void random_tensor(gmtrace_record *r)
{
    static const uint8_t op[] = {GMTRACE_OP_BULK_LOAD, GMTRACE_OP_BULK_STORE,
                                 GMTRACE_OP_BULK_REDUCE, GMTRACE_OP_PREFETCH};
    static int32_t at;
    gmtrace_tensor_copy copy = {.shared = below(8) * 8192, .barrier = 0x8000 + 8 * below(8)};
    for (unsigned i = 0; i < GMTRACE_TENSOR_DIMS; i++)
        copy.coordinate[i] = below(3) ? at += 64 : (int32_t)next_random() >> below(32);
    at %= 4096;
    copy.multicast = (uint16_t)(below(3) ? 0 : next_random());
    copy.im2col = (uint16_t)(below(9) ? 0 : next_random());
    copy.map = (uint16_t)below(MAPS);
    r->kind = GMTRACE_TENSOR;
    r->op = op[below(G_N_ELEMENTS(op))];
    r->space = GMTRACE_SPACE_GLOBAL;
    gmtrace_put_tensor_copy(r, &copy);
}

/* Map i has i in its first word; each is given more than once. */
static void give_maps(gmtrace_writer *writer)
{
    for (unsigned i = 0; i < 3 * MAPS; i++) {
        const uint64_t map[GMTRACE_TENSOR_WORDS] = {i % MAPS, 7};
        uint16_t number = UINT16_MAX;
        g_assert_true(gmtrace_writer_tensor_map(writer, map, &number, NULL));
        g_assert_cmpuint(number, ==, i % MAPS);
    }
}

static void check_maps(const gmtrace_launch *launch)
{
    g_assert_cmpuint(launch->tensor_map_count, ==, MAPS);
    for (unsigned i = 0; i < MAPS; i++) {
        g_assert_cmpuint(launch->tensor_map[i][0], ==, i);
        g_assert_cmpuint(launch->tensor_map[i][1], ==, 7);
        g_assert_cmpuint(launch->tensor_map[i][7], ==, 0);
    }
}

/* A record of any kind. Returns whether its addresses go to the writer lane by lane. */
static bool random_record(expected *want)
{
    gmtrace_record *r = &want->record;
    const uint32_t instr = below(GMTEST_INSTRS);
    *r = gmtest_record(instr, random_mask());
    if (below(20) == 0)
        r->instr = GMTRACE_NO_INSTR;
    if (r->kind != GMTRACE_ACCESS && below(4) == 0) {
        random_tensor(r);
        return false;
    }
    if (r->kind != GMTRACE_ACCESS) {
        static const uint8_t kinds[] = {GMTRACE_BARRIER,     GMTRACE_BULK,      GMTRACE_SYNCWARP,
                                        GMTRACE_COPY_COMMIT, GMTRACE_COPY_WAIT, GMTRACE_MBARRIER,
                                        GMTRACE_EXEC,        GMTRACE_WGMMA};
        r->kind = kinds[below(G_N_ELEMENTS(kinds))];
        r->op = r->kind == GMTRACE_BULK ? GMTRACE_OP_BULK_LOAD : GMTRACE_OP_NONE;
        r->space = r->kind == GMTRACE_BULK ? GMTRACE_SPACE_GLOBAL : GMTRACE_SPACE_NONE;
        r->address = below(2) ? next_random() : below(16);
        r->aux = (uint32_t)next_random() >> below(32);
        r->aux64 = below(3) ? 0 : next_random();
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            want->address[i] = r->address;
        return false;
    }
    static const uint8_t sizes[] = {1, 2, 4, 8, 16, 32};
    if (below(3) == 0)
        r->size = sizes[below(G_N_ELEMENTS(sizes))];
    const uint64_t base =
        r->space == GMTRACE_SPACE_GLOBAL ? 0x7f0000000000 + below(1u << 30) : below(200000);
    if (below(2)) {
        random_addresses(want->address, base);
        return true;
    }
    r->address = base;
    r->stride = below(2) ? r->size : (int32_t)below(512) - 128;
    if (below(3) == 0) {
        r->shape = GMTRACE_GRID;
        r->log2_columns = (uint8_t)(1 + below(4));
        r->stride2 = (int32_t)below(65536) - 4096;
    }
    gmtrace_expand(NULL, r, want->address);
    return false;
}

/* ----------------------------------------------------------------------------- comparing */

static void compare_tensor(const gmtrace_record *got, const gmtrace_record *want)
{
    gmtrace_tensor_copy a, b;
    gmtrace_get_tensor_copy(got, &a);
    gmtrace_get_tensor_copy(want, &b);
    for (unsigned i = 0; i < GMTRACE_TENSOR_DIMS; i++)
        g_assert_cmpint(a.coordinate[i], ==, b.coordinate[i]);
    g_assert_cmpuint(a.shared, ==, b.shared);
    g_assert_cmpuint(a.barrier, ==, b.barrier);
    g_assert_cmpuint(a.multicast, ==, b.multicast);
    g_assert_cmpuint(a.im2col, ==, b.im2col);
    g_assert_cmpuint(a.map, ==, b.map);
}

static void compare(const gmtrace_chunk *chunk, const gmtrace_record *got, const expected *want)
{
    const gmtrace_record *r = &want->record;
    g_assert_cmpuint(got->instr, ==, r->instr);
    g_assert_cmpuint(got->mask, ==, r->mask);
    g_assert_cmpuint(got->kind, ==, r->kind);
    g_assert_cmpuint(got->op, ==, r->op);
    g_assert_cmpuint(got->space, ==, r->space);
    g_assert_cmpuint(got->size, ==, r->size);
    g_assert_cmpuint(got->aux, ==, r->aux);
    g_assert_cmpuint(got->aux64, ==, r->aux64);
    g_assert_cmpuint(got->map, ==, r->map);
    if (r->kind == GMTRACE_TENSOR) {
        compare_tensor(got, r);
        return;
    }
    uint64_t address[GMTRACE_WARP_LANES];
    uint64_t low = UINT64_MAX;
    gmtrace_expand(chunk, got, address);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        if (r->mask >> i & 1) {
            g_assert_cmpuint(address[i], ==, want->address[i]);
            low = MIN(low, address[i]);
        } else if (got->shape == GMTRACE_OFFSETS) {
            g_assert_cmpuint(chunk->offset32[got->lanes * 32 + i], ==, 0);
        }
    }
    if (got->shape == GMTRACE_OFFSETS)
        g_assert_cmpuint(got->address, ==, low);
}

#define WARPS 5u

typedef struct plan_for {
    uint32_t ctas, records; /* about so many a warp */
    size_t pending_limit;
    bool end_ctas;
} plan_for;

static void random_round_trip(gconstpointer data)
{
    const plan_for *plan = data;
    random_state = 88172645463325252ull + plan->ctas;
    const uint32_t streams = plan->ctas * WARPS;
    GArray **want = g_new(GArray *, streams);
    uint64_t total = 0, begun = 0, ctas = 0;
    for (uint32_t s = 0; s < streams; s++) {
        want[s] = g_array_new(FALSE, FALSE, sizeof(expected));
        /* some warps, and some whole CTAs, have no records */
        if (s % WARPS == 3 || s / WARPS % 7 == 6)
            continue;
        g_array_set_size(want[s], 1 + below(2 * plan->records));
        total += want[s]->len;
        begun++;
    }
    for (uint32_t c = 0; c < plan->ctas; c++)
        ctas += c % 7 != 6;

    char *path = gmtest_new_path();
    const gmtrace_writer_options options = {.pending_limit = plan->pending_limit};
    gmtest_trace trace;
    gmtest_open_with(&trace, path, &options);
    gmtest_launch(&trace, 1, 32); /* an empty launch before */
    gmtest_launch(&trace, plan->ctas, WARPS * 32);
    give_maps(trace.writer);
    /* Warps advance in random order among a few CTAs at a time, as on a GPU. */
    for (uint32_t group = 0; group < plan->ctas; group += 8) {
        const uint32_t first = group * WARPS, end = MIN(group + 8, plan->ctas) * WARPS;
        uint32_t *at = g_new0(uint32_t, end - first), left = 0;
        for (uint32_t s = first; s < end; s++)
            left += want[s]->len > 0;
        while (left) {
            const uint32_t s = first + below(end - first);
            for (uint32_t burst = 1 + below(20); burst && at[s - first] < want[s]->len; burst--) {
                expected *one = &g_array_index(want[s], expected, at[s - first]++);
                const bool lanes = random_record(one);
                gmtest_append(&trace, s / WARPS, s % WARPS, &one->record,
                              lanes ? one->address : NULL);
                left -= at[s - first] == want[s]->len;
            }
        }
        for (uint32_t c = first / WARPS; plan->end_ctas && c < end / WARPS; c++)
            gmtest_end_cta(&trace, c);
        g_free(at);
    }
    gmtest_launch(&trace, 3, 32); /* and one after */
    gmtest_affine(&trace, 2, 0, GMTEST_LDG, UINT32_MAX, 64, 4);
    gmtest_close(&trace);

    gmtrace_reader *reader = open_ok(path);
    g_assert_cmpuint(gmtrace_launch_count(reader), ==, 3);
    const gmtrace_launch *launch = gmtrace_get_launch(reader, 1);
    g_assert_true(launch->complete);
    check_maps(launch);
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->tensor_map_count, ==, 0);
    g_assert_cmpuint(gmtrace_get_launch(reader, 2)->tensor_map_count, ==, 0);
    g_assert_cmpuint(launch->records, ==, total);
    g_assert_cmpuint(launch->warps, ==, begun);
    g_assert_cmpuint(launch->ctas, ==, ctas);

    /* chunk by chunk */
    gmtrace_error error;
    uint32_t *at = g_new0(uint32_t, streams);
    uint64_t seen = 0;
    for (uint64_t i = 0; i < gmtrace_chunk_count(reader); i++) {
        const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, i, &error);
        g_assert_nonnull(chunk);
        for (uint32_t k = 0; chunk->launch == 1 && k < chunk->segment_count; k++) {
            const gmtrace_segment *segment = &chunk->segment[k];
            const uint32_t s = (uint32_t)segment->cta * WARPS + segment->warp;
            for (uint32_t r = 0; r < segment->count; r++, seen++)
                compare(chunk, &chunk->record[segment->first + r],
                        &g_array_index(want[s], expected, at[s]++));
            g_assert_cmpint(segment->last, ==, at[s] == want[s]->len);
        }
        gmtrace_chunk_release(reader, chunk);
    }
    g_assert_cmpuint(seen, ==, total);

    /* all cursors at once, each a few records further in turn */
    g_assert_true(gmtrace_select_launch(reader, 1, &error));
    gmtrace_cursor *cursor = g_new(gmtrace_cursor, streams);
    memset(at, 0, streams * sizeof *at);
    for (uint32_t s = 0; s < streams; s++)
        g_assert_true(gmtrace_cursor_open(reader, &cursor[s], s / WARPS, s % WARPS, &error));
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t s = 0; s < streams; s++) {
            for (uint32_t burst = 9; burst; burst--) {
                if (cursor[s].next == cursor[s].end &&
                    !gmtrace_cursor_refill(reader, &cursor[s], &error)) {
                    g_assert_cmpint(error.status, ==, GMTRACE_OK);
                    g_assert_cmpuint(at[s], ==, want[s]->len);
                    break;
                }
                compare(cursor[s].chunk, cursor[s].next++,
                        &g_array_index(want[s], expected, at[s]++));
                moved = true;
            }
        }
    }
    for (uint32_t s = 0; s < streams; s++) {
        gmtrace_cursor_close(reader, &cursor[s]);
        g_array_free(want[s], TRUE);
    }
    gmtrace_close(reader);
    g_unlink(path);
    g_free(path);
    g_free(cursor);
    g_free(at);
    g_free(want);
}

/* ------------------------------------------------------------------------------- metadata */

static void metadata_round_trip(void)
{
    char *path = gmtest_new_path();
    gmtrace_error error;
    gmtrace_capture capture = *gmtest_capture();
    capture.gpu = "NVIDIA H200";
    capture.sm_count = 132;
    capture.driver_version = 13000;
    capture.detail = GMTRACE_DETAIL_FULL;
    capture.unseen = GMTRACE_UNSEEN_CONSTANT;
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_nonnull(writer);
    gmtrace_kernel kernel = *gmtest_kernel();
    gmtrace_instr instr[GMTEST_INSTRS];
    memcpy(instr, kernel.instr, sizeof instr);
    instr[2].operand_count = GMTRACE_MAX_OPERANDS;
    for (unsigned i = 0; i < GMTRACE_MAX_OPERANDS; i++)
        instr[2].operand[i] = (gmtrace_operand){i % 4, (uint8_t)(3 * i), 4, i & 1};
    instr[3].encoding[0] = 0x0123456789abcdef;
    instr[3].encoding[1] = 0xfedcba9876543210;
    instr[3].target = 1;
    instr[3].wait_mask = 63;
    instr[3].reuse = 15;
    kernel.instr = instr;
    uint32_t first, second;
    g_assert_true(gmtrace_writer_add_kernel(writer, &kernel, &first, &error));
    const gmtrace_kernel bare = {.mangled = "bare", .name = NULL, .local_bytes = GMTRACE_UNKNOWN};
    g_assert_true(gmtrace_writer_add_kernel(writer, &bare, &second, &error));
    g_assert_cmpuint(first, ==, 0);
    g_assert_cmpuint(second, ==, 1);
    const gmtrace_allocation allocation[] = {{.base = 0x1000, .size = 0x1000},
                                             {.base = 0x2000, .size = 1},
                                             {.base = 0x7f0000000000, .size = 9}};
    const gmtrace_launch launch = {
        .kernel = 1,
        .grid = {1, 2, 3},
        .block = {4, 5, 6},
        .cluster = {1, 2, 1},
        .dynamic_shared = 77,
        .shared_config = 102400,
        .carveout_percent = 50,
        .stream = 3,
        .ordinal = 1ull << 40,
        .allocation_count = 3,
        .allocation = allocation,
    };
    g_assert_true(gmtrace_writer_begin_launch(writer, &launch, &error));
    g_assert_true(gmtrace_writer_end_launch(writer, &error));
    gmtrace_writer_add_unseen(writer, GMTRACE_UNSEEN_TEXTURE);
    g_assert_true(gmtrace_writer_close(writer, true, &error));

    gmtrace_reader *reader = open_ok(path);
    const gmtrace_capture *c = gmtrace_get_capture(reader);
    g_assert_cmpstr(c->source, ==, capture.source);
    g_assert_cmpstr(c->program, ==, capture.program);
    g_assert_cmpstr(c->gpu, ==, "NVIDIA H200");
    g_assert_cmpuint(c->cc_major, ==, 9);
    g_assert_cmpuint(c->sm_count, ==, 132);
    g_assert_cmpuint(c->driver_version, ==, 13000);
    g_assert_cmpint(c->detail, ==, GMTRACE_DETAIL_FULL);
    g_assert_cmpuint(c->unseen, ==, GMTRACE_UNSEEN_CONSTANT | GMTRACE_UNSEEN_TEXTURE);
    g_assert_cmpuint(gmtrace_kernel_count(reader), ==, 2);
    const gmtrace_kernel *k = gmtrace_get_kernel(reader, 0);
    g_assert_cmpstr(k->name, ==, kernel.name);
    g_assert_cmpstr(k->file[0], ==, "test.cu");
    g_assert_cmpuint(k->registers, ==, 32);
    g_assert_cmpuint(k->static_shared, ==, 4096);
    g_assert_cmpuint(k->instr_count, ==, GMTEST_INSTRS);
    for (unsigned i = 0; i < GMTEST_INSTRS; i++) {
        gmtrace_instr got = k->instr[i];
        g_assert_cmpstr(got.opcode, ==, instr[i].opcode);
        g_assert_cmpstr(got.operands, ==, instr[i].operands);
        got.opcode = instr[i].opcode;
        got.operands = instr[i].operands;
        g_assert_true(memcmp(&got, &instr[i], offsetof(gmtrace_instr, operand)) == 0);
        g_assert_true(memcmp(got.operand, instr[i].operand, sizeof got.operand) == 0);
    }
    g_assert_cmpstr(gmtrace_get_kernel(reader, 1)->mangled, ==, "bare");
    g_assert_cmpstr(gmtrace_get_kernel(reader, 1)->name, ==, "");
    const gmtrace_launch *l = gmtrace_get_launch(reader, 0);
    g_assert_cmpuint(l->kernel, ==, 1);
    g_assert_true(memcmp(l->grid, launch.grid, 12) == 0);
    g_assert_true(memcmp(l->block, launch.block, 12) == 0);
    g_assert_true(memcmp(l->cluster, launch.cluster, 12) == 0);
    g_assert_cmpuint(l->dynamic_shared, ==, 77);
    g_assert_cmpuint(l->shared_config, ==, 102400);
    g_assert_cmpint(l->carveout_percent, ==, 50);
    g_assert_cmpuint(l->stream, ==, 3);
    g_assert_cmpuint(l->ordinal, ==, 1ull << 40);
    g_assert_cmpuint(l->allocation_count, ==, 3);
    g_assert_true(memcmp(l->allocation, allocation, sizeof allocation) == 0);
    gmtrace_close(reader);
    g_unlink(path);
    g_free(path);
}

/* Calls are a flag beside the level of memory instructions, which old readers know. */
static void calls_round_trip(void)
{
    char *path = gmtest_new_path(), *bytes;
    size_t size;
    gmtrace_error error;
    gmtrace_capture capture = *gmtest_capture();
    capture.detail = GMTRACE_DETAIL_CALLS;
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &error);
    g_assert_true(gmtrace_writer_close(writer, true, &error));
    gmtrace_reader *reader = open_ok(path);
    g_assert_cmpint(gmtrace_get_capture(reader)->detail, ==, GMTRACE_DETAIL_CALLS);
    gmtrace_close(reader);
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    g_assert_cmpint(bytes[10], ==, 6); /* minor version, optional flags, level */
    g_assert_cmpint(bytes[20], ==, 1);
    g_assert_cmpint(bytes[32], ==, GMTRACE_DETAIL_MEMORY);
    g_free(bytes);
    g_unlink(path);
    g_free(path);
}

/* ------------------------------------------------------------------------------ misuse */

#define REFUSED(call)                                                                              \
    G_STMT_START                                                                                   \
    {                                                                                              \
        error.status = GMTRACE_OK;                                                                 \
        g_assert_false(call);                                                                      \
        g_assert_cmpint(error.status, ==, GMTRACE_USAGE);                                          \
        g_assert_cmpint(error.text[0], !=, 0);                                                     \
    }                                                                                              \
    G_STMT_END

static void misuse_is_refused(void)
{
    char *path = gmtest_new_path();
    gmtrace_error error;
    gmtest_trace t;
    gmtest_open(&t, path);
    gmtrace_record r = gmtest_record(GMTEST_LDG, UINT32_MAX);
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    REFUSED(gmtrace_writer_end_launch(t.writer, &error));
    gmtrace_launch launch = {.kernel = 9, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    REFUSED(gmtrace_writer_begin_launch(t.writer, &launch, &error));
    gmtest_launch(&t, 4, 64);
    REFUSED(gmtrace_writer_append(t.writer, 4, 0, &r, NULL, &error));
    REFUSED(gmtrace_writer_append(t.writer, 0, 2, &r, NULL, &error));
    r.mask = 0;
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    r.mask = 1;
    r.instr = GMTEST_INSTRS;
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    r.instr = 0;
    r.size = 3;
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    r.size = 4;
    r.space = GMTRACE_SPACE_GENERIC;
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    r.space = GMTRACE_SPACE_GLOBAL;
    r.shape = GMTRACE_OFFSETS;
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    r.shape = GMTRACE_AFFINE;
    g_assert_true(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    gmtest_end_cta(&t, 0);
    REFUSED(gmtrace_writer_append(t.writer, 0, 0, &r, NULL, &error));
    REFUSED(gmtrace_writer_end_cta(t.writer, 0, &error));
    /* none of this has spoilt the writer */
    gmtest_close(&t);
    gmtrace_reader *reader = open_ok(path);
    g_assert_cmpuint(gmtrace_get_launch(reader, 0)->records, ==, 1);
    gmtrace_cursor cursor;
    REFUSED(gmtrace_cursor_open(reader, &cursor, 0, 0, &error));
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    REFUSED(gmtrace_cursor_open(reader, &cursor, 4, 0, &error));
    REFUSED(gmtrace_cursor_open(reader, &cursor, 0, 2, &error));
    REFUSED(gmtrace_select_launch(reader, 1, &error));
    gmtrace_close(reader);
    g_unlink(path);
    g_free(path);
}

/* Nothing lies at the path until close, and nothing at all when the trace is given up. */
static void no_partial_file(void)
{
    char *folder = g_dir_make_tmp("gmtrace-XXXXXX", NULL);
    char *path = g_build_filename(folder, "out.trc", NULL);
    gmtrace_error error;
    gmtest_trace t;
    gmtest_open(&t, path);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_assert_true(gmtrace_writer_close(t.writer, false, &error));
    g_assert_cmpint(g_rmdir(folder), ==, 0); /* it is empty */
    g_assert_null(gmtrace_writer_create(path, gmtest_capture(), NULL, &error));
    g_assert_cmpint(error.status, ==, GMTRACE_IO);
    g_assert_null(gmtrace_writer_create("/dev/null", gmtest_capture(), NULL, &error));
    g_assert_cmpint(error.status, ==, GMTRACE_USAGE);
    g_free(path);
    g_free(folder);
}

/* One CTA number near each end of a huge grid: the index must not be as large as the grid. */
static void sparse_ctas(void)
{
    char *path = gmtest_new_path();
    gmtrace_error error;
    gmtest_trace t;
    const uint64_t last = 2000000000ull * 60000 - 1;
    const gmtrace_launch launch = {.grid = {2000000000, 60000, 1},
                                   .block = {32, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .carveout_percent = -1};
    gmtest_open(&t, path);
    gmtest_launch_with(&t, &launch);
    gmtest_affine(&t, last, 0, GMTEST_LDG, UINT32_MAX, last, 4);
    gmtest_affine(&t, 5, 0, GMTEST_LDG, UINT32_MAX, 5, 4);
    gmtest_close(&t);
    gmtrace_reader *reader = open_ok(path);
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t cta = i == 0 ? 5 : i == 1 ? last : 6;
        gmtrace_cursor cursor;
        g_assert_true(gmtrace_cursor_open(reader, &cursor, cta, 0, &error));
        g_assert_cmpint(cursor.end - cursor.next, ==, cta == 6 ? 0 : 1);
        if (cta != 6)
            g_assert_cmpuint(cursor.next->address, ==, cta);
        gmtrace_cursor_close(reader, &cursor);
    }
    gmtrace_close(reader);
    g_unlink(path);
    g_free(path);
}

/* Bytes a record on disk, of `records` records: coalesced, or 32 random words of 512 MiB. */
static double bytes_a_record(bool coalesced, uint32_t records)
{
    char *path = gmtest_new_path();
    gmtest_trace t;
    uint64_t address[GMTRACE_WARP_LANES];
    gmtest_open(&t, path);
    gmtest_launch(&t, 8, 256);
    for (uint32_t i = 0; i < records; i++) {
        const uint64_t base = 0x7f2e40000000 + (coalesced ? 128 * (uint64_t)i : 0);
        for (unsigned k = 0; k < GMTRACE_WARP_LANES; k++)
            address[k] = base + 4 * (coalesced ? k : next_random() >> 37);
        gmtest_lanes(&t, i / 8 % 8, i % 8, GMTEST_LDG, UINT32_MAX, address);
    }
    gmtest_close(&t);
    gmtrace_reader *reader = open_ok(path);
    const double size = (double)gmtrace_file_size(reader);
    gmtrace_close(reader);
    g_unlink(path);
    g_free(path);
    return size / records;
}

static void size_on_disk(void)
{
    random_state = 1;
    g_assert_cmpfloat(bytes_a_record(true, 65536), <=, 2.0);
    g_assert_cmpfloat(bytes_a_record(false, 8192), <=, 110.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const plan_for small = {40, 6, 0, true};
    static const plan_for large = {9, 2000, 0, true};
    static const plan_for early = {20, 800, 256 << 10, true};
    static const plan_for open_ended = {30, 300, 1 << 20, false};
    g_test_add_func("/trace/round-trip/metadata", metadata_round_trip);
    g_test_add_func("/trace/calls", calls_round_trip);
    g_test_add_data_func("/trace/round-trip/small-ctas", &small, random_round_trip);
    g_test_add_data_func("/trace/round-trip/split-ctas", &large, random_round_trip);
    g_test_add_data_func("/trace/round-trip/early-writes", &early, random_round_trip);
    g_test_add_data_func("/trace/round-trip/ctas-ended-by-launch", &open_ended, random_round_trip);
    g_test_add_func("/trace/writer/misuse", misuse_is_refused);
    g_test_add_func("/trace/writer/no-partial-file", no_partial_file);
    g_test_add_func("/trace/reader/sparse-ctas", sparse_ctas);
    g_test_add_func("/trace/size-on-disk", size_on_disk);
    return g_test_run();
}
