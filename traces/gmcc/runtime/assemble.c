/* SPDX-License-Identifier: MIT
 *
 * assemble.c - machine code of the program's PTX, where ptxas and nvdisasm are at hand: what they
 * make of a module is kept in the user's cache and read from there the next time. Traces are then
 * of what the GPU executes. Whatever is missing or cannot be executed: the PTX is, and one line
 * says why.
 *
 * GMSIM_PTXAS and GMSIM_NVDISASM name the tools; GMSIM_PTXAS=none does without.
 */
#include "traces/code/tools.h"
#include "traces/gmcc/runtime/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* A folder's name and a file's in it. */
#define ROOM (PATH_MAX + 32)

#define VERSION_PART "Cuda compilation tools, release "

struct gmcuda_code {
    gmptx_code code;
    char *cubin, *listing, *lives;
};

/* ---------------------------------------------------------------------------------------- tools */

static char *ptxas, *nvdisasm, *version;

/* "13.0", as ptxas tells it: into a file, because that is how tools are run. */
static char *ask_version(const char *folder)
{
    char path[PATH_MAX];
    char *const run[] = {ptxas, (char[]){"--version"}, NULL};
    if (snprintf(path, sizeof path, "%s/version", folder) >= (int)sizeof path)
        return NULL;
    char *text = gmt_tool_wait(gmt_tool_start(run, path)) ? gmt_read_file(path) : NULL;
    const char *at = text != NULL ? strstr(text, VERSION_PART) : NULL;
    char *found =
        at != NULL ? strndup(at + strlen(VERSION_PART), strcspn(at + strlen(VERSION_PART), ", \n"))
                   : NULL;
    unlink(path);
    free(text);
    return found;
}

static bool find_tools(void)
{
    static bool tried;
    if (!tried) {
        tried = true;
        ptxas = gmt_find_tool("ptxas", "GMSIM_PTXAS");
        if (ptxas != NULL)
            nvdisasm = gmt_find_tool("nvdisasm", "GMSIM_NVDISASM");
    }
    return ptxas != NULL && nvdisasm != NULL;
}

/* ---------------------------------------------------------------------------------------- cache */

/* What a tool is known by: one that changes has another size or time. */
static void name_tool(const char *path, char *to, size_t size)
{
    struct stat about = {0};
    stat(path, &about);
    snprintf(to, size, "%s %lld %lld", path, (long long)about.st_size, (long long)about.st_mtime);
}

/* Of this PTX and these tools. */
static XXH128_hash_t key_of(const char *text)
{
    char tools[2][PATH_MAX + 64] = {0};
    name_tool(ptxas, tools[0], sizeof tools[0]);
    name_tool(nvdisasm, tools[1], sizeof tools[1]);
    const uint64_t seed = XXH3_64bits(tools, sizeof tools);
    return XXH3_128bits_withSeed(text, strlen(text), seed);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* The user's folder of such modules; made where it is not there. */
static bool cache_folder(char *to, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(to, size, "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(to, size, "%s/.cache", home);
    else
        return false;
    if (length < 0 || (size_t)length + 16 > size || !make_folder(to))
        return false;
    strcat(to, "/gmsim");
    return make_folder(to);
}

static void remove_folder(const char *folder)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path)
            unlink(path);
    if (d != NULL)
        closedir(d);
    rmdir(folder);
}

/* ----------------------------------------------------------------------------------- assembling */

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && good;
}

/* Runs the tools in `folder`: module.ptx, .cubin, .code, .lives, and who made them. */
static bool make_files(const char *folder, const char *text)
{
    char ptx[ROOM], cubin[ROOM], code[ROOM], lives[ROOM], log[ROOM];
    snprintf(ptx, sizeof ptx, "%s/module.ptx", folder);
    snprintf(cubin, sizeof cubin, "%s/module.cubin", folder);
    snprintf(code, sizeof code, "%s/module.code", folder);
    snprintf(lives, sizeof lives, "%s/module.lives", folder);
    snprintf(log, sizeof log, "%s/module.log", folder);
    char *const assemble[] = {ptxas, (char[]){"-arch=sm_90"}, (char[]){"--generate-line-info"},
                              ptx,   (char[]){"-o"},          cubin,
                              NULL};
    char *const read_code[] = {nvdisasm, (char[]){"-hex"}, (char[]){"-g"}, (char[]){"-c"}, cubin,
                               NULL};
    char *const read_lives[] = {nvdisasm,           (char[]){"-c"}, (char[]){"-lrm"},
                                (char[]){"narrow"}, cubin,          NULL};
    char *needed = gmptx_prune(text);
    bool good = needed != NULL && write_text(ptx, needed);
    free(needed);
    good = good && gmt_tool_wait(gmt_tool_start(assemble, log));
    unlink(ptx);
    if (!good)
        return false;
    const pid_t first = gmt_tool_start(read_code, code), second = gmt_tool_start(read_lives, lives);
    good = gmt_tool_wait(first);
    if (!gmt_tool_wait(second)) /* of kernels with 255 registers nvdisasm tells no lives */
        unlink(lives);
    return good;
}

static char *read_part(const char *folder, const char *name, size_t *size)
{
    char path[PATH_MAX];
    struct stat about;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        stat(path, &about) != 0)
        return NULL;
    if (size != NULL)
        *size = (size_t)about.st_size;
    return gmt_read_file(path);
}

static gmcuda_code *read_files(const char *folder)
{
    gmcuda_code *c = calloc(1, sizeof *c);
    size_t size = 0;
    if (c == NULL)
        return NULL;
    c->cubin = read_part(folder, "module.cubin", &size);
    c->listing = read_part(folder, "module.code", NULL);
    c->lives = read_part(folder, "module.lives", NULL);
    if (version == NULL)
        version = read_part(folder, "ptxas", NULL);
    c->code = (gmptx_code){(const uint8_t *)c->cubin, size, c->listing, c->lives};
    if (c->cubin != NULL && c->listing != NULL && version != NULL)
        return c;
    gmcuda_free_code(c);
    return NULL;
}

void gmcuda_free_code(gmcuda_code *c)
{
    if (c == NULL)
        return;
    free(c->cubin);
    free(c->listing);
    free(c->lives);
    free(c);
}

const gmptx_code *gmcuda_code_of(const gmcuda_code *c)
{
    return &c->code;
}

const char *gmcuda_ptxas_version(void)
{
    return version != NULL ? version : "";
}

/* Beside its place, then renamed into it: another program may do the same now. */
static gmcuda_code *assemble_into(const char *folder, const char *text, const char *name)
{
    char temporary[PATH_MAX], path[PATH_MAX + 8];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", folder) >= (int)sizeof temporary ||
        mkdtemp(temporary) == NULL)
        return NULL;
    gmcuda_code *made = NULL;
    if (!make_files(temporary, text)) {
        gmcuda_message("%s: ptxas or nvdisasm fails; PTX is executed instead of machine code",
                       name);
    } else {
        if (version == NULL)
            version = ask_version(temporary);
        snprintf(path, sizeof path, "%s/ptxas", temporary);
        if (version != NULL && write_text(path, version))
            made = read_files(temporary);
    }
    if (made == NULL || rename(temporary, folder) != 0)
        remove_folder(temporary);
    return made;
}

gmcuda_code *gmcuda_assemble(const char *text, const char *name)
{
    char cache[PATH_MAX - 64], folder[PATH_MAX];
    struct stat about;
    if (!find_tools())
        return NULL;
    if (!cache_folder(cache, sizeof cache)) {
        gmcuda_message("there is no folder to keep machine code in (XDG_CACHE_HOME, HOME); PTX is "
                       "executed instead");
        return NULL;
    }
    const XXH128_hash_t key = key_of(text);
    snprintf(folder, sizeof folder, "%s/%016llx%016llx", cache, (unsigned long long)key.high64,
             (unsigned long long)key.low64);
    gmcuda_code *found = stat(folder, &about) == 0 ? read_files(folder) : NULL;
    return found != NULL ? found : assemble_into(folder, text, name);
}
