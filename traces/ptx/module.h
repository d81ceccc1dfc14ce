/* SPDX-License-Identifier: MIT
 *
 * module.h - a parsed module: variables, functions and their statements, names resolved. What the
 * parser fills and the decoder reads.
 */
#ifndef GMPTX_MODULE_H
#define GMPTX_MODULE_H

#include "traces/format/grow.h"
#include "traces/ptx/ptx.h"
#include "traces/ptx/text.h"

#define PTX_UNKNOWN UINT32_MAX

/* Limits on what a text may ask for, so that a few bytes cannot claim gigabytes. */
#define PTX_MAX_REGISTERS (1u << 20) /* declared by a function */
#define PTX_MAX_VARIABLE  (1ull << 30)
#define PTX_MAX_PARAMS    4096u
#define PTX_MAX_BRANCHES  65536u

typedef enum ptx_space {
    PTX_SPACE_NONE = 0, /* generic */
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
} ptx_space;

/* An element of an initialiser that is an address: variable or function + addend. */
typedef struct ptx_relocation {
    uint64_t at; /* byte in the variable */
    uint32_t symbol;
    int64_t addend;
} ptx_relocation;

typedef struct ptx_variable {
    ptx_slice name;
    uint8_t space;              /* ptx_space */
    bool is_extern, is_dynamic; /* is_dynamic: extern .shared x[] */
    uint32_t align;
    uint64_t size;
    uint64_t offset;  /* in its space: module memory, frame, parameter block; set by the layout */
    uint8_t *initial; /* NULL: zeros */
    uint32_t line;
} ptx_variable;

typedef struct ptx_register {
    ptx_slice prefix;
    uint32_t number; /* PTX_UNKNOWN: the name has none */
    uint8_t type;    /* ptx_type */
} ptx_register;

typedef enum ptx_operand_kind {
    OPERAND_REGISTER = 1, /* index: register */
    OPERAND_INT,          /* value */
    OPERAND_FLOAT32,      /* value: bits of a float */
    OPERAND_FLOAT64,      /* value: bits of a double */
    OPERAND_SYMBOL,       /* index: symbol; value: offset */
    OPERAND_SPECIAL,      /* index: ptx_special */
    OPERAND_LABEL,        /* index: statement, or branch list of brx.idx */
    OPERAND_ADDRESS,      /* [base + value]; base: register, symbol or OPERAND_INT; count: the next
                           * operand stands in the brackets, too, a texture's coordinates */
    OPERAND_VECTOR,       /* {a, b}, and the lists of a call: count elements from index on */
    OPERAND_PAIR,         /* p|q: two elements from index on */
    OPERAND_SINK,         /* _ */
} ptx_operand_kind;

typedef struct ptx_operand {
    uint8_t kind;    /* ptx_operand_kind */
    uint8_t base;    /* ADDRESS: ptx_operand_kind of its base */
    uint8_t negated; /* !p */
    uint32_t count;
    uint32_t index;
    int64_t value;
} ptx_operand;

typedef struct ptx_statement {
    ptx_slice opcode;
    ptx_slice operands; /* as written, for messages and the trace */
    uint32_t line;      /* in the PTX text */
    uint32_t file, source_line;
    uint32_t first, count; /* operands */
    uint32_t guard;        /* register, PTX_UNKNOWN without */
    bool guard_negated;
} ptx_statement;

/* Functions and variables share one name space. */
typedef struct ptx_symbol {
    bool is_function;
    uint32_t index;
} ptx_symbol;

typedef struct ptx_branch_list {
    uint32_t first, count; /* in ptx_function.target */
} ptx_branch_list;

typedef struct ptx_function {
    ptx_slice name;
    bool is_entry, has_body, address_taken;
    uint32_t line;
    uint32_t *param, *result; /* variables */
    uint32_t param_count, result_count;
    ptx_register *reg;
    uint32_t reg_count;
    ptx_statement *statement;
    uint32_t statement_count;
    ptx_operand *operand; /* top-level operands of all statements */
    uint32_t operand_count;
    ptx_operand *element; /* of vectors and pairs */
    uint32_t element_count;
    ptx_branch_list *branch_list;
    uint32_t branch_list_count;
    uint32_t *target; /* statements that branch lists name */
    uint32_t target_count;
    uint32_t *local; /* variables declared in the body */
    uint32_t local_count;
    uint32_t max_threads;
} ptx_function;

typedef struct ptx_kernel ptx_kernel; /* image.h: a kernel ready to run */

struct gmptx_module {
    char *text;
    char *name;
    ptx_function *function;
    uint32_t function_count;
    ptx_variable *variable;
    uint32_t variable_count;
    ptx_symbol *symbol;
    uint32_t symbol_count;
    ptx_relocation *relocation; /* of all variables; at counts from the variable's start */
    uint32_t *relocation_variable;
    uint32_t relocation_count;
    const char **file; /* .file: by number as the module has it, NULL where none */
    uint32_t file_count;
    uint32_t cc_major, cc_minor;
    uint32_t apart; /* bytes that belong to nobody behind each variable */

    /* Layout: all .global variables in one block, all .const in another. */
    uint8_t *memory[2];
    uint64_t memory_bytes[2];
    gmptx_variable *public_variable;
    uint32_t public_count;
    const char **kernel_name;
    uint32_t *kernel_function;
    ptx_kernel **kernel;
    uint32_t kernel_count;
    ptx_kernel **assembled; /* machine code of some of them */
    uint32_t assembled_count;
};

#define PTX_FUNCTION_WINDOW 0x0400000000000000ull /* + function: the value of a function's name */

/* parser.c: fills an empty module from module->text. */
bool gmptx_parse_module(gmptx_module *module, size_t length, gmtrace_error *error);
/* layout.c */
bool gmptx_layout_module(gmptx_module *module, gmtrace_error *error);
void gmptx_free_memory(gmptx_module *module);
/* Do the bytes lie in one .global or .const variable? */
bool gmptx_in_variable(const gmptx_module *module, uint64_t address, uint64_t bytes);

/* error->text = "line N: ..." */
bool gmptx_fail(gmtrace_error *error, gmtrace_status status, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
