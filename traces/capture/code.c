/* SPDX-License-Identifier: MIT
 *
 * code.c - runs nvdisasm on a kernel and the functions it calls, and puts together what the trace
 * says of the kernel.
 */
#include "traces/capture/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/capture/names.h"
#include "traces/code/deciding.h"
#include "traces/code/tools.h"
#include "traces/code/decoded.h"

/* From compute capability 8.0 on the system keeps the first kilobyte of a CTA's shared memory, and
 * cubins count it as the kernel's. */
/* What a thread gets at least whose kernel calls assert, printf, malloc or free, whatever cubin and
 * driver say of it: ncu's launch__registers_per_thread of asserts, prints and allocates in
 * tests/cuda/capture_cases.cu on an H200 (driver 580.159), where both say 24. */
#define DRIVER_REGISTERS 32u
#define SYSTEM_SHARED    1024u

/* nvdisasm's two runs go at the same time. */
static bool disassemble(const gmc_settings *settings, const char *cubin_path, gmc_kernel *kernel)
{
    char code_path[4096], lives_path[4096];
    char *symbols = calloc(kernel->function_count, 12);
    if (!symbols)
        return false;
    size_t length = 0;
    for (uint32_t i = 0; i < kernel->function_count; i++)
        length +=
            (size_t)sprintf(symbols + length, "%s%u", i ? "," : "", kernel->function[i]->symbol);
    snprintf(code_path, sizeof code_path, "%s.code", cubin_path);
    snprintf(lives_path, sizeof lives_path, "%s.lives", cubin_path);
    char *tool = (char *)(uintptr_t)settings->nvdisasm, *path = (char *)(uintptr_t)cubin_path;
    char *const code_run[] = {tool, "-hex", "-g", "-c", "-fun", symbols, path, NULL};
    char *const lives_run[] = {tool, "-c", "-lrm", "narrow", "-fun", symbols, path, NULL};
    pid_t code_process = gmt_tool_start(code_run, code_path);
    pid_t lives_process = gmt_tool_start(lives_run, lives_path);
    bool has_code = gmt_tool_wait(code_process), has_lives = gmt_tool_wait(lives_process);
    char *code = has_code ? gmt_read_file(code_path) : NULL;
    char *lives = has_lives ? gmt_read_file(lives_path) : NULL;

    bool good = code != NULL;
    uint64_t base = 0;
    for (uint32_t i = 0; i < kernel->function_count && good; i++) {
        char section[4096];
        snprintf(section, sizeof section, ".text.%s", kernel->function[i]->name);
        good = gmtrace_sass_listing(&kernel->sass, code, section, base);
        if (good && lives)
            gmtrace_sass_lives(&kernel->sass, lives, section, base);
        base += kernel->function[i]->size;
    }
    if (good)
        gmtrace_sass_link(&kernel->sass);
    unlink(code_path);
    unlink(lives_path);
    free(code);
    free(lives);
    free(symbols);
    return good;
}

static void use_raw_code(const gmc_cubin *cubin, gmc_kernel *kernel)
{
    uint64_t base = 0;
    gmtrace_sass_free(&kernel->sass);
    for (uint32_t i = 0; i < kernel->function_count; i++) {
        size_t size;
        const void *code = gmc_cubin_code(cubin, kernel->function[i], &size);
        if (!code || !gmtrace_sass_raw(&kernel->sass, code, size, base))
            return;
        base += kernel->function[i]->size;
    }
}

/* What warpgroup MMA reads is recorded. */
static uint32_t find_unseen(const gmtrace_sass *sass)
{
    uint32_t unseen = 0;
    for (uint32_t i = 0; i < sass->instr_count; i++)
        unseen |= gmtrace_decode(&sass->instr[i]).unseen;
    return unseen & ~(uint32_t)GMTRACE_UNSEEN_WGMMA;
}

/* NULL where no load does, or without memory: then less is known of its launches. */
static uint8_t *find_deciding(const gmc_kernel *kernel)
{
    const gmtrace_kernel code = {.mangled = kernel->mangled,
                                 .name = kernel->name,
                                 .instr_count = kernel->sass.instr_count,
                                 .instr = kernel->sass.instr};
    uint8_t *deciding = calloc(code.instr_count + 1u, sizeof *deciding);
    if (deciding && gmt_deciding_loads(&code, GMTRACE_DETAIL_CALLS, deciding))
        return deciding;
    free(deciding);
    return NULL;
}

gmc_kernel *gmc_kernel_create(const gmc_settings *settings, const gmc_cubin *cubin,
                              const char *cubin_path, const char *mangled)
{
    gmc_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->mangled = strdup(mangled);
    kernel->name = gmc_display_name(settings, mangled);
    kernel->function = calloc(GMC_MAX_CALLEES + 1, sizeof *kernel->function);
    kernel->unseen = GMTRACE_UNSEEN_CONSTANT | GMTRACE_UNSEEN_TEXTURE | GMTRACE_UNSEEN_SURFACE |
                     GMTRACE_UNSEEN_TENSOR_COPY;
    kernel->local_bytes = GMTRACE_UNKNOWN;
    if (!kernel->mangled || !kernel->name || !kernel->function) {
        gmc_kernel_free(kernel);
        return NULL;
    }
    const gmc_function *self = cubin ? gmc_cubin_find(cubin, mangled) : NULL;
    if (!self)
        return kernel;
    size_t callees = gmc_cubin_callees(cubin, self, kernel->function + 1, GMC_MAX_CALLEES);
    kernel->function[0] = self;
    kernel->function_count = 1 + (uint32_t)(callees < GMC_MAX_CALLEES ? callees : GMC_MAX_CALLEES);
    kernel->registers = self->registers;
    if (kernel->registers < DRIVER_REGISTERS && gmc_cubin_calls_driver(cubin, self))
        kernel->registers = DRIVER_REGISTERS;
    kernel->barriers = self->barriers;
    kernel->local_bytes = self->frame_bytes;
    kernel->static_shared =
        self->shared_bytes > SYSTEM_SHARED ? self->shared_bytes - SYSTEM_SHARED : 0;
    kernel->disassembled = settings->nvdisasm && disassemble(settings, cubin_path, kernel);
    if (!kernel->disassembled) {
        use_raw_code(cubin, kernel);
        return kernel;
    }
    kernel->unseen = find_unseen(&kernel->sass);
    if (!gmtrace_unseen_create(kernel->sass.instr, kernel->sass.instr_count, GMTRACE_DETAIL_CALLS,
                               &kernel->slots)) {
        gmc_kernel_free(kernel);
        return NULL;
    }
    kernel->deciding = find_deciding(kernel);
    return kernel;
}

void gmc_kernel_free(gmc_kernel *kernel)
{
    if (!kernel)
        return;
    gmtrace_unseen_free(kernel->slots);
    free(kernel->deciding);
    gmtrace_sass_free(&kernel->sass);
    free(kernel->mangled);
    free(kernel->name);
    free(kernel->function);
    free(kernel);
}
