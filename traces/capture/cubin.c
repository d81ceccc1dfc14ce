/* SPDX-License-Identifier: MIT
 *
 * cubin.c - reads cubins with libelf. The attribute numbers of .nv.info are not documented; those
 * used here are the ones that `cuobjdump -elf` names in its output: EIATTR_REGCOUNT 0x2f,
 * EIATTR_FRAME_SIZE 0x11 (both: symbol, value), EIATTR_NUM_BARRIERS 0x4c (one byte) and
 * EIATTR_PARAM_CBANK 0x0a (symbol, 16 bits of offset, 16 of size), both in the function's own
 * .nv.info.
 */
#include "traces/capture/cubin.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTE_PARAM_CBANK  0x0au
#define ATTRIBUTE_FRAME_SIZE   0x11u
#define ATTRIBUTE_REGCOUNT     0x2fu
#define ATTRIBUTE_NUM_BARRIERS 0x4cu
#define FORMAT_LONG            4u    /* size and value follow; else the value is in the header */
#define OTHER_ENTRY            0x10u /* STO_CUDA_ENTRY */
#define BANK_BYTES             65536u

struct gmc_cubin {
    Elf *elf;
    gmc_function *function;
    size_t count;
    size_t names;   /* section of the section names */
    size_t strings; /* of the symbol names */
    Elf_Data *symbols;
};

static const char *section_name(const gmc_cubin *cubin, Elf_Scn *section, GElf_Shdr *header)
{
    if (!gelf_getshdr(section, header))
        return "";
    const char *name = elf_strptr(cubin->elf, cubin->names, header->sh_name);
    return name ? name : "";
}

static bool read_symbols(gmc_cubin *cubin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(cubin->elf, section))) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        cubin->symbols = elf_getdata(section, NULL);
        cubin->strings = header.sh_link;
        return cubin->symbols && header.sh_entsize;
    }
    return false;
}

static const char *symbol_at(const gmc_cubin *cubin, size_t index, GElf_Sym *symbol)
{
    if (index > 0x7fffffff || !gelf_getsym(cubin->symbols, (int)index, symbol))
        return NULL;
    return elf_strptr(cubin->elf, cubin->strings, symbol->st_name);
}

/* Functions at the start of a code section: one a section. */
static bool read_functions(gmc_cubin *cubin)
{
    size_t total = cubin->symbols->d_size / sizeof(Elf64_Sym);
    cubin->function = calloc(total + 1, sizeof *cubin->function);
    if (!cubin->function)
        return false;
    for (size_t i = 0; i < total; i++) {
        GElf_Sym symbol;
        GElf_Shdr header;
        const char *name = symbol_at(cubin, i, &symbol);
        if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
            continue;
        Elf_Scn *section = elf_getscn(cubin->elf, symbol.st_shndx);
        if (!section || symbol.st_value != 0)
            continue;
        const char *text = section_name(cubin, section, &header);
        if (strncmp(text, ".text.", 6) != 0 || strcmp(text + 6, name) != 0)
            continue;
        cubin->function[cubin->count++] = (gmc_function){
            .name = name,
            .kernel = (symbol.st_other & OTHER_ENTRY) != 0,
            .section = symbol.st_shndx,
            .symbol = (uint32_t)i,
            .size = header.sh_size,
        };
    }
    return true;
}

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static void set_attribute(gmc_cubin *cubin, uint32_t symbol, unsigned attribute, uint32_t value)
{
    for (size_t i = 0; i < cubin->count; i++) {
        gmc_function *function = &cubin->function[i];
        if (function->symbol != symbol)
            continue;
        if (attribute == ATTRIBUTE_REGCOUNT)
            function->registers = value;
        else if (attribute == ATTRIBUTE_FRAME_SIZE)
            function->frame_bytes = value;
        return;
    }
}

static void set_parameters(gmc_function *function, uint32_t place)
{
    const uint32_t offset = place & 0xffff, size = place >> 16;
    if (offset + size > BANK_BYTES)
        return;
    function->parameters_offset = offset;
    function->parameters_size = size;
}

/* One .nv.info section: format, attribute, 16 bits of value or size, then the value. */
static void read_info(gmc_cubin *cubin, const Elf_Data *data, gmc_function *owner)
{
    const unsigned char *bytes = data->d_buf;
    for (size_t at = 0; at + 4 <= data->d_size;) {
        unsigned format = bytes[at], attribute = bytes[at + 1];
        size_t value = (size_t)bytes[at + 2] | (size_t)bytes[at + 3] << 8;
        at += 4;
        if (format != FORMAT_LONG) {
            if (owner && attribute == ATTRIBUTE_NUM_BARRIERS)
                owner->barriers = value & 0xff;
            continue;
        }
        if (value > data->d_size - at)
            return;
        if (!owner && value >= 8 &&
            (attribute == ATTRIBUTE_REGCOUNT || attribute == ATTRIBUTE_FRAME_SIZE))
            set_attribute(cubin, word_at(bytes + at), attribute, word_at(bytes + at + 4));
        if (owner && value >= 8 && attribute == ATTRIBUTE_PARAM_CBANK)
            set_parameters(owner, word_at(bytes + at + 4));
        at += value;
    }
}

static gmc_function *find(const gmc_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->count; i++)
        if (strcmp(cubin->function[i].name, name) == 0)
            return &cubin->function[i];
    return NULL;
}

static void read_resources(gmc_cubin *cubin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(cubin->elf, section))) {
        const char *name = section_name(cubin, section, &header);
        if (strncmp(name, ".nv.shared.", 11) == 0) {
            gmc_function *function = find(cubin, name + 11);
            if (function)
                function->shared_bytes = (uint32_t)header.sh_size;
        } else if (strncmp(name, ".nv.info", 8) == 0) {
            gmc_function *owner = name[8] == '.' ? find(cubin, name + 9) : NULL;
            const Elf_Data *data = elf_getdata(section, NULL);
            if (data && data->d_buf && (owner || name[8] == '\0'))
                read_info(cubin, data, owner);
        }
    }
}

gmc_cubin *gmc_cubin_open(const void *image, size_t size, const char **reason)
{
    *reason = "out of memory";
    gmc_cubin *cubin = calloc(1, sizeof *cubin);
    if (!cubin)
        return NULL;
    elf_version(EV_CURRENT);
    /* libelf's prototype lacks const; a file opened this way is only read. */
    cubin->elf = elf_memory((char *)(uintptr_t)image, size);
    *reason = "not an ELF file";
    bool good = cubin->elf && elf_kind(cubin->elf) == ELF_K_ELF &&
                elf_getshdrstrndx(cubin->elf, &cubin->names) == 0;
    if (good) {
        *reason = "no symbol table";
        good = read_symbols(cubin) && read_functions(cubin);
    }
    if (!good) {
        gmc_cubin_close(cubin);
        return NULL;
    }
    read_resources(cubin);
    *reason = NULL;
    return cubin;
}

void gmc_cubin_close(gmc_cubin *cubin)
{
    if (!cubin)
        return;
    if (cubin->elf)
        elf_end(cubin->elf);
    free(cubin->function);
    free(cubin);
}

size_t gmc_cubin_function_count(const gmc_cubin *cubin)
{
    return cubin->count;
}

const gmc_function *gmc_cubin_function(const gmc_cubin *cubin, size_t index)
{
    return index < cubin->count ? &cubin->function[index] : NULL;
}

const gmc_function *gmc_cubin_find(const gmc_cubin *cubin, const char *name)
{
    return find(cubin, name);
}

static const gmc_function *function_in_section(const gmc_cubin *cubin, size_t section)
{
    for (size_t i = 0; i < cubin->count; i++)
        if (cubin->function[i].section == section)
            return &cubin->function[i];
    return NULL;
}

/* Adds what the relocations of one code section point to. */
static size_t add_targets(const gmc_cubin *cubin, const gmc_function *caller,
                          const gmc_function *root, const gmc_function **list, size_t count,
                          size_t limit)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(cubin->elf, section))) {
        if (!gelf_getshdr(section, &header) || header.sh_info != caller->section ||
            (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) || !header.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < data->d_size / header.sh_entsize; i++) {
            GElf_Rela rela;
            GElf_Rel rel;
            GElf_Sym symbol;
            uint64_t info;
            if (header.sh_type == SHT_RELA)
                info = gelf_getrela(data, (int)i, &rela) ? rela.r_info : 0;
            else
                info = gelf_getrel(data, (int)i, &rel) ? rel.r_info : 0;
            if (!symbol_at(cubin, GELF_R_SYM(info), &symbol))
                continue;
            const gmc_function *target = function_in_section(cubin, symbol.st_shndx);
            bool known = !target || target == root || target->kernel;
            for (size_t k = 0; k < count && k < limit && !known; k++)
                known = list[k] == target;
            if (known)
                continue;
            if (count < limit)
                list[count] = target;
            count++;
        }
    }
    return count;
}

size_t gmc_cubin_callees(const gmc_cubin *cubin, const gmc_function *from,
                         const gmc_function **list, size_t limit)
{
    size_t count = add_targets(cubin, from, from, list, 0, limit);
    for (size_t i = 0; i < count && i < limit; i++)
        count = add_targets(cubin, list[i], from, list, count, limit);
    return count;
}

/* Pairs of symbols, caller and callee; those of no caller say other things. */
static const uint32_t *call_graph(const gmc_cubin *cubin, size_t *pairs)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    *pairs = 0;
    while ((section = elf_nextscn(cubin->elf, section)))
        if (strcmp(section_name(cubin, section, &header), ".nv.callgraph") == 0) {
            const Elf_Data *data = elf_getdata(section, NULL);
            if (!data || !data->d_buf || (uintptr_t)data->d_buf % sizeof(uint32_t))
                return NULL;
            *pairs = data->d_size / 8;
            return data->d_buf;
        }
    return NULL;
}

bool gmc_cubin_calls_driver(const gmc_cubin *cubin, const gmc_function *function)
{
    const size_t symbols = cubin->symbols->d_size / sizeof(Elf64_Sym);
    size_t pairs;
    const uint32_t *pair = call_graph(cubin, &pairs);
    bool *reached = calloc(symbols + 1, sizeof *reached), found = false, more = reached && pair;
    if (more && function->symbol < symbols)
        reached[function->symbol] = true;
    while (more && !found) {
        more = false;
        for (size_t i = 0; i < pairs; i++) {
            const uint32_t caller = pair[2 * i], callee = pair[2 * i + 1];
            GElf_Sym symbol;
            if (!caller || caller >= symbols || callee >= symbols || !reached[caller] ||
                reached[callee] || !symbol_at(cubin, callee, &symbol))
                continue;
            more = reached[callee] = true;
            found |= symbol.st_shndx == SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        }
    }
    free(reached);
    return found;
}

/* Kernels' shared memory, string literals and the compiler's own tables are symbols, too. */
void gmc_cubin_variables(const gmc_cubin *cubin,
                         void (*found)(void *user, const char *name, const gmc_initial *constant),
                         void *user)
{
    const size_t total = cubin->symbols->d_size / sizeof(Elf64_Sym);
    for (size_t i = 0; i < total; i++) {
        GElf_Sym symbol;
        GElf_Shdr header;
        const char *name = symbol_at(cubin, i, &symbol);
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_size ||
            strchr(name, '$'))
            continue;
        Elf_Scn *section = elf_getscn(cubin->elf, symbol.st_shndx);
        const char *kind = section ? section_name(cubin, section, &header) : "";
        if (strcmp(kind, ".nv.constant3") == 0) {
            const Elf_Data *data = elf_getdata(section, NULL);
            const uint64_t room = data && data->d_buf ? data->d_size : 0;
            const bool fits = symbol.st_value <= room && symbol.st_size <= room - symbol.st_value;
            found(user, name,
                  fits ? &(gmc_initial){symbol.st_value, symbol.st_size,
                                        (const char *)data->d_buf + symbol.st_value}
                       : NULL);
        } else if (strcmp(kind, ".nv.global") == 0 || strcmp(kind, ".nv.global.init") == 0) {
            found(user, name, NULL);
        }
    }
}

const void *gmc_cubin_code(const gmc_cubin *cubin, const gmc_function *function, size_t *size)
{
    Elf_Scn *section = elf_getscn(cubin->elf, function->section);
    const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    *size = data && data->d_buf ? data->d_size : 0;
    return *size ? data->d_buf : NULL;
}
