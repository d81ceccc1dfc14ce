/* SPDX-License-Identifier: MIT
 *
 * nvtx.c - NVTX finds its tool by the environment variable NVTX_INJECTION64_PATH, which the command
 * sets to this library where ranges are asked for, and calls the one function that it exports.
 * Texts of wide characters are taken where they are ASCII.
 */
#include "traces/capture/message.h"
#include "traces/capture/ranges.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

/* Domains and registered texts: never freed, as handles to them may be anywhere. */
typedef struct text {
    char *text;
} text;

static char *narrow(const wchar_t *wide, char *room, size_t size)
{
    size_t length = 0;
    for (; wide && wide[length] && length + 1 < size; length++)
        room[length] = (char)(wide[length] < 128 ? wide[length] : '?');
    room[length] = '\0';
    return room;
}

static void *keep(const char *name)
{
    text *kept = malloc(sizeof *kept);
    if (kept && !(kept->text = strdup(name ? name : ""))) {
        free(kept);
        kept = NULL;
    }
    return kept;
}

static const char *kept_text(const void *handle)
{
    const text *kept = handle;
    return kept ? kept->text : "";
}

static const char *message_of(const nvtxEventAttributes_t *event, char *room, size_t size)
{
    if (!event)
        return "";
    switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
        return event->message.ascii ? event->message.ascii : "";
    case NVTX_MESSAGE_TYPE_UNICODE:
        return narrow(event->message.unicode, room, size);
    case NVTX_MESSAGE_TYPE_REGISTERED:
        return kept_text(event->message.registered);
    default:
        return "";
    }
}

static int push(nvtxDomainHandle_t domain, const char *name)
{
    gmc_ranges_push(domain, kept_text(domain), name ? name : "");
    return 0;
}

static int NVTX_API on_push_ascii(const char *name)
{
    return push(NULL, name);
}

static int NVTX_API on_push_wide(const wchar_t *name)
{
    char room[512];
    return push(NULL, narrow(name, room, sizeof room));
}

static int NVTX_API on_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    char room[512];
    return push(domain, message_of(event, room, sizeof room));
}

static int NVTX_API on_push(const nvtxEventAttributes_t *event)
{
    return on_domain_push(NULL, event);
}

static int NVTX_API on_domain_pop(nvtxDomainHandle_t domain)
{
    gmc_ranges_pop(domain);
    return 0;
}

static int NVTX_API on_pop(void)
{
    return on_domain_pop(NULL);
}

static nvtxRangeId_t NVTX_API on_start_ascii(const char *name)
{
    return gmc_ranges_start("", name ? name : "");
}

static nvtxRangeId_t NVTX_API on_start_wide(const wchar_t *name)
{
    char room[512];
    return gmc_ranges_start("", narrow(name, room, sizeof room));
}

static nvtxRangeId_t NVTX_API on_domain_start(nvtxDomainHandle_t domain,
                                              const nvtxEventAttributes_t *event)
{
    char room[512];
    return gmc_ranges_start(kept_text(domain), message_of(event, room, sizeof room));
}

static nvtxRangeId_t NVTX_API on_start(const nvtxEventAttributes_t *event)
{
    return on_domain_start(NULL, event);
}

static void NVTX_API on_domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    gmc_ranges_end(id);
}

static void NVTX_API on_end(nvtxRangeId_t id)
{
    gmc_ranges_end(id);
}

static nvtxDomainHandle_t NVTX_API on_domain_ascii(const char *name)
{
    return (nvtxDomainHandle_t)keep(name);
}

static nvtxDomainHandle_t NVTX_API on_domain_wide(const wchar_t *name)
{
    char room[512];
    return keep(narrow(name, room, sizeof room));
}

static nvtxStringHandle_t NVTX_API on_text_ascii(nvtxDomainHandle_t domain, const char *name)
{
    (void)domain;
    return keep(name);
}

static nvtxStringHandle_t NVTX_API on_text_wide(nvtxDomainHandle_t domain, const wchar_t *name)
{
    char room[512];
    (void)domain;
    return keep(narrow(name, room, sizeof room));
}

typedef struct hook {
    unsigned id;
    NvtxFunctionPointer function;
} hook;

#define HOOK(id, function)                                                                         \
    {                                                                                              \
        id, (NvtxFunctionPointer)(void (*)(void))function                                          \
    }

static const hook core[] = {
    HOOK(NVTX_CBID_CORE_RangePushA, on_push_ascii),
    HOOK(NVTX_CBID_CORE_RangePushW, on_push_wide),
    HOOK(NVTX_CBID_CORE_RangePushEx, on_push),
    HOOK(NVTX_CBID_CORE_RangePop, on_pop),
    HOOK(NVTX_CBID_CORE_RangeStartA, on_start_ascii),
    HOOK(NVTX_CBID_CORE_RangeStartW, on_start_wide),
    HOOK(NVTX_CBID_CORE_RangeStartEx, on_start),
    HOOK(NVTX_CBID_CORE_RangeEnd, on_end),
};
static const hook core2[] = {
    HOOK(NVTX_CBID_CORE2_DomainRangePushEx, on_domain_push),
    HOOK(NVTX_CBID_CORE2_DomainRangePop, on_domain_pop),
    HOOK(NVTX_CBID_CORE2_DomainRangeStartEx, on_domain_start),
    HOOK(NVTX_CBID_CORE2_DomainRangeEnd, on_domain_end),
    HOOK(NVTX_CBID_CORE2_DomainCreateA, on_domain_ascii),
    HOOK(NVTX_CBID_CORE2_DomainCreateW, on_domain_wide),
    HOOK(NVTX_CBID_CORE2_DomainRegisterStringA, on_text_ascii),
    HOOK(NVTX_CBID_CORE2_DomainRegisterStringW, on_text_wide),
};

static bool attach(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module,
                   const hook *hooks, size_t count)
{
    NvtxFunctionTable table;
    unsigned size;
    if (!callbacks->GetModuleFunctionTable(module, &table, &size))
        return false;
    for (size_t i = 0; i < count; i++)
        if (hooks[i].id < size && table[hooks[i].id])
            *table[hooks[i].id] = hooks[i].function;
    return true;
}

__attribute__((visibility("default"))) int NVTX_API
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
    gmc_note("NVTX asks for its tool");
    return callbacks && callbacks->struct_size >= sizeof *callbacks &&
           attach(callbacks, NVTX_CB_MODULE_CORE, core, sizeof core / sizeof *core) &&
           attach(callbacks, NVTX_CB_MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
}
#endif
