/* SPDX-License-Identifier: MIT
 *
 * cubin.c - reads the ELF file that ptxas writes: a few sections, found by name, out of the user's
 * cache. By hand, as programs that gmcc builds shall need no libelf, which gmcapture has
 * (traces/capture/cubin.c) for all that drivers load. Attribute numbers of .nv.info are those that
 * `cuobjdump -elf` names: EIATTR_REGCOUNT 0x2f, EIATTR_FRAME_SIZE 0x11 and EIATTR_MIN_STACK_SIZE
 * 0x12 (symbol, value), EIATTR_NUM_BARRIERS 0x4c (a byte, in the kernel's own section).
 */
#include "traces/ptx/sass/cubin.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { INFO_FRAME = 0x11, INFO_STACK = 0x12, INFO_REGISTERS = 0x2f, INFO_BARRIERS = 0x4c };
enum { INFO_LONG = 4 }; /* size and value follow; else the value is in the header */

static bool inside(const sass_cubin *c, uint64_t offset, uint64_t bytes)
{
    return offset <= c->size && bytes <= c->size - offset;
}

static bool header_of(const sass_cubin *c, Elf64_Ehdr *e)
{
    if (!inside(c, 0, sizeof *e))
        return false;
    memcpy(e, c->bytes, sizeof *e);
    return memcmp(e->e_ident, ELFMAG, SELFMAG) == 0 && e->e_ident[EI_CLASS] == ELFCLASS64 &&
           e->e_shentsize == sizeof(Elf64_Shdr) &&
           inside(c, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr));
}

/* The i-th section whose bytes lie in the file. */
static bool section_at(const sass_cubin *c, unsigned i, Elf64_Shdr *s)
{
    Elf64_Ehdr e;
    if (!header_of(c, &e) || i >= e.e_shnum)
        return false;
    memcpy(s, c->bytes + e.e_shoff + i * sizeof *s, sizeof *s);
    return s->sh_type == SHT_NOBITS || inside(c, s->sh_offset, s->sh_size);
}

static unsigned section_count(const sass_cubin *c)
{
    Elf64_Ehdr e;
    return header_of(c, &e) ? e.e_shnum : 0;
}

/* A text of a section of strings; "" where it does not end there. */
static const char *string_at(const sass_cubin *c, unsigned section, uint64_t offset)
{
    Elf64_Shdr s;
    if (!section_at(c, section, &s) || s.sh_type != SHT_STRTAB || offset >= s.sh_size)
        return "";
    const char *text = (const char *)c->bytes + s.sh_offset + offset;
    return memchr(text, 0, s.sh_size - offset) ? text : "";
}

static bool find_section(const sass_cubin *c, const char *name, unsigned *at, Elf64_Shdr *s)
{
    Elf64_Ehdr e;
    if (!header_of(c, &e))
        return false;
    for (*at = 0; *at < e.e_shnum; ++*at)
        if (section_at(c, *at, s) && strcmp(string_at(c, e.e_shstrndx, s->sh_name), name) == 0)
            return true;
    return false;
}

const uint8_t *gmsass_section(const sass_cubin *c, const char *name, size_t *size)
{
    unsigned at;
    Elf64_Shdr s;
    if (!find_section(c, name, &at, &s) || s.sh_type == SHT_NOBITS)
        return NULL;
    *size = s.sh_size;
    return c->bytes + s.sh_offset;
}

static bool symbols_of(const sass_cubin *c, Elf64_Shdr *s)
{
    const unsigned count = section_count(c);
    for (unsigned i = 0; i < count; i++)
        if (section_at(c, i, s) && s->sh_type == SHT_SYMTAB && s->sh_entsize == sizeof(Elf64_Sym))
            return true;
    return false;
}

static const char *symbol_at(const sass_cubin *c, const Elf64_Shdr *symbols, uint64_t i,
                             Elf64_Sym *out)
{
    if (i >= symbols->sh_size / sizeof *out)
        return "";
    memcpy(out, c->bytes + symbols->sh_offset + i * sizeof *out, sizeof *out);
    return string_at(c, symbols->sh_link, out->st_name);
}

void gmsass_each_variable(const sass_cubin *c, const char *section, sass_variable call, void *user)
{
    unsigned at;
    Elf64_Shdr s, symbols;
    Elf64_Sym symbol;
    if (!find_section(c, section, &at, &s) || !symbols_of(c, &symbols))
        return;
    for (uint64_t i = 0; i < symbols.sh_size / sizeof symbol; i++) {
        const char *name = symbol_at(c, &symbols, i, &symbol);
        if (*name && symbol.st_shndx == at && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
            call(user, name, symbol.st_value, symbol.st_size);
    }
}

void gmsass_each_pointer(const sass_cubin *c, const char *section, sass_pointer call, void *user)
{
    unsigned at;
    Elf64_Shdr s, r, symbols;
    if (!find_section(c, section, &at, &s) || !symbols_of(c, &symbols))
        return;
    const unsigned count = section_count(c);
    for (unsigned i = 0; i < count; i++) {
        if (!section_at(c, i, &r) || r.sh_type != SHT_RELA || r.sh_info != at ||
            r.sh_entsize != sizeof(Elf64_Rela))
            continue;
        for (uint64_t n = 0; n < r.sh_size / sizeof(Elf64_Rela); n++) {
            Elf64_Rela rela;
            Elf64_Sym symbol;
            memcpy(&rela, c->bytes + r.sh_offset + n * sizeof rela, sizeof rela);
            call(user, rela.r_offset, symbol_at(c, &symbols, ELF64_R_SYM(rela.r_info), &symbol),
                 rela.r_addend);
        }
    }
}

/* Calls with each attribute's number, what it is about (a symbol's name, or ""), and its value. */
static void read_info(const sass_cubin *c, const char *section, const char *kernel,
                      sass_resources *out)
{
    size_t size = 0;
    Elf64_Shdr symbols;
    Elf64_Sym symbol;
    const uint8_t *p = gmsass_section(c, section, &size);
    if (!p || !symbols_of(c, &symbols))
        return;
    for (size_t at = 0; at + 4 <= size;) {
        const uint8_t format = p[at], what = p[at + 1];
        uint16_t bytes;
        uint32_t pair[2];
        memcpy(&bytes, p + at + 2, sizeof bytes);
        at += 4;
        if (format != INFO_LONG) {
            if (what == INFO_BARRIERS)
                out->barriers = bytes & 255;
            continue;
        }
        if (bytes > size - at)
            return;
        if (bytes >= sizeof pair) {
            memcpy(pair, p + at, sizeof pair);
            const bool ours = strcmp(symbol_at(c, &symbols, pair[0], &symbol), kernel) == 0;
            if (ours && what == INFO_REGISTERS)
                out->registers = pair[1];
            if (ours && (what == INFO_FRAME || what == INFO_STACK) && pair[1] > out->local_bytes)
                out->local_bytes = pair[1];
        }
        at += bytes;
    }
}

bool gmsass_resources(const sass_cubin *c, const char *kernel, sass_resources *out)
{
    char section[1024];
    *out = (sass_resources){0};
    if (snprintf(section, sizeof section, ".nv.info.%s", kernel) >= (int)sizeof section)
        return false;
    read_info(c, ".nv.info", kernel, out);
    read_info(c, section, kernel, out);
    unsigned at;
    Elf64_Shdr shared;
    snprintf(section, sizeof section, ".nv.shared.%s", kernel);
    if (find_section(c, section, &at, &shared))
        out->shared_bytes = shared.sh_size > UINT32_MAX ? UINT32_MAX : (uint32_t)shared.sh_size;
    return out->registers != 0;
}
