/* SPDX-License-Identifier: MIT
 *
 * bytes.h - little-endian numbers, LEB128 varints, a growing buffer and a checked view of bytes.
 * Both carry a sticky flag, so that a row of puts or gets needs one test at its end.
 */
#ifndef GMTRACE_PRIVATE_BYTES_H
#define GMTRACE_PRIVATE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint16_t gmt_get16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return le16toh(v);
}

static inline uint32_t gmt_get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return le32toh(v);
}

static inline uint64_t gmt_get64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

static inline void gmt_set16(uint8_t *p, uint16_t v)
{
    v = htole16(v);
    memcpy(p, &v, sizeof v);
}

static inline void gmt_set32(uint8_t *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof v);
}

static inline void gmt_set64(uint8_t *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, sizeof v);
}

/* Signed numbers near 0 become small unsigned ones: 0 -1 1 -2 ... */
static inline uint64_t gmt_zigzag(uint64_t v)
{
    return (v << 1) ^ (0 - (v >> 63));
}
static inline uint64_t gmt_unzigzag(uint64_t v)
{
    return (v >> 1) ^ (0 - (v & 1));
}

/* --------------------------------------------------------------------------- growing buffer */

typedef struct gmt_buffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory: contents are incomplete */
} gmt_buffer;

/* Makes room for `more` bytes; false (and failed) when memory is out. */
static inline bool gmt_reserve(gmt_buffer *b, size_t more)
{
    if (b->capacity - b->size >= more)
        return true;
    size_t want = b->capacity ? b->capacity * 2 : 256;
    while (want - b->size < more)
        want *= 2;
    uint8_t *data = realloc(b->data, want);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = want;
    return true;
}

static inline void gmt_buffer_free(gmt_buffer *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

static inline void gmt_put(gmt_buffer *b, const void *data, size_t size)
{
    if (size && gmt_reserve(b, size)) {
        memcpy(b->data + b->size, data, size);
        b->size += size;
    }
}

static inline void gmt_put8(gmt_buffer *b, uint8_t v)
{
    gmt_put(b, &v, 1);
}

static inline void gmt_put32(gmt_buffer *b, uint32_t v)
{
    uint8_t t[4];
    gmt_set32(t, v);
    gmt_put(b, t, sizeof t);
}

static inline void gmt_put64(gmt_buffer *b, uint64_t v)
{
    uint8_t t[8];
    gmt_set64(t, v);
    gmt_put(b, t, sizeof t);
}

#define GMT_VARINT_MAX 10u

/* Writes at p, which has GMT_VARINT_MAX bytes of room; returns the end. */
static inline uint8_t *gmt_write_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline void gmt_put_varint(gmt_buffer *b, uint64_t v)
{
    if (gmt_reserve(b, GMT_VARINT_MAX))
        b->size = (size_t)(gmt_write_varint(b->data + b->size, v) - b->data);
}

/* ----------------------------------------------------------------------------- checked view */

typedef struct gmt_view {
    const uint8_t *next, *end;
    bool bad; /* something was read past the end or was no valid varint */
} gmt_view;

static inline size_t gmt_left(const gmt_view *v)
{
    return (size_t)(v->end - v->next);
}

/* The next `size` bytes, or NULL past the end. */
static inline const uint8_t *gmt_take(gmt_view *v, size_t size)
{
    if (gmt_left(v) < size) {
        v->bad = true;
        v->next = v->end;
        return NULL;
    }
    const uint8_t *p = v->next;
    v->next += size;
    return p;
}

static inline uint8_t gmt_take8(gmt_view *v)
{
    const uint8_t *p = gmt_take(v, 1);
    return p ? *p : 0;
}

static inline uint32_t gmt_take32(gmt_view *v)
{
    const uint8_t *p = gmt_take(v, 4);
    return p ? gmt_get32(p) : 0;
}

static inline uint64_t gmt_take64(gmt_view *v)
{
    const uint8_t *p = gmt_take(v, 8);
    return p ? gmt_get64(p) : 0;
}

/* The shortest form alone is valid, so that a value has one spelling. */
static inline uint64_t gmt_take_varint(gmt_view *v)
{
    if (v->next < v->end && *v->next < 0x80)
        return *v->next++;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && v->next < v->end; shift += 7) {
        uint8_t byte = *v->next++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (byte == 0 || (shift == 63 && byte > 1))
                break;
            return value;
        }
    }
    v->bad = true;
    v->next = v->end;
    return 0;
}

#endif
