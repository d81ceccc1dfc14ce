/* SPDX-License-Identifier: MIT
 *
 * ptx.h - runs PTX on the host, a warp at a time, or the machine code that ptxas made of it, and
 * writes what it did as a gmsim trace.
 *
 * A module is one PTX text. Its kernels are executed functionally, 32 lanes side by side, with the
 * active lanes a SIMT stack says: lanes that part at a branch meet again at its immediate
 * post-dominator (paths that leave the kernel aside). No time passes in it; the trace says what was
 * done, the simulator how long it takes.
 *
 * Device memory is host memory: an address in global or constant memory is a host pointer, so a
 * caller allocates "device" memory with malloc(). Generic addresses of shared, local and parameter
 * memory lie in GMPTX_*_WINDOW, where no host pointer does.
 *
 * Left out: texture references, wgmma and products of sparse matrices, the bulk copy engine,
 * clusters, dynamic parallelism, and linking of several modules.
 * Using one of them is an error that names the instruction and its line, at gmptx_parse() or when
 * the kernel that contains it is looked up; nothing is skipped in silence.
 *
 * The library uses no GLib, never exits, and prints only what a kernel's printf prints. A module
 * may be used by one launch at a time.
 */
#ifndef GMPTX_H
#define GMPTX_H

#include "traces/gmtrace.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMPTX_SHARED_WINDOW 0x0100000000000000ull /* + byte offset in the CTA's shared memory */
#define GMPTX_LOCAL_WINDOW  0x0200000000000000ull /* + byte offset in the thread's local memory */
#define GMPTX_PARAM_WINDOW  0x0300000000000000ull /* + byte offset in the kernel's parameters */
#define GMPTX_WINDOW_BYTES  0x0100000000000000ull

/* -------------------------------------------------------------------------------------- modules */

typedef struct gmptx_module gmptx_module;

/* Parses `length` bytes of PTX, which need not end in 0. `name` is used in messages alone
 * ("a.ptx"). Everything that is kept is copied. NULL on error; error->text then begins with "line
 * N: ". */
gmptx_module *gmptx_parse(const char *text, size_t length, const char *name, gmtrace_error *error);
/* The same for launches that are checked: behind each variable of the module, shared ones included,
 * lie GMPTX_ROOM bytes that belong to nobody. Addresses are others than in a trace. */
gmptx_module *gmptx_parse_apart(const char *text, size_t length, const char *name,
                                gmtrace_error *error);
#define GMPTX_ROOM 4096u
void gmptx_free(gmptx_module *module); /* NULL is allowed */

/* A variable of .global or .const with its memory, initialised as the module says and kept from
 * launch to launch. __device__ and __constant__ variables are found here by their mangled names. */
typedef struct gmptx_variable {
    const char *name;
    void *address;
    size_t size;
    gmtrace_space space; /* GMTRACE_SPACE_GLOBAL or GMTRACE_SPACE_CONSTANT */
} gmptx_variable;

uint32_t gmptx_variable_count(const gmptx_module *module);
const gmptx_variable *gmptx_get_variable(const gmptx_module *module, uint32_t index);
const gmptx_variable *gmptx_find_variable(const gmptx_module *module,
                                          const char *name); /* or NULL */

/* A variable of .global is in memory of the caller's from now on, which has its value. Before a
 * kernel is looked up. The launch's check is asked about it, then. */
void gmptx_move_variable(gmptx_module *module, const gmptx_variable *variable, void *address);

/* -------------------------------------------------------------------------------------- kernels */

typedef struct gmptx_param {
    const char *name;
    uint32_t offset, size, align; /* in the parameter block, bytes */
} gmptx_param;

typedef struct gmptx_kernel {
    const char *mangled;
    uint32_t param_count, param_bytes;
    const gmptx_param *param;
    uint32_t registers;     /* a thread, estimated: the most that are live at once */
    uint32_t static_shared; /* bytes a CTA, without dynamic shared memory */
    uint32_t local_bytes;   /* a thread: .local variables (stack frames of calls come on top) */
    uint32_t barriers;      /* named barriers used */
    uint32_t max_threads; /* a block, from .maxntid or .reqntid; 0 where the module says nothing */
    uint32_t instr_count; /* PTX instructions, called functions included */
    bool allocates;       /* calls malloc() or free() */
} gmptx_kernel;

/* Kernels (.entry) in the order of the text. Owned by the module. */
uint32_t gmptx_kernel_count(const gmptx_module *module);
const char *gmptx_kernel_name(const gmptx_module *module, uint32_t index);
/* Prepares a kernel to run, once. NULL where there is none of that name (GMTRACE_USAGE) or where it
 * uses something that is not supported (GMTRACE_UNSUPPORTED: text names the instruction and the
 * line). */
const gmptx_kernel *gmptx_find_kernel(gmptx_module *module, const char *mangled,
                                      gmtrace_error *error);

/* The text without functions and variables that no kernel needs, which may name what is not there;
 * to be freed. NULL: no memory. */
char *gmptx_prune(const char *text);

/* What ptxas made of the module's PTX, for one GPU: the cubin, and what nvdisasm says of it with
 * -hex -g -c, and with -c -lrm narrow (NULL: which registers instructions use is guessed). */
typedef struct gmptx_code {
    const uint8_t *cubin;
    size_t cubin_bytes;
    const char *listing, *lives;
} gmptx_code;
/* The same kernel as machine code of compute capability 9.0, which is executed in place of PTX:
 * what the GPU itself would execute, with its registers, unrolled loops and spills. NULL with
 * GMTRACE_UNSUPPORTED where an instruction of it is not executed here; text says which. Lives as
 * long as the module; `code` is not kept. Launches that are checked take the PTX. */
const gmptx_kernel *gmptx_assemble(gmptx_module *module, const gmptx_kernel *kernel,
                                   const gmptx_code *code, gmtrace_error *error);

/* Adds the kernel to a trace of GMTRACE_DETAIL_FULL: its PTX instructions as instruction table, pc
 * 16 bytes apart, without control bits and encodings; register numbers are those of the estimate.
 * `name` is the readable name (NULL: the mangled one), `registers` what ptxas or the user says (0:
 * the estimate). */
bool gmptx_add_to_trace(const gmptx_kernel *kernel, const char *name, uint32_t registers,
                        gmtrace_writer *writer, uint32_t *index, gmtrace_error *error);

/* ------------------------------------------------------------------------------------- launches */

/* Does all of [address, address + bytes) lie in one live allocation of the caller's that may be
 * read (written)? Asked for global accesses alone. The interpreter first asks about the hull of a
 * warp's addresses and lane by lane only where that is refused, so an answer must depend on the
 * range alone. The module's own variables are known to the interpreter; the callback is not asked
 * about them. May be called from several threads at once. *shift, 0 before the call, is added to
 * the addresses in the trace: where an allocation lies there, if not where it lies here. */
typedef bool (*gmptx_check)(void *user, uint64_t address, uint64_t bytes, bool is_write,
                            uint64_t *shift);

/* A read that gmptx_check refused: where to find the bytes instead, if a GPU would answer it with
 * whatever lies there; NULL: nowhere, and the launch fails. They stay as they are while it runs. */
typedef const void *(*gmptx_answer)(void *user, uint64_t address, uint64_t bytes, uint64_t *shift);

typedef enum gmptx_fault_kind {
    GMPTX_FAULT_NONE = 0,
    GMPTX_FAULT_ACCESS,      /* outside of memory: address, bytes, is_write and space are set */
    GMPTX_FAULT_MISALIGNED,  /* address is no multiple of its size */
    GMPTX_FAULT_BARRIER,     /* some threads wait at a barrier that others never reach */
    GMPTX_FAULT_LIMIT,       /* the instruction limit: an endless loop? */
    GMPTX_FAULT_TRAP,        /* trap, brkpt, assert() */
    GMPTX_FAULT_FREE,        /* free() of what malloc() did not give: address is set */
    GMPTX_FAULT_INSTRUCTION, /* an operand that the instruction does not allow, seen at run time */
    GMPTX_FAULT_OTHER,       /* usage, memory, the trace could not be written */
} gmptx_fault_kind;

/* Why a launch failed, for whoever wants more than the error's text. Strings live as long as the
 * module. */
typedef struct gmptx_fault {
    gmptx_fault_kind kind;
    const char *kernel;      /* mangled */
    const char *instruction; /* "ld.global.f32 %f1, [%rd4]" */
    const char *file;        /* source file and line from .loc, NULL and 0 without */
    uint32_t line;
    uint32_t ptx_line;
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t bytes;
    bool is_write;
    gmtrace_space space;
} gmptx_fault;

/* One of those who meet in a finding. */
typedef struct gmptx_side {
    const char *file; /* from .loc, NULL and 0 without */
    uint32_t line, ptx_line;
    uint32_t block[3], thread[3];
    bool is_write, is_atomic;
} gmptx_side;

/* Two accesses of one launch to the same bytes that nothing orders, at least one of them a write:
 * the result depends on which comes first. The other one of the two was met later. */
typedef struct gmptx_race {
    const char *kernel;   /* mangled */
    bool shared;          /* memory; otherwise global */
    bool one_instruction; /* lanes of one warp write different values to one word */
    uint64_t count;       /* of words and times, on these two lines */
    gmptx_side side[2];
} gmptx_race;

/* What an object of a texture or a surface stands for: rows of texels of one kind, without gaps in
 * them. */
typedef enum gmptx_texture_kind {
    GMPTX_TEXTURE_SIGNED,
    GMPTX_TEXTURE_UNSIGNED,
    GMPTX_TEXTURE_FLOAT
} gmptx_texture_kind;
typedef enum gmptx_texture_address {
    GMPTX_TEXTURE_WRAP,
    GMPTX_TEXTURE_CLAMP,
    GMPTX_TEXTURE_MIRROR,
    GMPTX_TEXTURE_BORDER
} gmptx_texture_address;
typedef struct gmptx_texture {
    uint8_t *texels;
    uint32_t extent[3]; /* texels; 1 where there is no such dimension */
    uint32_t layers;
    uint64_t row_bytes, slice_bytes; /* from row to row, from plane or layer to the next */
    uint8_t kind, bits, channels;    /* gmptx_texture_kind; 8, 16 or 32; 1, 2 or 4 */
    bool surface;                    /* the rest is a texture's alone: */
    bool normalized;                 /* integers are read as [0, 1] or [-1, 1] */
    bool normalized_coordinates, linear;
    uint8_t address[3]; /* gmptx_texture_address by dimension */
    float border[4];
} gmptx_texture;

/* Which bytes of [start, start + bytes) of global memory were written, a bit each from the lowest
 * on; written NULL: nothing is known, and all counts as written. The caller's: it marks what it
 * writes itself, the interpreter what kernels write. */
typedef struct gmptx_shadow {
    uint64_t start, bytes;
    uint8_t *written;
} gmptx_shadow;

/* Parts of a range that have no shadow count as written, and marking them does nothing. */
void gmptx_shadow_mark(const gmptx_shadow *shadow, uint64_t address, uint64_t bytes, bool written);
uint64_t gmptx_shadow_unwritten(const gmptx_shadow *shadow, uint64_t address, uint64_t bytes);
/* What is known of `from` holds for `to` after a copy; the two may overlap. */
void gmptx_shadow_copy(const gmptx_shadow *shadow, uint64_t to, uint64_t from, uint64_t bytes);

typedef enum gmptx_finding_kind {
    GMPTX_FOUND_OUTSIDE,    /* an access outside of memory, or of one variable */
    GMPTX_FOUND_MISALIGNED, /* its address is no multiple of its size */
    GMPTX_FOUND_UNWRITTEN,  /* a read of what nobody wrote */
} gmptx_finding_kind;

/* A mistake at one line of a kernel. Strings live as long as the module. */
typedef struct gmptx_finding {
    gmptx_finding_kind kind;
    const char *kernel; /* mangled */
    gmtrace_space space;
    bool is_write;
    uint64_t count; /* threads and times */
    gmptx_side at;  /* the first one, and what it accessed: */
    uint64_t address;
    uint32_t bytes;
    char variable[96];     /* the module's, or a shared one, at or below the address; "": none */
    uint64_t offset, size; /* from its start; its size */
} gmptx_finding;

/* Mistakes that do not end a launch but are told of after it. A wrong access is left out. */
typedef struct gmptx_checks {
    bool unwritten; /* look for reads of what nobody wrote, too */
    gmptx_shadow shadow;
    void (*found)(void *user, const gmptx_finding *finding);
    void *user;
} gmptx_checks;

typedef struct gmptx_launch {
    const gmptx_kernel *kernel;
    const char *name; /* of the kernel in messages; NULL: the mangled one */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared; /* bytes a CTA */
    void *const *args; /* param_count pointers to the values, as cudaLaunchKernel takes them */

    gmptx_check check; /* NULL: global addresses are not checked */
    void *check_user;
    gmptx_answer answer; /* NULL: there is none. With check_user, and not with checks */
    /* The texture or surface of an object; NULL: there is none such. With check_user. */
    const gmptx_texture *(*texture)(void *user, uint64_t object);
    /* malloc() and free() of kernels, with check_user: an address of global memory, or 0 where
     * there is no more; false: it is none that may be freed. Called for one thread after the other,
     * CTAs in order. NULL: kernels that call them are not run. */
    uint64_t (*allocate)(void *user, uint64_t bytes);
    bool (*release)(void *user, uint64_t address);
    uint64_t instruction_limit; /* warp instructions of one CTA; 0: 2^32 */
    unsigned threads;           /* CTAs run in parallel on so many; 0: 1. Results and trace never
                                 * vary: a kernel with atomics on global memory, or with loads of it
                                 * that pass L1, runs its CTAs one after the other, while a second
                                 * thread writes the trace of the last */
    bool together; /* all CTAs run side by side, one round of their warps each, and may wait for one
                    * another: whoever may be asking another CTA, by an atomic or an ordered load
                    * of global memory, then has the others take their turn. The caller sees that
                    * they are no more than a GPU holds. Races are not looked for */
    uint64_t race_ctas;     /* the first so many CTAs are watched for races, one after the other */
    uint32_t race_accesses; /* of each of them no more accesses of warps than these; 0: all */
    void (*race)(void *user, const gmptx_race *race); /* told of each, after the launch */
    void *race_user;
    /* With race_user: told of reads that were answered, at once, CTA by CTA: of each CTA the first
     * of an operation. Finding and strings last while the function runs. */
    void (*stray)(void *user, const gmptx_finding *finding);
    const gmptx_checks *checks; /* NULL: none; else CTAs run one after the other */
    FILE *print;                /* where the kernel's printf goes, CTA by CTA; NULL: stdout */
    uint32_t sm_count;          /* for %nsmid and %smid; 0: 132 */

    gmtrace_writer *writer; /* NULL: no trace. Otherwise the launch is begun and ended here, */
    gmtrace_launch trace;   /* with kernel (from gmptx_add_to_trace), cluster, shared_config,
                             * carveout_percent, stream, ordinal and the allocations taken from
                             * here; grid, block and dynamic_shared come from above */
} gmptx_launch;

typedef struct gmptx_result {
    uint64_t warp_instructions;   /* executed PTX instructions, one a warp */
    uint64_t thread_instructions; /* the same, one an active thread */
    uint64_t records;             /* handed to the writer */
    bool races_incomplete;        /* more memory was touched than is watched for races */
    gmptx_fault fault;            /* kind GMPTX_FAULT_NONE after success */
} gmptx_result;

/* Runs all CTAs. False with error->text (one line: kernel, source line, block, thread, what) where
 * something went wrong; memory then holds what had been written until then, and an open launch of
 * the trace has been ended. `result` may be NULL. */
bool gmptx_run(const gmptx_launch *launch, gmptx_result *result, gmtrace_error *error);

#ifdef __cplusplus
}
#endif

#endif
