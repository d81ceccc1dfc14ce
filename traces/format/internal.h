/* SPDX-License-Identifier: MIT
 *
 * internal.h - what libgmtrace's files share: errors, checks, sections. Not installed.
 */
#ifndef GMTRACE_PRIVATE_INTERNAL_H
#define GMTRACE_PRIVATE_INTERNAL_H

#include "traces/format/bytes.h"
#include "traces/format/format.h"
#include "traces/gmtrace.h"

#include <stdatomic.h>
#include <zstd.h>

#define GMT_NOWHERE UINT64_MAX

/* Fills *error (NULL is allowed) and returns false. */
bool gmt_fail(gmtrace_error *error, gmtrace_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool gmt_fail_memory(gmtrace_error *error);
bool gmt_fail_errno(gmtrace_error *error, const char *what);
void gmt_clear(gmtrace_error *error);

/* What a reader may allocate at the word of a file, and what it has (section.c). Several threads
 * may claim and give back at once. */
typedef struct gmt_budget {
    uint64_t limit;
    _Atomic uint64_t used;
} gmt_budget;

/* Takes bytes out of the budget; GMTRACE_MEMORY with the limit named where they are not there. */
bool gmt_claim(gmt_budget *budget, uint64_t bytes, uint64_t offset, gmtrace_error *error);
void gmt_give_back(gmt_budget *budget, uint64_t bytes);

/* Where to look for a CTA in a hash table. The key is drawn anew in each process, so that no file
 * can name CTAs that all fall on one place. */
uint64_t gmt_scatter(uint64_t cta);

/* ------------------------------------------------------------- checks (check.c)
 * Each returns NULL, or what is wrong in a few words. Reader and writer apply the same ones. */
const char *gmt_check_capture(const gmtrace_capture *capture);
const char *gmt_check_kernel(const gmtrace_kernel *kernel);
const char *gmt_check_launch(const gmtrace_launch *launch, uint32_t kernel_count);
const char *gmt_check_known(const gmtrace_known *known);
/* kind, op, space, size and instr of a record. */
const char *gmt_check_record(const gmtrace_record *record, uint32_t instr_count);
uint64_t gmt_launch_ctas(const gmtrace_launch *launch);
uint32_t gmt_launch_warps(const gmtrace_launch *launch); /* a CTA */

/* ------------------------------------------------------ sections (section.c) */
typedef struct gmt_section {
    uint64_t offset; /* of its header in the file */
    uint64_t length; /* of its payload as stored */
    uint64_t hash;
    uint32_t type, flags;
} gmt_section;

uint64_t gmt_hash(const void *data, size_t size, uint64_t seed);
/* Whether zstd gave up for want of memory, which says nothing about the data. */
bool gmt_zstd_lacks_memory(size_t result);
/* False where a checksum does not match; always true in a fuzzing build. */
bool gmt_hash_is(uint64_t stored, uint64_t computed);
void gmt_section_header(const gmt_section *section, uint8_t header[GMT_SECTION_SIZE]);
/* Reads a whole number of bytes; a short file is TRUNCATED. */
bool gmt_read_at(int fd, uint64_t offset, void *data, size_t size, gmtrace_error *error);
bool gmt_section_read_header(int fd, uint64_t file_size, uint64_t offset, gmt_section *section,
                             gmtrace_error *error);
/* Parses and checks a section header that lies in memory. */
bool gmt_section_parse(const uint8_t *header, uint64_t file_size, uint64_t offset,
                       gmt_section *section, gmtrace_error *error);
/* Reads the payload, checks its hash and unpacks it into raw. */
bool gmt_section_read(int fd, const gmt_section *section, ZSTD_DCtx *unpack,
                      const gmt_budget *budget, gmt_buffer *scratch, gmt_buffer *raw,
                      gmtrace_error *error);

/* -------------------------------------- metadata (meta_write.c, meta_read.c)
 * Decoded structs point into one malloc'd block, which the caller frees. */
/* A string, NULL as an empty one; and back: copied to *text with a zero byte, which moves past it.
 * There is room where *text has as many bytes as the section, and one more. */
void gmt_put_string(gmt_buffer *b, const char *text);
const char *gmt_take_string(gmt_view *view, char **text);
void gmt_put_capture(gmt_buffer *b, const gmtrace_capture *capture);
void gmt_put_kernel(gmt_buffer *b, const gmtrace_kernel *kernel);
void gmt_put_launch(gmt_buffer *b, const gmtrace_launch *launch);
/* `maps` holds totals->tensor_map_count tensor maps as they are stored. */
void gmt_put_launch_end(gmt_buffer *b, uint32_t launch, const gmtrace_launch *totals,
                        uint64_t chunks, const gmt_buffer *maps);

bool gmt_get_capture(const gmt_buffer *raw, uint64_t offset, gmtrace_capture *capture,
                     void **storage, gmtrace_error *error);
bool gmt_get_kernel(const gmt_buffer *raw, uint64_t offset, gmt_budget *budget,
                    gmtrace_kernel *kernel, void **storage, gmtrace_error *error);
bool gmt_get_launch(const gmt_buffer *raw, uint64_t offset, uint32_t kernel_count,
                    gmtrace_launch *launch, void **storage, gmtrace_error *error);
/* *maps: the tensor maps, NULL where there are none; the caller frees it. */
bool gmt_get_launch_end(const gmt_buffer *raw, uint64_t offset, gmt_budget *budget,
                        uint32_t *launch, gmtrace_launch *totals, uint64_t *chunks,
                        uint64_t (**maps)[GMTRACE_TENSOR_WORDS], gmtrace_error *error);

/* ------------------------------ traces without a name (writer.c, reader.c)
 * A writer onto an open, empty, seekable file, and a reader of one, which takes the descriptor over
 * even where it fails. */
gmtrace_writer *gmt_writer_create_fd(int fd, const gmtrace_capture *capture, gmtrace_error *error);
gmtrace_reader *gmt_open_fd(int fd, const gmtrace_reader_options *options, gmtrace_error *error);

/* ----------------------------------------------------------- shapes (shape.c)
 * Picks the shortest shape for 32 addresses: fills record->shape, address, strides, log2_columns
 * and, for OFFSETS and FULL, the lanes (128 or 256 bytes used). Returns the bytes of lanes. */
size_t gmt_pick_shape(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES],
                      void *lanes);

#endif
