/* SPDX-License-Identifier: MIT
 *
 * runtime.h - what the files of libgmcuda share. The library stands where NVIDIA's runtime would:
 * device memory is host memory in one range of addresses, a launch interprets the kernel's PTX and
 * has run when it returns. One lock guards all state, so that a program with threads runs its CUDA
 * calls one after another.
 */
#ifndef GMCUDA_RUNTIME_H
#define GMCUDA_RUNTIME_H

#include "traces/code/lines.h"
#include "traces/gmcc/include/cuda_runtime_api.h"
#include "traces/ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------ errors.c */

/* Every call of the interface is a pair of these; leaving records an error for
 * cudaGetLastError(). */
void gmcuda_enter(void);
cudaError_t gmcuda_leave(cudaError_t error);
/* The error that a failed launch left behind, or cudaSuccess. */
cudaError_t gmcuda_sticky(void);
void gmcuda_set_sticky(cudaError_t error);
/* One line on stderr: "gmcuda: ...". */
void gmcuda_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ------------------------------------------------------------------------------- check.c */

/* The program's calls, those outside of this library; none where nobody asks for checks or a trace. */
void gmcuda_here(gmt_frames *frames);

/* ------------------------------------------------------------------------------ memory.c */

/* Are all of the bytes part of one live allocation? For gmptx_launch.check; `shift` may be NULL. */
bool gmcuda_accessible(void *user, uint64_t address, uint64_t bytes, bool is_write,
                       uint64_t *shift);
/* For gmptx_launch.answer. A GPU's memory is there or not in blocks of 2 MiB: a read behind an
 * allocation, in the block of its end, is answered with what lies there. Here that is zeros, and
 * never another allocation's value. */
const void *gmcuda_answer(void *user, uint64_t address, uint64_t bytes, uint64_t *shift);
/* Live allocations and variables, sorted, as traces have them; to be freed. NULL where there is no
 * memory. */
gmtrace_allocation *gmcuda_list_allocations(uint32_t *count);
/* In words, where bytes that are not all in one allocation lie: "0 bytes after the end of the
 * 4096 bytes at 0x... of allocation 2" */
void gmcuda_describe(uint64_t address, uint64_t bytes, char *text, size_t size);
/* Where the allocation was made that the address lies in, lay in, or is next to. */
void gmcuda_origin(uint64_t address, gmt_frames *frames);
void gmcuda_find_leaks(void); /* tells of what was never freed */
void gmcuda_release_memory(void);
/* Which bytes of device memory were written; nothing is known where nobody asks. */
const gmptx_shadow *gmcuda_shadow(void);

/* ---------------------------------------------------------------------------- assemble.c */

/* What ptxas made of a module's PTX; NULL where it, or nvdisasm, is not at hand or fails, which is
 * said. To be freed. `name` is the module's in messages. */
typedef struct gmcuda_code gmcuda_code;
gmcuda_code *gmcuda_assemble(const char *ptx, const char *name);
void gmcuda_free_code(gmcuda_code *code); /* NULL is allowed */
const gmptx_code *gmcuda_code_of(const gmcuda_code *code);
/* Of the ptxas that made it: "13.0". */
const char *gmcuda_ptxas_version(void);

/* ------------------------------------------------------------------------------ module.c */

typedef struct gmcuda_function {
    const void *host; /* what the program calls it: its stub's address */
    char *mangled;
    char *readable; /* as a person writes it, where the program can demangle; else `mangled` */
    struct gmcuda_module *module;
    const gmptx_kernel *kernel; /* NULL until it is used */
    const gmptx_kernel *code;   /* the same as machine code; NULL: there is none, or not yet */
    bool assembled;             /* or has been tried */
    const char *compiler;       /* whose PTX it is: "clang 14.0.6"; "" where unknown */
    uint32_t registers;         /* from ptxas; 0 where unknown */
    int max_dynamic_shared;     /* allowed by cudaFuncSetAttribute(), bytes */
    int carveout;               /* percent, -1: default */
    int64_t trace_index;        /* in the trace, -1: not yet */
    uint64_t launches;          /* that were watched for races */
} gmcuda_function;

/* The kernel behind a stub, parsed. NULL and an error that has been printed otherwise. */
gmcuda_function *gmcuda_find_function(const void *host, cudaError_t *error);
/* A __device__ or __constant__ variable. */
const gmptx_variable *gmcuda_find_variable(const void *host, cudaError_t *error);
/* Do the bytes lie in a variable of a module? */
bool gmcuda_in_variable(uint64_t address, uint64_t bytes);
/* Of those, in a __managed__ one, which lies where the host has it? *shift, where it is not NULL,
 * is what to add for traces, which have it where the module had it. */
bool gmcuda_in_shared_variable(uint64_t address, uint64_t bytes, uint64_t *shift);
/* The __device__ variables of modules that are in use, as allocations; how many. NULL: counted
 * alone.
 */
size_t gmcuda_list_variables(gmtrace_allocation *list);
/* The function's machine code, for launches that are traced, where it can be had. */
void gmcuda_assemble_function(gmcuda_function *function);
void gmcuda_reset_functions(void);
/* As a person writes it, to be freed; NULL where the program cannot demangle. */
char *gmcuda_demangle(const char *mangled);

/* ------------------------------------------------------------------------------ device.c */

enum {
    GMCUDA_MAX_THREADS = 1024,
    GMCUDA_SM_COUNT = 132,
    GMCUDA_SHARED_DEFAULT = 48 * 1024,
    GMCUDA_SHARED_OPTIN = 227 * 1024,
    GMCUDA_REGISTERS = 65536,
};
#define GMCUDA_MEMORY 141000000000u /* bytes */

/* CTAs an SM holds at once. */
int gmcuda_occupancy(uint32_t registers, size_t shared, int threads);

/* -------------------------------------------------------------------------------- heap.c */

/* Before a kernel that allocates is launched. */
cudaError_t gmcuda_open_heap(void);
void gmcuda_forget_heap(void); /* its memory goes with all other */
/* cudaErrorInvalidValue once it is open. */
cudaError_t gmcuda_limit_heap(size_t bytes);
size_t gmcuda_heap_bytes(void);
/* For gmptx_launch.allocate and .release. */
uint64_t gmcuda_heap_take(void *user, uint64_t bytes);
bool gmcuda_heap_give(void *user, uint64_t address);
/* memory.c: device memory that only the heap frees. */
cudaError_t gmcuda_allocate_heap(void **pointer, size_t bytes);

/* ------------------------------------------------------------------------------- array.c */

/* For gmptx_launch.texture. */
const gmptx_texture *gmcuda_find_texture(void *user, uint64_t object);
/* Where a copy of `bytes` a row begins in an array: byte x of row y of plane or layer z. NULL where
 * it does not fit. */
char *gmcuda_array_place(cudaArray_const_t array, size_t x, size_t y, size_t z, size_t bytes,
                         size_t rows, size_t planes);
/* Bytes of an element, from row to row, and from plane to plane. */
size_t gmcuda_array_element(cudaArray_const_t array);
size_t gmcuda_array_pitch(cudaArray_const_t array, size_t *plane);

/* ------------------------------------------------------------------------------- races.c */

/* For gmptx_launch.race_ctas and race_accesses, of a launch that begins. */
uint64_t gmcuda_watched_ctas(gmcuda_function *function, uint32_t *accesses);
/* For gmptx_launch.race; `user` is the function. */
void gmcuda_tell_race(void *user, const gmptx_race *race);
/* For gmptx_launch.stray: a warning, once a kernel and line. */
void gmcuda_tell_stray(void *user, const gmptx_finding *finding);

/* ------------------------------------------------------------------------------- trace.c */

/* The writer that GMSIM_TRACE asks for, NULL without. The trace's source says who compiled the
 * code, and whether registers are estimates; the function launched first decides. */
gmtrace_writer *gmcuda_trace(const gmcuda_function *first);
bool gmcuda_traces(void); /* is one asked for? */
/* Gives the trace up after an error, which is printed. */
void gmcuda_trace_failed(const gmtrace_error *error);

struct CUstream_st {
    uint32_t number;  /* from 1 on */
    uint64_t capture; /* the last one it took part in */
};
/* 0: the legacy stream and the thread's. */
static inline uint32_t gmcuda_stream_number(cudaStream_t stream)
{
    return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread
               ? 0
               : stream->number;
}

#endif
