/* SPDX-License-Identifier: MIT
 *
 * masquerade.c - see masquerade.h. A patched instruction becomes a jump to code that saves
 * registers, calls the callback, restores and executes a copy of the instruction, some 66
 * instructions in; the next copy is further than MOST_CODE.
 */
#include "traces/capture/masquerade.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/capture/message.h"

#define INSTR     16u /* bytes */
#define MOST_CODE 96u /* instructions looked at behind a jump */

typedef enum place_state {
    PLAIN,  /* as the program has it: not patched yet */
    MASKED, /* stands there as a load, or is one */
    SEEN,   /* patched, and the copy is the program's again */
    GIVEN_UP,
} place_state;

typedef struct place {
    uint64_t offset; /* in the function */
    uint64_t original[2];
    place_state state;
} place;

typedef struct function_places {
    char *name;
    place *place;
    unsigned count;
    bool loaded;
} function_places;

struct gmc_masquerade {
    pthread_mutex_t lock;
    function_places *function;
    unsigned count;
};

/* ------------------------------------------------------------------------------------ a cubin's */

static unsigned count_places(const void *code, size_t size, place *list)
{
    unsigned count = 0;
    for (size_t offset = 0; offset + INSTR <= size; offset += INSTR) {
        uint64_t instr[2];
        memcpy(instr, (const char *)code + offset, sizeof instr);
        if (!gmc_tensor_hides(instr) && !gmc_tensor_loads(instr))
            continue;
        if (list)
            list[count] = (place){.offset = offset, .original = {instr[0], instr[1]}};
        count++;
    }
    return count;
}

static bool add_function(gmc_masquerade *masquerade, const gmc_cubin *cubin,
                         const gmc_function *function)
{
    size_t size;
    const void *code = gmc_cubin_code(cubin, function, &size);
    const unsigned count = code ? count_places(code, size, NULL) : 0;
    if (!count)
        return true;
    function_places *larger =
        realloc(masquerade->function, (masquerade->count + (size_t)1) * sizeof *larger);
    if (!larger)
        return false;
    masquerade->function = larger;
    function_places *to = &larger[masquerade->count];
    *to = (function_places){.name = strdup(function->name), .count = count};
    to->place = calloc(count, sizeof *to->place);
    masquerade->count++;
    if (!to->name || !to->place)
        return false;
    count_places(code, size, to->place);
    return true;
}

gmc_masquerade *gmc_masquerade_create(const gmc_cubin *cubin, bool (*wanted)(const gmc_function *))
{
    gmc_masquerade *masquerade = calloc(1, sizeof *masquerade);
    bool good = masquerade != NULL;
    for (size_t i = 0; good && i < gmc_cubin_function_count(cubin); i++) {
        const gmc_function *function = gmc_cubin_function(cubin, i);
        good = !wanted(function) || add_function(masquerade, cubin, function);
    }
    if (good && masquerade->count) {
        pthread_mutex_init(&masquerade->lock, NULL);
        return masquerade;
    }
    gmc_masquerade_free(masquerade);
    return NULL;
}

void gmc_masquerade_free(gmc_masquerade *masquerade)
{
    for (unsigned i = 0; masquerade && i < masquerade->count; i++) {
        free(masquerade->function[i].name);
        free(masquerade->function[i].place);
    }
    if (masquerade)
        free(masquerade->function);
    free(masquerade);
}

/* --------------------------------------------------------------------------- in device memory */

static bool read_code(uint64_t pc, void *code, size_t size)
{
    return gmc_san.sanitizerMemcpyDeviceToHost(code, (void *)(uintptr_t)pc, size, NULL) ==
           SANITIZER_SUCCESS;
}

/* True where it reads back as it was written. */
static bool write_instr(uint64_t pc, const uint64_t instr[2])
{
    uint64_t now[2], copy[2] = {instr[0], instr[1]};
    return gmc_san.sanitizerMemcpyHostToDeviceAsync((void *)(uintptr_t)pc, copy, sizeof copy,
                                                    NULL) == SANITIZER_SUCCESS &&
           gmc_san.sanitizerStreamSynchronize(NULL) == SANITIZER_SUCCESS &&
           read_code(pc, now, sizeof now) && now[0] == instr[0] && now[1] == instr[1];
}

/* The program must not go on with a load where it has a store. */
static void put_back(const char *function, place *at, uint64_t pc, place_state then)
{
    if (!write_instr(pc, at->original)) {
        gmc_warn("%s: an instruction cannot be restored; the program is ended", function);
        abort();
    }
    at->state = then;
}

static void mask(const char *function, place *at, uint64_t pc)
{
    uint64_t now[2], masked[2];
    if (!read_code(pc, now, sizeof now) || now[0] != at->original[0] || now[1] != at->original[1])
        return;
    if (gmc_tensor_loads(now)) {
        at->state = MASKED;
        return;
    }
    gmc_tensor_mask(at->original, masked);
    if (write_instr(pc, masked))
        at->state = MASKED;
    else
        put_back(function, at, pc, GIVEN_UP);
}

static void unmask(const char *function, place *at, uint64_t pc)
{
    uint64_t now[2] = {0}, masked[2], fixed[2], code[MOST_CODE][2];
    gmc_tensor_mask(at->original, masked);
    const bool readable = read_code(pc, now, sizeof now);
    if (gmc_tensor_loads(at->original)) {
        at->state = readable && gmc_tensor_target(now, pc) ? SEEN : PLAIN;
        return;
    }
    if (readable && now[0] == masked[0] && now[1] == masked[1]) {
        put_back(function, at, pc, PLAIN); /* its turn comes when it is loaded */
        return;
    }
    const uint64_t target = readable ? gmc_tensor_target(now, pc) : 0;
    const int found =
        target && read_code(target, code, sizeof code)
            ? gmc_tensor_find((const uint64_t(*)[2])code, MOST_CODE, at->original, fixed)
            : -1;
    if (found >= 0 && write_instr(target + (unsigned)found * INSTR, fixed)) {
        at->state = SEEN;
        return;
    }
    gmc_note("%s+0x%llx: no certain copy of the instruction (0x%llx goes to 0x%llx)", function,
             (unsigned long long)at->offset, (unsigned long long)now[0],
             (unsigned long long)target);
    put_back(function, at, pc, GIVEN_UP);
}

static void mask_load(const char *function, place *at, uint64_t pc)
{
    if (gmc_tensor_loads(at->original))
        mask(function, at, pc);
}

static void for_all(gmc_masquerade *masquerade, CUmodule module, place_state state,
                    void (*act)(const char *function, place *at, uint64_t pc))
{
    pthread_mutex_lock(&masquerade->lock);
    for (unsigned i = 0; i < masquerade->count; i++) {
        function_places *of = &masquerade->function[i];
        uint64_t pc = 0, size = 0;
        unsigned left = 0;
        for (unsigned k = 0; k < of->count; k++)
            left += of->place[k].state == state;
        if (!left || !of->loaded ||
            gmc_san.sanitizerGetFunctionPcAndSize(module, of->name, &pc, &size) !=
                SANITIZER_SUCCESS ||
            !pc)
            continue;
        for (unsigned k = 0; k < of->count; k++)
            if (of->place[k].state == state && of->place[k].offset + INSTR <= size)
                act(of->name, &of->place[k], pc + of->place[k].offset);
    }
    pthread_mutex_unlock(&masquerade->lock);
}

void gmc_masquerade_loaded(gmc_masquerade *masquerade, const char *function)
{
    if (!masquerade)
        return;
    pthread_mutex_lock(&masquerade->lock);
    for (unsigned i = 0; i < masquerade->count; i++)
        masquerade->function[i].loaded |=
            !function || strcmp(masquerade->function[i].name, function) == 0;
    pthread_mutex_unlock(&masquerade->lock);
}

void gmc_masquerade_put_on(gmc_masquerade *masquerade, CUmodule module, bool rewrite)
{
    if (masquerade)
        for_all(masquerade, module, PLAIN, rewrite ? mask : mask_load);
}

void gmc_masquerade_take_off(gmc_masquerade *masquerade, CUmodule module)
{
    if (masquerade)
        for_all(masquerade, module, MASKED, unmask);
}

unsigned gmc_masquerade_unseen(gmc_masquerade *masquerade, const char *function)
{
    unsigned unseen = 0;
    if (!masquerade)
        return 0;
    pthread_mutex_lock(&masquerade->lock);
    for (unsigned i = 0; i < masquerade->count; i++)
        for (unsigned k = 0; k < masquerade->function[i].count; k++)
            unseen += strcmp(masquerade->function[i].name, function) == 0 &&
                      masquerade->function[i].place[k].state != SEEN;
    pthread_mutex_unlock(&masquerade->lock);
    return unseen;
}
