/* SPDX-License-Identifier: MIT
 *
 * model_crew.c - the threads of a model: what several of them report is what one does where L2
 * keeps what the launches before left, where a launch is replayed twice, where several warps meet
 * in words that steer them, where ways turn out to depend on the order of warps so that the launch
 * begins anew, and where a trace is damaged: the error is the same, and nothing hangs.
 */
#include "sim/model/count/meet.h"
#include "sim/model/model.h"
#include "tests/support/trace_builder.h"
#include "traces/code/path.h"

#include <glib/gstdio.h>
#include <string.h>

#define BASE 0x7f0000000000u

static char *folder;

static char *file_of(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void of_result(GString *text, const gmsim_result *result)
{
    g_string_append_printf(
        text, "%u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u %d;",
        result->start, result->records, result->timing.cycles, result->l2.dram_read_sectors,
        result->unsteady, result->truncated);
    g_string_append_printf(text,
                           "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
                           result->executed.instructions, result->executed.doubtful,
                           result->timing.stall[GMSIM_STALL_L2]);
}

/* All launches of a trace, one after the other. */
static void replay_all(gmsim_model *model, const char *path, GString *text)
{
    GError *error = NULL;
    gmtrace_error reason;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    g_assert_nonnull(reader);
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++) {
        const gmsim_result *result = gmsim_model_run(model, reader, i, NULL, NULL, &error);
        if (result)
            of_result(text, result);
        else
            g_string_append_printf(text, "error: %s\n", error->message);
        g_clear_error(&error);
    }
    gmtrace_close(reader);
}

/* Those of `before`, unless that is NULL, and then those of `path`. */
static char *replay(const char *before, const char *path, uint32_t threads, bool together,
                    gmsim_caches caches, bool flush)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    GString *text = g_string_new(NULL);
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    gmsim_model *model = gmsim_model_new(&gpu,
                                         &(gmsim_options){.caches = caches,
                                                          .flush = flush,
                                                          .threads = threads,
                                                          .share_from = 1,
                                                          .together = together},
                                         &error);
    g_assert_no_error(error);
    if (before)
        replay_all(model, before, text);
    replay_all(model, path, text);
    gmsim_model_free(model);
    return g_string_free(text, FALSE);
}

/* Returns what they report. */
static char *alike(const char *before, const char *path, gmsim_caches caches, bool flush)
{
    char *alone = replay(before, path, 1, false, caches, flush);
    for (uint32_t threads = 2; threads <= 5u; threads += 3u) {
        g_autofree char *shared = replay(before, path, threads, true, caches, flush);
        g_assert_cmpstr(shared, ==, alone);
        g_autofree char *either = replay(before, path, threads, false, caches, flush);
        g_assert_cmpstr(either, ==, alone);
    }
    return alone;
}

enum { CTAS = 264, WARPS = 4, STEPS = 12 };

/* Two launches that read the same megabytes, each warp its own and then one that all read. */
static void write_launches(const char *path, uint64_t base)
{
    gmtest_trace trace;
    uint64_t address[GMTRACE_WARP_LANES];
    gmtest_open(&trace, path);
    for (uint32_t launch = 0; launch < 2u; launch++) {
        gmtest_launch(&trace, CTAS, WARPS * 32u);
        for (uint64_t cta = 0; cta < CTAS; cta++)
            for (uint32_t warp = 0; warp < WARPS; warp++)
                for (uint32_t step = 0; step < STEPS; step++) {
                    const uint64_t own = (cta * WARPS + warp) * STEPS + step;
                    for (uint32_t lane = 0; lane < GMTRACE_WARP_LANES; lane++)
                        address[lane] = base + (step % 4u ? own : step) * 128u + lane * 4u;
                    gmtest_lanes(&trace, cta, warp, GMTEST_LDG, UINT32_MAX, address);
                }
    }
    gmtest_close(&trace);
}

static void test_launches(void)
{
    g_autofree char *path = file_of("launches.trc");
    write_launches(path, BASE);
    g_autofree char *warm = alike(NULL, path, GMSIM_CACHES_WARM, false);
    g_autofree char *kept = alike(NULL, path, GMSIM_CACHES_COLD, false);
    g_autofree char *flushed = alike(NULL, path, GMSIM_CACHES_COLD, true);
    g_assert_cmpstr(warm, !=, kept);
    g_assert_cmpstr(kept, !=, flushed);
    g_unlink(path);
}

/* It begins anew with what L2 held before, which has some of what it reads. */
static void test_begins_anew(void)
{
    g_autofree char *before = file_of("before.trc");
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "tests", "data", "ordered-ways.trc", NULL);
    gmtrace_error reason;
    gmtrace_reader *reader = gmtrace_open(path, &reason);
    g_assert_nonnull(reader);
    const gmtrace_launch *launch = gmtrace_get_launch(reader, 0);
    const uint64_t base = launch->allocation[launch->allocation_count - 1u].base;
    gmtrace_close(reader);
    write_launches(before, base & ~UINT64_C(127));
    g_autofree char *cold = alike(NULL, path, GMSIM_CACHES_COLD, false);
    g_autofree char *warm = alike(before, path, GMSIM_CACHES_COLD, false);
    g_assert_null(strstr(warm, cold)); /* it found some there */
    g_unlink(before);
}

/* Cut at `part` of its length, or with bytes there that are others. */
static void damage(const char *from, const char *to, double part, bool cut)
{
    char *data;
    gsize size;
    g_assert_true(g_file_get_contents(from, &data, &size, NULL));
    const gsize at = (gsize)((double)size * part);
    for (gsize i = at; i < at + 64u && !cut; i++)
        data[i] = (char)~data[i];
    g_assert_true(g_file_set_contents(to, data, (gssize)(cut ? at : size), NULL));
    g_free(data);
}

static void test_damage(void)
{
    g_autofree char *whole = file_of("whole.trc"), *path = file_of("damaged.trc");
    write_launches(whole, BASE);
    for (uint32_t i = 1; i < 8u; i++)
        for (uint32_t cut = 0; cut < 2u; cut++) {
            damage(whole, path, i / 8.0, cut);
            gmtrace_error reason;
            gmtrace_reader *reader = gmtrace_open(path, &reason);
            if (!reader)
                continue;
            gmtrace_close(reader);
            g_autofree char *alone = replay(NULL, path, 1, false, GMSIM_CACHES_COLD, true);
            g_autofree char *shared = replay(NULL, path, 4, true, GMSIM_CACHES_COLD, true);
            /* Of several damaged chunks another may be met first. */
            g_assert_cmpint(strstr(alone, "error") != NULL, ==, strstr(shared, "error") != NULL);
            if (!strstr(alone, "error"))
                g_assert_cmpstr(alone, ==, shared);
        }
    g_unlink(path);
    g_unlink(whole);
}

static void test_sample(gconstpointer name)
{
    g_autofree char *path = g_build_filename(g_getenv("GMSIM_SRCDIR"), name, NULL);
    g_free(alike(NULL, path, GMSIM_CACHES_WARM, false));
    g_free(alike(NULL, path, GMSIM_CACHES_COLD, true));
}

/* Lanes of a warp read words. */
static void note(gmsim_meet *meet, uint32_t kind, uint64_t cta, uint64_t first)
{
    const gmtrace_record record = {.kind = GMTRACE_ACCESS,
                                   .space = GMTRACE_SPACE_GLOBAL,
                                   .shape = GMTRACE_AFFINE,
                                   .mask = UINT32_MAX,
                                   .stride = 4,
                                   .size = 4,
                                   .address = BASE + 4u * first};
    gmsim_meet_note(meet, kind, cta, 0, NULL, &record);
}

/* Two tables, in each of which no warps met: they have if they noted the same words, by
 * instructions of one kind; and whatever was lost of one is lost of both. */
static void test_meet(void)
{
    gmsim_meet *one = g_new0(gmsim_meet, 1), *other = g_new0(gmsim_meet, 1);
    note(one, GMTRACE_UNSTEADY_SPIN, 1, 0);
    note(other, GMTRACE_UNSTEADY_SPIN, 2, 32);
    note(other, GMTRACE_UNSTEADY_ORDER, 2, 0);
    gmsim_meet_add(one, other);
    g_assert_cmpuint(one->kinds, ==, 0);
    gmsim_meet_reset(other);
    note(other, GMTRACE_UNSTEADY_SPIN, 3, 31);
    g_assert_cmpuint(other->kinds, ==, 0);
    gmsim_meet_add(one, other);
    g_assert_cmpuint(one->kinds, ==, 1u << GMTRACE_UNSTEADY_SPIN);
    gmsim_meet_reset(one);
    for (uint64_t i = 0; i < 1u << GMSIM_MEET_BITS; i++)
        note(one, GMTRACE_UNSTEADY_SPIN, 1, 32u * i);
    g_assert_true(one->lost);
    g_assert_false(other->lost);
    gmsim_meet_add(other, one);
    g_assert_true(other->lost);
    g_free(other);
    g_free(one);
}

/* Each part of what paths spend has its own bound. */
static void test_order(void)
{
    gmtrace_path_order one;
    uint64_t *part = (uint64_t *)&one;
    for (uint32_t i = 0; i < sizeof one / sizeof *part; i++)
        part[i] = GMTRACE_PATHS_ORDERED - 1u;
    g_assert_false(gmtrace_paths_ordered(&one));
    for (uint32_t i = 0; i < sizeof one / sizeof *part; i++) {
        part[i]++;
        g_assert_true(gmtrace_paths_ordered(&one));
        part[i]--;
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("gmsim-test-XXXXXX", NULL);
    g_test_add_func("/crew/launches", test_launches);
    g_test_add_func("/crew/damage", test_damage);
    g_test_add_func("/crew/meet", test_meet);
    g_test_add_func("/crew/order", test_order);
    g_test_add_func("/crew/begins-anew", test_begins_anew);
    g_test_add_data_func("/crew/meets", "traces/samples/hash_insert.trc", test_sample);
    g_test_add_data_func("/crew/constants", "tests/data/constant-loaded.trc", test_sample);
    g_test_add_data_func("/crew/runs", "traces/samples/conv_layer_tiled.trc", test_sample);
    g_test_add_data_func("/crew/local", "traces/samples/spill_heavy.trc", test_sample);
    const int failed = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    return failed;
}
