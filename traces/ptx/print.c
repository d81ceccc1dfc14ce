/* SPDX-License-Identifier: MIT
 *
 * print.c - a kernel's printf: vprintf(format, arguments) with arguments packed in local memory,
 * each at a multiple of its size. Text is kept in the CTA until the CTAs before it have printed.
 */
#include "traces/ptx/exec.h"

#include <stdio.h>
#include <stdlib.h>

static bool add(ptx_cta *cta, const char *text, size_t length)
{
    if (!length)
        return true;
    if (cta->print_room - cta->print_bytes < length) {
        const size_t room = (cta->print_room + length) * 2 + 256;
        char *larger = realloc(cta->print, room);
        if (!larger)
            return false;
        cta->print = larger;
        cta->print_room = room;
    }
    memcpy(cta->print + cta->print_bytes, text, length);
    cta->print_bytes += length;
    return true;
}

/* Host memory behind a generic address of one lane; NULL where there is none. */
static const uint8_t *find(const ptx_warp *w, unsigned lane, uint64_t address, uint64_t bytes)
{
    const ptx_kernel *k = w->kernel;
    const uint64_t offset = address & (GMPTX_WINDOW_BYTES - 1);
    const gmptx_launch *l = w->cta->launch;
    switch (address >> 56) {
    case GMPTX_SHARED_WINDOW >> 56:
        return offset + bytes <= w->cta->shared_bytes ? w->cta->shared + offset : NULL;
    case GMPTX_LOCAL_WINDOW >> 56:
        return offset + bytes <= k->local_bytes ? w->local + lane * k->local_bytes + offset : NULL;
    case 0:
        break;
    default:
        return NULL;
    }
    for (int b = 0; b < 2; b++) {
        const uint64_t start = (uint64_t)(uintptr_t)k->module->memory[b];
        if (address - start < k->module->memory_bytes[b] &&
            bytes <= k->module->memory_bytes[b] - (address - start))
            return (const uint8_t *)(uintptr_t)address;
    }
    uint64_t shift = 0;
    return address && (!l->check || l->check(l->check_user, address, bytes, false, &shift))
               ? (const uint8_t *)(uintptr_t)address
               : NULL;
}

/* A string of the kernel's memory; false where it does not end. */
static bool read_string(const ptx_warp *w, unsigned lane, uint64_t address, char *to, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        const uint8_t *p = find(w, lane, address + i, 1);
        if (!p)
            return false;
        to[i] = (char)*p;
        if (!*p)
            return true;
    }
    to[room - 1] = 0;
    return true;
}

static bool next_argument(const ptx_warp *w, unsigned lane, uint64_t *at, unsigned bytes,
                          uint64_t *value)
{
    *at = (*at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *p = find(w, lane, *at, bytes);
    *value = 0;
    if (p)
        memcpy(value, p, bytes);
    *at += bytes;
    return p != NULL;
}

#define MOST_PRINTED 1100u /* bytes of one conversion */

/* Copies a conversion; no width or precision asks for more than is printed. */
static void copy_spec(char *to, const char *spec, size_t length)
{
    for (const char *end = spec + length; spec < end;) {
        if (*spec < '1' || *spec > '9') {
            *to++ = *spec++;
            continue;
        }
        char *next;
        const unsigned long number = strtoul(spec, &next, 10);
        to += sprintf(to, "%lu", number < MOST_PRINTED ? number : MOST_PRINTED);
        spec = next;
    }
    *to = 0;
}

/* One conversion, "%-8.3f"; `spec` ends in its letter. */
static bool convert(ptx_warp *w, unsigned lane, const char *spec, size_t length, uint64_t *at)
{
    char one[64], out[MOST_PRINTED], string[1024];
    const char letter = spec[length - 1];
    uint64_t v;
    int n = -1;
    if (length >= sizeof one - 4)
        return true;
    copy_spec(one, spec, length);
    const bool wide = memchr(spec, 'l', length) || memchr(spec, 'z', length) ||
                      memchr(spec, 'j', length) || memchr(spec, 't', length);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    switch (letter) {
    case 'd':
    case 'i':
        if (!next_argument(w, lane, at, wide ? 8 : 4, &v))
            return false;
        n = wide ? snprintf(out, sizeof out, one, (long long)v)
                 : snprintf(out, sizeof out, one, (int)v);
        break;
    case 'c':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        if (!next_argument(w, lane, at, wide ? 8 : 4, &v))
            return false;
        n = wide ? snprintf(out, sizeof out, one, (unsigned long long)v)
                 : snprintf(out, sizeof out, one, (unsigned)v);
        break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        double d;
        if (!next_argument(w, lane, at, 8, &v))
            return false;
        memcpy(&d, &v, sizeof d);
        n = snprintf(out, sizeof out, one, d);
        break;
    }
    case 'p':
        if (!next_argument(w, lane, at, 8, &v))
            return false;
        n = snprintf(out, sizeof out, one, (void *)(uintptr_t)v);
        break;
    case 's':
        if (!next_argument(w, lane, at, 8, &v) || !read_string(w, lane, v, string, sizeof string))
            return false;
        n = snprintf(out, sizeof out, one, string);
        break;
    default:
        return add(w->cta, spec, length);
    }
#pragma GCC diagnostic pop
    const size_t written = n < 0 ? 0 : (size_t)n < sizeof out ? (size_t)n : sizeof out - 1;
    return add(w->cta, out, written);
}

static bool print_lane(ptx_warp *w, unsigned lane, uint64_t format, uint64_t arguments)
{
    char text[1024];
    if (!read_string(w, lane, format, text, sizeof text))
        return false;
    for (const char *p = text; *p;) {
        const size_t plain = strcspn(p, "%");
        if (!add(w->cta, p, plain))
            return false;
        p += plain;
        if (!*p)
            break;
        if (p[1] == '%') {
            if (!add(w->cta, p, 1))
                return false;
            p += 2;
            continue;
        }
        const size_t length = 1 + strspn(p + 1, "-+ #0123456789.hlzjt");
        if (!p[length])
            return add(w->cta, p, length);
        if (!convert(w, lane, p, length + 1, &arguments))
            return false;
        p += length + 1;
    }
    return true;
}

bool gmptx_print(ptx_warp *w, const ptx_op *op)
{
    const ptx_call *call = &w->kernel->call[op->first];
    EACH_ACTIVE(w)
    {
        const uint8_t *stack = w->stack + i * w->kernel->stack_bytes + w->frame_stack;
        uint64_t argument[2] = {0, 0};
        for (unsigned k = 0; k < 2 && k < call->argument_count; k++)
            memcpy(&argument[k], stack + call->argument[k].offset, 8);
        if (!print_lane(w, i, argument[0], argument[1]))
            return false;
    }
    return true;
}
