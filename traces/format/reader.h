/* SPDX-License-Identifier: MIT
 *
 * reader.h - what the files of the reader share: reader.c opens, collect.c keeps what
 * sections hold, walk.c finds them in a file without index, chunks.c decodes, cursors.c replays,
 * verify.c checks every byte.
 */
#ifndef GMTRACE_PRIVATE_READER_H
#define GMTRACE_PRIVATE_READER_H

#include "traces/format/decode.h"
#include "traces/format/guard.h"
#include "traces/format/map.h"

typedef struct gmt_read_kernel {
    gmtrace_kernel kernel;
    void *storage;
    uint64_t offset;
} gmt_read_kernel;

typedef struct gmt_read_launch {
    gmtrace_launch launch;
    void *storage, *maps;
    uint64_t offset, stored_end;       /* of its LAUNCH section */
    uint64_t end_offset, map_offset;   /* 0 where the file was cut before */
    uint64_t first_chunk, chunk_count; /* numbered over the whole file */
    char why[GMT_MAX_WHY + 1];         /* records are missing; empty: none are */
    gmt_map walked;                    /* chunks found one by one, where there is no MAP */
    uint64_t claims; /* see gmtrace_check_claims(): of this launch and all before it */
} gmt_read_launch;

struct gmtrace_reader {
    int fd;
    uint64_t size;
    bool damaged;
    gmtrace_error damage;
    gmtrace_capture capture;
    void *capture_storage, *origin_storage, *known_storage;
    gmtrace_repeat *repeat;
    uint64_t repeat_count;
    gmt_read_kernel *kernel;
    uint32_t kernel_count;
    gmt_read_launch *launch;
    uint32_t launch_count;
    uint64_t chunk_count;
    uint64_t index_offset; /* 0 where there is no index */
    gmt_budget budget;
    gmt_decoder decoder; /* the first; used by all but cursors without further ado */
    gmt_buffer scratch, raw;
    gmt_map selected;   /* for cursors, with CTA index */
    gmt_map sequential; /* for gmtrace_chunk_read */
    gmt_guard guard;    /* of what follows, as cursors are moved by several threads (cursors.c) */
    gmt_held **held;    /* open chunks of the selected launch, by number */
    gmt_held *free_held;
    gmt_held *idle, *idle_oldest; /* decoded ones that all cursors have left, from the last on */
    uint64_t idle_bytes;
    gmt_decoder *idle_decoder; /* those that no cursor uses */
};

/* collect.c: sections that index and walk both lead to. */
bool gmt_reader_add_kernel(gmtrace_reader *reader, const gmt_section *section,
                           gmtrace_error *error);
bool gmt_reader_add_launch(gmtrace_reader *reader, const gmt_section *section,
                           gmtrace_error *error);
bool gmt_reader_end_launch(gmtrace_reader *reader, uint32_t launch, const gmt_section *section,
                           gmtrace_error *error);
bool gmt_reader_section(gmtrace_reader *reader, uint64_t offset, uint32_t type,
                        gmt_section *section, gmtrace_error *error);
/* Reads and checks a section's payload into reader->raw. */
bool gmt_reader_payload(gmtrace_reader *reader, const gmt_section *section, gmtrace_error *error);
/* Looks at the end of the file: 1 a sound footer, 0 none, -1 a wrong one (error says why). */
int gmt_reader_footer(gmtrace_reader *reader, uint64_t offset, uint64_t *index,
                      gmtrace_error *error);

/* origins.c: gives the launches' allocations their origins. */
bool gmt_reader_origins(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error);

/* repeats.c: which launches were captured of many like them; and that all the others stand for
 * themselves. */
bool gmt_reader_repeats(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error);
void gmt_reader_all_captured(gmtrace_reader *reader);

/* known.c: gives launches what they found. */
bool gmt_reader_known(gmtrace_reader *reader, uint64_t offset, gmtrace_error *error);

/* walk.c: reads the file section by section as far as it goes; sets damage. */
bool gmt_reader_walk(gmtrace_reader *reader, gmtrace_error *error);

/* cursors.c */
void gmt_reader_release_all(gmtrace_reader *reader);

/* chunks.c */
/* A decoded chunk's storage from the free list, and back. */
gmt_held *gmt_reader_hold(gmtrace_reader *reader, gmtrace_error *error);
void gmt_reader_drop(gmtrace_reader *reader, gmt_held *held);
/* Where a launch's chunks lie; with `index` also which of them hold which CTA. */
bool gmt_reader_map(gmtrace_reader *reader, uint32_t launch, bool index, gmt_map *map,
                    gmtrace_error *error);
/* Decodes the chunk section of `length` bytes at `offset`. Changes nothing of the reader but its
 * budget. */
bool gmt_reader_decode(gmtrace_reader *reader, gmt_decoder *decoder, uint64_t offset,
                       uint64_t length, uint32_t launch, gmt_held *held, gmtrace_error *error);

#endif
