/* SPDX-License-Identifier: MIT
 *
 * layout.c - gives the module's global and constant variables their memory. Shared and local ones
 * are placed kernel by kernel (image.c). An extern variable stays without memory; it is an error
 * where an instruction uses it.
 */
#include "traces/ptx/module.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MAX_MEMORY    (UINT64_C(4) << 30)
#define FIRST_ADDRESS UINT64_C(0x500000000000)

static int block_of(const ptx_variable *v)
{
    return v->space == PTX_SPACE_CONST;
}

static bool has_memory(const ptx_variable *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && !v->is_extern;
}

static bool place(gmptx_module *m, gmtrace_error *error)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        ptx_variable *v = &m->variable[i];
        if (!has_memory(v))
            continue;
        uint64_t *top = &m->memory_bytes[block_of(v)];
        const uint64_t align = v->align > 16 ? v->align : 16;
        v->offset = (*top + align - 1) & ~(align - 1);
        *top =
            v->offset + (v->size ? v->size : 1) + m->apart; /* one of no size has an address, too */
        if (*top > MAX_MEMORY)
            return gmptx_fail(error, GMTRACE_MEMORY, v->line,
                              "the module's variables take more than 4 GiB");
    }
    for (int b = 0; b < 2; b++) {
        if (!m->memory_bytes[b])
            continue;
        const size_t bytes = (size_t)((m->memory_bytes[b] + 4095) & ~(uint64_t)4095);
        /* asked for at the same place always, so that traces are the same */
        void *memory = mmap((void *)(uintptr_t)(FIRST_ADDRESS + (uint64_t)b * MAX_MEMORY), bytes,
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return gmptx_fail(error, GMTRACE_MEMORY, 0, "no memory for the module's variables");
        m->memory[b] = memory;
    }
    return true;
}

/* Where a variable is; one that was moved lies anywhere. */
static void *address_of(const gmptx_module *m, const ptx_variable *v)
{
    return (void *)((uintptr_t)m->memory[block_of(v)] + (uintptr_t)v->offset);
}

static bool relocate(gmptx_module *m, gmtrace_error *error)
{
    for (uint32_t i = 0; i < m->relocation_count; i++) {
        const ptx_relocation *r = &m->relocation[i];
        const ptx_variable *v = &m->variable[m->relocation_variable[i]];
        const ptx_symbol *symbol = &m->symbol[r->symbol];
        uint64_t value = PTX_FUNCTION_WINDOW + symbol->index;
        if (!symbol->is_function) {
            const ptx_variable *target = &m->variable[symbol->index];
            if (!has_memory(target))
                return gmptx_fail(error, GMTRACE_UNSUPPORTED, v->line,
                                  "the address of %.*s is not known before a launch",
                                  SLICE(target->name));
            value = (uint64_t)(uintptr_t)address_of(m, target);
        }
        value += (uint64_t)r->addend;
        if (has_memory(v))
            memcpy((uint8_t *)address_of(m, v) + r->at, &value, sizeof value);
    }
    return true;
}

bool gmptx_in_variable(const gmptx_module *m, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = &m->variable[i];
        const uint64_t at = address - (uint64_t)(uintptr_t)m->memory[block_of(v)] - v->offset;
        if (has_memory(v) && at < v->size && bytes <= v->size - at)
            return true;
    }
    return false;
}

void gmptx_move_variable(gmptx_module *m, const gmptx_variable *variable, void *address)
{
    gmtrace_error unused; /* what relocates once does so again */
    for (uint32_t i = 0; i < m->variable_count; i++)
        if (has_memory(&m->variable[i]) && address_of(m, &m->variable[i]) == variable->address)
            m->variable[i].offset = (uintptr_t)address - (uintptr_t)m->memory[0];
    m->public_variable[variable - m->public_variable].address = address;
    relocate(m, &unused);
}

static char *copy_name(ptx_slice s)
{
    return strndup(s.text, s.length);
}

static bool publish(gmptx_module *m)
{
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = &m->variable[i];
        if (!has_memory(v))
            continue;
        if (!GMT_GROW(m->public_variable, m->public_count))
            return false;
        gmptx_variable *out = &m->public_variable[m->public_count];
        *out = (gmptx_variable){copy_name(v->name), address_of(m, v), (size_t)v->size,
                                block_of(v) ? GMTRACE_SPACE_CONSTANT : GMTRACE_SPACE_GLOBAL};
        if (!out->name)
            return false;
        m->public_count++;
    }
    for (uint32_t i = 0; i < m->function_count; i++) {
        if (!m->function[i].is_entry || !m->function[i].has_body)
            continue;
        const char *name = copy_name(m->function[i].name);
        if (!name || !GMT_GROW(m->kernel_name, m->kernel_count) ||
            !GMT_GROW(m->kernel_function, m->kernel_count) ||
            !GMT_GROW(m->kernel, m->kernel_count)) {
            free((char *)name);
            return false;
        }
        m->kernel_name[m->kernel_count] = name;
        m->kernel_function[m->kernel_count] = i;
        m->kernel[m->kernel_count++] = NULL;
    }
    return true;
}

void gmptx_free_memory(gmptx_module *m)
{
    for (int b = 0; b < 2; b++)
        if (m->memory[b])
            munmap(m->memory[b], (size_t)((m->memory_bytes[b] + 4095) & ~(uint64_t)4095));
}

bool gmptx_layout_module(gmptx_module *m, gmtrace_error *error)
{
    if (!place(m, error))
        return false;
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = &m->variable[i];
        if (has_memory(v) && v->initial)
            memcpy(address_of(m, v), v->initial, (size_t)v->size);
    }
    if (!relocate(m, error))
        return false;
    return publish(m) || gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
}
