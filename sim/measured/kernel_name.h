/* SPDX-License-Identifier: MIT
 *
 * kernel_name.h - compares kernel names that two demanglers wrote.
 *
 * Nsight Compute prints "void scale<(int)2, (bool)1>(float *, int)", or "scale" alone when asked
 * for function names; a trace has "void scale<2, true>(float*, int)". What decides is the
 * function's own name and its template arguments; return types, name spaces and parameter lists
 * are left out (two overloads of one kernel are told apart by shape and order alone).
 */
#ifndef GMSIM_KERNEL_NAME_H
#define GMSIM_KERNEL_NAME_H

#include <stdbool.h>

typedef struct gmsim_kernel_name {
    char *base;      /* "scale" */
    char *arguments; /* "2,1": template arguments in one spelling; NULL without any */
} gmsim_kernel_name;

void gmsim_kernel_name_parse(gmsim_kernel_name *name, const char *text);
void gmsim_kernel_name_clear(gmsim_kernel_name *name);

#endif
