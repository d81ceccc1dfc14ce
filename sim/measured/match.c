/* SPDX-License-Identifier: MIT
 *
 * match.c - pairs the launches of traces with measured ones, by the rules of match.h. Launches are
 * few (a profiler takes seconds for each), so lists within a shape are searched from the front.
 */
#include "sim/measured/match.h"

#include "sim/measured/kernel_name.h"

#include <string.h>

/* Everything that has one grid and block size. */
typedef struct shape_group {
    GArray *rows; /* unsigned: indices into measured->rows */
} shape_group;

typedef struct matching {
    const gmsim_measured *measured;
    gmsim_match *launch;
    size_t count;
    uint8_t *row_used;
    gmsim_kernel_name *row_name;
    gmsim_kernel_name *launch_name;
    GHashTable *labels; /* the cases the measured rows name */
    GHashTable *shapes; /* "gx,gy,gz,bx,by,bz" to shape_group */
} matching;

static char *shape_key(const uint32_t grid[3], const uint32_t block[3])
{
    return g_strdup_printf("%u,%u,%u,%u,%u,%u", grid[0], grid[1], grid[2], block[0], block[1],
                           block[2]);
}

static void group_free(gpointer data)
{
    shape_group *group = data;

    g_array_free(group->rows, TRUE);
    g_free(group);
}

static void index_rows(matching *m)
{
    for (unsigned i = 0; i < m->measured->rows->len; i++) {
        const gmsim_measured_row *row = m->measured->rows->pdata[i];
        char *key = shape_key(row->grid, row->block);
        shape_group *group = g_hash_table_lookup(m->shapes, key);

        if (group == NULL) {
            group = g_new(shape_group, 1);
            group->rows = g_array_new(FALSE, FALSE, sizeof(unsigned));
            g_hash_table_insert(m->shapes, key, group);
        } else {
            g_free(key);
        }
        g_array_append_val(group->rows, i);
        if (row->label != NULL)
            g_hash_table_add(m->labels, row->label);
        gmsim_kernel_name_parse(&m->row_name[i], row->kernel);
    }
}

static bool label_fits(const matching *m, const gmsim_match *launch, const gmsim_measured_row *row)
{
    if (launch->label == NULL || !g_hash_table_contains(m->labels, launch->label))
        return true;
    return row->label != NULL && strcmp(row->label, launch->label) == 0;
}

typedef enum likeness { UNLIKE, SAME_BASE, SAME_BUT_UNSPECIFIC, SAME } likeness;

static likeness compare_names(const matching *m, size_t launch, unsigned row)
{
    const gmsim_kernel_name *a = &m->launch_name[launch];
    const gmsim_kernel_name *b = &m->row_name[row];
    const gmsim_measured_row *measured = m->measured->rows->pdata[row];

    if (m->launch[launch].mangled[0] != '\0' &&
        strcmp(m->launch[launch].mangled, measured->kernel) == 0)
        return SAME;
    if (strcmp(a->base, b->base) != 0)
        return UNLIKE;
    if (a->arguments == NULL && b->arguments == NULL)
        return SAME;
    if (a->arguments == NULL || b->arguments == NULL)
        return SAME_BUT_UNSPECIFIC;
    return strcmp(a->arguments, b->arguments) == 0 ? SAME : SAME_BASE;
}

static const shape_group *group_of(const matching *m, const gmsim_match *launch)
{
    char *key = shape_key(launch->grid, launch->block);
    const shape_group *group = g_hash_table_lookup(m->shapes, key);

    g_free(key);
    return group;
}

/* The first free row that is at least so like the launch; -1 without. With `only` there must be no
 * second one. */
static int find_row(const matching *m, size_t launch, likeness at_least, bool only)
{
    const shape_group *group = group_of(m, &m->launch[launch]);
    int found = -1;

    for (unsigned i = 0; group != NULL && i < group->rows->len; i++) {
        unsigned row = g_array_index(group->rows, unsigned, i);

        if (m->row_used[row] || !label_fits(m, &m->launch[launch], m->measured->rows->pdata[row]) ||
            compare_names(m, launch, row) < at_least)
            continue;
        if (!only)
            return (int)row;
        if (found >= 0)
            return -1;
        found = (int)row;
    }
    return found;
}

/* Whether no other launch without partner would accept the row by base name. */
static bool is_only_launch(const matching *m, size_t launch, unsigned row)
{
    const gmsim_measured_row *measured = m->measured->rows->pdata[row];

    for (size_t i = 0; i < m->count; i++) {
        const gmsim_match *other = &m->launch[i];

        if (i == launch || other->row >= 0 ||
            memcmp(other->grid, measured->grid, sizeof measured->grid) != 0 ||
            memcmp(other->block, measured->block, sizeof measured->block) != 0)
            continue;
        if (label_fits(m, other, measured) && compare_names(m, i, row) >= SAME_BASE)
            return false;
    }
    return true;
}

static void pair_all(matching *m, likeness at_least, bool only)
{
    for (size_t i = 0; i < m->count; i++) {
        int row;

        if (m->launch[i].row >= 0)
            continue;
        row = find_row(m, i, at_least, only);
        if (row < 0 || (only && !is_only_launch(m, i, (unsigned)row)))
            continue;
        m->launch[i].row = row;
        m->row_used[row] = 1;
    }
}

void gmsim_match_launches(const gmsim_measured *measured, gmsim_match *launch, size_t count,
                          uint8_t *row_used)
{
    matching m = {.measured = measured, .launch = launch, .count = count, .row_used = row_used};

    m.row_name = g_new0(gmsim_kernel_name, measured->rows->len);
    m.launch_name = g_new0(gmsim_kernel_name, count);
    m.labels = g_hash_table_new(g_str_hash, g_str_equal);
    m.shapes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, group_free);
    for (unsigned i = 0; i < measured->rows->len; i++)
        row_used[i] = 0;
    for (size_t i = 0; i < count; i++) {
        launch[i].row = -1;
        gmsim_kernel_name_parse(&m.launch_name[i], launch[i].name);
    }
    index_rows(&m);
    pair_all(&m, SAME, false);
    pair_all(&m, SAME_BUT_UNSPECIFIC, false);
    pair_all(&m, SAME_BASE, true);
    for (size_t i = 0; i < count; i++)
        gmsim_kernel_name_clear(&m.launch_name[i]);
    for (unsigned i = 0; i < measured->rows->len; i++)
        gmsim_kernel_name_clear(&m.row_name[i]);
    g_hash_table_destroy(m.shapes);
    g_hash_table_destroy(m.labels);
    g_free(m.launch_name);
    g_free(m.row_name);
}
