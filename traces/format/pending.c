/* SPDX-License-Identifier: MIT
 *
 * pending.c - holds the records of CTAs that are still running, one stream a warp. Records arrive
 * mixed over thousands of CTAs; blocks of 1 KiB from one pool keep that cheap and countable.
 */
#include "traces/format/pending.h"

#define PAGE_CTAS 512u
#define PAGE_LIMIT                                                                                 \
    (1u << 22) /* past 2^31 CTAs the double-end check is given up, not the memory                  \
                */

static void free_blocks(gmt_block *block)
{
    while (block) {
        gmt_block *next = block->next;
        free(block);
        block = next;
    }
}

static void free_ctas(gmt_cta *cta)
{
    while (cta) {
        gmt_cta *next = cta->next;
        free(cta);
        cta = next;
    }
}

/* Puts a chain of blocks on the free list. */
static void give_back(gmt_pending *pending, gmt_block *block)
{
    while (block) {
        gmt_block *next = block->next;
        block->next = pending->free_block;
        pending->free_block = block;
        pending->block_count--;
        block = next;
    }
}

static void forget_ended(gmt_pending *pending)
{
    for (size_t i = 0; i < pending->ended_pages; i++)
        free(pending->ended[i]);
    free(pending->ended);
    pending->ended = NULL;
    pending->ended_pages = 0;
}

bool gmt_pending_launch(gmt_pending *pending, uint32_t warps)
{
    free_ctas(pending->free_cta);
    pending->free_cta = NULL;
    forget_ended(pending);
    pending->recent = NULL;
    pending->warps = warps;
    pending->cta_size = sizeof(gmt_cta) + warps * sizeof(gmt_stream);
    if (pending->table)
        return true;
    pending->table = calloc(1024, sizeof *pending->table);
    if (pending->table)
        pending->table_size = 1024;
    return pending->table != NULL;
}

void gmt_pending_free(gmt_pending *pending)
{
    for (size_t i = 0; i < pending->table_size; i++) {
        gmt_cta *cta = pending->table[i];
        if (!cta)
            continue;
        for (uint32_t w = 0; w < pending->warps; w++)
            free_blocks(cta->stream[w].head);
        free(cta);
    }
    free(pending->table);
    free_ctas(pending->free_cta);
    free_blocks(pending->free_block);
    free_blocks(pending->retired);
    forget_ended(pending);
}

size_t gmt_pending_bytes(const gmt_pending *pending)
{
    return pending->block_count * sizeof(gmt_block) + pending->open_count * pending->cta_size;
}

/* ------------------------------------------------------------------------------- table of CTAs */

static size_t slot_of(const gmt_pending *pending, uint64_t cta)
{
    return (size_t)gmt_scatter(cta) & (pending->table_size - 1);
}

gmt_cta *gmt_pending_find(gmt_pending *pending, uint64_t cta)
{
    if (pending->recent && pending->recent->number == cta)
        return pending->recent;
    for (size_t i = slot_of(pending, cta); pending->table[i];
         i = (i + 1) & (pending->table_size - 1))
        if (pending->table[i]->number == cta)
            return pending->recent = pending->table[i];
    return NULL;
}

static void insert(gmt_pending *pending, gmt_cta *cta)
{
    size_t i = slot_of(pending, cta->number);
    while (pending->table[i])
        i = (i + 1) & (pending->table_size - 1);
    pending->table[i] = cta;
}

static bool grow_table(gmt_pending *pending)
{
    gmt_cta **old = pending->table;
    const size_t old_size = pending->table_size;
    gmt_cta **table = calloc(old_size * 2, sizeof *table);
    if (!table)
        return false;
    pending->table = table;
    pending->table_size = old_size * 2;
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            insert(pending, old[i]);
    free(old);
    return true;
}

gmt_cta *gmt_pending_open(gmt_pending *pending, uint64_t cta)
{
    gmt_cta *found = gmt_pending_find(pending, cta);
    if (found)
        return found;
    if (2 * (pending->open_count + 1) > pending->table_size && !grow_table(pending))
        return NULL;
    found = pending->free_cta;
    if (found)
        pending->free_cta = found->next;
    else if (!(found = malloc(pending->cta_size)))
        return NULL;
    memset(found, 0, pending->cta_size);
    found->number = cta;
    insert(pending, found);
    pending->open_count++;
    return pending->recent = found;
}

/* Bit of a CTA in the map of ended ones; its page is made when `make` says so. */
static uint64_t *ended_word(gmt_pending *pending, uint64_t cta, bool make)
{
    const uint64_t page = cta / PAGE_CTAS;
    if (page >= pending->ended_pages) {
        if (!make)
            return NULL;
        size_t pages = pending->ended_pages ? pending->ended_pages : 16;
        while (pages <= page)
            pages *= 2;
        uint64_t **ended = realloc(pending->ended, pages * sizeof *ended);
        if (!ended)
            return NULL;
        memset(ended + pending->ended_pages, 0, (pages - pending->ended_pages) * sizeof *ended);
        pending->ended = ended;
        pending->ended_pages = pages;
    }
    if (!pending->ended[page] && make)
        pending->ended[page] = calloc(PAGE_CTAS / 64, sizeof(uint64_t));
    return pending->ended[page] ? &pending->ended[page][cta % PAGE_CTAS / 64] : NULL;
}

bool gmt_pending_has_ended(const gmt_pending *pending, uint64_t cta)
{
    const uint64_t page = cta / PAGE_CTAS;
    return page < pending->ended_pages && pending->ended[page] &&
           (pending->ended[page][cta % PAGE_CTAS / 64] >> cta % 64 & 1);
}

bool gmt_pending_end(gmt_pending *pending, gmt_cta *cta)
{
    if (cta->number / PAGE_CTAS < PAGE_LIMIT) {
        uint64_t *word = ended_word(pending, cta->number, true);
        if (!word)
            return false;
        *word |= 1ull << cta->number % 64;
    }
    const size_t last = pending->table_size - 1;
    size_t hole = slot_of(pending, cta->number);
    while (pending->table[hole] != cta)
        hole = (hole + 1) & last;
    /* Close the hole: move back every follower whose own slot is not past it. */
    for (size_t i = (hole + 1) & last; pending->table[i]; i = (i + 1) & last) {
        const size_t home = slot_of(pending, pending->table[i]->number);
        if (((i - home) & last) >= ((i - hole) & last)) {
            pending->table[hole] = pending->table[i];
            hole = i;
        }
    }
    pending->table[hole] = NULL;
    pending->open_count--;
    if (pending->recent == cta)
        pending->recent = NULL;
    return true;
}

void gmt_pending_recycle(gmt_pending *pending, gmt_cta *cta)
{
    for (uint32_t w = 0; w < pending->warps; w++)
        give_back(pending, cta->stream[w].head);
    cta->next = pending->free_cta;
    pending->free_cta = cta;
}

/* ------------------------------------------------------------------------------------- streams */

gmtrace_record *gmt_pending_append(gmt_pending *pending, gmt_cta *cta, uint32_t warp, size_t lanes)
{
    gmt_stream *stream = &cta->stream[warp];
    const size_t size = sizeof(gmtrace_record) + lanes;
    gmt_block *block = stream->tail;
    if (!block || block->used + size > GMT_BLOCK_DATA) {
        block = pending->free_block;
        if (block)
            pending->free_block = block->next;
        else if (!(block = malloc(sizeof *block)))
            return NULL;
        pending->block_count++;
        block->next = NULL;
        block->used = 0;
        if (stream->tail)
            stream->tail->next = block;
        else
            stream->head = block;
        stream->tail = block;
    }
    gmtrace_record *record = (gmtrace_record *)(void *)(block->data + block->used);
    block->used += size;
    stream->count++;
    cta->decoded += size;
    return record;
}

const gmtrace_record *gmt_pending_take(gmt_pending *pending, gmt_stream *stream)
{
    gmt_block *block = stream->head;
    if (stream->taken == block->used) {
        stream->head = block->next;
        stream->taken = 0;
        block->next = pending->retired;
        pending->retired = block;
        block = stream->head;
    }
    const gmtrace_record *record =
        (const gmtrace_record *)(const void *)(block->data + stream->taken);
    stream->taken += (uint32_t)(sizeof *record + gmt_lane_bytes(record));
    stream->count--;
    return record;
}

void gmt_pending_release(gmt_pending *pending)
{
    give_back(pending, pending->retired);
    pending->retired = NULL;
}
