/* SPDX-License-Identifier: MIT
 *
 * call_text_unit.c - what the text of a line tells of an allocation's name, and where it tells
 * none.
 */
#include "traces/code/call_text.h"

#include <glib.h>

/* "d_x", "d_x passed on", or "" */
static const char *argument(const char *text, const char *function, unsigned which)
{
    static char shown[80];
    char name[64] = "";
    bool passed_on = false;
    if (!gmt_argument_of(text, function, which, name, sizeof name, &passed_on))
        return "";
    g_snprintf(shown, sizeof shown, "%s%s", name, passed_on ? " passed on" : "");
    return shown;
}

static const char *variable(const char *text)
{
    static char name[64];
    return gmt_variable_of(text, name, sizeof name) ? name : "";
}

static void arguments(void)
{
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"    cudaMalloc(&d_x, n);\n", "d_x"},
        {"cudaMalloc((void **)&d_x, n);", "d_x"},
        {"cudaMalloc((void**) & d_x, n);", "d_x"},
        {"check(cudaMalloc(reinterpret_cast<void **>(&d_x), n));", "d_x"},
        {"cudaMalloc<float>(&d_x, n);", "d_x"},
        {"cudaMalloc(&(d_x), n);", "d_x"},
        {"cudaMalloc(&a.p[i + 1], n);", "a.p[i+1]"},
        {"cudaMalloc(&this->data, n);", "data"},
        {"cudaMalloc(&s->q, n);", "s->q"},
        {"cudaMalloc(\n    &d_x,\n    n);\n", "d_x"},
        {"cudaMalloc((void **)p, n);", "p passed on"},
        {"cudaMalloc(pointers + i, n);", "pointers passed on"},
        {"cudaMallocManaged(&d_x, n);", ""},
        {"mycudaMalloc(&d_x, n);", ""},
        {"cudaMalloc(", ""},
        {"cudaMalloc(&((((", ""},
        {"cudaMalloc(&a[[[, n)", ""},
        {"", ""},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpstr(argument(cases[i].text, "cudaMalloc", 0), ==, cases[i].name);
}

static void several_on_a_line(void)
{
    bool in_order;
    const char *text = "cudaMalloc(&a, n); cudaMalloc(&b, n);\ncudaMalloc(&c, n);";
    g_assert_cmpuint(gmt_calls_in(text, "cudaMalloc", &in_order), ==, 2);
    g_assert_true(in_order);
    g_assert_cmpstr(argument(text, "cudaMalloc", 1), ==, "b");
    g_assert_cmpstr(argument(text, "cudaMalloc", 2), ==, "");
    static const char *const either[] = {
        "if (x) cudaMalloc(&a, n); else cudaMalloc(&b, n);",
        "x ? cudaMalloc(&a, n) : cudaMalloc(&b, n);",
        "void f() { cudaMalloc(&a, n); } void g() { cudaMalloc(&b, n); }",
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(either); i++) {
        g_assert_cmpuint(gmt_calls_in(either[i], "cudaMalloc", &in_order), ==, 2);
        g_assert_false(in_order);
    }
}

static void variables(void)
{
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"check(get(&d_x, n));", "d_x"},
        {"get(n, (void **)&d_x);", "d_x"},
        {"get(&a, &b);", ""},
        {"if (a && b) f();", ""},
        {"float *d_x = get<float>(n);", "d_x"},
        {"d_x = (float *)get(n);", "d_x"},
        {"    s.rows[i] = get(n);", "s.rows[i]"},
        {"auto d_x=get(n);", "d_x"},
        {"if (n == m) return get(n);", ""},
        {"MALLOC(d_x, n);", "d_x"},
        {"gpuAlloc((void **)d_x, n);", "d_x"},
        {"return device_alloc(n);", ""},
        {"thrust::device_vector<float> d_x(n, 1);", "d_x"},
        {"thrust::device_vector<thrust::pair<int, int>> d_x = h_x;", "d_x"},
        {"==", ""},
        {"= =", ""},
        {"&", ""},
        {"(&", ""},
        {"device_vector<", ""},
        {"alloc(", ""},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpstr(variable(cases[i].text), ==, cases[i].name);
    char small[4];
    g_assert_false(gmt_variable_of("long_name = get(n);", small, sizeof small));
}

/* Any start of any text is looked at without leaving it (sanitizers see it). */
static void nothing_is_read_beyond_the_end(void)
{
    static const char all[] = "a.b->c::d[e]=check(cudaMalloc<t<u>>((void**)reinterpret_cast<v*>(&(x"
                              "[y[z]])),alloc(w,device_vector<q>{n})));";
    for (gsize from = 0; from < sizeof all; from++)
        for (gsize length = 0; from + length < sizeof all; length++) {
            g_autofree char *text = g_strndup(all + from, length);
            argument(text, "cudaMalloc", 0);
            variable(text);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/call_text/arguments", arguments);
    g_test_add_func("/call_text/several_on_a_line", several_on_a_line);
    g_test_add_func("/call_text/variables", variables);
    g_test_add_func("/call_text/nothing_is_read_beyond_the_end", nothing_is_read_beyond_the_end);
    return g_test_run();
}
