/* SPDX-License-Identifier: MIT
 *
 * names.h - names of kernels for narrow columns. What is shortened stays what it was: two names
 * that differ never become the same text.
 */
#ifndef GMSIM_NAMES_H
#define GMSIM_NAMES_H

#include <glib.h>

G_BEGIN_DECLS

#define GMSIM_NAME_LEAST 12u /* columns a name needs */

/* A text of at most `width` (at least GMSIM_NAME_LEAST) columns for each of the names, fit for a
 * terminal; equal names have equal texts. The parameters go first, then the namespaces, then the
 * middle, so that what tells a name from the one most like it stays. Free with g_strfreev(). */
char **gmsim_short_names(const char *const *name, unsigned count, unsigned width);

G_END_DECLS

#endif
