/* SPDX-License-Identifier: MIT
 *
 * cubin_unit.c - what gmcapture reads of cubins, against those in tests/sass.
 */
#include <glib.h>

#include "traces/capture/cubin.h"

static gmc_cubin *open_calls(char *image, size_t size)
{
    const char *reason;
    return gmc_cubin_open(image, size, &reason);
}

static char *load(const char *name, size_t *size)
{
    g_autofree char *path = g_build_filename(g_getenv("GMSIM_SRCDIR"), "tests", "sass", name, NULL);
    char *image = NULL;
    g_assert_true(g_file_get_contents(path, &image, size, NULL));
    return image;
}

static void test_cubin(void)
{
    size_t size, code_size;
    g_autofree char *image = load("calls.elf", &size);
    gmc_cubin *cubin = open_calls(image, size);
    g_assert_nonnull(cubin);
    const gmc_function *kernel = gmc_cubin_find(cubin, "_Z1rPf"), *callee[4];
    g_assert_nonnull(kernel);
    g_assert_true(kernel->kernel);
    g_assert_cmpuint(kernel->size, ==, 0x180);
    g_assert_cmpuint(kernel->registers, >, 0);
    g_assert_cmpuint(gmc_cubin_callees(cubin, kernel, callee, 4), ==, 2);
    g_assert_cmpstr(callee[0]->name, ==, "_Z3extPfi");
    g_assert_cmpstr(callee[1]->name, ==, "ext2"); /* called by the other */
    g_assert_false(callee[0]->kernel);
    g_assert_cmpuint(gmc_cubin_callees(cubin, kernel, callee, 1), ==, 2); /* one listed */
    g_assert_nonnull(gmc_cubin_code(cubin, kernel, &code_size));
    g_assert_cmpuint(code_size, ==, 0x180);
    g_assert_null(gmc_cubin_find(cubin, "ext3"));
    gmc_cubin_close(cubin);
}

/* driver_calls.cu has what calls printf through a function, assert, and nothing. */
static void test_driver_calls(void)
{
    static const struct {
        const char *file, *kernel;
        bool calls;
    } cases[] = {{"driver_calls.elf", "asserts", true},
                 {"driver_calls.elf", "prints", true},
                 {"driver_calls.elf", "plain", false},
                 {"calls.elf", "_Z1rPf", false}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size;
        g_autofree char *image = load(cases[i].file, &size);
        gmc_cubin *cubin = open_calls(image, size);
        g_assert_nonnull(cubin);
        const gmc_function *kernel = gmc_cubin_find(cubin, cases[i].kernel);
        g_assert_nonnull(kernel);
        g_assert_true(gmc_cubin_calls_driver(cubin, kernel) == cases[i].calls);
        gmc_cubin_close(cubin);
    }
}

static void add_name(void *user, const char *name)
{
    g_string_append_printf(user, "%s ", name);
}

/* Variables that host code can name; literals and shared memory are none. */
static void test_variables(void)
{
    size_t size;
    g_autofree char *image = load("variables.elf", &size);
    g_autoptr(GString) names = g_string_new(NULL);
    gmc_cubin *cubin = open_calls(image, size);
    g_assert_nonnull(cubin);
    gmc_cubin_variables(cubin, add_name, names);
    g_assert_cmpstr(names->str, ==, "table weights counter hidden _ZN3own6insideE ");
    gmc_cubin_close(cubin);
}

/* A cubin comes from the program: whatever is wrong with it must not crash it. */
static void test_broken_cubin(void)
{
    size_t size;
    const gmc_function *callee[4];
    g_autofree char *image = load("calls.elf", &size);
    g_autoptr(GString) names = g_string_new(NULL);
    for (size_t at = 0; at < size; at += 3) {
        g_autofree char *copy = g_memdup2(image, at % 2 ? size : at);
        if (at % 2)
            copy[at] = (char)~copy[at];
        gmc_cubin *cubin = open_calls(copy, at % 2 ? size : at);
        for (size_t i = 0; cubin && i < gmc_cubin_function_count(cubin); i++)
            if (gmc_cubin_callees(cubin, gmc_cubin_function(cubin, i), callee, 4) < size)
                gmc_cubin_calls_driver(cubin, gmc_cubin_function(cubin, i));
        if (cubin)
            gmc_cubin_variables(cubin, add_name, names);
        gmc_cubin_close(cubin);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cubin/functions", test_cubin);
    g_test_add_func("/cubin/driver-calls", test_driver_calls);
    g_test_add_func("/cubin/variables", test_variables);
    g_test_add_func("/cubin/broken", test_broken_cubin);
    return g_test_run();
}
