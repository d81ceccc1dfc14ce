/* SPDX-License-Identifier: MIT
 *
 * origin.c - see origin.h.
 */
#include "sim/report/origin.h"

#include "sim/report/format.h"

#include <string.h>

char *gmsim_origin_of(const gmtrace_capture *capture)
{
    const char *at = capture != NULL ? strstr(capture->source, GMTRACE_PTX_OF) : NULL;
    if (at == NULL)
        return NULL;
    at += strlen(GMTRACE_PTX_OF);
    g_autofree char *name = g_strndup(at, strcspn(at, "(,"));
    return gmsim_clean(g_strchomp(name), 48);
}

static bool is_nvcc(const char *origin)
{
    return g_str_has_prefix(origin, "nvcc");
}

/* The compiler alone, where ptxas has been over its PTX. To be freed. */
static char *before_ptxas(const char *origin)
{
    const char *by = strstr(origin, GMTRACE_BY_PTXAS);

    return by != NULL ? g_strndup(origin, (gsize)(by - origin)) : NULL;
}

char *gmsim_origin_meaning(const char *origin)
{
    g_autofree char *compiler = before_ptxas(origin);

    if (compiler != NULL && is_nvcc(origin))
        return g_strdup(" The code is what ptxas makes of nvcc's PTX, executed on the CPU.");
    if (compiler != NULL)
        return g_strdup_printf(" The code is what ptxas makes of PTX of %s, executed on the CPU; "
                               "nvcc may unroll loops otherwise.",
                               compiler);
    if (is_nvcc(origin))
        return g_strdup(
            " The code is nvcc's PTX, before ptxas, which orders it anew and may keep in "
            "registers what is local memory here.");
    return g_strdup_printf(" The code is PTX of %s, not nvcc's: global and shared memory see the "
                           "same, but loops are unrolled and arrays kept in registers otherwise; "
                           "registers are an estimate, numbers of instructions and cycles may "
                           "differ from a GPU's.",
                           origin);
}

char *gmsim_origin_of_local(const char *origin)
{
    g_autofree char *compiler = before_ptxas(origin);

    if (compiler != NULL && is_nvcc(origin))
        return NULL;
    if (is_nvcc(origin))
        return g_strdup("nvcc's PTX has this local memory; ptxas may still keep it in registers.");
    return g_strdup_printf(
        "%s left these arrays in local memory; nvcc may unroll further, keep them "
        "in registers, and be much faster.",
        compiler != NULL ? compiler : origin);
}
