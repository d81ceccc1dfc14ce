/* SPDX-License-Identifier: MIT
 *
 * names_unit.c - short names: what goes first, and that two names that differ never become the same
 * text, whatever they are.
 */
#include <string.h>

#include "sim/report/names.h"

#define OPERATOR(functor)                                                                          \
    "void at::native::vectorized_elementwise_kernel<4, at::native::" functor                       \
    ", std::array<char *, 2ul> >(int, at::native::" functor ", std::array<char *, 2ul>)"

static void assert_texts(const char *const *name, const char *const *text, unsigned count,
                         unsigned width)
{
    char **made = gmsim_short_names(name, count, width);

    for (unsigned i = 0; i < count; i++)
        g_assert_cmpstr(made[i], ==, text[i]);
    g_strfreev(made);
}

/* Parameters, then namespaces, then the middle. */
static void test_alone(void)
{
    static const char *const name[] = {
        "many(float *)",
        "void transpose_nopad<float>(const float *, float *, int)",
        "void (anonymous namespace)::deep::inside::softmax<__half>(float *)",
        "void cutlass::Kernel<cutlass::gemm::kernel::Universal>(cutlass::Params)",
        "(",
        ")",
        "",
        "f() #2",
    };
    static const char *const text[] = {
        "many(float *)",
        "transpose_nopad<float>",
        "softmax<__half>",
        "Kernel<Universal>",
        "(",
        ")",
        "",
        "f() #2",
    };

    assert_texts(name, text, G_N_ELEMENTS(name), 24);
}

/* What differs stays. */
static void test_alike(void)
{
    static const char *const name[] = {OPERATOR("AddFunctor<float>"), OPERATOR("MulFunctor<float>"),
                                       OPERATOR("AddFunctor<float>"), OPERATOR("AddFunctor<int>")};
    char **text = gmsim_short_names(name, 4, 23);

    g_assert_nonnull(strstr(text[0], "AddFunctor<float"));
    g_assert_nonnull(strstr(text[1], "MulFunctor<float"));
    g_assert_nonnull(strstr(text[3], "AddFunctor<int"));
    g_assert_cmpstr(text[0], ==, text[2]);
    g_strfreev(text);
}

/* Names of a few pieces, so that many are alike; of every name some other is a copy. */
static char *random_name(GRand *random)
{
    static const char *const piece[] = {
        "at::",    "native::", "kernel",   "_0",
        "<float>", "<int, 4>", "(int)",    "(float *)",
        "\033",    "\xff",     "\xc3\xa9", " #2",
        "void ",   "#",        "::",       "(anonymous namespace)::"};
    GString *name = g_string_new(NULL);

    for (int left = g_rand_int_range(random, 0, 16); left > 0; left--)
        g_string_append(name, piece[g_rand_int_range(random, 0, G_N_ELEMENTS(piece))]);
    return g_string_free(name, FALSE);
}

static void test_never_the_same(void)
{
    GRand *random = g_rand_new_with_seed(1);

    for (unsigned round = 0; round < 300; round++) {
        const unsigned count = 1 + (unsigned)g_rand_int_range(random, 0, 200);
        const unsigned width = GMSIM_NAME_LEAST + (unsigned)g_rand_int_range(random, 0, 30);
        char **name = g_new0(char *, count + 1), **text;
        GHashTable *of_text = g_hash_table_new(g_str_hash, g_str_equal);

        for (unsigned i = 0; i < count; i++)
            name[i] = i % 7 == 6 ? g_strdup(name[i - 3]) : random_name(random);
        text = gmsim_short_names((const char *const *)name, count, width);
        for (unsigned i = 0; i < count; i++) {
            const char *other = g_hash_table_lookup(of_text, text[i]);

            g_assert_true(g_utf8_validate(text[i], -1, NULL));
            g_assert_null(strchr(text[i], '\033'));
            g_assert_cmpint(g_utf8_strlen(text[i], -1), <=, width);
            g_assert_true(other == NULL || strcmp(other, name[i]) == 0);
            g_hash_table_insert(of_text, text[i], name[i]);
        }
        for (unsigned i = 6; i < count; i += 7)
            g_assert_cmpstr(text[i], ==, text[i - 3]);
        g_hash_table_unref(of_text);
        g_strfreev(name);
        g_strfreev(text);
    }
    g_rand_free(random);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/names/alone", test_alone);
    g_test_add_func("/names/alike", test_alike);
    g_test_add_func("/names/never-the-same", test_never_the_same);
    return g_test_run();
}
