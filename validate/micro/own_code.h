/* SPDX-License-Identifier: MIT
 *
 * own_code.h - the machine code of a kernel of the running program, as it stands in its file, to be
 * changed and loaded again: for what no compiler writes, such as chosen registers. Instructions
 * of sm_70 to sm_90: 16 bytes, the opcode in the lowest 12 bits, registers in bits 16 (result), 24,
 * 32, 64; bits 105 to 124 are the stall, the yield, scoreboards and what operands keep.
 */
#ifndef GMSIM_MICRO_OWN_CODE_H
#define GMSIM_MICRO_OWN_CODE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

struct instruction {
    uint64_t low, high;
    unsigned opcode() const { return low & 0xfff; }
    unsigned result() const { return low >> 16 & 0xff; }
    instruction with(unsigned bit, unsigned value) const
    {
        instruction i = *this;
        uint64_t &word = bit < 64 ? i.low : i.high;
        word = (word & ~(0xffull << bit % 64)) | (uint64_t)value << bit % 64;
        return i;
    }
    /* Waits for nothing, sets no scoreboard, keeps no operand. */
    instruction after(unsigned stall) const
    {
        instruction i = *this;
        i.high = (i.high & ((1ull << 41) - 1)) | (uint64_t)(stall | 1u << 4 | 7u << 5 | 7u << 8) << 41;
        return i;
    }
};

struct own_code {
    std::vector<char> image; /* to be loaded; `at` and `count` say where in it the kernel is */
    size_t at = 0, count = 0;
    instruction get(size_t n) const
    {
        instruction i;
        memcpy(&i, &image[at + 16 * n], sizeof i);
        return i;
    }
    void put(size_t n, const instruction &i) { memcpy(&image[at + 16 * n], &i, sizeof i); }
};

/* The file is the program's own, and of one kernel of that name; it ends where that is not so. */
static inline own_code own_code_of(const char *kernel)
{
    std::vector<char> file;
    if (FILE *f = fopen("/proc/self/exe", "rb")) {
        char part[65536];
        for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
            file.insert(file.end(), part, part + n);
        fclose(f);
    }
    const std::string wanted = std::string(".text.") + kernel;
    for (size_t p = 4; p + sizeof(Elf64_Ehdr) < file.size(); p++) {
        Elf64_Ehdr head;
        if (file[p] != ELFMAG0 || memcmp(&file[p], ELFMAG, SELFMAG))
            continue;
        memcpy(&head, &file[p], sizeof head);
        const size_t end = head.e_shoff + (size_t)head.e_shnum * sizeof(Elf64_Shdr);
        if (head.e_machine != EM_CUDA || !head.e_shnum || end > file.size() - p)
            continue;
        std::vector<Elf64_Shdr> sections(head.e_shnum);
        memcpy(sections.data(), &file[p + head.e_shoff], head.e_shnum * sizeof(Elf64_Shdr));
        const Elf64_Shdr &names = sections[head.e_shstrndx];
        for (const Elf64_Shdr &s : sections) {
            if (names.sh_offset + s.sh_name + wanted.size() + 1 > file.size() - p ||
                strcmp(&file[p + names.sh_offset + s.sh_name], wanted.c_str()))
                continue;
            own_code code;
            size_t size = end;
            for (const Elf64_Shdr &t : sections)
                if (t.sh_type != SHT_NOBITS && t.sh_offset + t.sh_size > size)
                    size = t.sh_offset + t.sh_size;
            size = std::max(size, (size_t)(head.e_phoff + head.e_phnum * sizeof(Elf64_Phdr)));
            code.image.assign(&file[p], &file[p] + size);
            code.at = s.sh_offset, code.count = s.sh_size / 16;
            return code;
        }
    }
    fprintf(stderr, "this program's file has no code of %s that can be read; build it with "
                    "NVCCFLAGS that say -no-compress\n", kernel);
    exit(1);
}

#endif
