/* SPDX-License-Identifier: MIT
 *
 * report_unit.c - tables, JSON, applications, reports and source lines, on results filled by hand.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#include "sim/report/format.h"
#include "sim/report/report.h"
#include "sim/report/text.h"
#include "tests/report/report_fixture.h"

/* --------------------------------------------------------------------------------------- tables */

/* The same columns and rows as text of known and of found widths, as CSV and as JSON. */
static void test_table(void)
{
    const gmsim_column columns[] = {
        {.key = "who", .title = "who", .width = 5, .left = true, .outer = true},
        {.key = "size", .title = "size", .width = 10},
        {.title = "only text", .gap = 1, .left = true},
        {.key = "change", .delta = true},
    };
    gmsim_column found[G_N_ELEMENTS(columns)];
    const gmsim_field rows[2][4] = {{gmsim_words("a"), gmsim_number_of(GMSIM_UNIT_BYTES, 4096),
                                     gmsim_words(""), gmsim_number_of(GMSIM_UNIT_PERCENT, -1.5)},
                                    {gmsim_words("say \"b\""),
                                     gmsim_quotient(GMSIM_UNIT_RATIO, 1, 0), gmsim_words("x"),
                                     gmsim_words(NULL)}};
    static const char *const wanted[] = {
        "who        size only text\na       4.0 KiB\nsay \"b\"         - x\n",
        "who         size only text\na        4.0 KiB\nsay \"b\"        - x\n",
        "\"who\",\"size\",\"change\"\r\n\"a\",4096,-1.500000\r\n\"say \"\"b\"\"\",,\r\n"};

    memcpy(found, columns, sizeof found);
    found[0].width = found[1].width = 0;
    found[1].gap = 2;
    for (unsigned form = 0; form < 3; form++) {
        GString *out = g_string_new(NULL);
        gmsim_table table;

        gmsim_table_begin(&table, form == 2 ? GMSIM_TABLE_CSV : GMSIM_TABLE_TEXT,
                          form == 1 ? found : columns, 4, out, false);
        for (unsigned i = 0; i < 2; i++)
            gmsim_table_row(&table, rows[i]);
        gmsim_table_end(&table);
        g_assert_cmpstr(out->str, ==, wanted[form]);
        g_string_free(out, TRUE);
    }
}

/* ---------------------------------------------------------------------------------------- JSON */

static char *json_of(void (*write)(gmsim_json *json))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gmsim_json json;

    g_assert_nonnull(out);
    gmsim_json_init(&json, out);
    write(&json);
    gmsim_json_finish(&json);
    fclose(out);
    return text;
}

static void write_scalars(gmsim_json *json)
{
    gmsim_json_array(json, NULL, true);
    gmsim_json_uint(json, NULL, UINT64_MAX);
    gmsim_json_int(json, NULL, INT64_MIN);
    gmsim_json_real(json, NULL, 0.1);
    gmsim_json_real(json, NULL, 1.0 / 3.0);
    gmsim_json_real(json, NULL, NAN);
    gmsim_json_real(json, NULL, HUGE_VAL);
    gmsim_json_string(json, NULL, NULL);
    gmsim_json_string(json, NULL, "a\"b\\c\n\t\001\177");
    gmsim_json_string(json, NULL, "\xc3\xa9 \xff");
    gmsim_json_bool(json, NULL, true);
    gmsim_json_close(json);
}

static void test_json_scalars(void)
{
    char *text = json_of(write_scalars);

    g_assert_cmpstr(text, ==,
                    "[18446744073709551615, -9223372036854775808, 0.1, 0.3333333333333333, null, "
                    "null, null, \"a\\\"b\\\\c\\n\\t\\u0001\\u007f\", \"\xc3\xa9 \xef\xbf\xbd\", "
                    "true]\n");
    free(text);
}

static void write_nested(gmsim_json *json)
{
    gmsim_json_object(json, NULL, false);
    gmsim_json_array(json, "empty", false);
    gmsim_json_close(json);
    gmsim_json_object(json, "line", true);
    gmsim_json_array(json, "inner", false);
    gmsim_json_uint(json, NULL, 1);
    gmsim_json_uint(json, NULL, 2);
    gmsim_json_close(json);
    gmsim_json_close(json);
    gmsim_json_close(json);
}

static void test_json_nested(void)
{
    char *text = json_of(write_nested);

    g_assert_cmpstr(text, ==, "{\n  \"empty\": [],\n  \"line\": {\"inner\": [1, 2]}\n}\n");
    free(text);
}

/* ---------------------------------------------------------------------------------- applications
 */

/* Two launches of one kernel, and one of another whose traffic was not seen. */
static void test_application(void)
{
    static const unsigned waits[GMSIM_STALLS] = {[GMSIM_STALL_DRAM_LATENCY] = 80};
    const gmsim_kernel_total *total;
    gmsim_application *application;
    gmtrace_kernel hidden;
    unsigned *order;
    fixture f, other;

    fixture_transpose(&f, false);
    fixture_time(&f, 40000, waits);
    f.result.start = GMSIM_START_WARM;
    application = gmsim_application_new(&f.gpu);
    g_assert_cmpuint(gmsim_application_add(application, 3, &f.result)->number, ==, 0);
    f.result.timing.cycles = 50000;
    total = gmsim_application_add(application, 4, &f.result);
    g_assert_cmpuint(total->launches, ==, 2);
    g_assert_cmpuint(total->longest, ==, 4);
    g_assert_cmpuint(total->clocks, ==, 90000);
    g_assert_cmpuint(total->starts[GMSIM_START_WARM], ==, 2);
    g_assert_cmpuint(total->sum.timing.cycles, ==, 90000);
    g_assert_cmpuint(total->sum.l2.dram_read_sectors, ==, 2 * f.result.l2.dram_read_sectors);
    g_assert_cmpuint(total->sum.row[GMSIM_SHARED_LOAD].wavefronts, ==,
                     2 * f.result.row[GMSIM_SHARED_LOAD].wavefronts);
    g_assert_cmpuint(total->finding[gmsim_kernel_finding(total)].clocks, ==, 90000);

    fixture_transpose(&other, false);
    hidden = other.kernel; /* the same name, other code */
    hidden.registers++;
    other.result.kernel = &hidden;
    other.result.unseen = GMTRACE_UNSEEN_TENSOR_COPY;
    total = gmsim_application_add(application, 5, &other.result);
    g_assert_cmpuint(total->number, ==, 1);
    g_assert_cmpuint(total->unknown, ==, 1);
    g_assert_cmpuint(total->clocks, ==, 0);
    g_assert_cmpuint(gmsim_application_kernels(application), ==, 2);

    total = gmsim_application_total(application);
    g_assert_cmpuint(total->launches, ==, 3);
    g_assert_cmpuint(total->unknown, ==, 1);
    g_assert_true(total->sum.timed);
    g_assert_cmpuint(total->sum.timing.cycles, ==, 90000);
    g_assert_cmpuint(total->sum.l2.dram_read_sectors, ==, 2 * f.result.l2.dram_read_sectors);
    order = gmsim_application_order(application, GMSIM_BY_CLOCKS);
    g_assert_cmpuint(order[0], ==, 0);
    g_assert_cmpuint(order[1], ==, 1);
    g_free(order);
    gmsim_application_free(application);
}

/* ------------------------------------------------------------------------------------- reports */

static char *report_of(const fixture *f, const char *format, bool summary)
{
    const gmsim_format *table = gmsim_format_find(format);
    gmsim_report report = {.version = "test",
                           .trace = "t.trc",
                           .gpu = &f->gpu,
                           .capture = &f->capture,
                           .launch_count = 1,
                           .selected = 1,
                           .summary = summary};
    char *text = NULL;
    size_t size = 0;

    g_assert_nonnull(table);
    report.out = open_memstream(&text, &size);
    g_assert_nonnull(report.out);
    table->begin(&report);
    table->launch(&report, 0, &f->result);
    table->end(&report, true);
    fclose(report.out);
    return text;
}

/* One screen: about 40 lines of at most 100 columns, no trailing blanks, nothing but ASCII. */
static void check_screen(const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);

    g_assert_cmpuint(g_strv_length(lines), <=, 46);
    for (char **line = lines; *line != NULL; line++) {
        size_t length = strlen(*line);

        if (length > GMSIM_REPORT_WIDTH)
            g_error("too wide: %s", *line);
        if (length > 0 && (*line)[length - 1] == ' ')
            g_error("trailing blank: '%s'", *line);
        for (const char *c = *line; *c != 0; c++)
            g_assert_true(*c >= ' ' && *c <= '~');
    }
    g_strfreev(lines);
}

static void test_text_screen(void)
{
    fixture f;
    char *text;

    fixture_transpose(&f, false);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "32.00  1.00"));
    g_assert_nonnull(strstr(text, "words  w...............................  bank 0: 32"));
    free(text);
    fixture_transpose(&f, true);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "Bank conflicts  none"));
    free(text);
    fixture_init(&f);
    text = report_of(&f, "text", false);
    check_screen(text);
    g_assert_nonnull(strstr(text, "No memory work"));
    free(text);
    text = report_of(&f, "text", true);
    check_screen(text);
    free(text);
}

/* Names come from a file: no escape sequence may reach the terminal. */
static void test_text_hostile_names(void)
{
    fixture f;
    char *text;

    fixture_transpose(&f, false);
    f.kernel.name = "evil\033[2Jname\nVERDICT  fine \xff\xfe";
    f.code[2].opcode = "L\033DS";
    text = report_of(&f, "text", false);
    g_assert_null(strchr(text, '\033'));
    g_assert_null(strstr(text, "\nVERDICT  fine"));
    g_assert_true(g_utf8_validate(text, -1, NULL));
    free(text);
    text = report_of(&f, "json", false);
    g_assert_null(strchr(text, '\033'));
    g_assert_true(g_utf8_validate(text, -1, NULL));
    free(text);
}

static void test_csv(void)
{
    fixture f;
    char *text, **lines;
    unsigned fields = 0;

    fixture_transpose(&f, false);
    f.kernel.name = "say(\"hi\", int)";
    text = report_of(&f, "csv", false);
    lines = g_strsplit(text, "\r\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3);
    g_assert_true(g_str_has_prefix(lines[0], "\"ID\",\"Kernel Name\",\"Block Size\""));
    g_assert_true(g_str_has_prefix(
        lines[1], "0,\"say(\"\"hi\"\", int)\",\"(32, 32, 1)\",\"(32, 32, 1)\",\"Round GPU\",9.0,"));
    for (const char *c = strstr(lines[1], "9.0,"); *c != 0; c++)
        fields += *c == ',';
    g_assert_cmpuint(fields, ==, gmsim_metric_all + 3); /* "Complete", "L2 At Start" */
    g_strfreev(lines);
    free(text);
}

static void test_format(void)
{
    GString *out = g_string_new(NULL);
    char *clean;

    g_assert_cmpstr(gmsim_count(0).text, ==, "0");
    g_assert_cmpstr(gmsim_count(999).text, ==, "999");
    g_assert_cmpstr(gmsim_count(1048576).text, ==, "1,048,576");
    g_assert_cmpstr(gmsim_count(UINT64_MAX).text, ==, "18,446,744,073,709,551,615");
    g_assert_cmpstr(gmsim_bytes(1023).text, ==, "1023 B");
    g_assert_cmpstr(gmsim_bytes(4u << 20).text, ==, "4.0 MiB");
    g_assert_cmpstr(gmsim_bytes((1u << 20) - 1).text, ==, "1.0 MiB");
    g_assert_cmpstr(gmsim_ratio(1, 0).text, ==, "-");
    g_assert_cmpstr(gmsim_percentage(939, 1000).text, ==, "93.9%");
    clean = gmsim_clean("abcdefghijklmnop", 12);
    g_assert_cmpstr(clean, ==, "abcdef...nop");
    g_free(clean);
    gmsim_wrap(out, "aa bb cc dd", 0, 2, 5);
    g_assert_cmpstr(out->str, ==, "aa bb\n  cc\n  dd");
    g_string_free(out, TRUE);
}

static char *write_line(const char *folder, const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL), *parent = g_path_get_dirname(path);

    g_assert_cmpint(g_mkdir_with_parents(parent, 0777), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(parent);
    return path;
}

static void shows(const char *folder, const char *file, uint32_t line, const char *text)
{
    char *shown = gmsim_source_line(folder, file, line);

    g_assert_cmpstr(shown, ==, text);
    g_free(shown);
}

/* top/inside is the current folder, top/other one that is named, top/secret neither. */
static void test_source_line(void)
{
    char *top = g_dir_make_tmp("gmsim-XXXXXX", NULL);
    char *inside = write_line(top, "inside/example.cu", "one\n\t\ttwo\033;\nthree");
    char *other = write_line(top, "other/kernels/far.cu", "far");
    char *secret = write_line(top, "secret", "password");
    char *hidden = write_line(top, "inside/.ssh/key", "password");
    char *here = g_path_get_dirname(inside), *there = g_build_filename(top, "other", NULL);
    const char *argv[] = {"rm", "-rf", top, NULL};
    char *link = g_build_filename(here, "link.cu", NULL);
    char *large = g_build_filename(here, "large.cu", NULL);
    char *pipe = g_build_filename(here, "pipe.cu", NULL);
    FILE *file;

    g_assert_cmpint(g_chdir(here), ==, 0);
    shows(NULL, inside, 2, "two?;");
    shows(NULL, inside, 3, "three");
    shows(NULL, inside, 4, NULL);
    shows(NULL, inside, 0, NULL);
    shows(NULL, here, 1, NULL);
    shows(NULL, "", 1, NULL);
    shows(NULL, "/build/of/somebody/else/example.cu", 1, "one");
    /* Nothing outside, by whatever way. */
    shows(NULL, secret, 1, NULL);
    shows(NULL, "../secret", 1, NULL);
    shows(NULL, "x/../../secret", 1, NULL);
    shows(NULL, hidden, 1, NULL);
    shows(NULL, ".ssh/key", 1, NULL);
    g_assert_cmpint(symlink(secret, link), ==, 0);
    shows(NULL, link, 1, NULL);
    shows(NULL, "link.cu", 1, NULL);
    g_assert_cmpint(unlink(link), ==, 0);
    g_assert_cmpint(symlink("example.cu", link), ==, 0);
    shows(NULL, "link.cu", 1, "one");
    /* Below the folder that is named. */
    shows(NULL, other, 1, NULL);
    shows(there, other, 1, "far");
    shows(there, "/elsewhere/kernels/far.cu", 1, "far");
    shows(there, secret, 1, NULL);
    shows(there, "example.cu", 1, "one");
    /* No pipe that nobody writes, nothing large. */
    g_assert_cmpint(mkfifo(pipe, 0666), ==, 0);
    shows(NULL, "pipe.cu", 1, NULL);
    file = fopen(large, "w");
    g_assert_nonnull(file);
    g_assert_cmpint(ftruncate(fileno(file), 1 << 30), ==, 0);
    fclose(file);
    shows(NULL, "large.cu", 1, NULL);
    /* The root folder holds everything and is nobody's project. */
    g_assert_cmpint(g_chdir("/"), ==, 0);
    shows(NULL, secret, 1, NULL);
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
    g_free(pipe);
    g_free(large);
    g_free(link);
    g_free(there);
    g_free(here);
    g_free(hidden);
    g_free(secret);
    g_free(other);
    g_free(inside);
    g_free(top);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/application", test_application);
    g_test_add_func("/report/table", test_table);
    g_test_add_func("/json/scalars", test_json_scalars);
    g_test_add_func("/json/nested", test_json_nested);
    g_test_add_func("/report/format", test_format);
    g_test_add_func("/report/source", test_source_line);
    g_test_add_func("/report/text", test_text_screen);
    g_test_add_func("/report/hostile-names", test_text_hostile_names);
    g_test_add_func("/report/csv", test_csv);
    return g_test_run();
}
