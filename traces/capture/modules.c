/* SPDX-License-Identifier: MIT
 *
 * modules.c - keeps the cubins of modules with wanted kernels (in files: nvdisasm reads them, and
 * a program may load gigabytes of code), patches the modules and describes their kernels.
 *
 * A module is patched when the first of its kernels is about to be captured, not before: programs
 * that load much code and run little of it start as quickly as untraced.
 */
#include "traces/capture/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/capture/allocations.h"
#include "traces/capture/masquerade.h"
#include "traces/capture/message.h"
#include "traces/capture/names.h"
#include "traces/capture/origins.h"
#include "traces/capture/patches.h"

enum { MAX_VARIABLES = 256 /* of a module that are told of */ };

struct gmc_module {
    gmc_module *next;
    CUmodule handle; /* NULL once unloaded */
    CUcontext context;
    char *path; /* of the cubin's copy; NULL where it could not be kept */
    size_t size;
    void *image; /* the copy, mapped when first needed */
    gmc_cubin *cubin;
    uint32_t *wanted; /* hashes of its wanted kernels' names, sorted */
    size_t wanted_count;
    bool readable;
    bool patched;
    gmc_masquerade *masquerade; /* NULL: no place for one */
    bool may_have_run;          /* its code: too late for it */
    bool asked;                 /* where its variables lie */
    bool began;                 /* a launch of it: what they held at first may be changed */
    uint32_t variables;         /* that are known, */
    uint32_t constants;         /* and those of them that are constants */
    gmc_constant constant[MAX_VARIABLES];
    gmc_entry *entries;
};

typedef struct patched_context {
    struct patched_context *next;
    CUcontext context;
} patched_context;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER;  /* taken last */
static pthread_mutex_t patch_lock = PTHREAD_MUTEX_INITIALIZER; /* one thread patches at a time */
static const gmc_settings *settings;
static bool has_pattern;
static regex_t pattern;
static gmc_module *modules;
static patched_context *contexts;
static unsigned module_count;
static bool tensors_seen; /* the library calls back for loads through tensor maps */

bool gmc_modules_init(const gmc_settings *chosen, char *reason, size_t size)
{
    settings = chosen;
    if (!settings->kernel)
        return true;
    int error = regcomp(&pattern, settings->kernel, REG_EXTENDED | REG_NOSUB);
    if (error)
        regerror(error, &pattern, reason, size);
    has_pattern = !error;
    return !error;
}

static bool matches(const char *mangled)
{
    if (!has_pattern)
        return true;
    errno = 0;
    if (regexec(&pattern, mangled, 0, NULL, 0) == 0)
        return true;
    char *name = gmc_demangle(mangled);
    if (name && strcmp(name, mangled) == 0) { /* libstdc++ leaves those beyond 1,024 letters */
        free(name);
        name = gmc_display_name(settings, mangled);
    }
    bool wanted = !name || regexec(&pattern, name, 0, NULL, 0) == 0;
    free(name);
    if (!name || (!wanted && errno == ENOMEM)) { /* glibc says that nothing matches, then */
        gmc_warn("%s: no memory to tell whether --kernel matches it; it is captured", mangled);
        wanted = true;
    }
    return wanted;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

/* A program launches few kernels many times: the answer is kept. */
static bool is_wanted(const char *mangled)
{
    static struct {
        char *name;
        bool wanted;
    } kept[1024];
    if (!has_pattern)
        return true;
    uint32_t hash = hash_of(mangled) % (sizeof kept / sizeof *kept);
    pthread_mutex_lock(&name_lock);
    if (!kept[hash].name || strcmp(kept[hash].name, mangled) != 0) {
        free(kept[hash].name);
        kept[hash].name = strdup(mangled);
        kept[hash].wanted = matches(mangled);
    }
    bool wanted = kept[hash].wanted;
    pthread_mutex_unlock(&name_lock);
    return wanted;
}

bool gmc_modules_wants(const char *function)
{
    return !function || is_wanted(function);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Kernels that the user asked for, and what any kernel may call. */
static bool may_run(const gmc_function *function)
{
    return !function->kernel || is_wanted(function->name);
}

/* Is this a module to keep? One that cannot be read may still launch wanted kernels. */
static bool find_wanted(gmc_module *module, const void *image)
{
    const char *reason;
    gmc_cubin *cubin = gmc_cubin_open(image, module->size, &reason);
    size_t total = cubin ? gmc_cubin_function_count(cubin) : 0;
    module->readable = cubin != NULL;
    module->wanted = calloc(total + 1, sizeof *module->wanted);
    for (size_t i = 0; i < total && module->wanted; i++) {
        const gmc_function *function = gmc_cubin_function(cubin, i);
        if (function->kernel && is_wanted(function->name))
            module->wanted[module->wanted_count++] = hash_of(function->name);
    }
    if (module->wanted_count)
        qsort(module->wanted, module->wanted_count, sizeof *module->wanted, compare);
    if (module->wanted_count)
        module->masquerade = gmc_masquerade_create(cubin, may_run);
    const char *loading = getenv("CUDA_MODULE_LOADING");
    if (module->masquerade && loading && strcmp(loading, "EAGER") == 0)
        gmc_masquerade_loaded(module->masquerade, NULL);
    gmc_cubin_close(cubin);
    return module->wanted_count || !module->readable;
}

/* By its name's hash: a wrong yes costs a patched module, nothing else. */
static bool may_hold(const gmc_module *module, const char *function)
{
    uint32_t hash = hash_of(function);
    return !module->readable || bsearch(&hash, module->wanted, module->wanted_count,
                                        sizeof *module->wanted, compare) != NULL;
}

static char *write_copy(const void *image, size_t size, unsigned number)
{
    char path[4096];
    if (!settings->scratch)
        return NULL;
    snprintf(path, sizeof path, "%s/%ld-%u.cubin", settings->scratch, (long)getpid(), number);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    while (file >= 0 && done < size) {
        ssize_t wrote = write(file, (const char *)image + done, size - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    if (file >= 0)
        close(file);
    return file >= 0 && done == size ? strdup(path) : NULL;
}

void gmc_modules_unloaded(const Sanitizer_ResourceModuleData *data)
{
    pthread_mutex_lock(&lock);
    for (gmc_module *at = modules; at; at = at->next)
        if (at->handle == data->module)
            at->handle = NULL;
    pthread_mutex_unlock(&lock);
}

static gmc_entry *add_entry(gmc_module *module, const char *function)
{
    gmc_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->mangled = strdup(function);
    entry->module = module;
    entry->wanted = entry->mangled && is_wanted(function);
    entry->next = module->entries;
    module->entries = entry;
    return entry;
}

gmc_entry *gmc_modules_find(CUmodule handle, const char *function)
{
    gmc_entry *entry = NULL;
    if (!handle || !function)
        return NULL;
    pthread_mutex_lock(&lock);
    gmc_module *module = modules;
    while (module && module->handle != handle)
        module = module->next;
    if (module) {
        entry = module->entries;
        while (entry && strcmp(entry->mangled, function) != 0)
            entry = entry->next;
        if (!entry)
            entry = add_entry(module, function);
    }
    pthread_mutex_unlock(&lock);
    return entry && entry->wanted ? entry : NULL;
}

static bool add_patches(CUcontext context)
{
    for (patched_context *at = contexts; at; at = at->next)
        if (at->context == context)
            return true;
    SanitizerResult result = gmc_san.sanitizerAddPatches(gmc_patch_image, context);
    if (result != SANITIZER_SUCCESS) {
        gmc_warn("the device code cannot be loaded into the program: %s",
                 gmc_sanitizer_error(result));
        return false;
    }
    patched_context *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return false;
    fresh->context = context;
    fresh->next = contexts;
    contexts = fresh;
    return true;
}

/* What launches lack with an older library is said of each kernel. */
static void patch_tensors(const gmc_module *module)
{
    tensors_seen = gmc_sanitizer_shows_tensors() &&
                   gmc_san.sanitizerPatchInstructions(GMC_TENSOR_LOAD, module->handle,
                                                      GMC_TENSOR_CALLBACK) == SANITIZER_SUCCESS;
}

static bool patch_all(gmc_module *module, CUcontext context)
{
    if (!add_patches(context))
        return false;
    for (size_t i = 0; i < gmc_patch_count; i++) {
        const gmc_patch *at = &gmc_patch_table[i];
        SanitizerResult result =
            gmc_san.sanitizerPatchInstructions(at->instruction, module->handle, at->callback);
        if (result != SANITIZER_SUCCESS) {
            gmc_warn("%s cannot be traced: %s", at->what, gmc_sanitizer_error(result));
            return false;
        }
    }
    patch_tensors(module);
    if (tensors_seen)
        gmc_masquerade_put_on(module->masquerade, module->handle, !module->may_have_run);
    SanitizerResult result = gmc_san.sanitizerPatchModule(module->handle);
    gmc_masquerade_take_off(module->masquerade, module->handle);
    if (result != SANITIZER_SUCCESS) {
        gmc_warn("the program's code cannot be patched: %s", gmc_sanitizer_error(result));
        return false;
    }
    module->patched = true;
    return true;
}

bool gmc_modules_is_patched(const gmc_entry *entry)
{
    return entry->module->patched;
}

static bool patch(gmc_module *module, CUcontext context)
{
    pthread_mutex_lock(&patch_lock);
    const bool done = module->patched || patch_all(module, context);
    pthread_mutex_unlock(&patch_lock);
    return done;
}

/* While the module is loaded nothing of it has run, so its stores through tensor maps can stand
 * there as loads for a while. Where another thread is at it there is no waiting: it may wait for a
 * lock of the driver that this one holds. */
static void patch_early(gmc_module *module, CUcontext context)
{
    const bool turn = pthread_mutex_trylock(&patch_lock) == 0;
    if (turn && patch_all(module, context)) {
        pthread_mutex_unlock(&patch_lock);
        return;
    }
    if (turn)
        pthread_mutex_unlock(&patch_lock);
    module->may_have_run = true;
}

void gmc_modules_lazy(const Sanitizer_ResourceFunctionsLazyLoadedData *data, bool patched)
{
    pthread_mutex_lock(&lock);
    gmc_module *module = modules;
    while (module && module->handle != data->module)
        module = module->next;
    pthread_mutex_unlock(&lock);
    if (!module)
        return;
    for (uint32_t i = 0; i < data->numFunctions && module->masquerade && !patched; i++) {
        const char *name = gmc_function_name(data->functions[i]);
        if (name)
            gmc_masquerade_loaded(module->masquerade, name);
    }
    if (!module->patched || !tensors_seen)
        return;
    if (patched)
        gmc_masquerade_take_off(module->masquerade, module->handle);
    else
        gmc_masquerade_put_on(module->masquerade, module->handle, true);
}

const char *gmc_modules_tensors_unseen(const gmc_entry *entry)
{
    const gmc_kernel *kernel = entry->kernel;
    unsigned unseen = 0;
    for (uint32_t i = 0; i < kernel->function_count && tensors_seen; i++)
        unseen += gmc_masquerade_unseen(entry->module->masquerade, kernel->function[i]->name);
    return unseen ? "not all of its copies through tensor maps can be seen" : NULL;
}

static void judge_tensors(gmc_kernel *kernel)
{
    if (tensors_seen)
        kernel->unseen &= ~(uint32_t)GMTRACE_UNSEEN_TENSOR_COPY;
    else if (kernel->disassembled && kernel->unseen & GMTRACE_UNSEEN_TENSOR_COPY)
        gmc_warn(
            "%s: copies through tensor maps (TMA) are missing: this Compute Sanitizer does not "
            "show them, version 13.3.75 does",
            kernel->name);
}

static void map_copy(gmc_module *module)
{
    const char *reason = NULL;
    int file = module->path && !module->image ? open(module->path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *image = mmap(NULL, module->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED)
        return;
    module->image = image;
    module->cubin = gmc_cubin_open(image, module->size, &reason);
    if (!module->cubin)
        gmc_warn("a module's code cannot be read (%s): its kernels have no instruction table",
                 reason);
}

bool gmc_modules_locate(gmc_entry *entry)
{
    const gmc_kernel *kernel = entry->kernel;
    if (entry->range)
        return true;
    uint32_t count = 0, index = 0;
    entry->range = calloc(kernel->function_count + 1u, sizeof *entry->range);
    if (!entry->range)
        return false;
    uint64_t entry_pc = 0;
    for (uint32_t i = 0; i < kernel->function_count; i++) {
        const gmc_function *function = kernel->function[i];
        uint32_t instrs = (uint32_t)(function->size / 16);
        uint64_t pc, size;
        if (gmc_san.sanitizerGetFunctionPcAndSize(entry->module->handle, function->name, &pc,
                                                  &size) == SANITIZER_SUCCESS) {
            entry_pc = i ? entry_pc : pc;
            entry->range[count++] = (gmc_range){(int64_t)(pc - entry_pc) / 16, instrs, index};
        } else if (i == 0) {
            break;
        }
        index += instrs;
    }
    bool whole = index == kernel->sass.instr_count;
    entry->code =
        (gmc_code){kernel->sass.instr, kernel->sass.instr_count, entry->range, whole ? count : 0};
    return true;
}

/* No lock is held while the Sanitizer is called: it waits for locks of the driver that another
 * thread may hold while it is in gmc_modules_loaded(). */
bool gmc_modules_prepare(gmc_entry *entry, CUcontext context)
{
    if (!entry->module->handle || !patch(entry->module, context))
        return false;
    if (entry->kernel)
        return true;
    map_copy(entry->module);
    entry->kernel =
        gmc_kernel_create(settings, entry->module->cubin, entry->module->path, entry->mangled);
    if (entry->kernel)
        judge_tensors(entry->kernel);
    return entry->kernel != NULL;
}

static void add_variable(void *user, const char *name, const gmc_initial *constant)
{
    gmc_module *module = user;
    uint64_t base, size;
    if (module->variables >= MAX_VARIABLES ||
        !gmc_query_variable(module->handle, name, &base, &size))
        return;
    module->variables++;
    if (constant)
        module->constant[module->constants++] =
            (gmc_constant){(uint32_t)constant->offset, base, size, NULL};
    gmc_allocations_add_variable(base, size, gmc_origins_variable(name));
}

/* Once, and never in a launch callback: the driver may want locks to answer. */
static void find_variables(gmc_module *module)
{
    if (!module->cubin || module->asked)
        return;
    module->asked = true;
    module->constants = 0;
    gmc_cubin_variables(module->cubin, add_variable, module);
    if (module->variables)
        gmc_note("module at %p: %u variables", (void *)module->handle, module->variables);
}

static void add_initial(void *user, const char *name, const gmc_initial *constant)
{
    gmc_module *module = user;
    (void)name;
    if (constant && module->constants < MAX_VARIABLES)
        module->constant[module->constants++] =
            (gmc_constant){(uint32_t)constant->offset, 0, constant->size, constant->bytes};
}

const gmc_constant *gmc_modules_constants(const gmc_entry *entry, uint32_t *count)
{
    gmc_module *module = entry->module;
    /* Where its variables lie is asked before a launch: it was loaded in this one. */
    if (!module->asked && !module->began && module->cubin)
        gmc_cubin_variables(module->cubin, add_initial, module);
    *count = module->asked || !module->began ? module->constants : 0;
    module->began = true;
    return module->constant;
}

void gmc_modules_prepare_named(CUcontext context, const char *function)
{
    pthread_mutex_lock(&lock);
    gmc_module *module = modules;
    pthread_mutex_unlock(&lock);
    /* Modules are only ever added, in front. */
    for (; module; module = module->next) {
        if (module->handle && module->context == context && may_hold(module, function)) {
            gmc_entry *entry = gmc_modules_find(module->handle, function);
            if (entry && gmc_modules_prepare(entry, context))
                find_variables(module);
        }
    }
}

void gmc_modules_loaded(const Sanitizer_ResourceModuleData *data, bool now)
{
    if (!data->pCubin || !data->cubinSize)
        return;
    gmc_module *module = calloc(1, sizeof *module);
    if (!module)
        return;
    module->handle = data->module;
    module->context = data->context;
    module->size = data->cubinSize;
    if (!find_wanted(module, data->pCubin)) {
        free(module->wanted);
        free(module);
        return;
    }
    pthread_mutex_lock(&lock);
    unsigned number = module_count++;
    pthread_mutex_unlock(&lock);
    module->path = write_copy(data->pCubin, data->cubinSize, number);
    pthread_mutex_lock(&lock);
    module->next = modules;
    modules = module;
    pthread_mutex_unlock(&lock);
    if (now)
        patch(module, data->context);
    else if (module->masquerade)
        patch_early(module, data->context);
    gmc_note("module %u: %zu bytes of code, %zu wanted kernels", number, module->size,
             module->wanted_count);
}
