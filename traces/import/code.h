/* SPDX-License-Identifier: MIT
 *
 * code.h - a kernel's instruction table, collected from its trace's lines.
 *
 * The part of a line from the number of destinations to the last source register is the same each
 * time an instruction is executed. It is the key: a line is recognised by comparing that text with
 * the one seen at the same pc before, and is only taken apart where it is new.
 */
#ifndef GMTRACE_ACCEL_CODE_H
#define GMTRACE_ACCEL_CODE_H

#include "traces/import/accel.h"

/* What an instruction becomes in the trace. */
typedef enum accel_action {
    ACCEL_EXECUTE = 0, /* an EXEC record */
    ACCEL_ACCESS,
    ACCEL_GENERIC, /* an access whose space the addresses tell */
    ACCEL_BULK,
    ACCEL_BULK_PREFETCH,
    ACCEL_MBARRIER,
    ACCEL_PLAIN, /* a record of another kind, without addresses */
} accel_action;

typedef struct accel_site {
    char *text; /* the key */
    uint32_t length;
    uint32_t layer; /* how many other instructions were seen at this pc before */
    uint32_t next;  /* the next site at this pc, or ACCEL_NO_SITE */
    uint32_t index; /* in the kernel's table, after accel_code_finish() */
    bool tma;       /* a TMA block follows the width */
    bool gmma;      /* a flag precedes it */
    bool places;    /* its addresses tell how much local memory there is */
    uint8_t action; /* accel_action */
    uint8_t size;   /* of an access, bytes a lane */
    uint8_t op;     /* gmtrace_op */
    uint8_t kind;   /* gmtrace_kind of ACCEL_PLAIN */
    uint8_t mbarrier;
    gmtrace_instr instr; /* pc is as in the trace; opcode and operands are owned */
} accel_site;

#define ACCEL_NO_SITE UINT32_MAX

typedef struct accel_code {
    accel_site *site;
    uint32_t count;
    uint32_t *first; /* by pc / 8: first site there, or ACCEL_NO_SITE */
    uint64_t slots;
    uint32_t unseen; /* GMTRACE_UNSEEN_* that its opcodes tell */
    gmtrace_instr *table;
} accel_code;

/* What is needed to take a line apart. */
typedef struct accel_format {
    uint32_t version;
    bool line_info;
} accel_format;

/* The site of the instruction at `pc` whose key begins at `at`; *after is what follows the key.
 * NULL with *problem set where the text cannot be read. `source_line` is 0 where unknown. */
const accel_site *accel_code_add(accel_code *code, const accel_format *format, uint64_t pc,
                                 const char *at, uint64_t source_line, const char **after,
                                 const char **problem);

/* The same for an instruction that may be known. Inline: once for every line. */
static inline const accel_site *accel_code_find(accel_code *code, const accel_format *format,
                                                uint64_t pc, const char *at, const char *end,
                                                uint64_t source_line, const char **after,
                                                const char **problem)
{
    uint32_t s = pc / 8 < code->slots ? code->first[pc / 8] : ACCEL_NO_SITE;
    for (; s != ACCEL_NO_SITE; s = code->site[s].next) {
        const accel_site *site = &code->site[s];
        if (site->length <= (size_t)(end - at) &&
            __builtin_memcmp(site->text, at, site->length) == 0 &&
            (at[site->length] == ' ' || at[site->length] == '\0') && site->instr.pc == pc) {
            *after = at + site->length;
            return site;
        }
    }
    return accel_code_add(code, format, pc, at, source_line, after, problem);
}

/* Makes code->table, sorted by pc, and gives each site its index. Instructions of functions that
 * the kernel calls have pcs of their own, from 0 again: where two differ at one pc, the later
 * seen one is placed behind the kernel. */
bool accel_code_finish(accel_code *code);
void accel_code_free(accel_code *code);

#endif
