/* SPDX-License-Identifier: MIT
 *
 * model_stores.c - stores that become one on their way to L2 (cache/packets.h): the rules one by
 * one, and each launch of validate/micro/store_merge.cu whose stores follow one another without a
 * pause against what an H200 sent. Launches that differ by more than a tenth are counted to the
 * number: fewer or more both fail.
 */
#include "sim/model/cache/sm_memory.h"
#include "tests/support/measured.h"

#include <stdlib.h>
#include <string.h>

#define BASE 1000000u /* a line */

typedef struct fixture {
    gmsim_gpu gpu;
    gmsim_sm_memory *memory;
    gmsim_l1_set *set;
    gmsim_counts counts;
    uint64_t stored, now;
} fixture;

static void set_up(fixture *x, gconstpointer data)
{
    (void)data;
    GError *error = NULL;
    g_assert_true(gmsim_gpu_load(&x->gpu, "h200", &error));
    g_assert_no_error(error);
    x->memory = g_new0(gmsim_sm_memory, 1);
    gmsim_outbox *out = &x->memory->out;
    out->message = g_new0(gmsim_message, GMSIM_OUTBOX);
    out->bytes = g_malloc0_n(GMSIM_OUTBOX, sizeof *out->bytes);
    out->ask = g_new0(gmsim_ask, GMSIM_OUTBOX);
    x->set = g_new0(gmsim_l1_set, gmsim_l1_room(&x->gpu));
    gmsim_sm_memory_begin(x->memory, &x->gpu, 0, x->set, 128u << 10);
}

static void tear_down(fixture *x, gconstpointer data)
{
    (void)data;
    g_free(x->memory->out.message);
    g_free(x->memory->out.bytes);
    g_free(x->memory->out.ask);
    g_free(x->set);
    g_free(x->memory);
}

/* A word of each lane, at `address`, by a sub-partition. */
static void access_at(fixture *x, gmsim_request_kind kind, const uint64_t *address, uint32_t lanes,
                      uint8_t part)
{
    gmtrace_chunk chunk = {.address64 = address};
    gmtrace_record record = {
        .shape = GMTRACE_FULL, .size = 4, .mask = lanes < 32u ? (1u << lanes) - 1u : UINT32_MAX};
    gmsim_request request = {
        .counts = &x->counts, .kind = (uint8_t)kind, .wavefronts = 1, .part = part, .now = x->now};
    gmsim_answer answer = {0};
    gmsim_coalesce(&request.footprint, &chunk, &record);
    gmsim_l1_words_begin(&request.words, &request.footprint, &chunk, &record);
    if (kind == GMSIM_REQUEST_STORE)
        x->stored += request.footprint.sectors;
    gmsim_sm_memory_take(x->memory, &request, &answer);
    x->now = MAX(x->now + 4u, answer.held);
}

/* `word` of so many sectors of so many lines from a line on, by a sub-partition. */
static void access_words(fixture *x, gmsim_request_kind kind, uint64_t line, uint32_t lines,
                         uint32_t sectors, uint32_t word, uint8_t part)
{
    uint64_t address[GMTRACE_WARP_LANES] = {0};
    for (uint32_t i = 0; i < lines * sectors; i++)
        address[i] = (line + i / sectors) * 128u + i % sectors * 32u + word * 4u;
    access_at(x, kind, address, lines * sectors, part);
}

static void store(fixture *x, uint64_t line, uint32_t lines, uint32_t sectors, uint32_t word)
{
    access_words(x, GMSIM_REQUEST_STORE, line, lines, sectors, word, 0);
}

/* Eight words of a sector are one whole write, and nothing more leaves; a ninth store neither. */
static void test_whole(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_outbox *out = &x->memory->out;
    for (uint32_t word = 0; word < 8; word++)
        store(x, BASE, 2, 4, word);
    store(x, BASE, 2, 4, 3);
    g_assert_cmpuint(out->messages, ==, 2);
    g_assert_cmpuint(out->message[0].touched, ==, 0xf);
    g_assert_cmpuint(out->message[1].full, ==, 0xf);
    g_assert_cmpuint(x->counts.xbar_write_sectors, ==, 8);
}

/* Once the packet's message has been served, a store sends what it adds: new sectors, which count,
 * and sectors that have become whole, which do not. */
static void test_served(fixture *x, gconstpointer data)
{
    (void)data;
    gmsim_outbox *out = &x->memory->out;
    for (uint32_t word = 0; word < 7; word++)
        store(x, BASE, 1, 1, word);
    gmsim_outbox_clear(out);
    store(x, BASE, 1, 1, 3);
    g_assert_cmpuint(out->messages + out->asks, ==, 0);
    store(x, BASE, 1, 2, 7);
    g_assert_cmpuint(out->messages, ==, 1);
    g_assert_cmpuint(out->message[0].touched, ==, 0x3);
    g_assert_cmpuint(out->message[0].full, ==, 0x1);
    g_assert_cmpuint(out->message[0].again, ==, 0x1);
    g_assert_cmpuint(x->counts.xbar_write_sectors, ==, 2);
}

/* Idle clocks close all packets, other sub-partitions' stores none; with packets = 0 none opens. */
static void test_closing(fixture *x, gconstpointer data)
{
    (void)data;
    store(x, BASE, 1, 1, 0);
    for (uint8_t part = 1; part < 4; part++)
        access_words(x, GMSIM_REQUEST_STORE, BASE + 10u * part, 1, 1, 0, part);
    store(x, BASE, 1, 1, 1);
    g_assert_cmpuint(x->counts.xbar_write_sectors, ==, 4);
    gmsim_packets_close_all(&x->memory->packets);
    store(x, BASE, 1, 1, 2);
    g_assert_cmpuint(x->counts.xbar_write_sectors, ==, 5);
    x->gpu.l1_packets = 0;
    store(x, BASE, 1, 1, 2);
    g_assert_cmpuint(x->counts.xbar_write_sectors, ==, 6);
}

/* What the loads before asked for comes, of so many lines from BASE on. */
static void arrive(fixture *x, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        x->memory->pending[gmsim_hash32(BASE + i) % GMSIM_PENDING].done = x->now;
}

/* Who loads of a line that was lost asks anew, and the next waits for that load. */
static void test_anew(fixture *x, gconstpointer data)
{
    (void)data;
    const gmsim_outbox *out = &x->memory->out;
    access_words(x, GMSIM_REQUEST_LOAD, BASE, 1, 1, 0, 0);
    store(x, BASE, 1, 1, 1);
    const uint32_t messages = out->messages;
    access_words(x, GMSIM_REQUEST_LOAD, BASE, 1, 1, 2, 0);
    g_assert_cmpuint(x->counts.l1_miss_sectors, ==, 2 + 1); /* the store missed */
    g_assert_true(out->message[messages].anew);
    access_words(x, GMSIM_REQUEST_LOAD, BASE, 1, 1, 3, 0);
    g_assert_cmpuint(x->counts.l1_miss_sectors, ==, 2 + 1);
}

/* What L1 keeps of a line that a store comes to while a load of it is under way: each launch of
 * validate/micro/store_awaited.cu but those whose store comes with the data, gap 20. */
static void test_awaited(fixture *x, gconstpointer data)
{
    (void)data;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-store_awaited.csv", 9);
    uint32_t played = 0;
    for (guint i = 0; i < rows->len; i++) {
        char **cell = rows->pdata[i];
        const bool whole = !strcmp(cell[0], "whole");
        const uint32_t lanes = (uint32_t)atoi(cell[1]), stores = (uint32_t)atoi(cell[2]);
        const uint32_t word = (uint32_t)atoi(cell[3]), gap = (uint32_t)atoi(cell[4]);
        const uint32_t lines = whole ? 1 : lanes;
        if ((!whole && strcmp(cell[0], "awaited")) || gap == 20)
            continue;
        tear_down(x, NULL);
        set_up(x, NULL);
        const gmsim_counts *c = &x->counts;
        memset(&x->counts, 0, sizeof x->counts);
        access_words(x, GMSIM_REQUEST_LOAD, BASE, lines, 1, 24, 0);
        arrive(x, lines);
        access_words(x, GMSIM_REQUEST_LOAD, BASE, lines, 1, 0, 0);
        if (gap == 100)
            arrive(x, lines);
        uint64_t address[GMTRACE_WARP_LANES];
        for (uint32_t k = 0; k < lanes; k++)
            address[k] = BASE * 128u + (whole ? k * 4u : k * 128u) + word * 4u;
        if (stores)
            access_at(x, GMSIM_REQUEST_STORE, address, lanes, 0);
        const uint64_t stored = c->l1_hit_sectors;
        arrive(x, lines);
        access_words(x, GMSIM_REQUEST_LOAD, BASE, lines, 1, 2, 0);
        arrive(x, lines);
        access_words(x, GMSIM_REQUEST_LOAD, BASE, lines, 1, 25, 0);
        g_assert_cmpuint(64u * (c->l1_hit_sectors - stored), ==, (uint64_t)atoi(cell[5]));
        g_assert_cmpuint(64u * stored, ==, (uint64_t)atoi(cell[6]));
        played++;
    }
    g_assert_cmpuint(played, ==, 60);
}

/* Plays what the launch of a row does once; false if it is not one of those without pauses. */
static bool play(fixture *x, char **cell)
{
    const char *experiment = cell[0], *what = cell[1];
    uint32_t lines = (uint32_t)atoi(cell[2]), sectors = (uint32_t)atoi(cell[3]);
    uint32_t links = (uint32_t)atoi(cell[4]);
    if (!strcmp(experiment, "sequence")) {
        for (uint32_t k = 0; what[k]; k++)
            store(x, BASE + 100u * (uint32_t)(what[k] - '0'), lines, sectors, k);
        return true;
    }
    bool gap = !strcmp(experiment, "gap") && !links, singles = !strcmp(experiment, "singles");
    bool load = g_str_has_prefix(what, "load"), atom = !strcmp(what, "atom");
    bool red = !strcmp(what, "red"), own = !strcmp(what, "red_line");
    if (!gap && !singles && !load && !red && !own && !atom)
        return false;
    store(x, BASE, lines, sectors, 0);
    for (uint32_t k = 0; singles && k < links; k++)
        store(x, BASE + 200u + k, 1, 1, 0);
    if (load)
        access_words(x, GMSIM_REQUEST_LOAD, BASE + 300u, lines, sectors, 0, 0);
    if (red || own)
        access_words(x, GMSIM_REQUEST_REDUCTION, BASE + (own ? 0u : 300u), lines, sectors, 2, 0);
    if (atom)
        access_words(x, GMSIM_REQUEST_ATOMIC, BASE + 300u, lines, sectors, 2, 0);
    if (red || own || atom) /* counted with what leaves, not with stores */
        x->counts.xbar_write_sectors -= (uint64_t)lines * sectors;
    store(x, BASE, lines, sectors, 1);
    return true;
}

static void test_measured(fixture *x, gconstpointer data)
{
    (void)data;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-store_merge.csv", 12);
    uint32_t compared = 0, missed = 0;
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        gmsim_sm_memory_begin(x->memory, &x->gpu, 0, x->set, 128u << 10);
        memset(&x->counts, 0, sizeof x->counts);
        x->stored = x->now = 0;
        if (!play(x, cell))
            continue;
        double sent = (double)x->counts.xbar_write_sectors / (double)x->stored;
        double measured = atof(cell[9]) / atof(cell[8]);
        compared++;
        if (sent < measured - 0.1 || sent > measured + 0.1) {
            missed++;
            g_test_message("%s %s, %s lines of %s sectors, %s: %.3f, measured %.3f", cell[0],
                           cell[1], cell[2], cell[3], cell[4], sent, measured);
        }
    }
    g_assert_cmpuint(compared, ==, 140);
    g_assert_cmpuint(missed, ==, 12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
    g_test_add("/model/stores/" name, fixture, NULL, set_up, function, tear_down)
    ADD("stores-that-fill-a-sector-write-it-whole", test_whole);
    ADD("what-joins-late-sends-what-is-missing", test_served);
    ADD("idle-clocks-close-packets-other-parts-do-not", test_closing);
    ADD("what-is-lost-is-asked-for-anew", test_anew);
    ADD("what-is-stored-to-while-awaited-is-lost", test_awaited);
    ADD("as-measured", test_measured);
    return g_test_run();
}
