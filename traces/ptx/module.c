/* SPDX-License-Identifier: MIT
 *
 * module.c - the public face of modules: parse, look up, free.
 */
#include "traces/ptx/module.h"
#include "traces/ptx/image.h"

#include <stdio.h>
#include <stdlib.h>

static gmptx_module *parse(const char *text, size_t length, const char *name, uint32_t apart,
                           gmtrace_error *error)
{
    gmptx_module *m = calloc(1, sizeof *m);
    if (m) {
        m->apart = apart;
        m->text = malloc(length + 1);
        m->name = strdup(name ? name : "");
    }
    if (!m || !m->text || !m->name) {
        gmptx_free(m);
        gmptx_fail(error, GMTRACE_MEMORY, 0, "out of memory");
        return NULL;
    }
    memcpy(m->text, text, length);
    m->text[length] = 0;
    if (length >= UINT32_MAX) {
        gmptx_fail(error, GMTRACE_UNSUPPORTED, 0, "a module of 4 GiB or more");
    } else if (gmptx_parse_module(m, length, error) && gmptx_layout_module(m, error)) {
        return m;
    }
    gmptx_free(m);
    return NULL;
}

gmptx_module *gmptx_parse(const char *text, size_t length, const char *name, gmtrace_error *error)
{
    return parse(text, length, name, 0, error);
}

gmptx_module *gmptx_parse_apart(const char *text, size_t length, const char *name,
                                gmtrace_error *error)
{
    return parse(text, length, name, GMPTX_ROOM, error);
}

static void free_function(ptx_function *f)
{
    free(f->param);
    free(f->result);
    free(f->reg);
    free(f->statement);
    free(f->operand);
    free(f->element);
    free(f->branch_list);
    free(f->target);
    free(f->local);
}

void gmptx_free(gmptx_module *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->assembled_count; i++)
        gmptx_free_kernel(m->assembled[i]);
    free(m->assembled);
    for (uint32_t i = 0; i < m->kernel_count; i++) {
        gmptx_free_kernel(m->kernel[i]);
        free((char *)m->kernel_name[i]);
    }
    for (uint32_t i = 0; i < m->function_count; i++)
        free_function(&m->function[i]);
    for (uint32_t i = 0; i < m->variable_count; i++)
        free(m->variable[i].initial);
    for (uint32_t i = 0; i < m->public_count; i++)
        free((char *)m->public_variable[i].name);
    for (uint32_t i = 0; i < m->file_count; i++)
        free((char *)m->file[i]);
    free(m->kernel);
    free(m->kernel_name);
    free(m->kernel_function);
    free(m->function);
    free(m->variable);
    free(m->public_variable);
    free(m->file);
    free(m->symbol);
    free(m->relocation);
    free(m->relocation_variable);
    gmptx_free_memory(m);
    free(m->name);
    free(m->text);
    free(m);
}

uint32_t gmptx_variable_count(const gmptx_module *module)
{
    return module->public_count;
}

const gmptx_variable *gmptx_get_variable(const gmptx_module *module, uint32_t index)
{
    return index < module->public_count ? &module->public_variable[index] : NULL;
}

const gmptx_variable *gmptx_find_variable(const gmptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->public_count; i++)
        if (strcmp(module->public_variable[i].name, name) == 0)
            return &module->public_variable[i];
    return NULL;
}

uint32_t gmptx_kernel_count(const gmptx_module *module)
{
    return module->kernel_count;
}

const char *gmptx_kernel_name(const gmptx_module *module, uint32_t index)
{
    return index < module->kernel_count ? module->kernel_name[index] : NULL;
}

const gmptx_kernel *gmptx_find_kernel(gmptx_module *module, const char *mangled,
                                      gmtrace_error *error)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernel_name[i], mangled) != 0)
            continue;
        if (!module->kernel[i])
            module->kernel[i] = gmptx_make_kernel(module, module->kernel_function[i], error);
        return module->kernel[i] ? &module->kernel[i]->info : NULL;
    }
    gmptx_fail(error, GMTRACE_USAGE, 0, "there is no kernel '%.150s' in %.60s", mangled,
               module->name);
    return NULL;
}
