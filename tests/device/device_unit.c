/* SPDX-License-Identifier: MIT
 *
 * device_unit.c - the shipped GPU descriptions, and what the reader says of bad ones.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "sim/device/gpu.h"

static const char *folder; /* scratch */

static char *shipped(const char *name)
{
    GError *error = NULL;
    char *text;
    g_autofree char *path = g_strdup_printf("%s/sim/device/%s.ini", g_getenv("GMSIM_SRCDIR"), name);
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

static char *write_file(const char *text, gssize length)
{
    GError *error = NULL;
    char *path = g_build_filename(folder, "x.ini", NULL);
    g_file_set_contents(path, text, length, &error);
    g_assert_no_error(error);
    return path;
}

/* Replaces the first `old` of h200.ini. */
static char *h200_with(const char *old, const char *new)
{
    g_autofree char *text = shipped("h200");
    char *at = strstr(text, old);
    g_assert_nonnull(at);
    *at = '\0';
    return g_strconcat(text, new, at + strlen(old), NULL);
}

static bool same(const gmsim_gpu *a, const gmsim_gpu *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static unsigned line_of(const char *text, const char *what)
{
    unsigned line = 1;
    const char *at = strstr(text, what);
    g_assert_nonnull(at);
    for (const char *s = text; s < at; s++)
        line += *s == '\n';
    return line;
}

static void assert_message(const GError *error, int code, const char *pattern)
{
    g_assert_error(error, GMSIM_ERROR, code);
    if (!g_pattern_match_simple(pattern, error->message))
        g_error("'%s' is not like '%s'", error->message, pattern);
    g_assert_null(strchr(error->message, '\n'));
}

/* ------------------------------------------------------------------------------------- shipped */

typedef struct seen {
    unsigned keys;
    char *l1_size;
} seen;

static void see(const char *key, const char *value, const char *meaning, const char *source,
                gpointer data)
{
    seen *s = data;
    s->keys++;
    g_assert_nonnull(strchr(key, '.'));
    g_assert_cmpuint(strlen(value), >, 0);
    g_assert_cmpuint(strlen(meaning), >, 0);
    if (g_str_has_prefix(source, "measured: ")) {
        /* by a program, or in runs, that are there */
        const char *at = strstr(source, "validate/");
        g_assert_nonnull(at);
        g_autofree char *path =
            g_strdup_printf("%s/%.*s", g_getenv("GMSIM_SRCDIR"), (int)strcspn(at, ",; ("), at);
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            g_error("%s was measured by %s, which is not there", key, path);
    } else if (!g_str_has_prefix(source, "cited: ") && !g_str_has_prefix(source, "assumed: ")) {
        g_error("%s is neither measured nor cited nor assumed: '%s'", key, source);
    }
    if (strstr(source, "gmsim's default"))
        g_error("%s has no source in the file nor in those it is based on", key);
    if (!strcmp(key, "l1.size"))
        s->l1_size = g_strdup(value);
}

static void test_shipped(gconstpointer name)
{
    GError *error = NULL;
    gmsim_gpu gpu, again;
    seen s = {0};
    gmsim_gpu_load(&gpu, name, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(gpu.name, ==, name);
    gmsim_gpu_foreach(&gpu, see, &s);
    g_assert_cmpuint(s.keys, >=, 30);
    /* foreach shows the GPU as it is, not as the file has it; a size reads back as it was. */
    g_autofree char *size = g_strdup_printf("l1.size = %s", s.l1_size);
    again = gpu;
    gmsim_gpu_set(&again, size, &error);
    g_assert_no_error(error);
    g_assert_true(same(&gpu, &again));
    g_free(s.l1_size);
}

/* Every file of sim/device/ is a GPU, wherever it is named. */
static void test_list(void)
{
    g_auto(GStrv) names = gmsim_gpu_list();
    g_autofree char *path = g_build_filename(g_getenv("GMSIM_SRCDIR"), "sim", "device", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *entry;
    unsigned files = 0;
    while ((entry = g_dir_read_name(dir))) {
        if (!g_str_has_suffix(entry, ".ini"))
            continue;
        g_autofree char *name = g_strndup(entry, strlen(entry) - 4u);
        if (!g_strv_contains((const char *const *)names, name))
            g_error("%s is not listed", entry);
        files++;
    }
    g_assert_cmpuint(files, >, 0);
    g_assert_cmpuint(g_strv_length(names), ==, files);
}

/* Numbers of the H200 that other rooms and the validation rest on. */
static void test_h200(void)
{
    gmsim_gpu gpu;
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    g_assert_cmpuint(gpu.gpu_sm_count, ==, 132);
    g_assert_cmpuint(gpu.gpu_clock_mhz, ==, 1980);
    g_assert_cmpuint(gpu.shared_carveouts.count, ==, 10);
    g_assert_cmpuint(gpu.shared_carveouts.value[9], ==, 233472);
    g_assert_cmpuint(gpu.l2_size, ==, 62914560);
    g_assert_cmpuint(gpu.dram_bytes_per_clock, ==, 2400); /* 4.75 TB/s */
    g_assert_cmpuint(gpu.launch_groups.count, ==, 9);
}

/* A program of the build folder finds the build's files with no variable set. */
static void test_build_folder(void)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    g_autofree char *path = g_strdup(g_getenv("GMSIM_DEVICE_PATH"));
    g_unsetenv("GMSIM_DEVICE_PATH");
    bool loaded = gmsim_gpu_load(&gpu, "h200", &error);
    g_setenv("GMSIM_DEVICE_PATH", path, TRUE);
    g_assert_no_error(error);
    g_assert_true(loaded);
    g_autofree char *expected =
        g_build_filename(g_getenv("GMSIM_BUILDDIR"), "devices", "h200.ini", NULL);
    g_assert_cmpstr(gpu.path, ==, expected);
}

/* ----------------------------------------------------------------------------------- bad text */

static const struct {
    const char *old, *new, *message; /* "@" stands for the line of `new`'s mark */
} bad[] = {
    {"sm_count = 132", "sm_count = many", "*x.ini:@: [gpu] sm_count: 'many' is not a number"},
    {"sm_count = 132", "sm_count = -1", "*x.ini:@: [gpu] sm_count: '-1' is not a number"},
    {"sm_count = 132", "sm_count = ", "*x.ini:@: [gpu] sm_count: has no value"},
    {"sm_count = 132", "sm_count = 132 # SMs", "*:@: [gpu] sm_count: '132 # SMs' is not a *"},
    {"sm_count = 132", "sm_count = 132.0", "*:@: [gpu] sm_count: '132.0' is not a number"},
    {"sm_count = 132", "sm_count = 0", "*:@: [gpu] sm_count: 0 is out of range (1 to 1024)"},
    {"sm_count = 132", "sm_count = 18446744073709551617", "*:@: [gpu] *' is too large"},
    {"sm_count = 132", "sm_count = unknown", "*:@: *the model cannot do without this number"},
    {"sm_count = 132", "sm_coumt = 132",
     "*:@: [gpu] sm_coumt: unknown key; did you mean [gpu] sm_count?"},
    {"sm_count = 132", "ways = 132", "*:@: [gpu] ways: unknown key; did you mean [l1] ways?"},
    {"sm_count = 132", "zebra = 132", "*:@: [gpu] zebra: unknown key"},
    {"sm_count = 132", "sm_count = 132\nsm_count = 131", "*:??: [gpu] sm_count: given before*"},
    {"sm_count = 132", "sm_count", "*:@: 'sm_count' is neither [group] nor key = value"},
    {"sm_count = 132", "", "*:4: [gpu] sm_count is missing: SMs"},
    {"[gpu]", "", "*:6: title stands before the first [group]"},
    {"[gpu]", "[gpu", "*:4: '[gpu' does not end with ]"},
    {"[gpu]", "[gpu] # the chip", "*:4: '[gpu] # the chip' does not end with ]"},
    {"[l1]", "[l3]", "*:@: [l3]: unknown group"},
    {"[l1]", "[gpu]", "*:*: [gpu]: begun before, in line 4"},
    {"replacement = slru", "replacement = belady",
     "*:@: [l1] replacement: 'belady' is none of lru, plru, srrip, fifo, random, slru*"},
    {"write = through", "write = back",
     "*:@: [l1] write: 'back' is none of through, around, evict*"},
    {"per_sm = 228K", "per_sm = 228KB", "*:@: [shared] per_sm: '228KB' is not a size*"},
    {"per_sm = 228K", "per_sm = 228iB", "*:@: [shared] per_sm: '228iB' is not a size*"},
    {"per_sm = 228K", "per_sm = 99999999999G", "*:@: [shared] per_sm: '*' is too large"},
    {"per_sm = 228K", "per_sm = 200K", "*x.ini: the largest of shared.carveouts (233472 bytes)*"},
    {"0K, 8K, 16K", "0K, 16K, 8K", "*:*: [shared] carveouts: the sizes must ascend"},
    {"0K, 8K, 16K", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 8K, 16K", "*: more than 16 sizes"},
    {"0K, 8K, 16K", "zero, 16K", "*:*: [shared] carveouts: 'zero' is not a number"},
    {"title = NVIDIA H200 SXM", "title = ", "*:@: [gpu] title: *1 to 63 characters*"},
    {"row_lines = 2", "row_lines = 12", "*:@: [dram] row_lines: 12 is not a power of two"},
    {"spread = 28", "spread = 300", "*x.ini: l2.spread (300 clocks) exceeds l2.latency (285)"},
};

static void test_bad_text(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        gmsim_gpu gpu;
        g_autoptr(GError) error = NULL;
        g_autofree char *text = h200_with(bad[i].old, bad[i].new);
        g_autofree char *line = g_strdup_printf("%u", line_of(text, bad[i].new));
        g_auto(GStrv) part = g_strsplit(bad[i].message, "@", 2);
        g_autofree char *pattern = g_strjoinv(line, part);
        g_autofree char *path = write_file(text, -1);
        g_assert_false(gmsim_gpu_load(&gpu, path, &error));
        assert_message(error, GMSIM_ERROR_USAGE, pattern);
    }
}

/* Line ends of DOS, blanks and a missing last line end change nothing. */
static void test_odd_but_good(void)
{
    gmsim_gpu plain, odd;
    GError *error = NULL;
    g_autofree char *text = shipped("h200");
    g_auto(GStrv) line = g_strsplit(g_strchomp(text), "\n", -1);
    g_autofree char *dos = g_strjoinv("  \r\n\t", line);
    g_autofree char *path = write_file(dos, -1);
    g_assert_true(gmsim_gpu_load(&plain, "h200", NULL));
    gmsim_gpu_load(&odd, path, &error);
    g_assert_no_error(error);
    memcpy(odd.name, plain.name, sizeof odd.name);
    memcpy(odd.path, plain.path, sizeof odd.path);
    g_assert_true(same(&plain, &odd));
}

/* Cut at every fifth byte, and with that byte made another: an error of one line or a GPU that passes every
 * check, and the sanitizers stay quiet. */
static void test_damage(void)
{
    g_autofree char *text = shipped("h200");
    size_t length = strlen(text), needed = (size_t)(strstr(text, "\nlatency = 548") - text);
    for (size_t i = 0; i < length; i += 11) { /* each bit in turn: 11 and 8 have no common factor */
        gmsim_gpu gpu;
        g_autoptr(GError) cut = NULL, changed = NULL;
        g_autofree char *path = write_file(text, (gssize)i);
        g_assert_cmpint(gmsim_gpu_load(&gpu, path, &cut), ==, cut == NULL);
        g_assert_true(cut != NULL || i > needed); /* the last key that has no default */
        char was = text[i];
        text[i] = (char)(text[i] ^ (1 << i % 8));
        g_free(write_file(text, (gssize)length));
        g_assert_cmpint(gmsim_gpu_load(&gpu, path, &changed), ==, changed == NULL);
        g_assert_true(changed != NULL || gmsim_gpu_check(&gpu, NULL));
        text[i] = was;
    }
}

/* ------------------------------------------------------------------------------------- based-on */

static char *write_named(const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* All that a user needs to write for a GPU of their own. */
#define FIVE_LINES "[gpu]\ntitle = Mine\nbased-on = h200\nsm_count = 66\nclock_mhz = 1000\n"

static void find_sources(const char *key, const char *value, const char *meaning,
                         const char *source, gpointer data)
{
    (void)meaning;
    g_hash_table_insert(data, g_strdup(key), g_strdup_printf("%s | %s", value, source));
}

static void test_based_on(void)
{
    GError *error = NULL;
    gmsim_gpu h200, gpu;
    g_assert_true(gmsim_gpu_load(&h200, "h200", NULL));
    g_autofree char *path = write_named("y.ini", "[gpu]\nbased-on = x.ini\n# cited: me\n"
                                                 "clock_mhz = 2000\n[launch]\ngroups = unknown\n");
    g_free(write_file(FIVE_LINES, -1));
    g_autofree char *first = g_build_filename(folder, "x.ini", NULL);
    gmsim_gpu_load(&gpu, first, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(gpu.gpu_sm_count, ==, 66);
    g_assert_cmpuint(gpu.launch_groups.count, ==, 0); /* an H200's are of 132 SMs */
    g_free(write_file(FIVE_LINES "[launch]\ngroups = 33, 33\n", -1));
    gmsim_gpu_load(&gpu, path, &error); /* on x.ini beside it, which is on h200 */
    g_assert_no_error(error);
    g_assert_cmpstr(gpu.name, ==, "y");
    g_assert_cmpstr(gpu.title, ==, "Mine");
    g_assert_cmpuint(gpu.gpu_clock_mhz, ==, 2000);
    g_assert_cmpuint(gpu.gpu_sm_count, ==, 66);
    g_assert_cmpuint(gpu.launch_groups.count, ==, 0);
    g_assert_true(gmsim_gpu_set(&gpu, "l1.latency=40", NULL));
    g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    gmsim_gpu_foreach(&gpu, find_sources, keys);
    static const char *const shown[][2] = {
        {"gpu.clock_mhz", "2000 | cited: me"},
        {"gpu.sm_count", "66 | no source given (x.ini)"},
        {"l1.sets", "512 | measured: validate/micro/l1_replace.cu, * (h200.ini)"},
        {"l1.latency", "40 | set by the user; else 33"},
        {"launch.groups", "unknown | no source given"},
        {"launch.singles", "unknown | assumed: gmsim*"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(shown); i++) {
        const char *text = g_hash_table_lookup(keys, shown[i][0]);
        if (!text || !g_pattern_match_simple(shown[i][1], text))
            g_error("%s: '%s' is not like '%s'", shown[i][0], text, shown[i][1]);
    }
    memcpy(gpu.name, h200.name, sizeof gpu.name);
    memcpy(gpu.title, h200.title, sizeof gpu.title);
    memcpy(gpu.path, h200.path, sizeof gpu.path);
    gpu.gpu_sm_count = h200.gpu_sm_count;
    gpu.gpu_clock_mhz = h200.gpu_clock_mhz;
    gpu.l1_latency = h200.l1_latency;
    gpu.launch_groups = h200.launch_groups;
    gpu.launch_singles = h200.launch_singles; /* which go with the groups */
    g_assert_true(same(&gpu, &h200)); /* and nothing else differs */
    g_remove(path);
}

/* A file of before there were defaults has no key of the model's; the defaults are an H200's. */
static void test_complete(void)
{
    GError *error = NULL;
    gmsim_gpu old, h200;
    g_autofree char *path =
        g_build_filename(g_getenv("GMSIM_SRCDIR"), "tests", "device", "complete.ini", NULL);
    g_assert_true(gmsim_gpu_load(&h200, "h200", NULL));
    gmsim_gpu_load(&old, path, &error);
    g_assert_no_error(error);
    memcpy(old.name, h200.name, sizeof old.name);
    memcpy(old.path, h200.path, sizeof old.path);
    g_assert_true(same(&old, &h200));
    /* What was a key is a policy now. */
    g_assert_true(gmsim_gpu_set(&old, "l1.store_allocate=no", NULL));
    g_assert_true(gmsim_gpu_set(&h200, "l1.write=around", NULL));
    g_assert_true(same(&old, &h200));
}

/* ------------------------------------------------------------------------------------ bad files */

static void expect(const char *what, int code, const char *pattern)
{
    gmsim_gpu gpu;
    g_autoptr(GError) error = NULL;
    g_assert_false(gmsim_gpu_load(&gpu, what, &error));
    assert_message(error, code, pattern);
}

static void test_bad_files(void)
{
    expect("h2000", GMSIM_ERROR_USAGE, "unknown GPU 'h2000'; known: a100, h100, h200, *");
    expect("", GMSIM_ERROR_USAGE, "unknown GPU ''; known: *");
    expect("/no/such.ini", GMSIM_ERROR_IO, "/no/such.ini: cannot be read: No such file *");
    expect(folder, GMSIM_ERROR_IO, "*: cannot be read: Is a directory");
    expect("/dev/zero", GMSIM_ERROR_USAGE, "/dev/zero: longer than 1048576 bytes; *");
    expect("/dev/null", GMSIM_ERROR_USAGE, "/dev/null: [gpu] title is missing: *");
    g_autofree char *path = write_file("[gpu]\ntitle\0= x", 15);
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:2: not text; *");
    g_free(write_file("[gpu]\n# caf\xe9\n", -1));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:2: not text; *");
    g_free(write_file("\x7f"
                      "ELF\2\1\1\0\0\0\0",
                      11));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:1: not text; *");
    g_free(write_file("[gpu]\nbased-on = x.ini\n", -1));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:2: [gpu] based-on: *x.ini is based on itself");
    g_free(write_file("[gpu]\nbased-on = y.ini\n", -1));
    g_autofree char *other = write_named("y.ini", "[gpu]\n\nbased-on = x.ini\n");
    expect(path, GMSIM_ERROR_USAGE, "*y.ini:3: [gpu] based-on: *x.ini is based on itself");
    g_free(write_named("y.ini", "[gpu]\n# no name\nsm_count = 7\n"));
    expect(path, GMSIM_ERROR_USAGE, "*y.ini:1: [gpu] title is missing: *");
    g_free(write_named("y.ini", "[gpu]\nsm_count = many\n"));
    expect(path, GMSIM_ERROR_USAGE, "*y.ini:2: [gpu] sm_count: 'many' is not a number");
    g_remove(other);
    expect(path, GMSIM_ERROR_IO, "*y.ini: cannot be read: No such file *");
    g_free(write_file("[gpu]\nbased-on = h2000\n", -1));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:2: [gpu] based-on: unknown GPU 'h2000'; known: *");
    g_free(write_file("[gpu]\nbased-on = h200\nbased-on = h100\n", -1));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:3: [gpu] based-on: given before, in line 2");
    g_free(write_file("[gpu]\nbased-on =\n", -1));
    expect(path, GMSIM_ERROR_USAGE, "*x.ini:2: [gpu] based-on: unknown GPU ''; known: *");
    g_autoptr(GPtrArray) many = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < 17; i++) {
        g_autofree char *name = g_strdup_printf("%u.ini", i);
        g_autofree char *text = g_strdup_printf("[gpu]\nbased-on = %u.ini\n", i + 1);
        g_ptr_array_add(many, write_named(name, text));
    }
    expect(many->pdata[0], GMSIM_ERROR_USAGE, "*15.ini:2: [gpu] based-on: more than 16 files, *");
    for (unsigned i = 0; i < many->len; i++)
        g_remove(many->pdata[i]);
    g_autofree char *deep = g_strnfill(600, '/');
    g_autofree char *longer = g_strconcat(deep, "dev/null", NULL);
    expect(longer, GMSIM_ERROR_USAGE, "*: the path is too long");
}

/* ----------------------------------------------------------------------------------------- --set
 */

static void refuse(const char *assignment, const char *pattern)
{
    gmsim_gpu gpu, before;
    g_autoptr(GError) error = NULL;
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    before = gpu;
    g_assert_false(gmsim_gpu_set(&gpu, assignment, &error));
    assert_message(error, GMSIM_ERROR_USAGE, pattern);
    g_assert_true(same(&gpu, &before));
}

static void test_set(void)
{
    gmsim_gpu gpu;
    GError *error = NULL;
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    g_assert_true(gmsim_gpu_set(&gpu, "l2.size=30MiB", &error));
    g_assert_cmpuint(gpu.l2_size, ==, 30 << 20);
    g_assert_true(gmsim_gpu_set(&gpu, " l2.size = 62914560 ", &error));
    g_assert_cmpuint(gpu.l2_size, ==, 60 << 20);
    g_assert_true(gmsim_gpu_set(&gpu, "dram.bytes_per_clock=unknown", &error));
    g_assert_cmpuint(gpu.dram_bytes_per_clock, ==, 0);
    g_assert_true(gmsim_gpu_set_all(&gpu, NULL, &error));
    g_assert_no_error(error);

    refuse("l1.sets", "--set l1.sets: write group.key=value*");
    refuse("=4", "--set =4: write group.key=value*");
    refuse("", "--set : write group.key=value*");
    refuse("l1.stes=4", "--set l1.stes: unknown key; did you mean l1.sets?");
    refuse("sets=4", "--set sets: unknown key; did you mean l1.sets?");
    refuse("colour=red", "--set colour: unknown key; `gmsim gpus h200` lists them");
    refuse("l1.sets=", "--set l1.sets: has no value");
    refuse("l1.sets=4x", "--set l1.sets: '4x' is not a number");
    refuse("l2.ways=65", "--set l2.ways: 65 is out of range (1 to 32)");
    refuse("l2.fill_sectors=3", "--set l2.fill_sectors=3: l2.fill_sectors must be 1, 2 or 4");
    g_assert_true(gmsim_gpu_set(&gpu, "pipe.imad = heavy 4,  fma 2, latency 9", &error));
    g_assert_no_error(error);
    g_assert_cmpuint(gpu.pipe_imad.pipe, ==, GMSIM_PIPE_FMA);
    g_assert_cmpuint(gpu.pipe_imad.clocks, ==, 2);
    g_assert_cmpuint(gpu.pipe_imad.heavy, ==, 4);
    g_assert_cmpuint(gpu.pipe_imad.latency, ==, 9);
    refuse("pipe.fp64=2", "--set pipe.fp64: '2' is not PIPE CLOCKS");
    refuse("pipe.fp64=dpu 2", "--set pipe.fp64: 'dpu' is no pipe (fma, *");
    refuse("pipe.fp64=fp64 2, alu 2", "--set pipe.fp64: alu: one pipe of *");
    refuse("pipe.fp64=lsu 1, lsu 2", "--set pipe.fp64: lsu: *each word once");
    refuse("pipe.fp64=fp64 0", "--set pipe.fp64: fp64: '0' is not a number from 1 to 1000");
    refuse("pipe.fp64=fp64 2 3", "--set pipe.fp64: fp64: '2 3' is not a number *");
    refuse("l2.partitions=3", "--set l2.partitions: 3 is out of range (1 to 2, or unknown)");
    refuse("launch.again=0", "--set launch.again: 0 is out of range (1 to 32, or unknown)");
}

/* Numbers that hang together are set together, in any order, or not at all. */
static void test_set_together(void)
{
    gmsim_gpu gpu;
    GError *error = NULL;
    char *const both[] = {(char *)"occupancy.threads_per_sm=1536",
                          (char *)"occupancy.warps_per_sm=48", NULL};
    refuse(both[0], "--set occupancy.threads_per_sm=1536: *(1536) must be 32 times *(64)");
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    g_assert_true(gmsim_gpu_set_all(&gpu, both, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(gpu.occupancy_warps_per_sm, ==, 48);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    g_test_init(&argc, &argv, NULL);
    g_autofree char *scratch = g_dir_make_tmp("gmsim-device-XXXXXX", &error);
    g_assert_no_error(error);
    folder = scratch;
    g_auto(GStrv) gpus = gmsim_gpu_list();
    for (unsigned i = 0; gpus[i]; i++) {
        g_autofree char *path = g_strconcat("/device/shipped/", gpus[i], NULL);
        g_test_add_data_func(path, gpus[i], test_shipped);
    }
    g_test_add_func("/device/list", test_list);
    g_test_add_func("/device/h200", test_h200);
    g_test_add_func("/device/build-folder", test_build_folder);
    g_test_add_func("/device/bad-text", test_bad_text);
    g_test_add_func("/device/odd-but-good", test_odd_but_good);
    g_test_add_func("/device/damage", test_damage);
    g_test_add_func("/device/based-on", test_based_on);
    g_test_add_func("/device/complete", test_complete);
    g_test_add_func("/device/bad-files", test_bad_files);
    g_test_add_func("/device/set", test_set);
    g_test_add_func("/device/set-together", test_set_together);
    int status = g_test_run();
    g_autofree char *file = g_build_filename(folder, "x.ini", NULL);
    g_remove(file);
    g_rmdir(folder);
    return status;
}
