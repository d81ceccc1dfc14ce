/* SPDX-License-Identifier: MIT
 *
 * names.c - the parser's name table.
 */
#include "traces/ptx/parser.h"

#include <stdlib.h>

static uint32_t hash(uint32_t scope, ptx_slice name, bool is_range)
{
    uint32_t h = scope * 2654435761u + is_range;
    for (uint32_t i = 0; i < name.length; i++)
        h = (h ^ (unsigned char)name.text[i]) * 16777619u;
    return h ^ h >> 15;
}

const ptx_name *gmptx_names_find(const ptx_names *names, uint32_t scope, ptx_slice name,
                                 bool is_range)
{
    if (!names->slots)
        return NULL;
    const uint32_t low = names->slots - 1;
    for (uint32_t i = hash(scope, name, is_range) & low; names->slot[i]; i = (i + 1) & low) {
        const ptx_name *entry = &names->entry[names->slot[i] - 1];
        if (entry->scope == scope && entry->is_range == is_range && slice_equal(entry->name, name))
            return entry;
    }
    return NULL;
}

static void insert(ptx_names *names, uint32_t number)
{
    const ptx_name *entry = &names->entry[number];
    const uint32_t low = names->slots - 1;
    uint32_t i = hash(entry->scope, entry->name, entry->is_range) & low;
    while (names->slot[i])
        i = (i + 1) & low;
    names->slot[i] = number + 1;
}

bool gmptx_names_add(ptx_names *names, const ptx_name *entry)
{
    if (names->count >= names->slots / 2) {
        const uint32_t slots = names->slots ? names->slots * 2 : 64;
        uint32_t *slot = slots ? calloc(slots, sizeof *slot) : NULL;
        if (!slot)
            return false;
        free(names->slot);
        names->slot = slot;
        names->slots = slots;
        for (uint32_t i = 0; i < names->count; i++)
            insert(names, i);
    }
    if (!GMT_GROW(names->entry, names->count))
        return false;
    names->entry[names->count] = *entry;
    insert(names, names->count++);
    return true;
}

void gmptx_names_clear(ptx_names *names)
{
    if (names->slots)
        memset(names->slot, 0, names->slots * sizeof *names->slot);
    names->count = 0;
}

void gmptx_names_free(ptx_names *names)
{
    free(names->entry);
    free(names->slot);
    *names = (ptx_names){0};
}
