/* SPDX-License-Identifier: MIT
 *
 * sass_listing.c - the output of nvdisasm, line by line, into an instruction table. Two runs are
 * read: one with encodings and source lines, one with register life ranges, which nvdisasm does
 * not print together.
 *
 *     //## File "a.cu", line 5
 *     .L_x_1:
 *             /0x00f0/     @P0 BRA `(.L_x_1) ;           / 0x0000000000540947 /
 *                                                        / 0x000fea0003800000 /
 */
#include "traces/code/sass.h"

#include "traces/code/jump_table.h"
#include "traces/format/grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536u

typedef struct block {
    struct block *next;
    char bytes[];
} block;

typedef struct label {
    const char *name;
    uint64_t pc;
    uint64_t base; /* of the section it stands in: .L_x_1 is known in every section alone */
} label;

struct gmtrace_sass_store {
    block *blocks;
    size_t used; /* of the first block */
    label *label;
    uint32_t label_count;
};

/* ------------------------------------------------------------------------------------- storage */

static struct gmtrace_sass_store *store_of(gmtrace_sass *sass)
{
    if (!sass->store)
        sass->store = calloc(1, sizeof *sass->store);
    return sass->store;
}

static const char *keep(gmtrace_sass *sass, const char *text, size_t length)
{
    struct gmtrace_sass_store *store = sass->store;
    if (length == 0)
        return "";
    size_t size = length + 1 > BLOCK_SIZE ? length + 1 : BLOCK_SIZE;
    if (!store->blocks || BLOCK_SIZE - store->used < length + 1) {
        block *fresh = malloc(sizeof *fresh + size);
        if (!fresh)
            return NULL;
        fresh->next = store->blocks;
        store->blocks = fresh;
        store->used = 0;
    }
    char *copy = store->blocks->bytes + store->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    store->used = size > BLOCK_SIZE ? BLOCK_SIZE : store->used + length + 1;
    return copy;
}

static gmtrace_instr *add_instr(gmtrace_sass *sass, uint64_t pc)
{
    if (!GMT_GROW(sass->instr, sass->instr_count))
        return NULL;
    gmtrace_instr *instr = &sass->instr[sass->instr_count++];
    memset(instr, 0, sizeof *instr);
    instr->pc = pc;
    instr->opcode = instr->operands = "";
    instr->file = GMTRACE_UNKNOWN;
    instr->target = GMTRACE_NO_INSTR;
    instr->predicate = GMTRACE_NO_REGISTER;
    return instr;
}

static bool add_label(gmtrace_sass *sass, const char *name, size_t length, uint64_t pc,
                      uint64_t base)
{
    struct gmtrace_sass_store *store = sass->store;
    if (!GMT_GROW(store->label, store->label_count))
        return false;
    const char *copy = keep(sass, name, length);
    store->label[store->label_count++] = (label){copy, pc, base};
    return copy != NULL;
}

static uint32_t file_index(gmtrace_sass *sass, const char *name, size_t length)
{
    for (uint32_t i = 0; i < sass->file_count; i++)
        if (strlen(sass->file[i]) == length && memcmp(sass->file[i], name, length) == 0)
            return i;
    if (!GMT_GROW(sass->file, sass->file_count))
        return GMTRACE_UNKNOWN;
    const char *copy = keep(sass, name, length);
    if (!copy)
        return GMTRACE_UNKNOWN;
    sass->file[sass->file_count] = copy;
    return sass->file_count++;
}

void gmtrace_sass_free(gmtrace_sass *sass)
{
    if (sass->store) {
        while (sass->store->blocks) {
            block *next = sass->store->blocks->next;
            free(sass->store->blocks);
            sass->store->blocks = next;
        }
        free(sass->store->label);
        free(sass->store);
    }
    free(sass->instr);
    free(sass->file);
    memset(sass, 0, sizeof *sass);
}

/* --------------------------------------------------------------------------------------- lines */

typedef struct line {
    const char *text;
    size_t length;
} line;

/* The line at *cursor, which moves on; false at the end of the text. */
static bool next_line(const char **cursor, line *out)
{
    if (!**cursor)
        return false;
    out->text = *cursor;
    out->length = strcspn(*cursor, "\n");
    *cursor += out->length + ((*cursor)[out->length] == '\n');
    return true;
}

static const char *find_in(const line *in, const char *needle)
{
    size_t length = strlen(needle);
    for (size_t i = 0; i + length <= in->length; i++)
        if (memcmp(in->text + i, needle, length) == 0)
            return in->text + i;
    return NULL;
}

/* Moves *cursor behind the line that opens `section`. */
static bool enter_section(const char **cursor, const char *section)
{
    size_t length = strlen(section);
    line at;
    while (next_line(cursor, &at)) {
        const char *word = find_in(&at, ".section\t");
        if (word && strncmp(word + 9, section, length) == 0 && strchr(", \t\n", word[9 + length]))
            return true;
    }
    return false;
}

static bool leaves_section(const line *at)
{
    return find_in(at, ".section\t") != NULL;
}

static const char *end_of(const line *at)
{
    return at->text + at->length;
}

/* "/00f0/" with stars: the offset of an instruction. */
static const char *read_offset(const line *at, uint64_t *offset)
{
    const char *from = at->text;
    while (from < end_of(at) && isspace((unsigned char)*from))
        from++;
    if (end_of(at) - from < 6 || from[0] != '/' || from[1] != '*' ||
        !isxdigit((unsigned char)from[2]) || (from[2] == '0' && from[3] == 'x'))
        return NULL;
    char *end;
    *offset = strtoull(from + 2, &end, 16);
    return end[0] == '*' && end[1] == '/' ? end + 2 : NULL;
}

static bool read_encoding(const line *at, uint64_t *word)
{
    const char *from = find_in(at, "/* 0x");
    if (!from)
        return false;
    char *end;
    *word = strtoull(from + 3, &end, 16);
    return strncmp(end, " */", 3) == 0;
}

static void read_predicate(gmtrace_instr *instr, const char *text)
{
    instr->predicate_negated = *text == '!';
    text += *text == '!';
    if (text[0] == 'P' && text[1] >= '0' && text[1] <= '6')
        instr->predicate = (uint8_t)(text[1] - '0');
    else if (text[0] == 'P' && text[1] == 'T') /* @!PT: never executed */
        instr->predicate = 7;
    else if (text[0] == 'U') /* a uniform predicate is an operand, not a lane mask */
        instr->predicate_negated = 0;
}

/* "@P0 BRA `(.L_x_1) ;" from `text` up to the semicolon. */
static bool read_statement(gmtrace_sass *sass, gmtrace_instr *instr, const char *text,
                           const line *at)
{
    const char *end = text;
    while (end < end_of(at) && *end != ';')
        end++;
    if (end == end_of(at))
        return false;
    while (text < end && (isspace((unsigned char)*text) || *text == '{'))
        text++;
    if (text < end && *text == '@') {
        read_predicate(instr, text + 1);
        while (text < end && !isspace((unsigned char)*text))
            text++;
        while (text < end && isspace((unsigned char)*text))
            text++;
    }
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    const char *opcode = text;
    while (text < end && !isspace((unsigned char)*text))
        text++;
    instr->opcode = keep(sass, opcode, (size_t)(text - opcode));
    while (text < end && isspace((unsigned char)*text))
        text++;
    instr->operands = keep(sass, text, (size_t)(end - text));
    return instr->opcode && instr->operands && *instr->opcode;
}

/* //## File "a.cu", line 5 */
static bool read_source(gmtrace_sass *sass, const line *at, uint32_t *file, uint32_t *number)
{
    const char *name = find_in(at, "//## File \"");
    if (!name)
        return false;
    name += 11;
    const char *quote = memchr(name, '"', (size_t)(end_of(at) - name));
    if (!quote || strncmp(quote, "\", line ", 8) != 0)
        return false;
    *number = (uint32_t)strtoul(quote + 8, NULL, 10);
    *file = file_index(sass, name, (size_t)(quote - name));
    return true;
}

bool gmtrace_sass_listing(gmtrace_sass *sass, const char *listing, const char *section,
                          uint64_t base)
{
    if (!store_of(sass) || !enter_section(&listing, section))
        return false;
    uint32_t file = GMTRACE_UNKNOWN, number = 0;
    uint64_t next_pc = base, offset;
    bool want_high = false;
    /* A call names its target by the function's name; the section's is the function at its start.
     */
    if (!add_label(sass, section + 6, strlen(section + 6), base, base))
        return false;
    line at;
    while (next_line(&listing, &at) && !leaves_section(&at)) {
        const char *statement = read_offset(&at, &offset);
        if (statement) {
            gmtrace_instr *instr = add_instr(sass, base + offset);
            if (!instr || want_high || !read_statement(sass, instr, statement, &at) ||
                !read_encoding(&at, &instr->encoding[0]))
                return false;
            instr->file = file;
            instr->line = number;
            next_pc = base + offset + 16;
            want_high = true;
        } else if (want_high) {
            gmtrace_instr *instr = &sass->instr[sass->instr_count - 1];
            if (!read_encoding(&at, &instr->encoding[1]))
                return false;
            want_high = false;
            gmtrace_sass_classify(instr);
        } else if (read_source(sass, &at, &file, &number)) {
            continue;
        } else if (at.length > 1 && !isspace((unsigned char)at.text[0]) &&
                   at.text[at.length - 1] == ':') {
            if (!add_label(sass, at.text, at.length - 1, next_pc, base))
                return false;
        }
    }
    return !want_high;
}

bool gmtrace_sass_raw(gmtrace_sass *sass, const void *code, size_t size, uint64_t base)
{
    if (!store_of(sass))
        return false;
    for (size_t at = 0; at + 16 <= size; at += 16) {
        gmtrace_instr *instr = add_instr(sass, base + at);
        if (!instr)
            return false;
        memcpy(instr->encoding, (const char *)code + at, 16);
        gmtrace_sass_classify(instr);
    }
    return true;
}

/* --------------------------------------------------------------------------------- life ranges */

typedef struct column {
    size_t first, count; /* position of register 0 behind the "//", registers shown */
} column;

/* Reads the last header row, `|  # 0123456789  |  # 0  |`, which stands below a row of titles. */
static bool read_columns(const line *titles, const line *digits, column columns[4])
{
    static const char *const title[] = {"GPR", "UGPR", "PRED", "UPRED"}; /* as gmtrace_regfile */
    const char *above = find_in(titles, "//"), *from = find_in(digits, "//");
    if (!above || !from)
        return false;
    memset(columns, 0, 4 * sizeof *columns);
    const char *bar = from, *title_bar = above;
    while ((bar = memchr(bar, '|', (size_t)(end_of(digits) - bar)))) {
        title_bar = memchr(title_bar, '|', (size_t)(end_of(titles) - title_bar));
        const char *close = memchr(bar + 1, '|', (size_t)(end_of(digits) - bar - 1));
        if (!title_bar || !close)
            break;
        char word[8] = "";
        sscanf(title_bar + 1, " %7[A-Z]", word);
        const char *hash = memchr(bar, '#', (size_t)(close - bar));
        for (unsigned i = 0; i < 4 && hash; i++) {
            if (strcmp(title[i], word) != 0)
                continue;
            columns[i].first = (size_t)(hash + 2 - from);
            while (hash + 2 + columns[i].count < close &&
                   hash[2 + columns[i].count] == (char)('0' + columns[i].count % 10))
                columns[i].count++;
        }
        bar = close;
        title_bar++;
    }
    return columns[0].count > 0;
}

static void add_runs(gmtrace_instr *instr, const line *at, const column *columns, const char *marks,
                     bool write)
{
    const char *from = find_in(at, "// |");
    for (unsigned file = 0; file < 4 && from; file++) {
        unsigned run = 0;
        for (size_t i = 0; i <= columns[file].count; i++) {
            const char *mark = from + columns[file].first + i;
            if (i < columns[file].count && mark < end_of(at) && strchr(marks, *mark)) {
                run++;
                continue;
            }
            if (run && instr->operand_count < GMTRACE_MAX_OPERANDS)
                instr->operand[instr->operand_count++] =
                    (gmtrace_operand){(uint8_t)file, (uint8_t)(i - run), (uint8_t)run, write};
            run = 0;
        }
    }
}

static gmtrace_instr *instr_at(const gmtrace_sass *sass, uint64_t pc)
{
    const uint32_t at = gmt_instr_at(sass->instr, sass->instr_count, pc);
    return at == GMTRACE_NO_INSTR ? NULL : &sass->instr[at];
}

bool gmtrace_sass_lives(gmtrace_sass *sass, const char *listing, const char *section, uint64_t base)
{
    if (!enter_section(&listing, section))
        return false;
    column columns[4];
    bool known = false;
    line at, titles = {0}, last = {0};
    while (next_line(&listing, &at) && !leaves_section(&at)) {
        uint64_t offset;
        if (!known && find_in(&at, "GPR ")) {
            titles = at;
        } else if (titles.text && !known && find_in(&at, "// +") && find_in(&last, "#")) {
            known = read_columns(&titles, &last, columns);
        } else if (known && read_offset(&at, &offset)) {
            gmtrace_instr *instr = instr_at(sass, base + offset);
            /* A call is shown as if it were its callee's whole body. */
            if (instr && instr->op_class != GMTRACE_CLASS_CALL && find_in(&at, "// |")) {
                instr->operand_count = 0;
                add_runs(instr, &at, columns, "^x", true);
                add_runs(instr, &at, columns, "vx", false);
            }
        }
        last = at;
    }
    return known;
}

/* ------------------------------------------------------------------------------------- targets */

#define PLACE 20u /* characters of a place, which a label has at least one of */

static uint32_t find_label(const gmtrace_sass *sass, const char *name, size_t length, uint64_t near)
{
    const struct gmtrace_sass_store *store = sass->store;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < store->label_count; i++) {
        const label *at = &store->label[i];
        if (strncmp(at->name, name, length) != 0 || at->name[length])
            continue;
        /* The last section that starts at or before the instruction is its own. */
        if (at->base <= near || found == UINT32_MAX)
            found = i;
    }
    return found;
}

/* The text of a jump by a table, with places in place of labels. NULL: a label is not known, or
 * there is no memory. */
static const char *with_places(gmtrace_sass *sass, const gmtrace_instr *instr)
{
    const char *text = strstr(instr->operands, GMT_TABLE);
    const size_t head = text ? (size_t)(text - instr->operands) + strlen(GMT_TABLE) : 0;
    char *own = text ? malloc(PLACE * (strlen(instr->operands) + 1u)) : NULL;
    if (!own)
        return NULL;
    memcpy(own, instr->operands, head);
    size_t size = head;
    for (text = instr->operands + head; *text && *text != '"';) {
        const size_t length = strcspn(text, ",\"");
        const uint32_t found = find_label(sass, text, length, instr->pc);
        if (found == UINT32_MAX || !instr_at(sass, sass->store->label[found].pc)) {
            free(own);
            return NULL;
        }
        size +=
            (size_t)sprintf(own + size, "0x%llx", (unsigned long long)sass->store->label[found].pc);
        text += length;
        if (*text == ',')
            own[size++] = *text++;
    }
    const size_t rest = strlen(text);
    memcpy(own + size, text, rest);
    const char *kept = keep(sass, own, size + rest);
    free(own);
    return kept;
}

void gmtrace_sass_link(gmtrace_sass *sass)
{
    for (uint32_t i = 0; i < sass->instr_count; i++) {
        gmtrace_instr *instr = &sass->instr[i];
        if (instr->op_class != GMTRACE_CLASS_BRANCH && instr->op_class != GMTRACE_CLASS_CALL &&
            instr->op_class != GMTRACE_CLASS_RECONVERGE)
            continue;
        const char *name = strstr(instr->operands, "`(");
        if (!name && gmt_table_size(instr)) {
            const char *text = with_places(sass, instr);
            instr->operands = text ? text : instr->operands;
        }
        if (!name)
            continue;
        name += 2;
        size_t length = strcspn(name, ")");
        uint32_t found = find_label(sass, name, length, instr->pc);
        if (found == UINT32_MAX)
            continue;
        const gmtrace_instr *target = instr_at(sass, sass->store->label[found].pc);
        if (target)
            instr->target = (uint32_t)(target - sass->instr);
    }
}
