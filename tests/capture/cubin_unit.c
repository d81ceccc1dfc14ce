/* SPDX-License-Identifier: MIT
 *
 * cubin_unit.c - what gmcapture reads of cubins, against those in tests/sass.
 */
#include <glib.h>
#include <string.h>

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

/* As `cuobjdump -elf` names them, EIATTR_PARAM_CBANK: where sm_90 has parameters; 8 bytes and 16.
 */
static void test_parameters(void)
{
    static const struct {
        const char *file, *function;
        uint32_t offset, size;
    } cases[] = {{"calls.elf", "_Z1rPf", 0x210, 8},
                 {"driver_calls.elf", "plain", 0x210, 16},
                 {"calls.elf", "ext2", 0, 0}}; /* no kernel */
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size;
        g_autofree char *image = load(cases[i].file, &size);
        gmc_cubin *cubin = open_calls(image, size);
        g_assert_nonnull(cubin);
        const gmc_function *function = gmc_cubin_find(cubin, cases[i].function);
        g_assert_nonnull(function);
        g_assert_cmphex(function->parameters_offset, ==, cases[i].offset);
        g_assert_cmpuint(function->parameters_size, ==, cases[i].size);
        gmc_cubin_close(cubin);
    }
}

/* What would end behind the bank is not believed; nor is what is too short to say it. */
static void test_odd_parameters(void)
{
    static const uint8_t place[] = {0x04, 0x0a, 0x08, 0x00}, where[] = {0x10, 0x02, 0x08, 0x00};
    for (unsigned odd = 0; odd < 3; odd++) {
        size_t size;
        g_autofree char *image = load("calls.elf", &size);
        char *at = image;
        do
            at = memchr(at + 1, place[0], size - (size_t)(at + 1 - image));
        while (at &&
               (memcmp(at, place, sizeof place) != 0 || memcmp(at + 8, where, sizeof where) != 0));
        g_assert_nonnull(at);
        if (odd == 1)
            at[9] = at[11] = (char)0xff;
        else if (odd == 2)
            at[2] = 4;
        gmc_cubin *cubin = open_calls(image, size);
        g_assert_nonnull(cubin);
        g_assert_cmpuint(gmc_cubin_find(cubin, "_Z1rPf")->parameters_size, ==, odd ? 0 : 8);
        gmc_cubin_close(cubin);
    }
}

static void add_name(void *user, const char *name, const gmc_initial *constant)
{
    g_string_append_printf(user, "%s ", name);
    if (constant)
        g_string_append_printf(user, "at %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " bytes, %d ",
                               constant->offset, constant->size, *(const uint8_t *)constant->bytes);
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
    g_assert_cmpstr(names->str, ==,
                    "table weights at 0, 64 bytes, 0 counter hidden _ZN3own6insideE ");
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
    g_test_add_func("/cubin/parameters", test_parameters);
    g_test_add_func("/cubin/odd-parameters", test_odd_parameters);
    g_test_add_func("/cubin/variables", test_variables);
    g_test_add_func("/cubin/broken", test_broken_cubin);
    return g_test_run();
}
