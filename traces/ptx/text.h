/* SPDX-License-Identifier: MIT
 *
 * text.h - PTX as text: slices, tokens, types. Nothing here knows what an instruction does.
 */
#ifndef GMPTX_TEXT_H
#define GMPTX_TEXT_H

#include "traces/gmtrace.h"

#include <string.h>

/* A piece of the module's text. */
typedef struct ptx_slice {
    const char *text;
    uint32_t length;
} ptx_slice;

static inline bool slice_is(ptx_slice s, const char *word)
{
    return strlen(word) == s.length && memcmp(s.text, word, s.length) == 0;
}

static inline bool slice_equal(ptx_slice a, ptx_slice b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* For "%.*s". */
#define SLICE(s) (int)((s).length < 80 ? (s).length : 80), (s).text

typedef enum ptx_type {
    PTX_NONE = 0,
    PTX_PRED,
    PTX_B8,
    PTX_U8,
    PTX_S8,
    PTX_B16,
    PTX_U16,
    PTX_S16,
    PTX_F16,
    PTX_BF16,
    PTX_B32,
    PTX_U32,
    PTX_S32,
    PTX_F32,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_B64,
    PTX_U64,
    PTX_S64,
    PTX_F64,
    PTX_B128,
    PTX_TYPE_COUNT
} ptx_type;

ptx_type gmptx_type_of(ptx_slice name);                /* "f32"; PTX_NONE for what is no type */
static inline unsigned gmptx_type_bytes(ptx_type type) /* 0 for predicates */
{
    static const uint8_t bytes[PTX_TYPE_COUNT] = {
        [PTX_B8] = 1,  [PTX_U8] = 1,  [PTX_S8] = 1,    [PTX_B16] = 2,    [PTX_U16] = 2,
        [PTX_S16] = 2, [PTX_F16] = 2, [PTX_BF16] = 2,  [PTX_B32] = 4,    [PTX_U32] = 4,
        [PTX_S32] = 4, [PTX_F32] = 4, [PTX_F16X2] = 4, [PTX_BF16X2] = 4, [PTX_B64] = 8,
        [PTX_U64] = 8, [PTX_S64] = 8, [PTX_F64] = 8,   [PTX_B128] = 16};
    return bytes[type];
}

static inline bool type_is_signed(ptx_type t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}

static inline bool type_is_float(ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64 || t == PTX_F16X2 ||
           t == PTX_BF16X2;
}

typedef enum ptx_token_kind {
    TOKEN_END = 0,
    TOKEN_NAME,      /* identifier, register, label: %r1 $L__BB0_2 %tid.x */
    TOKEN_DIRECTIVE, /* .reg; the slice is without the dot */
    TOKEN_INT,       /* bits */
    TOKEN_FLOAT32,   /* 0f3F800000: bits */
    TOKEN_FLOAT64,   /* 0d... and decimal: bits */
    TOKEN_STRING,    /* without its quotes, escapes as they are */
    TOKEN_PUNCT,     /* one character, in `punct` */
    TOKEN_BAD,
} ptx_token_kind;

typedef struct ptx_token {
    ptx_token_kind kind;
    char punct;
    uint32_t line;
    ptx_slice slice;
    uint64_t bits;
} ptx_token;

typedef struct ptx_lexer {
    const char *at, *end;
    uint32_t line;
} ptx_lexer;

void gmptx_next_token(ptx_lexer *lexer, ptx_token *token);
/* The opcode that begins with the name just read: "ld" becomes "ld.global.L1::no_allocate.f32". */
void gmptx_extend_opcode(ptx_lexer *lexer, ptx_token *token);

#endif
