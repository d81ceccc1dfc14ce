/* SPDX-License-Identifier: MIT
 *
 * origins_unit.c - what gmcapture says of the program's allocations: call, number, line and the
 * name that the line has; of a program without lines (BARE) the function; and variables of modules.
 */
#include <glib.h>
#include <string.h>

#include "tests/capture/fake/cuda_runtime.h"

static uint64_t d_in;
static unsigned line_of_d_in;

static __attribute__((noinline)) void make_arrays(void)
{
    uint64_t helper;
    line_of_d_in = __LINE__ + 1;
    cudaMalloc(&d_in, 512);
    cudaMalloc(&helper, 1024);
    g_assert_cmpuint(helper, ==, d_in + 0x10000);
}

static gmtrace_allocation *live(uint32_t expected)
{
    uint32_t count;
    gmtrace_allocation *list = gmc_allocations_copy(&count);
    g_assert_cmpuint(count, ==, expected);
    return list;
}

/* The outermost call names an allocation, its number tells it from others. */
static void test_calls(void)
{
    make_arrays();
    gmc_allocations_add(0x3000, 256, gmc_origins_make(0x3000));
    gmc_origins_enter("cuMemMap");
    gmc_allocations_add(0x1000, 256, gmc_origins_make(0x1000));
    gmc_origins_leave(0);
    gmc_allocations_add(0x2000, 256, NULL);
    g_autofree gmtrace_allocation *held = live(6);
    g_assert_cmpstr(held[0].origin->call, ==, "cuMemMap");
    g_assert_cmpuint(held[0].origin->number, ==, 4);
    g_assert_null(held[1].origin);
    g_assert_cmpstr(held[2].origin->call, ==, "allocation");
    g_assert_cmpuint(held[2].origin->number, ==, 3);
    g_assert_cmpstr(held[3].origin->call, ==, ""); /* the driver's own */
    g_assert_cmpuint(held[3].origin->number, ==, 0);
    g_assert_cmpstr(held[4].origin->call, ==, "cudaMalloc");
    g_assert_cmpuint(held[4].origin->number, ==, 1);
    g_assert_cmpuint(held[5].origin->number, ==, 2);
    g_assert_cmpstr(held[4].origin->file, ==, ""); /* nobody has looked yet */
}

static void test_places(void)
{
    g_autofree gmtrace_allocation *held = live(6);
    g_autofree char *tool = g_find_program_in_path("addr2line");
    const gmtrace_origin *made = held[4].origin;
    if (!tool) {
        g_test_skip("no addr2line");
        return;
    }
    gmc_origins_resolve();
#ifdef BARE
    g_assert_cmpstr(made->file, ==, "make_arrays()");
    g_assert_cmpuint(made->line, ==, 0);
    g_assert_cmpstr(made->name, ==, "");
    g_assert_true(gmtrace_origin_is_function(made));
#else
    g_assert_true(g_str_has_suffix(made->file, "origins_unit.c"));
    g_assert_cmpuint(made->line, ==, line_of_d_in);
    g_assert_cmpstr(made->name, ==, "d_in");
    g_assert_cmpstr(held[5].origin->name, ==, "helper");
    g_assert_false(gmtrace_origin_is_function(made));
#endif
    g_assert_cmpstr(made->call, ==, "cudaMalloc");
    g_assert_cmpuint(made->number, ==, 1);
    g_assert_cmpstr(held[3].origin->file, ==, "");
}

static void test_variables(void)
{
    const gmtrace_origin *table = gmc_origins_variable("table");
    const uint64_t base = 0x900000000000;
    gmc_allocations_add(base, 0x10000, NULL); /* a module's memory */
    gmc_allocations_add_variable(base + 0x100, 0x400, table);
    gmc_allocations_add_variable(base, 0x80, table);
    gmc_allocations_add_variable(0x4000, 64, table); /* in none */
    gmtrace_allocation *held = live(11);
    g_assert_cmphex(held[3].base, ==, 0x4000);
    const struct {
        uint64_t base, size;
        const gmtrace_origin *origin;
    } wanted[] = {{base, 0x80, table},
                  {base + 0x80, 0x80, NULL},
                  {base + 0x100, 0x400, table},
                  {base + 0x500, 0xfb00, NULL}};
    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        g_assert_cmphex(held[7 + i].base, ==, wanted[i].base);
        g_assert_cmphex(held[7 + i].size, ==, wanted[i].size);
        g_assert_true(held[7 + i].origin == wanted[i].origin);
    }
    g_assert_cmpstr(table->name, ==, "table");
    g_assert_cmpuint(table->number, ==, 0);
    g_free(held);
    gmc_allocations_remove(base); /* with all that lies in it */
    gmc_allocations_remove(0x4000);
    g_free(live(6));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/origins/calls", test_calls);
    g_test_add_func("/origins/places", test_places);
    g_test_add_func("/origins/variables", test_variables);
    return g_test_run();
}
