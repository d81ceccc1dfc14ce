/* SPDX-License-Identifier: MIT
 *
 * tools.h - the programs gmcapture asks: nvdisasm and cu++filt. They run without the injected
 * library, whatever the traced program's environment is.
 */
#ifndef GMCAPTURE_TOOLS_H
#define GMCAPTURE_TOOLS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts `argument[0]` with its standard output in the file `output`; -1 where it cannot. */
pid_t gmc_tool_start(char *const argument[], const char *output);
/* True where the process ended with status 0. */
bool gmc_tool_wait(pid_t process);
/* A whole file, ended by a zero byte; NULL where it cannot be read. */
char *gmc_read_file(const char *path);

#endif
