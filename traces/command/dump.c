/* SPDX-License-Identifier: MIT
 *
 * dump.c - gmtrace dump: records as text, one a line, CTA by CTA and warp by warp in program order.
 */
#include "traces/command/command.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct dump {
    gmtrace_reader *reader;
    const gmtrace_kernel *kernel;
    number_list launch, cta, warp;
    uint32_t number; /* of the launch */
    bool lanes, damaged;
} dump;

static void print_lanes(const gmtrace_chunk *chunk, const gmtrace_record *r)
{
    uint64_t address[GMTRACE_WARP_LANES];
    gmtrace_expand(chunk, r, address);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        if (r->mask >> i & 1)
            printf(" %u:0x%" PRIx64, i, address[i]);
}

static void print_tensor(const gmtrace_record *r)
{
    gmtrace_tensor_copy copy;
    gmtrace_get_tensor_copy(r, &copy);
    printf(" map=%u at=", copy.map);
    for (unsigned i = 0; i < GMTRACE_TENSOR_DIMS; i++)
        printf("%s%" PRId32, i ? "," : "", copy.coordinate[i]);
    printf(" shared=0x%" PRIx32 " mbarrier=0x%" PRIx32 " multicast=0x%x im2col=0x%x", copy.shared,
           copy.barrier, copy.multicast, copy.im2col);
}

static void print_address(const dump *d, const gmtrace_chunk *chunk, const gmtrace_record *r)
{
    if (r->kind == GMTRACE_TENSOR) {
        print_tensor(r);
    } else if (r->kind != GMTRACE_ACCESS) {
        printf(" address=0x%" PRIx64 " aux=0x%" PRIx32 " aux64=0x%" PRIx64, r->address, r->aux,
               r->aux64);
    } else if (d->lanes || r->shape == GMTRACE_OFFSETS || r->shape == GMTRACE_FULL) {
        print_lanes(chunk, r);
    } else if (r->shape == GMTRACE_AFFINE) {
        printf(" 0x%" PRIx64 "%+" PRId32 "*i", r->address, r->stride);
    } else {
        const unsigned columns = 1u << r->log2_columns;
        printf(" 0x%" PRIx64 "%+" PRId32 "*(i%%%u)%+" PRId32 "*(i/%u)", r->address, r->stride,
               columns, r->stride2, columns);
    }
}

static void print_record(const dump *d, const gmtrace_cursor *cursor, const gmtrace_record *r)
{
    printf("%" PRIu32 " %" PRIu64 " %" PRIu32, d->number, cursor->cta, cursor->warp);
    if (r->instr == GMTRACE_NO_INSTR)
        printf(" - -");
    else
        printf(" 0x%" PRIx64 " %s", d->kernel->instr[r->instr].pc,
               clean(d->kernel->instr[r->instr].opcode));
    printf(" %s %s %s %u %08" PRIx32, gmtrace_kind_name((gmtrace_kind)r->kind),
           gmtrace_op_name((gmtrace_op)r->op), gmtrace_space_name((gmtrace_space)r->space), r->size,
           r->mask);
    print_address(d, cursor->chunk, r);
    putchar('\n');
}

static bool dump_warp(dump *d, uint64_t cta, uint32_t warp, gmtrace_error *error)
{
    gmtrace_cursor cursor;
    if (!gmtrace_cursor_open(d->reader, &cursor, cta, warp, error))
        return false;
    do
        for (; cursor.next < cursor.end; cursor.next++)
            print_record(d, &cursor, cursor.next);
    while (gmtrace_cursor_refill(d->reader, &cursor, error));
    gmtrace_cursor_close(d->reader, &cursor);
    return error->status == GMTRACE_OK || error->status == GMTRACE_TRUNCATED;
}

/* Launches that were not captured because they are like this one, as lists of numbers are given. */
static void print_repeats(const dump *d)
{
    const gmtrace_repeat *repeat = gmtrace_get_repeats(d->reader);
    const uint64_t count = gmtrace_repeat_count(d->reader);
    uint64_t first = 0, last = 0;
    bool any = false;
    for (uint64_t i = 0; i < count; i++) {
        if (repeat[i].launch != d->number)
            continue;
        if (any && repeat[i].ordinal == last + 1) {
            last++;
            continue;
        }
        if (!any)
            printf("# launches like it that were not captured, in the program's count: ");
        else if (last > first)
            printf("-%" PRIu64, last);
        printf("%s%" PRIu64, any ? "," : "", repeat[i].ordinal);
        first = last = repeat[i].ordinal;
        any = true;
    }
    if (any && last > first)
        printf("-%" PRIu64, last);
    if (any)
        putchar('\n');
}

static void print_bytes(const uint8_t *byte, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        printf("%02x", byte[i]);
    putchar('\n');
}

/* What the launch's code found, byte by byte. */
static void print_known(const gmtrace_known *known)
{
    if (known->constants_size) {
        printf("# parameters at 0x%" PRIx32 " of constant bank 0: ", known->constants_offset);
        print_bytes(known->constants, known->constants_size);
    }
    for (uint32_t i = 0; i < known->range_count; i++) {
        const uint64_t base = known->range[i].base, bank = GMTRACE_BANK_ADDRESS(3u);
        if (base >= bank)
            printf("# constants at 0x%" PRIx64 " of constant bank 3: ", base - bank);
        else
            printf("# memory at 0x%" PRIx64 ": ", base);
        print_bytes(known->range[i].bytes, known->range[i].size);
    }
}

static bool dump_launch(dump *d, gmtrace_error *error)
{
    const gmtrace_launch *l = gmtrace_get_launch(d->reader, d->number);
    d->kernel = gmtrace_get_kernel(d->reader, l->kernel);
    printf("# launch %" PRIu32 ": %s grid %ux%ux%u block %ux%ux%u\n", d->number,
           clean(d->kernel->mangled), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
           l->block[2]);
    print_repeats(d);
    if (l->known)
        print_known(l->known);
    for (uint32_t i = 0; i < l->tensor_map_count; i++) {
        printf("# tensor map %" PRIu32, i);
        for (unsigned j = 0; j < GMTRACE_TENSOR_WORDS; j++)
            printf(" %016" PRIx64, l->tensor_map[i][j]);
        putchar('\n');
    }
    printf("# launch cta warp pc opcode kind op space size mask address\n");
    uint64_t *cta = NULL;
    size_t count = 0;
    bool done = gmtrace_select_launch(d->reader, d->number, error) &&
                list_ctas(d->reader, &d->cta, &cta, &count, error);
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    const uint32_t warps = (threads + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES;
    for (size_t i = 0; done && i < count; i++)
        for (uint32_t warp = 0; done && warp < warps; warp++)
            if (has_number(&d->warp, warp))
                done = dump_warp(d, cta[i], warp, error) && !ferror(stdout);
    free(cta);
    return done;
}

int command_dump(int argc, char **argv)
{
    static const struct option options[] = {{"launch", required_argument, NULL, 'l'},
                                            {"cta", required_argument, NULL, 'c'},
                                            {"warp", required_argument, NULL, 'w'},
                                            {"lanes", no_argument, NULL, 'a'},
                                            {0}};
    dump d = {0};
    for (int option; (option = getopt_long(argc, argv, "l:c:w:a", options, NULL)) != -1;) {
        number_list *list = option == 'l'   ? &d.launch
                            : option == 'c' ? &d.cta
                            : option == 'w' ? &d.warp
                                            : NULL;
        if (option == 'a')
            d.lanes = true;
        else if (!list)
            return complain_option();
        else if (!parse_numbers(optarg, list))
            return complain_usage("'%s' is no list of numbers", optarg);
    }
    if (argc - optind != 1)
        return complain_usage("dump needs one trace");
    const char *path = argv[optind];
    gmtrace_error error;
    d.reader = open_trace(path, &error);
    if (!d.reader)
        return complain(path, &error);
    int status = EXIT_DONE;
    for (; d.number < gmtrace_launch_count(d.reader) && status == EXIT_DONE && !ferror(stdout);
         d.number++)
        if (has_number(&d.launch, d.number) && !dump_launch(&d, &error) && !ferror(stdout))
            status = complain(path, &error);
    if (status == EXIT_DONE && !ferror(stdout))
        status = report_damage(path, d.reader);
    gmtrace_close(d.reader);
    return finish_output(status);
}
