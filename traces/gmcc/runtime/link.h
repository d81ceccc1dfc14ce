/* SPDX-License-Identifier: MIT
 *
 * link.h - modules that were compiled to be linked (-rdc=true), made one text of PTX.
 */
#ifndef GMCUDA_LINK_H
#define GMCUDA_LINK_H

#include <stddef.h>

/* The texts, each ended by a 0, in one; to be freed. NULL without memory. Names that are known in
 * one text alone get gmcuda_linked_name()'s. */
char *gmcuda_link(const char *const *text, size_t count);
/* What a name of text `number` is called after linking where no other text knows it; to be freed.
 */
char *gmcuda_linked_name(const char *name, size_t length, size_t number);

#endif
