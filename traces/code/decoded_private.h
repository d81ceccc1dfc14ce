/* SPDX-License-Identifier: MIT
 *
 * decoded_private.h - the parts of decoded.c.
 */
#ifndef GMTRACE_DECODED_PRIVATE_H
#define GMTRACE_DECODED_PRIVATE_H

#include "traces/code/decoded.h"
#include "traces/code/indices.h"
#include "traces/code/path_const.h"

#include <string.h>

/* Is `name`, of that length, what the pattern says? A * in it stands for anything. */
static inline bool gmt_matches(const char *pattern, const char *name, size_t length)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strncmp(pattern, name, length) == 0 && pattern[length] == '\0';
    size_t before = (size_t)(star - pattern), after = strlen(star + 1);
    return length >= before + after && memcmp(pattern, name, before) == 0 &&
           memcmp(star + 1, name + length - after, after) == 0;
}

/* Is `token` one of the opcode's dot-separated modifiers? */
static inline bool gmt_has_modifier(const char *opcode, const char *token)
{
    size_t length = strlen(token);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot + 1, token, length) == 0 &&
            (dot[1 + length] == '.' || dot[1 + length] == '\0'))
            return true;
    return false;
}

/* Is the register among those of the operand, which is written or read? */
static inline bool gmt_names(const gmtrace_operand *operand, bool write, uint32_t file,
                             uint32_t number)
{
    return (operand->write != 0) == write && operand->file == file && number >= operand->first &&
           number < (uint32_t)operand->first + operand->count;
}

/* Sets class, space, unit and lanes. */
void gmt_decode_ptx(const gmtrace_instr *instr, gmtrace_decoded *d);

/* Where the opcode says nothing. */
uint8_t gmt_unit_of_class(uint8_t op_class);

/* Sets `reads` of a kernel whose instructions are decoded (banks.c). */
void gmt_count_reads(const gmtrace_kernel *kernel, gmtrace_decoded *decoded);

/* Whether what the instruction reads differs from lane to lane (varying.c). */
bool gmt_varies(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t instr);
/* The same, by what each lane has loaded from an address of its own; a comparison of floats also by
 * what all lanes have loaded, and a lane's number with it (a pixel's distance from a point). */
bool gmt_varies_by_loads(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                         uint32_t instr);
/* What a lane has after the instruction, as far as the code shows it; `varies`: that, or its result
 * is the lane's own. What neither the code nor the lane's number tells is spread over lanes if it
 * varies, and 0 if not. */
void gmt_run_lane(path_const *state, const gmtrace_instr *instr, const gmtrace_decoded *decoded,
                  bool varies, uint32_t lane);
/* The same of one that an index is made of, whatever its predicate. */
void gmt_run_made(path_const *state, const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                  uint32_t instr, uint32_t lane);
/* The instructions that make the index of a load of constants, in the code's order; `*differ` where
 * one of them gives lanes values of their own. */
#define GMT_MADE_OF 64u /* looked at, at most */
uint32_t gmt_makes_index(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t at,
                         uint32_t instr[GMT_MADE_OF], bool *differ);
uint32_t gmt_index(const path_const *state, const gmtrace_instr *load); /* then; in bytes */
/* What may stand for a value of which no more is known than where it was read: by chance, but the
 * same for the same, and less than 256, as of what tables are looked up by. */
uint32_t gmt_anything(uint64_t from);
/* What a load makes of a word: of less than four bytes what it has of them. */
uint32_t gmt_narrow(const gmtrace_instr *load, uint32_t value);
/* The registers that a load writes hold those words. */
#define GMT_WORDS 4u /* that a load brings a lane, at most */
void gmt_set_words(path_const *state, const gmtrace_instr *load, const uint32_t word[GMT_WORDS]);
/* At how many addresses those lanes read constants by a load's index; 1 where it does not vary.
 * launch: what is known of constants; NULL: nothing. */
uint32_t gmt_addresses(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint32_t instr,
                       uint32_t lanes, const gmtrace_launch *launch);
/* Where the index of an operand "c[0x3][R4+0x14]" begins, and its bank; NULL where it has none. */
const char *gmt_constant_index(const gmtrace_instr *instr, uint32_t *bank);
/* The place in its bank that the index says. */
uint32_t gmt_constant_offset(const path_const *state, const char *index);

/* The registers that the load, of that number, writes hold what the lane has loaded; false where
 * that is not known. `loaded` may be NULL. */
bool gmt_set_loaded(const gmtrace_loaded *loaded, path_const *state, const gmtrace_instr *load,
                    uint32_t number, uint32_t lane);
/* The launch that it is of, if constants of it are known; else NULL. */
const gmtrace_launch *gmt_launch_of(const gmtrace_loaded *loaded);
/* The lanes that execute that load of constants; all where no more is known. */
uint32_t gmt_lanes_at(const gmtrace_loaded *loaded, uint32_t number);
/* Sets loads[i] of those of kernel->instr_count loads from global memory that indices of constants
 * are made of, and of nothing else but threads' numbers (indices.c). True where any is. */
bool gmt_index_loads(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded, uint8_t *loads);

#endif
