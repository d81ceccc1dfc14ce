/* SPDX-License-Identifier: MIT
 *
 * measured.c - reads Nsight Compute's CSV into the table of measured.h.
 *
 * ncu prints its own lines ("==PROF== ...") and the program's before the table, so everything
 * before a line that holds the words Kernel Name is skipped. In the raw page the record after the
 * header holds units. Several tables may follow one another in one file, as when outputs were
 * joined; each begins with its own header.
 */
#include "sim/measured/measured.h"

#include "sim/device/gpu.h"
#include "sim/measured/csv.h"
#include "sim/measured/number.h"

#include <glib/gstdio.h>
#include <string.h>

#define MAX_FILE_BYTES ((size_t)512 << 20)

/* Where the columns of one header are; -1 = not there. */
typedef struct header {
    int label, kernel, grid, block, id, process;
    int metric_name, metric_unit, metric_value; /* the long form, one line a metric */
    GArray *column; /* by field: index into gmsim_measured.columns, -1 for other fields */
    GPtrArray *unit;
    unsigned fields;
} header;

typedef struct reading {
    gmsim_measured *measured;
    gmsim_csv csv;
    header head;
    GHashTable *seen;  /* "label, kernel, shape" to how many came in this file */
    GHashTable *named; /* columns of the current header, as a set */
    char *launch;      /* long form: ID and process of the row being filled */
    gmsim_measured_row *row;
} reading;

static void row_free(gpointer data)
{
    gmsim_measured_row *row = data;

    g_free(row->label);
    g_free(row->kernel);
    g_free(row->path);
    g_array_free(row->cells, TRUE);
    g_free(row);
}

gmsim_measured *gmsim_measured_new(void)
{
    gmsim_measured *measured = g_new0(gmsim_measured, 1);

    measured->rows = g_ptr_array_new_with_free_func(row_free);
    measured->columns = g_ptr_array_new_with_free_func(g_free);
    measured->column_index = g_hash_table_new(g_str_hash, g_str_equal);
    measured->row_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return measured;
}

void gmsim_measured_free(gmsim_measured *measured)
{
    if (measured == NULL)
        return;
    g_hash_table_destroy(measured->row_index);
    g_hash_table_destroy(measured->column_index);
    g_ptr_array_free(measured->columns, TRUE);
    g_ptr_array_free(measured->rows, TRUE);
    g_free(measured->conflict);
    g_free(measured);
}

int gmsim_measured_column(const gmsim_measured *measured, const char *metric)
{
    gpointer index;

    if (!g_hash_table_lookup_extended(measured->column_index, metric, NULL, &index))
        return -1;
    return GPOINTER_TO_INT(index);
}

gmsim_cell gmsim_measured_cell(const gmsim_measured_row *row, int column)
{
    static const gmsim_cell absent = {.state = GMSIM_CELL_ABSENT};

    if (column < 0 || (unsigned)column >= row->cells->len)
        return absent;
    return g_array_index(row->cells, gmsim_cell, column);
}

static int column_for(gmsim_measured *measured, const char *metric)
{
    int index = gmsim_measured_column(measured, metric);

    if (index < 0) {
        char *name = g_strdup(metric);

        index = (int)measured->columns->len;
        g_ptr_array_add(measured->columns, name);
        g_hash_table_insert(measured->column_index, name, GINT_TO_POINTER(index));
    }
    return index;
}

static bool bad(const reading *in, GError **error, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT, "%s:%" G_GUINT64_FORMAT ": %s",
                in->csv.path, in->csv.began, what);
    return false;
}

/* ------------------------------------------------------------------------------------- header */

static void header_clear(header *head)
{
    if (head->column != NULL)
        g_array_free(head->column, TRUE);
    if (head->unit != NULL)
        g_ptr_array_free(head->unit, TRUE);
    memset(head, 0, sizeof *head);
}

/* A metric's name has a unit prefix: "smsp__...", "launch__...". ncu's other columns do not. */
static bool is_metric(const char *name)
{
    return strstr(name, "__") != NULL && strchr(name, ' ') == NULL;
}

static bool read_header(reading *in, GError **error)
{
    header *head = &in->head;
    struct {
        const char *name;
        int *place;
    } known[] = {
        {"Case", &head->label},
        {"Kernel Name", &head->kernel},
        {"Grid Size", &head->grid},
        {"Block Size", &head->block},
        {"ID", &head->id},
        {"Process ID", &head->process},
        {"Metric Name", &head->metric_name},
        {"Metric Unit", &head->metric_unit},
        {"Metric Value", &head->metric_value},
    };

    header_clear(head);
    g_hash_table_remove_all(in->named);
    head->column = g_array_new(FALSE, FALSE, sizeof(int));
    head->unit = g_ptr_array_new_with_free_func(g_free);
    head->fields = gmsim_csv_fields(&in->csv);
    for (size_t k = 0; k < G_N_ELEMENTS(known); k++)
        *known[k].place = -1;
    for (unsigned i = 0; i < head->fields; i++) {
        const char *name = gmsim_csv_field(&in->csv, i);
        int column = -1;

        for (size_t k = 0; k < G_N_ELEMENTS(known); k++) {
            if (strcmp(name, known[k].name) != 0)
                continue;
            if (*known[k].place >= 0)
                return bad(in, error, "the header names a column twice");
            *known[k].place = (int)i;
        }
        if (is_metric(name))
            column = column_for(in->measured, name);
        if (column >= 0 && !g_hash_table_add(in->named, GINT_TO_POINTER(column)))
            return bad(in, error, "the header names a metric twice");
        g_array_append_val(head->column, column);
        g_ptr_array_add(head->unit, g_strdup(""));
    }
    if (head->grid < 0 || head->block < 0)
        return bad(in, error,
                   "the table has no Grid Size and Block Size columns; write it with a newer ncu");
    if ((head->metric_name < 0) != (head->metric_value < 0))
        return bad(in, error, "the table has Metric Name without Metric Value");
    return true;
}

static bool is_units_record(const reading *in)
{
    const header *head = &in->head;

    if (head->metric_name >= 0)
        return false;
    return gmsim_csv_field(&in->csv, (unsigned)head->kernel)[0] == '\0' &&
           gmsim_csv_field(&in->csv, (unsigned)head->grid)[0] == '\0';
}

static void read_units(reading *in)
{
    for (unsigned i = 0; i < in->head.fields; i++) {
        g_free(in->head.unit->pdata[i]);
        in->head.unit->pdata[i] = g_strdup(gmsim_csv_field(&in->csv, i));
    }
}

/* --------------------------------------------------------------------------------------- rows */

/* Finds or makes the row of the launch whose record stands in the CSV reader. */
static bool open_row(reading *in, GError **error)
{
    const header *head = &in->head;
    const char *label = head->label >= 0 ? gmsim_csv_field(&in->csv, (unsigned)head->label) : "";
    const char *kernel = gmsim_csv_field(&in->csv, (unsigned)head->kernel);
    gmsim_measured_row *row;
    uint32_t grid[3], block[3];
    char *key, *place;
    unsigned count;

    if (kernel[0] == '\0')
        return bad(in, error, "the row has no kernel name");
    if (!gmsim_shape_read(gmsim_csv_field(&in->csv, (unsigned)head->grid), grid) ||
        !gmsim_shape_read(gmsim_csv_field(&in->csv, (unsigned)head->block), block))
        return bad(in, error, "the grid or block size is not three numbers");
    key = g_strdup_printf("%s\x1f%s\x1f%u,%u,%u\x1f%u,%u,%u", label, kernel, grid[0], grid[1],
                          grid[2], block[0], block[1], block[2]);
    count = GPOINTER_TO_UINT(g_hash_table_lookup(in->seen, key));
    place = g_strdup_printf("%s\x1f%u", key, count);
    g_hash_table_insert(in->seen, key, GUINT_TO_POINTER(count + 1));
    row = g_hash_table_lookup(in->measured->row_index, place);
    if (row == NULL) {
        row = g_new0(gmsim_measured_row, 1);
        row->label = label[0] != '\0' ? g_strdup(label) : NULL;
        row->kernel = g_strdup(kernel);
        memcpy(row->grid, grid, sizeof grid);
        memcpy(row->block, block, sizeof block);
        row->path = g_strdup(in->csv.path);
        row->line = in->csv.began;
        row->cells = g_array_new(FALSE, TRUE, sizeof(gmsim_cell));
        g_ptr_array_add(in->measured->rows, row);
        g_hash_table_insert(in->measured->row_index, place, row);
    } else {
        g_free(place);
    }
    in->row = row;
    return true;
}

static void set_cell(reading *in, int column, gmsim_cell cell)
{
    GArray *cells = in->row->cells;
    gmsim_cell *old;

    if (cell.state == GMSIM_CELL_ABSENT)
        return;
    if ((unsigned)column >= cells->len)
        g_array_set_size(cells, (unsigned)column + 1);
    old = &g_array_index(cells, gmsim_cell, column);
    if (old->state != GMSIM_CELL_NUMBER) {
        *old = cell;
        return;
    }
    if (cell.state != GMSIM_CELL_NUMBER || cell.value == old->value)
        return;
    in->measured->conflicts++;
    if (in->measured->conflict == NULL)
        in->measured->conflict =
            g_strdup_printf("%s of %s: %.12g, then %.12g at %s:%" G_GUINT64_FORMAT,
                            (const char *)in->measured->columns->pdata[column], in->row->kernel,
                            old->value, cell.value, in->csv.path, in->csv.began);
}

static bool read_wide_row(reading *in, GError **error)
{
    if (!open_row(in, error))
        return false;
    for (unsigned i = 0; i < in->head.fields; i++) {
        int column = g_array_index(in->head.column, int, i);

        if (column >= 0)
            set_cell(in, column,
                     gmsim_number_read(gmsim_csv_field(&in->csv, i), in->head.unit->pdata[i]));
    }
    return true;
}

/* One line a metric: lines of one launch follow one another and share ID and process. */
static bool read_long_row(reading *in, GError **error)
{
    const header *head = &in->head;
    const char *name = gmsim_csv_field(&in->csv, (unsigned)head->metric_name);
    const char *unit =
        head->metric_unit >= 0 ? gmsim_csv_field(&in->csv, (unsigned)head->metric_unit) : "";
    char *launch = g_strdup_printf(
        "%s\x1f%s", head->id >= 0 ? gmsim_csv_field(&in->csv, (unsigned)head->id) : "",
        head->process >= 0 ? gmsim_csv_field(&in->csv, (unsigned)head->process) : "");

    if (in->launch == NULL || strcmp(in->launch, launch) != 0) {
        g_free(in->launch);
        in->launch = launch;
        if (!open_row(in, error))
            return false;
    } else {
        g_free(launch);
    }
    if (is_metric(name))
        set_cell(in, column_for(in->measured, name),
                 gmsim_number_read(gmsim_csv_field(&in->csv, (unsigned)head->metric_value), unit));
    return true;
}

/* --------------------------------------------------------------------------------------- file */

static bool begins_with(const char *line, size_t length, const char *word)
{
    return length >= strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* Whether the line is a record with a field Kernel Name; the words may stand in messages too. A
 * header never runs over the end of its line. */
static bool is_header(const char *line, size_t length)
{
    gmsim_csv csv;
    bool found = false;

    if (begins_with(line, length, "==") ||
        g_strstr_len(line, (gssize)length, "Kernel Name") == NULL)
        return false;
    gmsim_csv_init(&csv, "", line, length);
    if (gmsim_csv_read(&csv, NULL)) {
        for (unsigned i = 0; !found && i < gmsim_csv_fields(&csv); i++)
            found = strcmp(gmsim_csv_field(&csv, i), "Kernel Name") == 0;
    }
    gmsim_csv_clear(&csv);
    return found;
}

static bool find_header(reading *in, GError **error)
{
    const char *line;
    size_t length;

    while ((line = gmsim_csv_peek(&in->csv, &length)) != NULL) {
        if (is_header(line, length))
            return gmsim_csv_read(&in->csv, error) && read_header(in, error);
        gmsim_csv_skip_line(&in->csv);
    }
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                "%s: holds no table of measurements; write one with ncu --csv --page raw "
                "--print-units base",
                in->csv.path);
    return false;
}

static bool read_records(reading *in, GError **error)
{
    const header *head = &in->head;
    bool units_may_follow = true;
    const char *line;
    size_t length;

    while ((line = gmsim_csv_peek(&in->csv, &length)) != NULL) {
        if (length == 0 || begins_with(line, length, "==")) {
            gmsim_csv_skip_line(&in->csv);
            continue;
        }
        if (!gmsim_csv_read(&in->csv, error))
            return false;
        if (gmsim_csv_fields(&in->csv) > (unsigned)head->kernel &&
            strcmp(gmsim_csv_field(&in->csv, (unsigned)head->kernel), "Kernel Name") == 0) {
            if (!read_header(in, error)) /* the next table of a joined file */
                return false;
            units_may_follow = true;
            g_clear_pointer(&in->launch, g_free);
            continue;
        }
        if (gmsim_csv_fields(&in->csv) != head->fields) {
            g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_CORRUPT,
                        "%s:%" G_GUINT64_FORMAT ": the row has %u fields, the header %u; the file "
                        "is cut short or holds foreign lines",
                        in->csv.path, in->csv.began, gmsim_csv_fields(&in->csv), head->fields);
            return false;
        }
        if (units_may_follow && is_units_record(in)) {
            read_units(in);
        } else if (head->metric_name >= 0) {
            if (!read_long_row(in, error))
                return false;
        } else if (!read_wide_row(in, error)) {
            return false;
        }
        units_may_follow = false;
    }
    return true;
}

bool gmsim_measured_read(gmsim_measured *measured, const char *path, GError **error)
{
    reading in = {.measured = measured};
    GError *cause = NULL;
    GStatBuf status;
    char *text;
    size_t size;
    bool done;

    if (g_stat(path, &status) == 0 && (guint64)status.st_size > MAX_FILE_BYTES) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_UNSUPPORTED,
                    "%s: is larger than 512 MiB; measure fewer metrics", path);
        return false;
    }
    if (!g_file_get_contents(path, &text, &size, &cause)) {
        const char *reason = strrchr(cause->message, ':'); /* GLib's text names the file again */

        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_IO, "%s: cannot be read: %s", path,
                    reason != NULL ? reason + 2 : cause->message);
        g_error_free(cause);
        return false;
    }
    gmsim_csv_init(&in.csv, path, text, size);
    in.named = g_hash_table_new(NULL, NULL);
    in.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    done = find_header(&in, error) && read_records(&in, error);
    header_clear(&in.head);
    g_free(in.launch);
    g_hash_table_destroy(in.seen);
    g_hash_table_destroy(in.named);
    gmsim_csv_clear(&in.csv);
    g_free(text);
    return done;
}
