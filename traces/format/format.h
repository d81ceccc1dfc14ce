/* SPDX-License-Identifier: MIT
 *
 * format.h - the numbers of the trace format, as FORMAT.md specifies them. Private to libgmtrace.
 */
#ifndef GMTRACE_PRIVATE_FORMAT_H
#define GMTRACE_PRIVATE_FORMAT_H

#define GMT_MAGIC        "\x89GMT\r\n\x1a\n" /* 8 bytes; found damaged by text-mode transfers */
#define GMT_FOOTER_MAGIC "GMTend\r\n"
#define GMT_MAGIC_SIZE   8u

/* File header: offsets of its fields. */
#define GMT_HEADER_SIZE    128u
#define GMT_HEADER_MAJOR   8u
#define GMT_HEADER_MINOR   10u
#define GMT_HEADER_BYTES   12u
#define GMT_HEADER_NEED    16u /* required flags: an unknown one makes the file UNSUPPORTED */
#define GMT_HEADER_MAY     20u /* optional flags: unknown ones are ignored */
#define GMT_HEADER_INDEX   24u /* offset of the INDEX section, 0 while the file is being written */
#define GMT_HEADER_LEVEL   32u /* gmtrace_detail */
#define GMT_HEADER_LOST    36u /* offset of the LOST section, 0 where there is none */
#define GMT_HEADER_ORIGINS 44u /* offset of the ORIGINS section, 0 where there is none */
#define GMT_HEADER_REPEATS 52u /* offset of the REPEATS section, 0 where there is none */
#define GMT_HEADER_KNOWN   60u /* offset of the KNOWN section, 0 where there is none */
#define GMT_HEADER_HASH    120u
#define GMT_MAY_CALLS      0x1u /* calls are recorded: GMTRACE_DETAIL_CALLS, whose level is MEMORY's */
#define GMT_NEED_TENSORS   0x1u /* launches have tensor maps */
#define GMT_KNOWN_NEED     GMT_NEED_TENSORS

/* Footer: magic, offset of INDEX, size of the file, xxh3 of those. */
#define GMT_FOOTER_SIZE 32u

/* Section header: type, flags, length, xxh3 of the payload, xxh3 of these 24 bytes. */
#define GMT_SECTION_SIZE  32u
#define GMT_FLAG_ZSTD     0x1u
#define GMT_FLAG_OPTIONAL 0x2u /* a reader that does not know the type skips the section */
#define GMT_KNOWN_FLAGS   (GMT_FLAG_ZSTD | GMT_FLAG_OPTIONAL)

enum {
    GMT_CAPTURE = 1,
    GMT_KERNEL = 2,
    GMT_LAUNCH = 3,
    GMT_CHUNK = 4,
    GMT_LAUNCH_END = 5,
    GMT_MAP = 6,
    GMT_INDEX = 7,
    GMT_LOST = 8,     /* optional */
    GMT_ORIGINS = 9,  /* optional */
    GMT_REPEATS = 10, /* optional */
    GMT_KNOWN = 11,   /* optional */
};

/* Limits that a reader enforces before it allocates. */
#define GMT_MAX_RAW          (256u << 20) /* bytes of an unpacked section */
#define GMT_MAX_WHY          200u         /* bytes of the reason why a launch lost records */
#define GMT_MAX_ORIGIN       4096u        /* bytes of each text of an origin */
#define GMT_MAX_TEXT         (1u << 20)   /* bytes of a name */
#define GMT_MAX_RECORDS      65536u       /* of a chunk */
#define GMT_MAX_CHUNK_RAW    (64u << 20)
#define GMT_MAX_BLOCK        1024u       /* threads of a CTA */
#define GMT_MAX_MAPS         65536u      /* tensor maps of a launch */
#define GMT_CHUNK_TARGET     32768u      /* decoded bytes at which a writer ends a chunk */
#define GMT_MAX_CONSTANTS    65536u      /* bytes of constant bank 0 */
#define GMT_MAX_KNOWN_RANGE  (1u << 20)  /* bytes of one range of memory that is known */
#define GMT_MAX_KNOWN_RANGES 65536u      /* of a launch */
#define GMT_MAX_KNOWN_BYTES  (4u << 20)  /* of a launch's ranges */
#define GMT_MAX_FILE_RANGES  (1u << 20)  /* of all launches */
#define GMT_MAX_FILE_KNOWN   (64u << 20) /* bytes of their ranges, and of their parameters */

/* CHUNK: twelve 32-bit fields before the (compressed) streams. */
#define GMT_CHUNK_PREFIX    48u
#define GMT_CHUNK_CONTINUES 0x1u /* its only CTA goes on in a later chunk */

/* Segment token. */
#define GMT_SEG_MODE      0x03u
#define GMT_SEG_NEXT_WARP 0x00u
#define GMT_SEG_NEXT_CTA  0x01u
#define GMT_SEG_SKIP_WARP 0x02u
#define GMT_SEG_FAR       0x03u
#define GMT_SEG_COUNT     0x04u
#define GMT_SEG_OPEN      0x08u

/* Record token. */
#define GMT_TOKEN_RUN   0x80u
#define GMT_TOKEN_ENTRY 0x03u /* 0 successor, 1 the one before it, 2 explicit */
#define GMT_TOKEN_MASK  0x04u
#define GMT_TOKEN_SHAPE 0x08u
#define GMT_TOKEN_BASE  0x30u /* 0x00 last delta, 0x10 the one before it, 0x20 explicit */
#define GMT_TOKEN_AUX   0x40u
#define GMT_ENTRY_OTHER 0x01u
#define GMT_ENTRY_NAMED 0x02u
#define GMT_BASE_OTHER  0x10u
#define GMT_BASE_NAMED  0x20u

/* Shape byte: low 3 bits say what follows, bits 3-5 log2_columns. */
enum {
    GMT_SHAPE_AFFINE = 0,
    GMT_SHAPE_GRID = 1,
    GMT_SHAPE_OFFSETS = 2, /* new packing parameters, then packed offsets in the pool */
    GMT_SHAPE_FULL = 3,
    GMT_SHAPE_PACKED = 4, /* OFFSETS with the entry's last packing parameters */
};

#define GMT_KERNEL_INSTR_SIZE 104u /* bytes of one instruction in a KERNEL section */

#endif
