/* SPDX-License-Identifier: MIT
 *
 * gmtrace.h - the public contract of libgmtrace: reading and writing gmsim traces.
 *
 * A trace holds launches of GPU kernels. A launch holds CTAs, a CTA holds warps, and a warp is a
 * stream of records in program order: memory accesses with the address of every active lane,
 * barriers, asynchronous-copy events. No order between warps is stored; whoever replays the trace
 * decides it. The bytes on disk are specified in traces/format/FORMAT.md; this header hides them.
 *
 * The library needs libzstd and xxhash, not GLib, so that it can live inside a traced program. It
 * never prints and never exits. Functions that can fail return false (or NULL) and fill a
 * gmtrace_error; nothing else reports failure.
 *
 * Threads: one reader or writer belongs to one thread at a time; different ones are independent.
 * Functions that take a const pointer only read and may run in parallel.
 */
#ifndef GMTRACE_H
#define GMTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMTRACE_FORMAT_MAJOR 1u /* a reader refuses a larger major */
#define GMTRACE_FORMAT_MINOR 6u /* a reader accepts a larger minor */
#define GMTRACE_WARP_LANES   32u
#define GMTRACE_NO_INSTR     UINT32_MAX /* a record whose instruction is not in the table */
#define GMTRACE_NO_REGISTER  0xffu
#define GMTRACE_UNKNOWN      UINT32_MAX /* a launch field the capturing tool could not see */
#define GMTRACE_TENSOR_WORDS 8u         /* 64-bit words of a tensor map that hardware reads */
#define GMTRACE_BANK_BYTES   65536u     /* of a bank of constants */
#define GMTRACE_TENSOR_DIMS  5u

/* ------------------------------------------------------------------------------------ errors */

typedef enum gmtrace_status {
    GMTRACE_OK = 0,
    GMTRACE_IO,          /* the operating system said no; text holds its reason */
    GMTRACE_CORRUPT,     /* the bytes contradict the format or a checksum */
    GMTRACE_TRUNCATED,   /* the file ends early; what came before is usable */
    GMTRACE_UNSUPPORTED, /* valid, but from a newer version or with a required flag unknown here */
    GMTRACE_NOT_A_TRACE, /* the first bytes are not a trace's */
    GMTRACE_MEMORY,      /* there is no more, or a reader's limit is reached */
    GMTRACE_USAGE,       /* the caller broke this header's contract */
} gmtrace_status;

typedef struct gmtrace_error {
    gmtrace_status status;
    uint64_t
        offset;     /* byte in the file where the trouble was seen; UINT64_MAX where none applies */
    char text[240]; /* what is wrong, where, what to do; no file name, no trailing full stop */
} gmtrace_error;

/* ----------------------------------------------------------------------- what a trace contains */

/* How much of the program a launch's streams hold. */
typedef enum gmtrace_detail {
    GMTRACE_DETAIL_MEMORY = 1, /* accesses, barriers and copies; the rest follows from the code */
    GMTRACE_DETAIL_FULL = 2,   /* every executed warp instruction */
    GMTRACE_DETAIL_CALLS = 3,  /* as MEMORY, and calls of functions, as GMTRACE_EXEC */
} gmtrace_detail;

/* Classes of access that a capturing tool may be unable to see (bits). */
enum {
    GMTRACE_UNSEEN_CONSTANT = 1u << 0,
    GMTRACE_UNSEEN_TEXTURE = 1u << 1,
    GMTRACE_UNSEEN_SURFACE = 1u << 2,
    GMTRACE_UNSEEN_GRAPH_LAUNCHES = 1u << 3, /* launches from CUDA graphs were seen and left out */
    GMTRACE_UNSEEN_WGMMA = 1u << 4,          /* shared reads made by warpgroup MMA */
    GMTRACE_UNSEEN_TENSOR_COPY = 1u << 5,    /* bulk copies through a tensor map (UTMALDG ...) */
};

/* In a source: a compiler's name and version follow, up to a parenthesis or the end. */
#define GMTRACE_PTX_OF "PTX of "
/* And then, where the code is what ptxas made of that PTX, the version of ptxas. */
#define GMTRACE_BY_PTXAS " by ptxas "

/* What is true of the whole file. Strings are owned by whoever filled the struct. */
typedef struct gmtrace_capture {
    const char *source;          /* the tool and version that wrote it: "gmcapture 1.0.0"; then what
                                  * it ran, where that is no capture: ", PTX of clang 14.0.6", or
                                  * ", PTX of clang 14.0.6 by ptxas 13.0" */
    const char *program;         /* the traced program's file name without its folder, may be "" */
    const char *gpu;             /* the device's own name: "NVIDIA H200"; "" where there was none */
    uint32_t cc_major, cc_minor; /* compute capability, 0.0 where unknown */
    uint32_t sm_count;           /* 0 where unknown */
    uint32_t driver_version;     /* cuDriverGetVersion's number, 0 where unknown */
    gmtrace_detail detail;
    uint32_t unseen; /* GMTRACE_UNSEEN_* */
} gmtrace_capture;

/* What kind of instruction an opcode is: enough to count it. What a model must know besides, of
 * atomics, barriers and time, is decoded from the name once: traces/code/decoded.h. */
typedef enum gmtrace_class {
    GMTRACE_CLASS_OTHER = 0,
    GMTRACE_CLASS_LOAD,       /* LDG LDS LDL LD LDC LDSM: space tells which */
    GMTRACE_CLASS_STORE,      /* STG STS STL ST STSM */
    GMTRACE_CLASS_ATOMIC,     /* ATOMG ATOMS ATOM: returns the old value */
    GMTRACE_CLASS_REDUCTION,  /* RED: returns nothing */
    GMTRACE_CLASS_COPY_ASYNC, /* LDGSTS */
    GMTRACE_CLASS_BULK,       /* UBLKCP UTMALDG UTMASTG ...: the bulk copy engine */
    GMTRACE_CLASS_BARRIER,    /* BAR and cluster barriers */
    GMTRACE_CLASS_FENCE,      /* MEMBAR, CCTL, DEPBAR, LDGDEPBAR, ERRBAR */
    GMTRACE_CLASS_BRANCH,     /* BRA BRX JMP ...: target is a table index where it is static */
    GMTRACE_CLASS_CALL,
    GMTRACE_CLASS_RETURN,
    GMTRACE_CLASS_EXIT,
    GMTRACE_CLASS_RECONVERGE, /* BSSY BSYNC BREAK WARPSYNC YIELD */
    GMTRACE_CLASS_FP32,
    GMTRACE_CLASS_FP64,
    GMTRACE_CLASS_FP16,
    GMTRACE_CLASS_INT,
    GMTRACE_CLASS_SPECIAL, /* MUFU and conversions that use its pipe */
    GMTRACE_CLASS_TENSOR,  /* HMMA IMMA DMMA HGMMA ... */
    GMTRACE_CLASS_UNIFORM, /* the uniform datapath: U... */
    GMTRACE_CLASS_TEXTURE, /* TEX TLD SULD SUST ... */
    GMTRACE_CLASS_SHUFFLE, /* SHFL VOTE MATCH REDUX */
    GMTRACE_CLASS_COUNT
} gmtrace_class;

typedef enum gmtrace_space {
    GMTRACE_SPACE_NONE = 0,
    GMTRACE_SPACE_GLOBAL,        /* 64-bit virtual addresses */
    GMTRACE_SPACE_SHARED,        /* byte offset in the CTA's shared window */
    GMTRACE_SPACE_LOCAL,         /* byte offset in the thread's local window */
    GMTRACE_SPACE_REMOTE_SHARED, /* another CTA of the cluster; shared-cluster window address */
    GMTRACE_SPACE_CONSTANT,
    GMTRACE_SPACE_GENERIC, /* in an instruction: decided at run time. Never in a record */
    GMTRACE_SPACE_COUNT
} gmtrace_space;

/* L1 cache operator written in the opcode. */
typedef enum gmtrace_cache {
    GMTRACE_CACHE_DEFAULT = 0,
    GMTRACE_CACHE_EVICT_FIRST,     /* .EF  */
    GMTRACE_CACHE_EVICT_LAST,      /* .EL  */
    GMTRACE_CACHE_LAST_USE,        /* .LU  */
    GMTRACE_CACHE_EVICT_UNCHANGED, /* .EU */
    GMTRACE_CACHE_NO_ALLOCATE,     /* .NA  */
    GMTRACE_CACHE_STRONG_SM,       /* .STRONG.SM  */
    GMTRACE_CACHE_STRONG_GPU,      /* .STRONG.GPU: coherent at L2 */
    GMTRACE_CACHE_STRONG_SYS,      /* .STRONG.SYS */
    GMTRACE_CACHE_COUNT
} gmtrace_cache;

/* Register files, in gmtrace_operand.file. */
typedef enum gmtrace_regfile {
    GMTRACE_REG_GENERAL = 0, /* R0..R254; RZ is not stored */
    GMTRACE_REG_UNIFORM,     /* UR */
    GMTRACE_REG_PREDICATE,   /* P0..P6; PT is not stored */
    GMTRACE_REG_UPREDICATE,  /* UP */
} gmtrace_regfile;

typedef struct gmtrace_operand {
    uint8_t file;  /* gmtrace_regfile */
    uint8_t first; /* number of the first register */
    uint8_t count; /* consecutive registers, >= 1 */
    uint8_t write; /* 1 written, 0 read */
} gmtrace_operand;

#define GMTRACE_MAX_OPERANDS 10u

/* One instruction of a kernel's code. The table holds the whole function, not memory alone, in
 * address order, so that the instructions between two recorded ones can be reconstructed.
 * Control bits are those of the 128-bit encoding of compute capability 7.0 and later: bits
 * 105-108 stall, 109 yield, 110-112 write barrier, 113-115 read barrier, 116-121 wait mask,
 * 122-125 reuse (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking", arXiv:1804.06826, section 2.1). */
typedef struct gmtrace_instr {
    uint64_t pc;          /* bytes from the kernel's entry; callees follow after the kernel */
    uint64_t encoding[2]; /* low and high 64 bits; both 0 where the source has none */
    const char *opcode;   /* "LDG.E.128.CONSTANT" */
    const char *operands; /* "R4, desc[UR6][R2.64]" */
    uint32_t file;        /* index into the kernel's files, GMTRACE_UNKNOWN without line info */
    uint32_t line;        /* 0 without line info */
    uint32_t target;      /* table index of a static branch target, GMTRACE_NO_INSTR otherwise */
    uint8_t op_class;     /* gmtrace_class */
    uint8_t space;        /* gmtrace_space of a memory instruction */
    uint8_t width;        /* bytes a lane moves: 1 2 4 8 16 (LDSM: 4 * matrices); 0 otherwise */
    uint8_t cache;        /* gmtrace_cache */
    uint8_t bypass_l1;    /* LDGSTS.BYPASS: the copy does not allocate in L1 */
    uint8_t matrices;     /* LDSM and STSM: 1, 2 or 4 matrices of 8 rows of 16 bytes; 0 otherwise */
    uint8_t predicate; /* P0..P6, GMTRACE_NO_REGISTER when unconditional; 7 (PT) negated: never */
    uint8_t predicate_negated;
    uint8_t stall, yield, write_barrier, read_barrier; /* barriers: 7 = none */
    uint8_t wait_mask, reuse;
    uint8_t operand_count;
    gmtrace_operand operand[GMTRACE_MAX_OPERANDS];
} gmtrace_instr;

typedef struct gmtrace_kernel {
    const char *mangled;    /* the symbol: "_Z9transposePfPKfi" */
    const char *name;       /* readable: "transpose(float *, const float *, int)" */
    uint32_t registers;     /* allocated a thread */
    uint32_t static_shared; /* bytes a CTA */
    uint32_t local_bytes;   /* local memory a thread, GMTRACE_UNKNOWN where not seen */
    uint32_t barriers;      /* named barriers used */
    uint32_t instr_count;
    const gmtrace_instr *instr; /* sorted by pc; empty where the source has no code */
    uint32_t file_count;
    const char *const *file; /* source file names as the binary has them */
} gmtrace_kernel;

/* Where an allocation comes from. Texts that are not known are "" (NULL counts as "" for a writer),
 * none is longer than 4096 bytes. */
typedef struct gmtrace_origin {
    const char *name; /* what the program calls it: "d_x", "table" */
    const char *call; /* that made it: "cudaMalloc"; "" of a variable of the program's kernels */
    /* Where the call, or the variable, stands in the source; as in kernels. Where no line is known,
     * the function may be: "main()", "make(int)", whose last character no file's name has. */
    const char *file;
    uint32_t line;   /* 0 where not known */
    uint64_t number; /* which of the program's allocations it is, from 1; 0 of a variable */
} gmtrace_origin;

typedef struct gmtrace_allocation {
    uint64_t base, size;          /* device memory live when the launch began */
    const gmtrace_origin *origin; /* NULL where nothing is known */
} gmtrace_allocation;

/* Is `file` a function? NULL is allowed, and is none. */
bool gmtrace_origin_is_function(const gmtrace_origin *origin);

/* Bytes that memory held from a launch's beginning to its end. */
typedef struct gmtrace_known_range {
    uint64_t base;
    uint32_t size; /* 1 to 2^20 */
    const uint8_t *bytes;
} gmtrace_known_range;

/* What a launch's code found: its parameters, constants, and memory that loads which decide its
 * loops read, or from which indices of constants are made.
 * What is not here is not known. */
typedef struct gmtrace_known {
    /* The parameters' place in constant bank 0: both together at most 65,536. */
    uint32_t constants_offset, constants_size;
    const uint8_t *constants; /* as the kernel reads them; between two of them they mean nothing */
    uint32_t range_count;
    const gmtrace_known_range *range; /* sorted by base, without overlap: global memory, and */
} gmtrace_known;

/* where no memory is, what constant bank 3 held, that of __constant__ variables. */
#define GMTRACE_BANK_ADDRESS(BANK) (UINT64_C(0xffffffff00000000) + ((uint64_t)(BANK) << 16))

typedef struct gmtrace_launch {
    uint32_t kernel; /* index of its gmtrace_kernel */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];      /* 1,1,1 without clusters */
    uint32_t dynamic_shared;  /* bytes a CTA */
    uint32_t shared_config;   /* the SM's carve-out in bytes, GMTRACE_UNKNOWN where not seen */
    int32_t carveout_percent; /* the preference set by the program; -1: default */
    uint32_t stream;          /* small number of the CUDA stream, in order of first use */
    uint64_t ordinal;         /* how many launches of the process came before this one */
    /* Filled by the writer when the launch ends; a reader of a cut-short file sees `complete`
     * false and the counts of what could be read. `lost` is NULL, or why the capture missed records
     * of this launch; `complete` is false then, too. */
    uint64_t records, warps, ctas;
    bool complete;
    const char *lost;
    uint32_t allocation_count;
    const gmtrace_allocation *allocation; /* sorted by base, without overlap */
    /* The tensor maps (CUtensorMap) that its TENSOR records name, each once, as hardware reads
     * them; traces/code/tensor.h knows what they say. Filled like `complete`: a launch that is cut
     * short has none. */
    uint32_t tensor_map_count;
    const uint64_t (*tensor_map)[GMTRACE_TENSOR_WORDS];
    const gmtrace_known *known; /* NULL where the trace does not say. Filled by the reader */
    /* Launches of one kind have kernel, shape and parameters in common, addresses aside; a capture
     * may hold some of them alone. Filled by the reader. */
    uint32_t like;          /* the first launch of its kind; itself where none was left out */
    uint32_t captured;      /* launches of its kind that the trace holds */
    uint64_t stands_for;    /* launches of its kind, itself among them: of those that were left out
                             * each captured one has its share. 1 where none was */
    uint64_t unseen_before; /* launches left out since the one before it in the trace */
} gmtrace_launch;

/* A launch that happened and was not captured. */
typedef struct gmtrace_repeat {
    uint64_t ordinal; /* as a launch's */
    uint32_t launch;  /* the first of its kind */
} gmtrace_repeat;

/* ------------------------------------------------------------------------------------- records */

typedef enum gmtrace_kind {
    GMTRACE_ACCESS = 0, /* per-lane memory access */
    GMTRACE_BULK,       /* one bulk copy: address = source, aux64 = destination, aux = bytes; of a
                         * BULK_LOAD aux64 = GMTRACE_BULK_TO */
    GMTRACE_BARRIER,    /* CTA barrier: address = barrier number, aux = threads expected */
    GMTRACE_CLUSTER_ARRIVE,
    GMTRACE_CLUSTER_WAIT,
    GMTRACE_SYNCWARP,    /* aux = the mask asked for */
    GMTRACE_COPY_COMMIT, /* cp.async.commit_group */
    GMTRACE_COPY_WAIT,   /* cp.async.wait_group: aux = groups that may stay pending */
    GMTRACE_MBARRIER,    /* address = shared offset, aux = gmtrace_mbarrier */
    GMTRACE_EXEC,        /* an instruction without memory access: GMTRACE_DETAIL_FULL any, CALLS a
                          * call. aux = 1 where its predicate held for no lane: mask then means
                          * nothing */
    GMTRACE_WGMMA,       /* address, aux64 = shared offsets of A and B; aux = bytes, A low half */
    GMTRACE_TENSOR,      /* one copy of a box of a tensor: see gmtrace_tensor_copy */
    GMTRACE_KIND_COUNT
} gmtrace_kind;

typedef enum gmtrace_mbarrier {
    GMTRACE_MBARRIER_INIT = 1,
    GMTRACE_MBARRIER_ARRIVE,
    GMTRACE_MBARRIER_WAIT,
    GMTRACE_MBARRIER_INVALIDATE,
} gmtrace_mbarrier;

typedef enum gmtrace_op {
    GMTRACE_OP_NONE = 0,
    GMTRACE_OP_LOAD,
    GMTRACE_OP_STORE,
    GMTRACE_OP_ATOMIC,
    GMTRACE_OP_REDUCTION,
    GMTRACE_OP_COPY_READ,  /* cp.async, its global side ... */
    GMTRACE_OP_COPY_WRITE, /* ... and its shared side, the next record of the same warp */
    GMTRACE_OP_PREFETCH,
    GMTRACE_OP_BULK_LOAD,  /* global to shared */
    GMTRACE_OP_BULK_STORE, /* shared to global */
    GMTRACE_OP_BULK_COPY,  /* shared to (remote) shared */
    GMTRACE_OP_BULK_REDUCE,
    GMTRACE_OP_COUNT
} gmtrace_op;

/* Of a bulk load: the destination in the CTA's shared window, the mbarrier there that counts its
 * bytes (0: not seen), and the cluster's CTAs that get it, a bit each (0: its own alone). */
#define GMTRACE_BULK_TO(target, barrier, ctas)                                                     \
    ((uint64_t)(target) | (uint64_t)(barrier) << 24 | (uint64_t)(ctas) << 48)
#define GMTRACE_BULK_TARGET(aux64)  ((uint32_t)((aux64)&0xffffffu))
#define GMTRACE_BULK_BARRIER(aux64) ((uint32_t)((aux64) >> 24 & 0xffffffu))
#define GMTRACE_BULK_CTAS(aux64)    ((uint16_t)((aux64) >> 48))

/* How the lanes' addresses follow from a record. i is the lane number, 0 to 31. */
typedef enum gmtrace_shape {
    GMTRACE_AFFINE = 0, /* address + i * stride */
    GMTRACE_GRID,    /* address + (i mod 2^log2_columns) * stride + (i >> log2_columns) * stride2 */
    GMTRACE_OFFSETS, /* address + offset[i], 32-bit unsigned, entries of inactive lanes are 0 */
    GMTRACE_FULL,    /* full 64-bit address of each lane, entries of inactive lanes are 0 */
} gmtrace_shape;

/* One decoded record: 48 bytes, flat, no pointer. In AFFINE and GRID `address` is lane 0's, active
 * or not (arithmetic modulo 2^64); in OFFSETS it is the smallest active one. */
typedef struct gmtrace_record {
    uint64_t address;
    uint64_t aux64;
    uint32_t instr; /* index into the kernel's table, or GMTRACE_NO_INSTR */
    uint32_t mask;  /* lanes that execute it, predicated-off lanes not among them; never 0 */
    int32_t stride;
    int32_t stride2;
    uint32_t lanes; /* OFFSETS: index into gmtrace_chunk.offset32; FULL: into address64 */
    uint32_t aux;
    uint8_t kind;         /* gmtrace_kind */
    uint8_t op;           /* gmtrace_op */
    uint8_t space;        /* gmtrace_space */
    uint8_t shape;        /* gmtrace_shape */
    uint8_t log2_columns; /* GRID: 1 to 4 */
    uint8_t size;         /* bytes a lane: 1 2 4 8 16 32; 0 where no lane moves data */
    uint16_t map;         /* TENSOR: index into the launch's tensor maps; 0 in other records */
} gmtrace_record;

/* What a TENSOR record says: one executed UTMALDG (its op is BULK_LOAD), UTMASTG (BULK_STORE),
 * UTMAREDG (BULK_REDUCE) or UTMAPF (PREFETCH). Of such a record's fields instr, mask, kind, op and
 * space mean what they always do; the others hold this. */
typedef struct gmtrace_tensor_copy {
    int32_t coordinate[GMTRACE_TENSOR_DIMS]; /* of the box's first element, innermost first */
    uint32_t shared;  /* the box in shared memory: offset in the CTA's window; in a cluster, the
                       * rank of another CTA from bit 24 on */
    uint32_t barrier; /* of a load: the mbarrier that counts its bytes, likewise */
    uint16_t
        multicast;   /* of a load: the cluster's CTAs that get the box, a bit each; 0: one alone */
    uint16_t im2col; /* of an im2col map: the offsets in the filter, as the instruction has them */
    uint16_t map;    /* index into the launch's tensor maps */
} gmtrace_tensor_copy;

void gmtrace_get_tensor_copy(const gmtrace_record *record, gmtrace_tensor_copy *copy);
/* Leaves instr, mask, kind, op and space as they are. */
void gmtrace_put_tensor_copy(gmtrace_record *record, const gmtrace_tensor_copy *copy);

/* A decoded chunk: records of one or more segments. A segment is a run of consecutive records of
 * one warp. Owned by the reader. */
typedef struct gmtrace_segment {
    uint64_t cta;   /* linear CTA number: x + y * grid.x + z * grid.x * grid.y */
    uint32_t warp;  /* linear thread number / 32 */
    uint32_t first; /* index of its first record in the chunk */
    uint32_t count;
    bool last; /* the warp's stream ends with this segment */
} gmtrace_segment;

typedef struct gmtrace_chunk {
    uint32_t launch;
    uint64_t offset; /* in the file */
    uint32_t segment_count, record_count;
    const gmtrace_segment *segment;
    const gmtrace_record *record;
    const uint32_t *offset32;  /* groups of 32 */
    const uint64_t *address64; /* groups of 32 */
} gmtrace_chunk;

/* The addresses of all 32 lanes of a record; those of inactive lanes are unspecified. */
void gmtrace_expand(const gmtrace_chunk *chunk, const gmtrace_record *record,
                    uint64_t address[GMTRACE_WARP_LANES]);

/* -------------------------------------------------------------------------------------- reader */

typedef struct gmtrace_reader gmtrace_reader;

/* Opens a trace. path "-" reads standard input, which is spooled to an unnamed temporary file in
 * TMPDIR when it is a pipe. Reads all metadata, not the streams. A file that is cut short opens,
 * with gmtrace_damage() telling how far it reads; a file with no complete header does not. */
gmtrace_reader *gmtrace_open(const char *path, gmtrace_error *error);

#define GMTRACE_DEFAULT_MEMORY_LIMIT ((uint64_t)1 << 30)

typedef struct gmtrace_reader_options {
    uint64_t memory_limit; /* bytes that what the file claims may make the reader take: metadata,
                            * CTA index, decoded chunks. 0 = default. What asks for more is
                            * GMTRACE_MEMORY before it is allocated */
} gmtrace_reader_options;

/* The same with options, which may be NULL. */
gmtrace_reader *gmtrace_open_with(const char *path, const gmtrace_reader_options *options,
                                  gmtrace_error *error);
void gmtrace_close(gmtrace_reader *reader); /* NULL is allowed */

/* NULL where the file is whole; otherwise what is missing and from which byte. */
const gmtrace_error *gmtrace_damage(const gmtrace_reader *reader);

const gmtrace_capture *gmtrace_get_capture(const gmtrace_reader *reader);
uint32_t gmtrace_kernel_count(const gmtrace_reader *reader);
const gmtrace_kernel *gmtrace_get_kernel(const gmtrace_reader *reader, uint32_t kernel);
uint32_t gmtrace_launch_count(const gmtrace_reader *reader);
/* Launches that were not captured, in their order; valid with the reader. */
uint64_t gmtrace_repeat_count(const gmtrace_reader *reader);
const gmtrace_repeat *gmtrace_get_repeats(const gmtrace_reader *reader);
const gmtrace_launch *gmtrace_get_launch(const gmtrace_reader *reader, uint32_t launch);
uint64_t gmtrace_file_size(const gmtrace_reader *reader);
uint64_t gmtrace_chunk_count(const gmtrace_reader *reader); /* over all launches */

/* A warp without records costs whoever replays it time, though it costs the file nothing, and so
 * does each instruction of a launch's code. Refuses a launch that, with those before it, claims
 * more of both than a file of this size may: 2^24, 2^16 a launch before it and 4 a byte. True where
 * the reader's memory limit is UINT64_MAX. */
bool gmtrace_check_claims(const gmtrace_reader *reader, uint32_t launch, gmtrace_error *error);

/* Sequential reading, for tools: decodes chunk `index` (0 to gmtrace_chunk_count - 1, in file
 * order). The result stays valid until gmtrace_chunk_release(). NULL on error. */
const gmtrace_chunk *gmtrace_chunk_read(gmtrace_reader *reader, uint64_t index,
                                        gmtrace_error *error);
void gmtrace_chunk_release(gmtrace_reader *reader, const gmtrace_chunk *chunk);

/* Checks every byte: section checksums, chunk contents, counts, index. */
bool gmtrace_verify(gmtrace_reader *reader, gmtrace_error *error);

/* Replay: one cursor a warp, any number open at once. Chunks that several cursors stand in are
 * decoded once and freed when the last cursor leaves; memory is bounded by the cursors open, not
 * by the trace. Selecting a launch builds its CTA index (at most 8 bytes a CTA). Several threads
 * may open, refill and close cursors of a reader at once, each its own, while nothing else is asked
 * of it. */
typedef struct gmtrace_cursor {
    const gmtrace_record *next, *end; /* what is left of the current segment */
    const gmtrace_chunk *chunk;       /* the chunk `next` points into; for gmtrace_expand() */
    uint64_t cta;
    uint32_t warp;
    uint32_t part; /* private: which of the CTA's chunks */
} gmtrace_cursor;

bool gmtrace_select_launch(gmtrace_reader *reader, uint32_t launch, gmtrace_error *error);
/* The CTAs of the selected launch that have records, ascending; the caller frees *cta. */
bool gmtrace_list_ctas(const gmtrace_reader *reader, uint64_t **cta, size_t *count,
                       gmtrace_error *error);
/* Begins at the warp's first record. A warp with no records is valid and at its end at once. */
bool gmtrace_cursor_open(gmtrace_reader *reader, gmtrace_cursor *cursor, uint64_t cta,
                         uint32_t warp, gmtrace_error *error);
/* Moves to the warp's next segment. Returns true with next < end, or false at the end of the
 * stream (error->status GMTRACE_OK) or on damage (error->status otherwise). */
bool gmtrace_cursor_refill(gmtrace_reader *reader, gmtrace_cursor *cursor, gmtrace_error *error);
void gmtrace_cursor_close(gmtrace_reader *reader, gmtrace_cursor *cursor);

/* -------------------------------------------------------------------------------------- writer */

typedef struct gmtrace_writer gmtrace_writer;

typedef struct gmtrace_writer_options {
    int level;            /* zstd level, 0 = default (1) */
    size_t pending_limit; /* bytes of unwritten records held, 0 = default (192 MiB); reaching
                           * it writes the largest CTAs' records early */
} gmtrace_writer_options;

/* Writes beside `path` and renames in gmtrace_writer_close(). Strings and arrays passed in are
 * copied. options may be NULL. */
gmtrace_writer *gmtrace_writer_create(const char *path, const gmtrace_capture *capture,
                                      const gmtrace_writer_options *options, gmtrace_error *error);
/* Returns the kernel's index through `index`. */
bool gmtrace_writer_add_kernel(gmtrace_writer *writer, const gmtrace_kernel *kernel,
                               uint32_t *index, gmtrace_error *error);
/* One launch at a time is open. records, warps, ctas, complete, lost, known and tensor maps are
 * ignored. */
bool gmtrace_writer_begin_launch(gmtrace_writer *writer, const gmtrace_launch *launch,
                                 gmtrace_error *error);
/* Appends to the stream of (cta, warp). With `address` NULL the record's own shape is AFFINE or
 * GRID or carries no addresses; otherwise address[32] holds the lanes' addresses, shape, address
 * and strides of the record are ignored, and the writer picks the shortest shape. Fields not used
 * by the record's kind must be 0. */
bool gmtrace_writer_append(gmtrace_writer *writer, uint64_t cta, uint32_t warp,
                           const gmtrace_record *record, const uint64_t *address,
                           gmtrace_error *error);
/* Gives an access the shape that the writer would pick, where that is AFFINE or GRID, so that it
 * can be appended without lanes; false, and the record as it was, where it is neither. May be
 * called from several threads at once. */
bool gmtrace_pick_shape(gmtrace_record *record, const uint64_t address[GMTRACE_WARP_LANES]);
/* The number of a tensor map in the open launch, which holds each once: for
 * gmtrace_tensor_copy.map, before the record that names it. At most 65,536 a launch; USAGE beyond.
 */
bool gmtrace_writer_tensor_map(gmtrace_writer *writer, const uint64_t map[GMTRACE_TENSOR_WORDS],
                               uint16_t *number, gmtrace_error *error);
/* No further record of this CTA follows; its records may be written. */
bool gmtrace_writer_end_cta(gmtrace_writer *writer, uint64_t cta, gmtrace_error *error);
/* Says of the open launch that records are missing, and why in a few words; the first reason stays.
 * Readers find it as gmtrace_launch.lost. */
bool gmtrace_writer_lose(gmtrace_writer *writer, const char *why, gmtrace_error *error);
/* The open launch is of the kind of launch `first`, an earlier one and the first of it. */
bool gmtrace_writer_like(gmtrace_writer *writer, uint32_t first, gmtrace_error *error);
/* A launch like `launch`, the first of its kind, happened and is not captured. Ordinals ascend. */
bool gmtrace_writer_repeat(gmtrace_writer *writer, const gmtrace_repeat *repeat,
                           gmtrace_error *error);
/* What the open launch found; once a launch. Of a launch with more than 65,536 ranges or 4 MiB in
 * them the ranges are left out, and so they are where those of all launches would be more than 2^20
 * or 64 MiB; and where the parameters of all launches would be more than 64 MiB, all of it is. */
bool gmtrace_writer_know(gmtrace_writer *writer, const gmtrace_known *known, gmtrace_error *error);
/* Ends every CTA still open. */
bool gmtrace_writer_end_launch(gmtrace_writer *writer, gmtrace_error *error);
/* Updates GMTRACE_UNSEEN_* bits learnt during the capture; they are stored at the end. */
void gmtrace_writer_add_unseen(gmtrace_writer *writer, uint32_t unseen);
/* Writes index and footer, renames into place, frees. With `keep` false, after an earlier failure,
 * and inside an open launch (USAGE) the partial file is removed instead. NULL is allowed. */
bool gmtrace_writer_close(gmtrace_writer *writer, bool keep, gmtrace_error *error);
/* Removes the partial files of all writers of the process; for a signal handler that ends it. */
void gmtrace_writers_abandon(void);

/* ---------------------------------------------------------------------------------------- words */

/* "65536", "64K" or "64KiB" in bytes; K, M and G are powers of 1024. False, with 0, for anything
 * else; false, with UINT64_MAX, for a size that 64 bits do not hold. */
bool gmtrace_read_size(const char *text, uint64_t *bytes);

/* The field's words for enum values: "global", "load", "LDG" class names ...; never NULL. */
const char *gmtrace_space_name(gmtrace_space space);
const char *gmtrace_op_name(gmtrace_op op);
const char *gmtrace_kind_name(gmtrace_kind kind);
const char *gmtrace_class_name(gmtrace_class op_class);
const char *gmtrace_cache_name(gmtrace_cache cache);

#ifdef __cplusplus
}
#endif

#endif
