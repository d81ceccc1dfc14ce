/* SPDX-License-Identifier: MIT
 *
 * info.c - gmtrace info: what a trace holds, and the code it was made by.
 */
#include "traces/command/command.h"

#include <inttypes.h>
#include <string.h>

#define MAX_ORIGINS 16u /* shown of a launch */

/* A number with commas; a few may be used in one printf. */
static const char *grouped(uint64_t number)
{
    static char buffers[8][32];
    static unsigned turn;
    char digits[24], *out = buffers[turn++ % 8];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = out;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

static void print_unseen(uint32_t unseen)
{
    static const char *const name[] = {"constant",       "texture", "surface",
                                       "graph launches", "wgmma",   "tensor-map copies"};
    const char *separator = "not seen    ";
    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(unseen >> bit & 1))
            continue;
        if (bit < sizeof name / sizeof *name)
            printf("%s%s", separator, name[bit]);
        else
            printf("%sclass %u", separator, bit);
        separator = ", ";
    }
    if (unseen)
        putchar('\n');
}

static void print_capture(const char *path, const gmtrace_reader *reader)
{
    const gmtrace_capture *c = gmtrace_get_capture(reader);
    printf("trace       %s, %s bytes\n", clean(path), grouped(gmtrace_file_size(reader)));
    printf("source      %s%s%s\n", clean(c->source), *c->program ? ", program " : "",
           clean(c->program));
    if (*c->gpu || c->cc_major) {
        printf("gpu         %s, compute capability %u.%u", *c->gpu ? clean(c->gpu) : "none",
               c->cc_major, c->cc_minor);
        if (c->sm_count)
            printf(", %u SMs", c->sm_count);
        if (c->driver_version)
            printf(", CUDA driver %u.%u", c->driver_version / 1000, c->driver_version % 1000 / 10);
        putchar('\n');
    }
    printf("detail      %s\n", c->detail == GMTRACE_DETAIL_FULL    ? "every warp instruction"
                               : c->detail == GMTRACE_DETAIL_CALLS ? "memory instructions and calls"
                                                                   : "memory instructions");
    print_unseen(c->unseen);
    printf("holds       kernels %s, launches %s, chunks %s\n",
           grouped(gmtrace_kernel_count(reader)), grouped(gmtrace_launch_count(reader)),
           grouped(gmtrace_chunk_count(reader)));
    if (gmtrace_repeat_count(reader))
        printf("not taken   launches %s, each like one of those\n",
               grouped(gmtrace_repeat_count(reader)));
}

/* "d_x, 4,096 bytes: cudaMalloc #1 at app.cu:31": of those of which something is known. */
static void print_origins(const gmtrace_launch *l)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < l->allocation_count; i++) {
        const gmtrace_origin *o = l->allocation[i].origin;
        if (!o || known++ >= MAX_ORIGINS)
            continue;
        printf("            %s, %s bytes%s%s", *o->name ? clean(o->name) : "no name",
               grouped(l->allocation[i].size), *o->call ? ": " : "", clean(o->call));
        if (o->number)
            printf(" #%" PRIu64, o->number);
        if (*o->file && o->line)
            printf(" at %s:%u", clean(o->file), o->line);
        else if (gmtrace_origin_is_function(o))
            printf(" in %s", clean(o->file));
        putchar('\n');
    }
    if (known > MAX_ORIGINS)
        printf("            and %u more\n", known - MAX_ORIGINS);
}

static void print_known(const gmtrace_known *known)
{
    uint64_t bytes = 0, constants = 0;
    uint32_t ranges = 0;
    for (uint32_t i = 0; i < known->range_count; i++) {
        const bool bank = known->range[i].base >= GMTRACE_BANK_ADDRESS(0u);
        *(bank ? &constants : &bytes) += known->range[i].size;
        ranges += !bank;
    }
    printf("  found     %s bytes of parameters, %s ranges of memory, %s bytes\n",
           grouped(known->constants_size), grouped(ranges), grouped(bytes));
    if (constants)
        printf("            %s bytes of constants\n", grouped(constants));
}

static void print_launch(const gmtrace_reader *reader, uint32_t number)
{
    const gmtrace_launch *l = gmtrace_get_launch(reader, number);
    const gmtrace_kernel *k = gmtrace_get_kernel(reader, l->kernel);
    printf("\nlaunch %-4u %s\n", number, clean(*k->name ? k->name : k->mangled));
    printf("  grid      %ux%ux%u, block %ux%ux%u", l->grid[0], l->grid[1], l->grid[2], l->block[0],
           l->block[1], l->block[2]);
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 1)
        printf(", cluster %ux%ux%u", l->cluster[0], l->cluster[1], l->cluster[2]);
    printf("\n  needs     %u registers a thread, %s + %s bytes of shared memory a CTA\n",
           k->registers, grouped(k->static_shared), grouped(l->dynamic_shared));
    if (l->shared_config != GMTRACE_UNKNOWN)
        printf("  carve-out %s bytes of shared memory an SM\n", grouped(l->shared_config));
    else if (l->carveout_percent >= 0)
        printf("  carve-out %d%% asked for\n", l->carveout_percent);
    printf("  records   %s of %s warps in %s CTAs%s\n", grouped(l->records), grouped(l->warps),
           grouped(l->ctas),
           l->complete ? ""
           : l->lost   ? ", records are missing"
                       : ", cut short");
    if (l->allocation_count) {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < l->allocation_count; i++)
            bytes += l->allocation[i].size;
        printf("  memory    %s bytes in %u allocations\n", grouped(bytes), l->allocation_count);
        print_origins(l);
    }
    if (l->known)
        print_known(l->known);
    if (l->stands_for > 1)
        printf("  stands    for %s launches like it\n", grouped(l->stands_for));
    printf("  order     launch %s of the process, stream %u, kernel %u\n", grouped(l->ordinal),
           l->stream, l->kernel);
}

/* Wait mask, barriers, yield and stall in the notation that SASS assemblers use. */
static void print_control(const gmtrace_instr *i)
{
    char wait[7];
    for (unsigned b = 0; b < 6; b++)
        wait[b] = (char)(i->wait_mask >> b & 1 ? '0' + (int)b : '-');
    wait[6] = '\0';
    printf("B%s:R%c:W%c:%c:S%02u", wait, i->read_barrier < 6 ? '0' + i->read_barrier : '-',
           i->write_barrier < 6 ? '0' + i->write_barrier : '-', i->yield ? 'Y' : '-', i->stall);
}

static void print_instructions(const gmtrace_reader *reader, uint32_t number)
{
    const gmtrace_kernel *k = gmtrace_get_kernel(reader, number);
    printf("\nkernel %-4u %s\n", number, clean(*k->name ? k->name : k->mangled));
    printf("  symbol    %s, %s instructions\n", clean(k->mangled), grouped(k->instr_count));
    const char *file = NULL;
    uint32_t line = 0;
    for (uint32_t n = 0; n < k->instr_count; n++) {
        const gmtrace_instr *i = &k->instr[n];
        if (i->file != GMTRACE_UNKNOWN && (k->file[i->file] != file || i->line != line)) {
            file = k->file[i->file];
            line = i->line;
            printf("  %s:%u\n", clean(file), line);
        }
        char guard[8] = "";
        if (i->predicate != GMTRACE_NO_REGISTER)
            snprintf(guard, sizeof guard, "@%s%c%u", i->predicate_negated ? "!" : "", 'P',
                     i->predicate & 7u);
        printf("    %06" PRIx64 "  ", i->pc);
        print_control(i);
        printf("  %-4s %s%s%s", guard, clean(i->opcode), *i->operands ? " " : "",
               clean(i->operands));
        if (i->target != GMTRACE_NO_INSTR)
            printf("  -> %06" PRIx64, k->instr[i->target].pc);
        if (i->width)
            printf("  ; %s %s %u", gmtrace_space_name((gmtrace_space)i->space),
                   gmtrace_class_name((gmtrace_class)i->op_class), i->width);
        if (i->cache)
            printf(" %s", gmtrace_cache_name((gmtrace_cache)i->cache));
        putchar('\n');
    }
}

int command_info(int argc, char **argv)
{
    static const struct option options[] = {{"instructions", no_argument, NULL, 'i'}, {0}};
    bool instructions = false;
    for (int option; (option = getopt_long(argc, argv, "i", options, NULL)) != -1;) {
        if (option != 'i')
            return complain_option();
        instructions = true;
    }
    if (argc - optind != 1)
        return complain_usage("info needs one trace");
    const char *path = argv[optind];
    gmtrace_error error;
    gmtrace_reader *reader = open_trace(path, &error);
    if (!reader)
        return complain(path, &error);
    print_capture(path, reader);
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++)
        print_launch(reader, i);
    for (uint32_t i = 0; instructions && i < gmtrace_kernel_count(reader); i++)
        print_instructions(reader, i);
    int status = EXIT_DONE;
    for (uint32_t i = 0; !gmtrace_damage(reader) && i < gmtrace_launch_count(reader); i++)
        if (!gmtrace_select_launch(reader, i, &error)) { /* finds what its map shows */
            status = complain(path, &error);
            break;
        }
    if (status == EXIT_DONE)
        status = report_damage(path, reader);
    gmtrace_close(reader);
    return finish_output(status);
}
