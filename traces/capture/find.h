/* SPDX-License-Identifier: MIT
 *
 * find.h - where the files are that gmcapture needs. Results are absolute paths to free; NULL where
 * there is no such file.
 */
#ifndef GMCAPTURE_FIND_H
#define GMCAPTURE_FIND_H

char *gmc_find_library(const char *named); /* libgmcapture.so; `named` by the user, or NULL */
char *gmc_find_sanitizer(void);            /* libsanitizer-public.so */

#endif
