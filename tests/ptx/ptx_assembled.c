/* SPDX-License-Identifier: MIT
 *
 * ptx_assembled.c - machine code does what the PTX does that ptxas made it of, without ptxas: the
 * kernels of tests/ptx/assembled are executed both ways on the same numbers.
 */
#include "tests/ptx/ptx_fixture.h"

#define WORDS 1000u

typedef struct files {
    char *ptx, *cubin, *listing;
    gsize cubin_bytes;
} files;

static char *read_part(const char *name, gsize *bytes)
{
    const char *top = g_getenv("GMSIM_SRCDIR");
    g_autofree char *path =
        g_build_filename(top ? top : ".", "tests", "ptx", "assembled", name, NULL);
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    if (!g_file_get_contents(path, &text, bytes, &error))
        g_error("%s", error->message);
    return text;
}

static void open_files(files *f)
{
    f->ptx = read_part("kernels.ptx", NULL);
    f->cubin = read_part("kernels.cubin", &f->cubin_bytes);
    f->listing = read_part("kernels.code", NULL);
}

static void close_files(files *f)
{
    g_free(f->ptx);
    g_free(f->cubin);
    g_free(f->listing);
}

static gmptx_code code_of(const files *f)
{
    return (gmptx_code){(const uint8_t *)f->cubin, f->cubin_bytes, f->listing, NULL};
}

/* What the kernel leaves in `out`, and its turns. */
static void run_once(ptx_case *c, uint32_t seed, uint32_t *out, uint64_t *turns)
{
    const gmptx_variable *v = gmptx_find_variable(c->module, "turns");
    uint32_t in[WORDS];
    int n = WORDS;
    void *from = in, *to = out, *args[] = {&from, &to, &n};
    GRand *rand = g_rand_new_with_seed(seed);
    for (unsigned i = 0; i < WORDS; i++) {
        in[i] = g_rand_int(rand) >> (seed % 3 * 8);
        out[i] = 0;
    }
    g_rand_free(rand);
    memset(v->address, 0, v->size);
    if (!case_run(c, (WORDS + 255) / 256, 256, 0, args))
        g_error("%s", c->error.text);
    memcpy(turns, v->address, v->size);
}

static void test_kernel(gconstpointer name)
{
    files f;
    ptx_case c;
    open_files(&f);
    case_open(&c, f.ptx, name);
    const gmptx_code code = code_of(&f);
    const gmptx_kernel *ptx = c.kernel;
    const gmptx_kernel *machine = gmptx_assemble(c.module, ptx, &code, &c.error);
    if (!machine)
        g_error("%s: %s", (const char *)name, c.error.text);
    g_assert_cmpuint(machine->param_bytes, ==, ptx->param_bytes);
    g_assert_cmpuint(machine->registers, >, 0);
    for (uint32_t seed = 0; seed < 6; seed++) {
        uint32_t out[2][WORDS];
        uint64_t turns[2][4], instructions[2];
        for (unsigned way = 0; way < 2; way++) {
            c.kernel = way ? machine : ptx;
            run_once(&c, seed, out[way], turns[way]);
            instructions[way] = c.result.warp_instructions;
        }
        for (unsigned i = 0; i < WORDS; i++)
            if (out[0][i] != out[1][i])
                g_error("%s, seed %u, word %u: PTX makes %08x, machine code %08x",
                        (const char *)name, seed, i, out[0][i], out[1][i]);
        g_assert_cmpmem(turns[0], sizeof turns[0], turns[1], sizeof turns[1]);
        g_assert_cmpuint(instructions[0], !=, instructions[1]); /* not the same code */
    }
    case_close(&c);
    close_files(&f);
}

/* An instruction that nobody knows: no kernel, and the text names it. */
static void test_unknown(void)
{
    files f;
    ptx_case c;
    open_files(&f);
    case_open(&c, f.ptx, "integers");
    for (char *at = f.listing; (at = strstr(at, " POPC ")); at++)
        memcpy(at, " QOPC ", 6);
    const gmptx_code code = code_of(&f);
    g_assert_null(gmptx_assemble(c.module, c.kernel, &code, &c.error));
    g_assert_cmpint(c.error.status, ==, GMTRACE_UNSUPPORTED);
    g_assert_nonnull(strstr(c.error.text, "QOPC"));
    case_close(&c);
    close_files(&f);
}

/* A file that is cut is refused, unless nothing but its end is missing, which nobody reads. */
static void test_cut(void)
{
    files f;
    ptx_case c;
    open_files(&f);
    case_open(&c, f.ptx, "sums");
    for (gsize size = 0; size < f.cubin_bytes; size += 61) {
        uint8_t *part = g_memdup2(f.cubin, size);
        const gmptx_code code = {part, size, f.listing, NULL};
        const gmptx_kernel *made = gmptx_assemble(c.module, c.kernel, &code, &c.error);
        g_assert_true(!made || size > f.cubin_bytes / 2);
        g_free(part);
    }
    case_close(&c);
    close_files(&f);
}

static void test_prune(void)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func gone\n(\n.param .b64 gone_0\n)\n;\n"
        ".const .u64 table = gone;\n"
        ".global .align 4 .b8 kept[4] = {1, 2, 3, 4};\n"
        ".func (.param .b32 r) used(.param .b32 a) { // gone\n ret; }\n"
        ".func unused() { call gone, (x); ret; }\n"
        ".visible .entry k() { mov.u64 %x, kept; call (y), used, (z); ret; }\n";
    g_autofree char *pruned = gmptx_prune(text);
    g_assert_cmpuint(strlen(pruned), ==, strlen(text));
    g_assert_null(strstr(pruned, "unused"));
    g_assert_null(strstr(pruned, "table"));
    g_assert_null(strstr(pruned, "gone_0"));
    g_assert_nonnull(strstr(pruned, ".version 8.0"));
    g_assert_nonnull(strstr(pruned, "kept[4]"));
    g_assert_nonnull(strstr(pruned, ".func (.param .b32 r) used"));
    g_assert_nonnull(strstr(pruned, ".entry k()"));
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"integers", "loops", "sums", "counts", "reals", "locals"};
    g_test_init(&argc, &argv, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strconcat("/assembled/", names[i], NULL);
        g_test_add_data_func(path, names[i], test_kernel);
    }
    g_test_add_func("/assembled/unknown", test_unknown);
    g_test_add_func("/assembled/cut", test_cut);
    g_test_add_func("/assembled/prune", test_prune);
    return g_test_run();
}
