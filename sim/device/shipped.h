/* SPDX-License-Identifier: MIT
 *
 * shipped.h - where files that come with gmsim lie: descriptions of GPUs, samples.
 */
#ifndef GMSIM_SHIPPED_H
#define GMSIM_SHIPPED_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct gmsim_shipped {
    const char *name;      /* of the folder below share/gmsim: "device" */
    const char *link;      /* of the one that configure links in the build folder: "devices" */
    const char *variable;  /* of the environment: folders, separated by colons */
    const char *installed; /* where `make install` puts them */
} gmsim_shipped;

/* Folders that may hold them, best first: the variable's, by the program, by the library, where
 * `make install` went. Some may be missing. Free with g_strfreev(). */
char **gmsim_shipped_folders(const gmsim_shipped *what);

G_END_DECLS

#endif
