/* SPDX-License-Identifier: MIT
 *
 * tools.h - the programs that know machine code: ptxas, nvdisasm, cu++filt. Where they are, and
 * running them, which happens without what is injected into traced programs.
 */
#ifndef GMTRACE_TOOLS_H
#define GMTRACE_TOOLS_H

#include <stdbool.h>
#include <sys/types.h>

/* The program of that name: as the environment variable says, in PATH, in a CUDA toolkit, in a
 * Python package. An absolute path to free; NULL where there is none, or the variable names none.
 */
char *gmt_find_tool(const char *name, const char *variable);
char *gmt_find_program(const char *name); /* what the shell would run; the same */

/* Absolute paths to free, NULL where there is no such file; of several that match, the last. */
bool gmt_is_file(const char *path);
char *gmt_absolute(const char *path);
char *gmt_if_file(const char *folder, const char *name);
char *gmt_if_glob(const char *pattern);

/* Starts `argument[0]` with its standard output in the file `output`; -1 where it cannot. */
pid_t gmt_tool_start(char *const argument[], const char *output);
/* True where the process ended with status 0. */
bool gmt_tool_wait(pid_t process);
/* A whole file, ended by a zero byte; NULL where it cannot be read. */
char *gmt_read_file(const char *path);

#endif
