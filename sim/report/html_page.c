/* SPDX-License-Identifier: MIT
 *
 * html_page.c - what every page has, one file that needs no other: head, numbers, script. A policy
 * in it lets no other script run than the one whose checksum it names, and nothing be loaded.
 */
#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"
#include "sim/report/format.h"
#include "sim/report/html.h"

void gmsim_html_text(gmsim_json *json, const char *key, const char *text)
{
    g_autofree char *clean = text != NULL ? gmsim_clean(text, 0) : NULL;

    gmsim_json_string(json, key, clean);
}

void gmsim_html_number(gmsim_json *json, const char *key, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    if (isfinite(value) && value != floor(value))
        value = g_ascii_strtod(g_ascii_formatd(text, sizeof text, "%.7g", value), NULL);
    gmsim_json_number(json, key, value);
}

void gmsim_html_percent(gmsim_json *json, const char *key, uint64_t part, uint64_t whole)
{
    gmsim_html_number(json, key, whole > 0 ? 100.0 * (double)part / (double)whole : (double)NAN);
}

void gmsim_html_metrics(gmsim_json *json, const gmsim_result *result)
{
    gmsim_json_array(json, "m", true);
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        double value;

        /* The sum of launches of which none is known is of no launch. */
        bool known = result->launch != NULL && gmsim_metric_value(result, i, &value);

        gmsim_html_number(json, NULL, known ? value : (double)NAN);
    }
    gmsim_json_close(json);
}

void gmsim_html_gpu(gmsim_json *json, const gmsim_gpu *gpu)
{
    gmsim_json_object(json, "gpu", true);
    gmsim_html_text(json, "name", gpu->name);
    gmsim_html_text(json, "title", gpu->title);
    gmsim_json_uint(json, "sms", gpu->gpu_sm_count);
    gmsim_json_uint(json, "warps", gpu->occupancy_warps_per_sm);
    gmsim_json_uint(json, "l1", gpu->l1_size);
    gmsim_json_uint(json, "l2", gpu->l2_size);
    gmsim_json_uint(json, "sides", gpu->l2_partitions);
    gmsim_json_uint(json, "reserved", gpu->shared_reserved);
    gmsim_json_close(json);
}

static void put_names(gmsim_json *json, const char *key, const gmsim_names *names, unsigned count)
{
    gmsim_json_array(json, key, true);
    for (unsigned i = 0; i < count; i++)
        gmsim_json_string(json, NULL, names[i].name);
    gmsim_json_close(json);
}

/* What the numbers of launches stand for, once a page. */
static void put_tables(gmsim_json *json)
{
    static const char *const units[] = {
        [GMSIM_UNIT_COUNT] = "count",      [GMSIM_UNIT_RATIO] = "ratio",
        [GMSIM_UNIT_PERCENT] = "percent",  [GMSIM_UNIT_BYTES] = "bytes",
        [GMSIM_UNIT_NANOSECONDS] = "time", [GMSIM_UNIT_BYTES_PER_SECOND] = "rate"};

    gmsim_json_array(json, "metrics", true);
    for (unsigned i = 0; i < gmsim_metric_all; i++) {
        const gmsim_metric *metric = &gmsim_metrics[i];

        gmsim_json_object(json, NULL, true);
        gmsim_json_string(json, "name", metric->name);
        gmsim_json_string(json, "unit", units[metric->unit]);
        gmsim_json_string(json, "meaning", metric->meaning);
        if (metric->key != NULL)
            gmsim_json_string(json, "key", metric->key);
        if (metric->family == GMSIM_FAMILY_EXACT)
            gmsim_json_bool(json, "exact", true);
        gmsim_json_close(json);
    }
    gmsim_json_close(json);
    put_names(json, "stalls", gmsim_stall_table, GMSIM_STALLS);
    put_names(json, "resources", gmsim_resource_table, GMSIM_RESOURCES);
}

/* "sha256-...", by which a policy names a style or script. */
static char *checksum_of(const char *text)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize length = sizeof digest;
    char *base64, *name;

    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text));
    g_checksum_get_digest(sum, digest, &length);
    g_checksum_free(sum);
    base64 = g_base64_encode(digest, length);
    name = g_strconcat("sha256-", base64, NULL);
    g_free(base64);
    return name;
}

void gmsim_html_begin(gmsim_report *report, const char *kind, const char *title)
{
    g_autofree char *clean = gmsim_clean(title, 0);
    g_autofree char *escaped = g_markup_escape_text(clean, -1);
    g_autofree char *style = checksum_of(gmsim_page_style);
    g_autofree char *script = checksum_of(gmsim_page_script);
    gmsim_json *json = &report->json;

    fprintf(report->out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"gmsim %s\">\n"
            "<title>%s - gmsim</title>\n<style>%s</style>\n</head>\n<body>\n"
            "<div id=\"page\"></div>\n<noscript>This report draws itself with a script of its own, "
            "which this browser does not run. Its numbers are in gmsim's text, JSON and CSV "
            "reports.</noscript>\n<script type=\"application/json\" id=\"data\">",
            style, script, report->version, escaped, gmsim_page_style);
    gmsim_json_init(json, report->out);
    json->page = true;
    report->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    report->detail = 0;
    report->written = 0;
    gmsim_json_object(json, NULL, true);
    gmsim_json_string(json, "kind", kind);
    gmsim_json_string(json, "version", report->version);
    put_tables(json);
}

void gmsim_html_finish(gmsim_report *report, bool complete)
{
    gmsim_json_bool(&report->json, "complete", complete);
    gmsim_json_close(&report->json);
    gmsim_json_finish(&report->json);
    g_hash_table_unref(report->known);
    report->known = NULL;
    fprintf(report->out, "</script>\n<script>%s</script>\n</body>\n</html>\n", gmsim_page_script);
}
