/* SPDX-License-Identifier: MIT
 *
 * module.c - what the compiler registers before main(): one PTX text a source file, its kernels and
 * its variables. A module is parsed when the first of its kernels or variables is used.
 */
#include "traces/gmcc/runtime/check.h"
#include "traces/gmcc/runtime/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1

/* What __cudaRegisterFatBinary() is given. NVIDIA's tools put a container behind `data`; gmcc puts
 * the PTX itself there, ended by a 0. */
typedef struct fatbin_wrapper {
    int magic, version;
    const char *data;
    void *unused;
} fatbin_wrapper;

typedef struct gmcuda_module {
    struct gmcuda_module *next;
    const char *text;
    char name[128], compiler[64];
    gmptx_module *ptx;      /* NULL until it is parsed */
    cudaError_t error;      /* why it cannot be */
    bool shares;            /* it has __managed__ variables */
    bool linked;            /* with all others of this kind */
    size_t number;          /* which of them it is */
    gmtrace_origin *origin; /* of its variables, once a trace asked for them */
    gmcuda_code *code;      /* NULL until it is assembled, */
    bool assembled;         /* or where that failed */
} gmcuda_module;

typedef struct variable {
    const void *host;
    char *mangled;
    gmcuda_module *module;
    uint64_t shared_bytes, traced; /* of a __managed__ one: its size, its address in traces */
} variable;

static gmcuda_module *modules;
static gmcuda_function **functions; /* pointers: callers keep them */
static variable *variables;
static size_t function_count, variable_count;

/* libstdc++'s, where the program has it: this library is C. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
    __attribute__((weak));

/* The interface, which no header declares: the compiler alone calls it. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
/* What gmcc puts in place of clang's __cudaRegisterLinkedBinary_HASH, which a device linker would
 * define. */
void __gmcudaRegisterLinked(void (*globals)(void **), void *wrapper, void *id,
                            void (*callback)(void *));
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global);

/* Registration has nobody to report to: it runs before main(). */
static void *must(void *pointer)
{
    if (pointer == NULL) {
        gmcuda_message("no memory to register the program's kernels");
        abort();
    }
    return pointer;
}

/* What gmcc's comments before the PTX say: "// gmcc module NAME". False where they do not. */
static bool read_word(const gmcuda_module *module, const char *mark, char *to, size_t room)
{
    for (const char *line = module->text; strncmp(line, "// gmcc ", 8) == 0;) {
        const size_t length = strcspn(line, "\n"), skip = strlen(mark);
        if (strncmp(line, mark, skip) == 0) {
            snprintf(to, room, "%.*s", (int)(length - skip < room ? length - skip : room - 1),
                     line + skip);
            return true;
        }
        line += length + (line[length] != 0);
    }
    return false;
}

void **__cudaRegisterFatBinary(void *data)
{
    const fatbin_wrapper *wrapper = data;
    gmcuda_module *module = must(calloc(1, sizeof *module));
    gmcuda_enter();
    module->text = "";
    if (wrapper->magic == WRAPPER_MAGIC && wrapper->data != NULL && wrapper->data[0] == '/')
        module->text = wrapper->data;
    else
        module->error = cudaErrorInvalidKernelImage;
    if (!read_word(module, "// gmcc module ", module->name, sizeof module->name))
        snprintf(module->name, sizeof module->name, "the program's PTX");
    read_word(module, "// gmcc compiler ", module->compiler, sizeof module->compiler);
    char managed[8];
    module->shares = read_word(module, "// gmcc managed ", managed, sizeof managed);
    module->next = modules;
    modules = module;
    gmcuda_leave(cudaSuccess);
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Runs at exit, when others may still use the module; the system takes the memory back. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

/* "// gmcc registers NAME N" among the comments that gmcc puts before the PTX. */
static uint32_t find_registers(const gmcuda_module *module, const char *mangled)
{
    static const char mark[] = "// gmcc registers ";
    size_t length = strlen(mangled);
    for (const char *line = module->text; strncmp(line, "// gmcc ", 8) == 0;) {
        const char *name = line + sizeof mark - 1;
        if (strncmp(line, mark, sizeof mark - 1) == 0 && strncmp(name, mangled, length) == 0 &&
            name[length] == ' ') {
            unsigned long n = strtoul(name + length, NULL, 10);
            return n <= 255 ? (uint32_t)n : 0;
        }
        line = strchr(line, '\n');
        if (line == NULL)
            break;
        line++;
    }
    return 0;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp_size;
    gmcuda_enter();
    gmcuda_function *function = must(calloc(1, sizeof *function));
    function->host = host;
    function->mangled = must(strdup(name));
    function->module = (gmcuda_module *)handle;
    function->compiler = function->module->compiler;
    function->registers = find_registers(function->module, name);
    function->max_dynamic_shared = GMCUDA_SHARED_DEFAULT;
    function->carveout = -1;
    function->trace_index = -1;
    functions = must(realloc(functions, (function_count + 1) * sizeof *functions));
    functions[function_count++] = function;
    gmcuda_leave(cudaSuccess);
}

static gmptx_module *parse_text(const char *text, const char *name)
{
    gmtrace_error error;
    const size_t length = strlen(text);
    gmptx_module *ptx = gmcuda_checks_any() ? gmptx_parse_apart(text, length, name, &error)
                                            : gmptx_parse(text, length, name, &error);
    if (ptx == NULL)
        gmcuda_message("%s: %s", name, error.text);
    return ptx;
}

/* All modules that are to be linked become one. Those of a library that is loaded later are linked
 * among themselves. */
static void link_modules(void)
{
    size_t count = 0;
    for (gmcuda_module *m = modules; m != NULL; m = m->next)
        if (m->linked && m->ptx == NULL && m->error == cudaSuccess)
            m->number = count++;
    const char **text = must(calloc(count + 1, sizeof *text));
    for (const gmcuda_module *m = modules; m != NULL; m = m->next)
        if (m->linked && m->ptx == NULL && m->error == cudaSuccess)
            text[m->number] = m->text;
    char *all = must(gmcuda_link(text, count));
    gmptx_module *ptx = parse_text(all, "the linked PTX");
    for (gmcuda_module *m = modules; m != NULL; m = m->next)
        if (m->linked && m->ptx == NULL && m->error == cudaSuccess) {
            m->ptx = ptx;
            m->error = ptx == NULL ? cudaErrorInvalidPtx : cudaSuccess;
        }
    free(all);
    free(text);
}

static void share_linked(void);

static cudaError_t parse(gmcuda_module *module)
{
    if (module->ptx != NULL || module->error != cudaSuccess) {
        if (module->error == cudaErrorInvalidKernelImage)
            gmcuda_message("the program's kernels are not PTX text: compile it with gmcc");
        return module->error;
    }
    if (module->linked) {
        link_modules();
        share_linked();
        return module->error;
    }
    module->ptx = parse_text(module->text, module->name);
    if (module->ptx == NULL)
        module->error = cudaErrorInvalidPtx;
    return module->error;
}

/* nvcc drops the L by which the C++ ABI marks internal linkage: clang's host code asks for
 * _ZL4scalePf or _ZN1sL5tableE, nvcc's PTX says _Z4scalePf and _ZN1s5tableE. NULL where the name
 * has none. */
static char *without_linkage(const char *mangled)
{
    char *name = strdup(mangled), *to = name;
    const char *from = mangled;
    bool nested = strncmp(from, "_ZN", 3) == 0, dropped = false;
    if (name == NULL || strncmp(from, "_Z", 2) != 0) {
        free(name);
        return NULL;
    }
    for (size_t n = nested ? 3 : 2; n > 0; n--)
        *to++ = *from++;
    do {
        if (*from == 'L') {
            from++;
            dropped = true;
        }
        size_t length = strspn(from, "0123456789");
        unsigned long size = length != 0 ? strtoul(from, NULL, 10) : 0;
        if (size == 0 || size > strlen(from) - length)
            break;
        for (size_t n = length + size; n > 0; n--)
            *to++ = *from++;
    } while (nested);
    memmove(to, from, strlen(from) + 1); /* no longer than what was there */
    if (!dropped) {
        free(name);
        return NULL;
    }
    return name;
}

/* What a linked module calls a name that it keeps to itself; NULL in others. To be freed. */
static char *own_name(const gmcuda_module *module, const char *mangled)
{
    return module->linked ? must(gmcuda_linked_name(mangled, strlen(mangled), module->number))
                          : NULL;
}

static const gmptx_kernel *find_kernel(gmcuda_function *function, gmtrace_error *why)
{
    gmptx_module *ptx = function->module->ptx;
    char *own = own_name(function->module, function->mangled);
    if (own != NULL) {
        const gmptx_kernel *mine = gmptx_find_kernel(ptx, own, why);
        free(own);
        if (mine != NULL || why->status != GMTRACE_USAGE)
            return mine;
    }
    const gmptx_kernel *kernel = gmptx_find_kernel(ptx, function->mangled, why);
    if (kernel != NULL || why->status != GMTRACE_USAGE)
        return kernel;
    char *other = without_linkage(function->mangled);
    if (other != NULL)
        kernel = gmptx_find_kernel(ptx, other, why);
    free(other);
    return kernel;
}

/* A variable outside of namespaces is called by its name alone: _ZL5table is table. */
static const gmptx_variable *find_variable(const variable *v)
{
    const gmptx_module *ptx = v->module->ptx;
    char *own = own_name(v->module, v->mangled);
    const gmptx_variable *mine = own != NULL ? gmptx_find_variable(ptx, own) : NULL;
    free(own);
    if (mine != NULL)
        return mine;
    const gmptx_variable *found = gmptx_find_variable(ptx, v->mangled);
    char *other = found == NULL ? without_linkage(v->mangled) : NULL;
    if (other != NULL) {
        found = gmptx_find_variable(ptx, other);
        if (found == NULL && strncmp(other, "_ZN", 3) != 0)
            found = gmptx_find_variable(ptx, other + 2 + strspn(other + 2, "0123456789"));
    }
    free(other);
    return found;
}

/* A name without clang's mark of a static one that it makes known, "__static__HASH". */
static size_t plain_length(const char *name)
{
    const char *mark = strstr(name, "__static__");
    return mark != NULL ? (size_t)(mark - name) : strlen(name);
}

/* "// gmcc managed NAME" */
static bool is_managed(const gmcuda_module *module, const char *mangled)
{
    static const char mark[] = "// gmcc managed ";
    const size_t skip = sizeof mark - 1, length = plain_length(mangled);
    for (const char *line = module->text, *end; strncmp(line, "// gmcc ", 8) == 0;
         line = end + (*end != 0)) {
        const char *name = line + skip;
        end = line + strcspn(line, "\n");
        if (strncmp(line, mark, skip) == 0 && strncmp(name, mangled, length) == 0 &&
            (name + length == end || strncmp(name + length, "__static__", 10) == 0))
            return true;
    }
    return false;
}

static void move(variable *v, const gmptx_variable *found)
{
    v->traced = (uint64_t)(uintptr_t)found->address;
    v->shared_bytes = found->size;
    gmptx_move_variable(v->module->ptx, found, (void *)(uintptr_t)v->host);
}

/* A __managed__ variable is where the host has it, with its value before main(). Of a module that
 * is yet to be linked only the value is known. */
static void share(variable *v)
{
    void *host = (void *)(uintptr_t)v->host;
    if (!is_managed(v->module, v->mangled) ||
        (!v->module->linked && parse(v->module) != cudaSuccess))
        return;
    gmptx_module *alone = v->module->linked ? parse_text(v->module->text, v->module->name) : NULL;
    const gmptx_module *ptx = alone != NULL ? alone : v->module->ptx;
    for (uint32_t i = 0; ptx != NULL && i < gmptx_variable_count(ptx); i++) {
        const gmptx_variable *found = gmptx_get_variable(ptx, i);
        const size_t length = plain_length(found->name);
        if (length != plain_length(v->mangled) || strncmp(found->name, v->mangled, length) != 0)
            continue;
        memcpy(host, found->address, found->size);
        if (alone == NULL)
            move(v, found);
    }
    gmptx_free(alone);
}

/* The program has had them in use since. */
static void share_linked(void)
{
    for (size_t i = 0; i < variable_count; i++) {
        variable *v = &variables[i];
        if (!v->module->linked || v->module->ptx == NULL || v->shared_bytes != 0 ||
            !is_managed(v->module, v->mangled))
            continue;
        const gmptx_variable *found = find_variable(v);
        if (found != NULL)
            move(v, found);
    }
}

bool gmcuda_in_shared_variable(uint64_t address, uint64_t bytes, uint64_t *shift)
{
    for (size_t i = 0; i < variable_count; i++) {
        const uint64_t base = (uint64_t)(uintptr_t)variables[i].host,
                       size = variables[i].shared_bytes;
        if (size == 0 || address - base >= size || bytes > size - (address - base))
            continue;
        if (shift != NULL)
            *shift = variables[i].traced - base;
        return true;
    }
    return false;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global)
{
    (void)device, (void)external, (void)size, (void)constant, (void)global;
    gmcuda_enter();
    variables = must(realloc(variables, (variable_count + 1) * sizeof *variables));
    variables[variable_count++] =
        (variable){.host = host, .mangled = must(strdup(name)), .module = (gmcuda_module *)handle};
    if (variables[variable_count - 1].module->shares)
        share(&variables[variable_count - 1]);
    gmcuda_leave(cudaSuccess);
}

void __gmcudaRegisterLinked(void (*globals)(void **), void *wrapper, void *id,
                            void (*callback)(void *))
{
    (void)id, (void)callback;
    gmcuda_module *module = (gmcuda_module *)__cudaRegisterFatBinary(wrapper);
    module->linked = true;
    globals((void **)module);
}

char *gmcuda_demangle(const char *mangled)
{
    int status = 0;
    return __cxa_demangle != NULL ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
}

gmcuda_function *gmcuda_find_function(const void *host, cudaError_t *error)
{
    gmcuda_function *function = NULL;
    gmtrace_error why;
    for (size_t i = 0; function == NULL && i < function_count; i++)
        if (functions[i]->host == host)
            function = functions[i];
    *error = cudaErrorInvalidDeviceFunction;
    if (function == NULL)
        return NULL;
    if (function->kernel != NULL)
        return function;
    *error = parse(function->module);
    if (*error != cudaSuccess)
        return NULL;
    function->kernel = find_kernel(function, &why);
    if (function->kernel == NULL) {
        gmcuda_message("%s: %s", function->module->name, why.text);
        *error = why.status == GMTRACE_UNSUPPORTED ? cudaErrorNotSupported
                                                   : cudaErrorInvalidDeviceFunction;
        return NULL;
    }
    function->readable = gmcuda_demangle(function->mangled);
    if (function->readable == NULL)
        function->readable = function->mangled;
    return function;
}

void gmcuda_assemble_function(gmcuda_function *function)
{
    gmcuda_module *module = function->module;
    gmtrace_error why;
    if (function->assembled)
        return;
    function->assembled = true;
    if (module->linked || module->shares) /* not the module's own text, or memory elsewhere */
        return;
    if (!module->assembled)
        module->code = gmcuda_assemble(module->text, module->name);
    module->assembled = true;
    if (module->code == NULL)
        return;
    function->code =
        gmptx_assemble(module->ptx, function->kernel, gmcuda_code_of(module->code), &why);
    if (function->code == NULL)
        gmcuda_message("%s: PTX is executed instead of machine code: %s", function->readable,
                       why.text);
}

const gmptx_variable *gmcuda_find_variable(const void *host, cudaError_t *error)
{
    *error = cudaErrorInvalidSymbol;
    for (size_t i = 0; i < variable_count; i++) {
        if (variables[i].host != host)
            continue;
        *error = parse(variables[i].module);
        if (*error != cudaSuccess)
            return NULL;
        *error = cudaErrorInvalidSymbol;
        return find_variable(&variables[i]);
    }
    return NULL;
}

bool gmcuda_in_variable(uint64_t address, uint64_t bytes)
{
    for (const gmcuda_module *module = modules; module != NULL; module = module->next)
        for (uint32_t i = 0; module->ptx != NULL && i < gmptx_variable_count(module->ptx); i++) {
            const gmptx_variable *v = gmptx_get_variable(module->ptx, i);
            uint64_t base = (uint64_t)(uintptr_t)v->address;
            if (address >= base && address - base <= v->size && bytes <= v->size - (address - base))
                return true;
        }
    return false;
}

/* "table" of _ZL5table, demangled where the program can, and of table$linked2; NULL without memory.
 */
static const char *readable(const char *mangled)
{
    char *own =
        strndup(mangled, strcspn(mangled, "$") > 0 ? strcspn(mangled, "$") : strlen(mangled));
    char *text = own != NULL ? gmcuda_demangle(own) : NULL;
    if (text == NULL)
        return own;
    free(own);
    return text;
}

/* Modules that were linked are one. */
static bool is_listed(const gmcuda_module *module)
{
    const gmcuda_module *m = modules;
    while (m != module && m->ptx != module->ptx)
        m = m->next;
    return m != module;
}

size_t gmcuda_list_variables(gmtrace_allocation *list)
{
    size_t count = 0;
    for (gmcuda_module *module = modules; module != NULL; module = module->next) {
        const bool counts = module->ptx != NULL && !is_listed(module);
        const uint32_t all = counts ? gmptx_variable_count(module->ptx) : 0;
        if (list != NULL && all > 0 && module->origin == NULL)
            module->origin = calloc(all, sizeof *module->origin);
        for (uint32_t i = 0; i < all; i++) {
            const gmptx_variable *v = gmptx_get_variable(module->ptx, i);
            if (v->space != GMTRACE_SPACE_GLOBAL || v->size == 0 || v->address == NULL)
                continue;
            gmtrace_origin *origin = module->origin != NULL ? &module->origin[i] : NULL;
            if (list != NULL && origin != NULL && origin->name == NULL)
                *origin = (gmtrace_origin){.name = readable(v->name), .call = "", .file = ""};
            const uint64_t base = (uint64_t)(uintptr_t)v->address;
            uint64_t shift = 0; /* to where traces have it */
            gmcuda_in_shared_variable(base, v->size, &shift);
            if (list != NULL)
                list[count] = (gmtrace_allocation){base + shift, v->size, origin};
            count++;
        }
    }
    return count;
}

/* What the program asked of its kernels is forgotten. */
void gmcuda_reset_functions(void)
{
    for (size_t i = 0; i < function_count; i++) {
        functions[i]->max_dynamic_shared = GMCUDA_SHARED_DEFAULT;
        functions[i]->carveout = -1;
    }
}
