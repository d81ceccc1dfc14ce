/* SPDX-License-Identifier: MIT
 *
 * stack.c - the unwinder that C++ exceptions use goes by .eh_frame, which all libraries on the way
 * have, that of a runtime library linked into the program among them. Which addresses are whose is
 * asked again only when a library came or went.
 */
#include "traces/capture/stack.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { DEPTH = 64 /* frames that are walked */ };

typedef enum owner { SKIPPED, PYTHON } owner;

typedef struct range {
    uintptr_t first, end;
    owner owner;
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *ranges;
static size_t range_count, range_room;
static unsigned long long added, removed; /* libraries, when `ranges` was made; added: 0 before */
static bool failed;

typedef struct walk {
    const void *from; /* NULL once it is met */
    gmt_frames *frames;
    unsigned depth;
} walk;

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_range(const struct dl_phdr_info *info, owner *whose)
{
    char program[4096] = "";
    const char *path = info->dlpi_name;
    if (!path || !*path) {
        const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        path = program;
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *whose = begins(name, "python") || begins(name, "libpython") ? PYTHON : SKIPPED;
    return *whose == PYTHON || begins(name, "libcuda.so") || begins(name, "libcudart.so") ||
           begins(name, "libsanitizer-public.so") || begins(name, "libgmcapture.so");
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
    owner whose;
    (void)size;
    (void)data;
    for (unsigned i = 0; is_range(info, &whose) && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        if (range_count == range_room) {
            range *grown = realloc(ranges, (range_room * 2 + 8) * sizeof *grown);
            if (!grown) {
                failed = true;
                return 1;
            }
            ranges = grown;
            range_room = range_room * 2 + 8;
        }
        const uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        ranges[range_count++] = (range){first, first + segment->p_memsz, whose};
    }
    return 0;
}

/* At the first object: the counts are the same with each. */
static int have_changed(struct dl_phdr_info *info, size_t size, void *data)
{
    bool *changed = data;
    (void)size;
    *changed = info->dlpi_adds != added || info->dlpi_subs != removed;
    added = info->dlpi_adds;
    removed = info->dlpi_subs;
    return 1;
}

static const range *range_of(uintptr_t address)
{
    for (size_t i = 0; i < range_count; i++)
        if (address >= ranges[i].first && address < ranges[i].end)
            return &ranges[i];
    return NULL;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *data)
{
    walk *at = data;
    const uintptr_t address = _Unwind_GetIP(context);
    const range *found = range_of(address);
    if (!address || at->depth++ == DEPTH || at->frames->count == GMT_FRAMES ||
        (found && found->owner == PYTHON))
        return _URC_END_OF_STACK;
    void *frame;
    memcpy(&frame, &address, sizeof frame);
    if (frame == at->from)
        at->from = NULL;
    if (!found && !at->from)
        at->frames->address[at->frames->count++] = frame;
    return _URC_NO_REASON;
}

void gmc_stack_take(const void *from, gmt_frames *frames)
{
    walk at = {.from = from, .frames = frames};
    bool changed = false;
    frames->count = 0;
    pthread_mutex_lock(&lock);
    dl_iterate_phdr(have_changed, &changed);
    if (changed) {
        range_count = 0;
        failed = false;
        dl_iterate_phdr(add_object, NULL);
    }
    if (!failed)
        _Unwind_Backtrace(on_frame, &at);
    pthread_mutex_unlock(&lock);
}
