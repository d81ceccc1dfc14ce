/* SPDX-License-Identifier: MIT
 *
 * lexer.c - PTX text to tokens. Comments and white space end here. Left out: the C preprocessor
 * lines that PTX allows in theory; a '#' is a bad token.
 */
#include "traces/ptx/text.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = "",     [PTX_PRED] = "pred", [PTX_B8] = "b8",       [PTX_U8] = "u8",
    [PTX_S8] = "s8",     [PTX_B16] = "b16",   [PTX_U16] = "u16",     [PTX_S16] = "s16",
    [PTX_F16] = "f16",   [PTX_BF16] = "bf16", [PTX_B32] = "b32",     [PTX_U32] = "u32",
    [PTX_S32] = "s32",   [PTX_F32] = "f32",   [PTX_F16X2] = "f16x2", [PTX_BF16X2] = "bf16x2",
    [PTX_B64] = "b64",   [PTX_U64] = "u64",   [PTX_S64] = "s64",     [PTX_F64] = "f64",
    [PTX_B128] = "b128",
};

ptx_type gmptx_type_of(ptx_slice name)
{
    for (unsigned t = PTX_PRED; t < PTX_TYPE_COUNT; t++)
        if (slice_is(name, types[t]))
            return (ptx_type)t;
    return PTX_NONE;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* False where a comment does not end. */
static bool skip_blanks(ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        const char *p = lexer->at;
        const bool two = lexer->end - p >= 2;
        if (*p == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (isspace((unsigned char)*p)) {
            lexer->at++;
        } else if (two && p[0] == '/' && p[1] == '/') {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (two && p[0] == '/' && p[1] == '*') {
            for (p += 2; lexer->end - p >= 2 && !(p[0] == '*' && p[1] == '/'); p++)
                lexer->line += *p == '\n';
            if (lexer->end - p < 2)
                return false;
            lexer->at = p + 2;
        } else {
            return true;
        }
    }
    return true;
}

/* 0f and 0d are followed by exactly 8 or 16 hexadecimal digits. */
static const char *read_float_bits(const char *p, const char *end, unsigned digits, uint64_t *bits)
{
    *bits = 0;
    for (unsigned i = 0; i < digits; i++, p++) {
        if (p == end || !isxdigit((unsigned char)*p))
            return NULL;
        const int c = tolower((unsigned char)*p);
        *bits = *bits << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return p;
}

static bool read_decimal_float(ptx_token *token)
{
    char buffer[64];
    if (token->slice.length >= sizeof buffer)
        return false;
    memcpy(buffer, token->slice.text, token->slice.length);
    buffer[token->slice.length] = 0;
    char *stop;
    const double value = strtod(buffer, &stop);
    if (*stop)
        return false;
    memcpy(&token->bits, &value, sizeof value);
    token->kind = TOKEN_FLOAT64;
    return true;
}

static bool read_integer(const char *p, const char *end, uint64_t *bits)
{
    unsigned base = 10;
    if (end - p >= 2 && p[0] == '0') {
        const int c = tolower((unsigned char)p[1]);
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        p += base == 8 ? 1 : 2;
    }
    if (end > p && (end[-1] == 'U' || end[-1] == 'u'))
        end--;
    if (p == end)
        return base == 8; /* "0U" */
    *bits = 0;
    for (; p < end; p++) {
        const int c = tolower((unsigned char)*p);
        const unsigned digit = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
        if (!isxdigit(c) || digit >= base || *bits > (UINT64_MAX - digit) / base)
            return false;
        *bits = *bits * base + digit;
    }
    return true;
}

static void read_number(ptx_lexer *lexer, ptx_token *token)
{
    const char *start = lexer->at, *end = lexer->end, *p = start;
    const int second = end - p >= 2 ? tolower((unsigned char)p[1]) : 0;
    token->kind = TOKEN_BAD;
    token->bits = 0;
    if (*p == '0' && (second == 'f' || second == 'd')) {
        p = read_float_bits(p + 2, end, second == 'f' ? 8 : 16, &token->bits);
        if (p && (p == end || !is_name_part(*p))) {
            lexer->at = p;
            token->kind = second == 'f' ? TOKEN_FLOAT32 : TOKEN_FLOAT64;
            return;
        }
        p = start;
    }
    bool real = false;
    const bool hexadecimal = *p == '0' && second == 'x';
    while (p < end && (is_name_part(*p) || *p == '.' ||
                       ((*p == '-' || *p == '+') && !hexadecimal && p > start &&
                        tolower((unsigned char)p[-1]) == 'e'))) {
        real = real || *p == '.' || (!hexadecimal && tolower((unsigned char)*p) == 'e');
        p++;
    }
    token->slice.length = (uint32_t)(p - start);
    lexer->at = p;
    if (real)
        read_decimal_float(token);
    else if (read_integer(start, p, &token->bits))
        token->kind = TOKEN_INT;
}

/* %tid.x: the component belongs to the name. */
static bool has_component(const char *p, const char *end)
{
    return end - p >= 2 && p[0] == '.' && strchr("xyzw", p[1]) && p[1] &&
           (end - p == 2 || (!is_name_part(p[2]) && p[2] != '.'));
}

void gmptx_next_token(ptx_lexer *lexer, ptx_token *token)
{
    *token = (ptx_token){.kind = TOKEN_BAD, .line = lexer->line};
    const bool whole = skip_blanks(lexer);
    token->line = lexer->line;
    token->slice = (ptx_slice){lexer->at, 0};
    if (!whole) {
        lexer->at = lexer->end;
        return;
    }
    if (lexer->at == lexer->end) {
        token->kind = TOKEN_END;
        return;
    }
    const char *p = lexer->at, *end = lexer->end;
    if (is_name_start(*p) || (*p == '.' && end - p >= 2 && is_name_start(p[1]))) {
        token->kind = *p == '.' ? TOKEN_DIRECTIVE : TOKEN_NAME;
        const char *start = *p == '.' ? p + 1 : p;
        for (p = start + 1; p < end && is_name_part(*p); p++)
            ;
        if (token->kind == TOKEN_NAME && *start == '%' && has_component(p, end))
            p += 2;
        if (token->kind == TOKEN_DIRECTIVE && end - p > 2 && p[0] == ':' && p[1] == ':')
            for (p += 2; p < end && is_name_part(*p); p++)
                ; /* .shared::cta */
        token->slice = (ptx_slice){start, (uint32_t)(p - start)};
        lexer->at = p;
    } else if (isdigit((unsigned char)*p)) {
        read_number(lexer, token);
    } else if (*p == '"') {
        for (p++; p < end && *p != '"' && *p != '\n'; p++)
            if (*p == '\\' && p + 1 < end)
                p++;
        if (p < end && *p == '"') {
            token->kind = TOKEN_STRING;
            token->slice = (ptx_slice){lexer->at + 1, (uint32_t)(p - lexer->at - 1)};
            lexer->at = p + 1;
        }
    } else if (strchr("{}()[]<>,;:=+-*@!|~", *p) && *p) {
        token->kind = TOKEN_PUNCT;
        token->punct = *p;
        token->slice.length = 1;
        lexer->at++;
    }
    if (token->kind == TOKEN_BAD && lexer->at == token->slice.text) {
        token->slice.length = 1;
        lexer->at++; /* whoever skips tokens comes to the end */
    }
}

void gmptx_extend_opcode(ptx_lexer *lexer, ptx_token *token)
{
    const char *p = token->slice.text + token->slice.length, *end = lexer->end;
    while (p < end) {
        if (p[0] == '.' && end - p >= 2 && is_name_part(p[1]))
            p += 2;
        else if (p[0] == ':' && end - p >= 3 && p[1] == ':' && is_name_part(p[2]))
            p += 3;
        else if (is_name_part(*p))
            p++;
        else
            break;
    }
    token->slice.length = (uint32_t)(p - token->slice.text);
    lexer->at = p;
}
