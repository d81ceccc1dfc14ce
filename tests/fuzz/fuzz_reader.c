/* SPDX-License-Identifier: MIT
 *
 * fuzz_reader.c - whatever the bytes are, the reader must neither crash nor hand out numbers that
 * break gmtrace.h. Built by clang with -fsanitize=fuzzer, checksums are not compared (the macro
 * FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION), so that the fuzzer reaches what they guard. `make
 * check` replays the corpus with an ordinary build.
 */
#include "tests/fuzz/fuzz.h"

#include "traces/gmtrace.h"

#include <string.h>

static uint64_t sum; /* of what was read, so that reading is not optimised away */

static void use_text(const char *text)
{
    sum += strlen(text);
}

static void check_record(const gmtrace_chunk *chunk, const gmtrace_record *r,
                         const gmtrace_kernel *kernel)
{
    NEED(r->mask != 0);
    NEED(r->instr < kernel->instr_count || r->instr == GMTRACE_NO_INSTR);
    NEED(r->kind < GMTRACE_KIND_COUNT && r->op < GMTRACE_OP_COUNT);
    NEED(r->space < GMTRACE_SPACE_GENERIC && r->shape <= GMTRACE_FULL);
    NEED(r->size <= 32 && (r->size & (r->size - 1)) == 0);
    NEED(r->shape != GMTRACE_GRID || (r->log2_columns >= 1 && r->log2_columns <= 4));
    uint64_t address[GMTRACE_WARP_LANES];
    gmtrace_expand(chunk, r, address);
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        sum += address[i];
}

static void check_known(const gmtrace_known *known)
{
    uint64_t end = 0;
    NEED(known->constants_offset + known->constants_size <= 65536);
    for (uint32_t i = 0; i < known->constants_size; i++)
        sum += known->constants[i];
    for (uint32_t n = 0; n < known->range_count; n++) {
        const gmtrace_known_range *r = &known->range[n];
        NEED(r->base >= end && r->size && r->base + r->size > r->base);
        end = r->base + r->size;
        for (uint32_t i = 0; i < r->size; i++)
            sum += r->bytes[i];
    }
}

static void check_metadata(gmtrace_reader *reader)
{
    const gmtrace_capture *capture = gmtrace_get_capture(reader);
    use_text(capture->source);
    use_text(capture->program);
    use_text(capture->gpu);
    for (uint32_t i = 0; i < gmtrace_kernel_count(reader); i++) {
        const gmtrace_kernel *k = gmtrace_get_kernel(reader, i);
        use_text(k->mangled);
        use_text(k->name);
        for (uint32_t n = 0; n < k->file_count; n++)
            use_text(k->file[n]);
        for (uint32_t n = 0; n < k->instr_count; n++) {
            use_text(k->instr[n].opcode);
            use_text(k->instr[n].operands);
            NEED(k->instr[n].file == GMTRACE_UNKNOWN || k->instr[n].file < k->file_count);
            NEED(k->instr[n].operand_count <= GMTRACE_MAX_OPERANDS);
        }
    }
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++) {
        const gmtrace_launch *l = gmtrace_get_launch(reader, i);
        NEED(l->kernel < gmtrace_kernel_count(reader));
        for (uint32_t n = 0; n < l->allocation_count; n++)
            sum += l->allocation[n].base + l->allocation[n].size;
        if (l->known)
            check_known(l->known);
    }
}

static void check_chunks(gmtrace_reader *reader)
{
    gmtrace_error error;
    for (uint64_t i = 0; i < gmtrace_chunk_count(reader) && i < 64; i++) {
        const gmtrace_chunk *chunk = gmtrace_chunk_read(reader, i, &error);
        if (!chunk)
            continue;
        const gmtrace_launch *l = gmtrace_get_launch(reader, chunk->launch);
        const gmtrace_kernel *k = gmtrace_get_kernel(reader, l->kernel);
        uint32_t next = 0;
        for (uint32_t s = 0; s < chunk->segment_count; s++) {
            NEED(chunk->segment[s].first == next && chunk->segment[s].count > 0);
            NEED(chunk->segment[s].warp < 32);
            next += chunk->segment[s].count;
        }
        NEED(next == chunk->record_count);
        for (uint32_t r = 0; r < chunk->record_count; r++)
            check_record(chunk, &chunk->record[r], k);
        gmtrace_chunk_release(reader, chunk);
    }
}

static void check_cursors(gmtrace_reader *reader)
{
    gmtrace_error error;
    for (uint32_t i = 0; i < gmtrace_launch_count(reader) && i < 8; i++) {
        if (!gmtrace_select_launch(reader, i, &error))
            continue;
        for (uint64_t cta = 0; cta < 8; cta++)
            for (uint32_t warp = 0; warp < 4; warp++) {
                gmtrace_cursor cursor;
                if (!gmtrace_cursor_open(reader, &cursor, cta, warp, &error))
                    continue;
                unsigned refills = 0;
                do
                    for (; cursor.next < cursor.end; cursor.next++)
                        sum += cursor.next->address;
                while (refills++ < 64 && gmtrace_cursor_refill(reader, &cursor, &error));
                gmtrace_cursor_close(reader, &cursor);
            }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(fuzz_file(data, size), &error);
    if (!reader) {
        NEED(error.status != GMTRACE_OK && error.text[0]);
        return 0;
    }
    check_metadata(reader);
    check_chunks(reader);
    check_cursors(reader);
    const bool sound = gmtrace_verify(reader, &error);
    NEED(sound || (error.status != GMTRACE_OK && error.text[0]));
    NEED(!sound || !gmtrace_damage(reader));
    gmtrace_close(reader);
    return 0;
}
