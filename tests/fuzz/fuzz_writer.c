/* SPDX-License-Identifier: MIT
 *
 * fuzz_writer.c - any bytes as calls of the writer, in any order and with any arguments: what is
 * refused changes nothing, the file verifies, and each warp's records are read as they were
 * written.
 *
 * The first byte gives the writer's memory; then sixteen bytes make a call.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/support/trace_builder.h"

#include "traces/gmtrace.h"

#include <string.h>
#include <unistd.h>

#define CTAS     12u /* of a launch */
#define WARPS    3u
#define LAUNCHES 3u

static uint64_t written[LAUNCHES][CTAS][WARPS]; /* of each warp's records, in order */

/* Of what is kept whatever shape is picked. */
static uint64_t mix(uint64_t sum, const gmtrace_record *r,
                    const uint64_t address[GMTRACE_WARP_LANES])
{
    const uint64_t field[] = {r->instr, r->mask, r->aux,   r->aux64,
                              r->kind,  r->op,   r->space, r->size};
    for (unsigned i = 0; i < 8; i++)
        sum = (sum ^ field[i]) * 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        if (r->mask >> i & 1)
            sum = (sum ^ address[i]) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

static gmtrace_record make(const uint8_t at[16])
{
    gmtrace_record r = {
        .instr = at[3] % 5, .kind = at[4] % 13, .op = at[5] % 13, .space = at[6] % 7};
    r.instr = r.instr == 4 ? GMTRACE_NO_INSTR : r.instr;
    r.size = (uint8_t)(1u << at[7] % 7);
    r.size = r.size == 64 ? 0 : r.size;
    memcpy(&r.mask, at + 8, sizeof r.mask);
    if (r.kind == GMTRACE_ACCESS) {
        r.shape = at[12] % 5;
        r.log2_columns = r.shape == GMTRACE_GRID ? at[12] >> 5 : 0;
        r.stride = (int8_t)at[13] * 4;
        r.stride2 = r.shape == GMTRACE_GRID ? (int8_t)at[14] * 64 : 0;
    }
    r.aux = r.kind == GMTRACE_BARRIER ? at[13] : 0;
    r.address = at[15] * 0x01010101010101ull;
    return r;
}

static void append(gmtrace_writer *writer, uint32_t launch, const uint8_t at[16])
{
    const uint64_t cta = at[1] % (CTAS + 1);
    const uint32_t warp = at[2] % (WARPS + 1);
    uint64_t lane[GMTRACE_WARP_LANES] = {0};
    gmtrace_record r = make(at);
    gmtrace_error error;
    const bool lanes = at[12] % 5 > GMTRACE_GRID;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES && lanes; i++)
        lane[i] = r.address + ((uint64_t)at[13 + i % 2] << (i * at[14] % 48));
    if (!gmtrace_writer_append(writer, cta, warp, &r, lanes ? lane : NULL, &error)) {
        NEED(error.status != GMTRACE_OK && error.text[0]);
        return;
    }
    NEED(launch < LAUNCHES && cta < CTAS && warp < WARPS);
    if (!lanes)
        gmtrace_expand(NULL, &r, lane);
    written[launch][cta][warp] = mix(written[launch][cta][warp], &r, lane);
}

static uint32_t call_all(gmtrace_writer *writer, const uint8_t *data, size_t size)
{
    uint32_t launches = 0;
    bool open = false;
    for (; size >= 16 && launches < LAUNCHES; data += 16, size -= 16) {
        const gmtrace_launch launch = {.kernel = data[1] % 2,
                                       .grid = {CTAS / 4, 4, 1},
                                       .block = {WARPS * 32 - data[2] % 32, 1, 1},
                                       .cluster = {1, 1, 1},
                                       .carveout_percent = -1,
                                       .shared_config = GMTRACE_UNKNOWN};
        switch (data[0] % 16) {
        case 0:
            open |= gmtrace_writer_begin_launch(writer, &launch, NULL);
            break;
        case 1:
            gmtrace_writer_end_cta(writer, data[1] % (CTAS + 1), NULL);
            break;
        case 2:
            if (data[1] % 4 == 0)
                gmtrace_writer_lose(writer, "its records\nwere eaten", NULL);
            break;
        case 3:
            if (gmtrace_writer_end_launch(writer, NULL)) {
                launches++;
                open = false;
            }
            break;
        default:
            append(writer, launches, data);
        }
    }
    if (open)
        NEED(gmtrace_writer_end_launch(writer, NULL));
    return launches + open;
}

static void compare(const char *path, uint32_t launches)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    NEED(reader && gmtrace_launch_count(reader) == launches && gmtrace_verify(reader, &error));
    for (uint32_t launch = 0; launch < launches; launch++) {
        NEED(gmtrace_select_launch(reader, launch, &error));
        for (uint32_t i = 0; i < CTAS * WARPS; i++) {
            gmtrace_cursor cursor;
            uint64_t sum = 0, address[GMTRACE_WARP_LANES];
            NEED(gmtrace_cursor_open(reader, &cursor, i / WARPS, i % WARPS, &error));
            do
                for (; cursor.next < cursor.end; cursor.next++) {
                    gmtrace_expand(cursor.chunk, cursor.next, address);
                    sum = mix(sum, cursor.next, address);
                }
            while (gmtrace_cursor_refill(reader, &cursor, &error));
            NEED(error.status == GMTRACE_OK);
            gmtrace_cursor_close(reader, &cursor);
            NEED(sum == written[launch][i / WARPS][i % WARPS]);
        }
    }
    gmtrace_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const opcode[4] = {"LDG.E", "STS", "BAR.SYNC", "EXIT"};
    gmtrace_instr instr[4];
    for (unsigned i = 0; i < 4; i++)
        instr[i] = gmtest_instr(i, opcode[i]);
    const gmtrace_kernel kernel = {.mangled = "k", .name = "k", .instr_count = 4, .instr = instr};
    const gmtrace_capture capture = {
        .source = "fuzz", .program = "", .gpu = "", .detail = GMTRACE_DETAIL_MEMORY};
    gmtrace_error error;
    uint32_t index;
    char path[96];
    if (size == 0)
        return 0;
    snprintf(path, sizeof path, "%s/out.trc", fuzz_folder());
    memset(written, 0, sizeof written);
    const gmtrace_writer_options options = {.pending_limit = 256 + 64 * (size_t)data[0]};
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, &options, &error);
    NEED(writer && gmtrace_writer_add_kernel(writer, &kernel, &index, &error) && index == 0);
    const uint32_t launches = call_all(writer, data + 1, size - 1);
    NEED(gmtrace_writer_close(writer, true, &error));
    compare(path, launches);
    unlink(path);
    return 0;
}
