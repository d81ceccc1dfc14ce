/* SPDX-License-Identifier: MIT
 *
 * decode.c - the four streams of a chunk back into segments and records; mirror of encode.c. Every
 * number is checked when it is read explicitly; predicted ones repeat what was checked before, so
 * the fast path has nothing left to test.
 */
#include "traces/format/decode.h"

bool gmt_decoder_init(gmt_decoder *decoder, gmt_budget *budget)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->budget = budget;
    decoder->unpack = ZSTD_createDCtx();
    decoder->entry_capacity = 256;
    decoder->entry = malloc(decoder->entry_capacity * sizeof *decoder->entry);
    return decoder->unpack && decoder->entry;
}

void gmt_decoder_free(gmt_decoder *decoder)
{
    free(decoder->entry);
    gmt_buffer_free(&decoder->stored);
    gmt_buffer_free(&decoder->raw);
    ZSTD_freeDCtx(decoder->unpack);
}

static const char no_memory[] = "out of memory";
static const char no_map[] = "a record names a tensor map that the launch does not hold";

static bool bad(gmtrace_error *error, uint64_t offset, const char *problem)
{
    if (problem == no_memory)
        return gmt_fail_memory(error);
    return gmt_fail(error, GMTRACE_CORRUPT, offset, "chunk at byte %llu: %s",
                    (unsigned long long)offset, problem);
}

bool gmt_chunk_head_parse(const uint8_t prefix[GMT_CHUNK_PREFIX], const gmt_section *section,
                          gmt_chunk_head *head, gmtrace_error *error)
{
    uint32_t *field[8] = {&head->launch,        &head->flags,       &head->records, &head->segments,
                          &head->offset_groups, &head->full_groups, &head->ctas,    &head->warps};
    for (unsigned i = 0; i < 8; i++)
        *field[i] = gmt_get32(prefix + 4 * i);
    uint64_t raw = 0;
    for (unsigned i = 0; i < 4; i++)
        raw += head->stream[i] = gmt_get32(prefix + 32 + 4 * i);
    if (head->flags & ~GMT_CHUNK_CONTINUES)
        return bad(error, section->offset, "unknown flags");
    if (head->records == 0 || head->records > GMT_MAX_RECORDS || head->segments == 0 ||
        head->segments > head->records || head->offset_groups > head->records ||
        head->full_groups > head->records || head->warps > head->segments ||
        head->ctas > head->segments)
        return bad(error, section->offset, "impossible counts");
    if (raw > GMT_MAX_CHUNK_RAW || section->length > GMT_MAX_CHUNK_RAW ||
        section->length < GMT_CHUNK_PREFIX ||
        (!(section->flags & GMT_FLAG_ZSTD) && raw != section->length - GMT_CHUNK_PREFIX))
        return bad(error, section->offset, "impossible length");
    return true;
}

/* ------------------------------------------------------------------------------------ segments */

static const char *decode_segments(gmt_view *view, const gmt_chunk_head *head,
                                   const gmt_limits *limits, gmtrace_segment *segment)
{
    const bool continues = (head->flags & GMT_CHUNK_CONTINUES) != 0;
    uint64_t cta = UINT64_MAX, warp = 0, count = 0;
    uint32_t first = 0, ctas = 0, warps = 0;
    for (uint32_t i = 0; i < head->segments; i++) {
        const uint8_t token = gmt_take8(view);
        const uint8_t mode = token & GMT_SEG_MODE;
        if (token & ~(GMT_SEG_MODE | GMT_SEG_COUNT | GMT_SEG_OPEN))
            return "reserved bits of a segment are set";
        if (mode == GMT_SEG_NEXT_WARP) {
            warp++;
        } else if (mode == GMT_SEG_SKIP_WARP) {
            const uint64_t skip = gmt_take_varint(view);
            warp = skip < limits->warps ? warp + 2 + skip : UINT64_MAX;
        } else if (mode == GMT_SEG_NEXT_CTA) {
            cta++;
            warp = 0;
        } else {
            const uint64_t skip = gmt_take_varint(view);
            if (skip >= limits->ctas)
                return "a CTA number is outside the grid";
            cta += 1 + skip;
            warp = gmt_take_varint(view);
        }
        if (mode == GMT_SEG_NEXT_CTA || mode == GMT_SEG_FAR)
            ctas++;
        if (token & GMT_SEG_COUNT)
            count = gmt_take_varint(view);
        const bool last = !(token & GMT_SEG_OPEN);
        if (cta >= limits->ctas)
            return "a CTA number is outside the grid";
        if (warp >= limits->warps)
            return "a warp number is outside the block";
        if (count == 0 || count > head->records - first)
            return "a segment's length is wrong";
        if (!continues && !last)
            return "a warp is left open in a chunk that ends its CTAs";
        segment[i] = (gmtrace_segment){.cta = cta,
                                       .warp = (uint32_t)warp,
                                       .first = first,
                                       .count = (uint32_t)count,
                                       .last = last};
        first += (uint32_t)count;
        warps += last;
    }
    if (first != head->records || warps != head->warps)
        return "segments contradict the chunk's counts";
    if (continues ? ctas != 1 || head->ctas != 0 : ctas != head->ctas)
        return "CTAs contradict the chunk's counts";
    return view->bad || gmt_left(view) ? "the segment stream has a wrong length" : NULL;
}

/* ------------------------------------------------------------------------------------- records */

typedef struct records {
    gmt_decoder *decoder;
    const gmt_limits *limits;
    const gmt_chunk_head *head;
    gmt_view tokens, fields, pool;
    gmt_context context;
    uint32_t *offset32;
    uint64_t *address64;
    uint32_t offset_groups, full_groups; /* used so far */
} records;

static const char *define_entry(records *d, uint32_t *number)
{
    gmt_decoder *decoder = d->decoder;
    if (decoder->entry_count == decoder->entry_capacity) {
        const uint32_t capacity = decoder->entry_capacity * 2;
        gmt_entry *entry = realloc(decoder->entry, capacity * sizeof *entry);
        if (!entry)
            return no_memory;
        decoder->entry = entry;
        decoder->entry_capacity = capacity;
    }
    const uint8_t what = gmt_take8(&d->fields), where = gmt_take8(&d->fields);
    const unsigned size = where >> 3 & 7;
    gmtrace_record r = {
        .instr = GMTRACE_NO_INSTR,
        .kind = what & 15,
        .op = what >> 4,
        .space = where & 7,
        .size = (uint8_t)(size ? 1u << (size - 1) : 0),
    };
    if (where & 0x80)
        return "a reserved bit of a definition is set";
    if (!(where & 0x40)) {
        const uint64_t instr = d->context.instr + gmt_unzigzag(gmt_take_varint(&d->fields));
        if (instr >= d->limits->instr_count)
            return "a record's instruction is not in the kernel's table";
        r.instr = d->context.instr = (uint32_t)instr;
    }
    const char *problem = gmt_check_record(&r, d->limits->instr_count);
    if (problem)
        return problem;
    if (r.kind == GMTRACE_TENSOR && d->limits->tensor_maps == 0)
        return no_map;
    *number = decoder->entry_count++;
    gmt_entry_define(&decoder->entry[*number], &d->context, &r);
    return NULL;
}

static bool take_stride(gmt_view *view, int32_t *stride)
{
    const uint64_t value = gmt_unzigzag(gmt_take_varint(view));
    *stride = (int32_t)value;
    return (uint64_t)(int64_t)*stride == value;
}

/* The raw buffer has 8 bytes of slack behind it, so that loads of 8 bytes stay inside. */
static const char *take_offsets(records *d, gmt_entry *entry)
{
    gmtrace_record *r = &entry->record;
    const unsigned width = entry->pack_width, shift = entry->pack_shift;
    const size_t bits = (size_t)__builtin_popcount(r->mask) * width;
    const uint8_t *from = gmt_take(&d->pool, (bits + 7) / 8);
    if (!from || d->offset_groups == d->head->offset_groups)
        return "lane offsets exceed the chunk's counts";
    uint32_t *offset = d->offset32 + (size_t)d->offset_groups * GMTRACE_WARP_LANES;
    const uint64_t keep = (1ull << width) - 1;
    uint32_t low = UINT32_MAX;
    if (r->mask == UINT32_MAX) {
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
            const unsigned bit = i * width;
            const uint32_t v = (uint32_t)(gmt_get64(from + bit / 8) >> bit % 8 & keep);
            offset[i] = v;
            low = v < low ? v : low;
        }
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            offset[i] = (offset[i] - low) << (shift & 31);
    } else {
        memset(offset, 0, GMTRACE_WARP_LANES * sizeof *offset);
        unsigned bit = 0;
        for (uint32_t mask = r->mask; mask; mask &= mask - 1, bit += width) {
            const uint32_t v = (uint32_t)(gmt_get64(from + bit / 8) >> bit % 8 & keep);
            offset[__builtin_ctz(mask)] = v;
            low = v < low ? v : low;
        }
        for (uint32_t mask = r->mask; mask; mask &= mask - 1) {
            uint32_t *v = &offset[__builtin_ctz(mask)];
            *v = (*v - low) << (shift & 31);
        }
    }
    r->address = entry->pack_base + ((uint64_t)low << shift);
    r->lanes = d->offset_groups++;
    return NULL;
}

static const char *take_full(records *d, gmtrace_record *r)
{
    const uint8_t *from = gmt_take(&d->pool, 8 * (size_t)__builtin_popcount(r->mask));
    if (!from || d->full_groups == d->head->full_groups)
        return "lane addresses exceed the chunk's counts";
    uint64_t *address = d->address64 + (size_t)d->full_groups * GMTRACE_WARP_LANES;
    memset(address, 0, GMTRACE_WARP_LANES * sizeof *address);
    uint64_t low = UINT64_MAX;
    for (uint32_t mask = r->mask; mask; mask &= mask - 1, from += 8) {
        const uint64_t v = gmt_get64(from);
        address[__builtin_ctz(mask)] = v;
        low = v < low ? v : low;
    }
    r->address = low;
    r->lanes = d->full_groups++;
    return NULL;
}

/* Reads a shape and, for OFFSETS and FULL, the lanes and the address. */
static const char *take_shape(records *d, gmt_entry *entry)
{
    gmtrace_record *r = &entry->record;
    const uint8_t byte = gmt_take8(&d->fields);
    const unsigned code = byte & 7, log2_columns = byte >> 3;
    if (r->kind != GMTRACE_ACCESS)
        return "a record without lanes has a shape";
    if (code == GMT_SHAPE_GRID ? log2_columns < 1 || log2_columns > 4 : log2_columns != 0)
        return "a shape's columns are wrong";
    r->log2_columns = (uint8_t)log2_columns;
    r->stride = r->stride2 = 0;
    r->lanes = 0;
    switch (code) {
    case GMT_SHAPE_AFFINE:
        r->shape = GMTRACE_AFFINE;
        return take_stride(&d->fields, &r->stride) ? NULL : "a stride exceeds 32 bits";
    case GMT_SHAPE_GRID:
        r->shape = GMTRACE_GRID;
        return take_stride(&d->fields, &r->stride) && take_stride(&d->fields, &r->stride2)
                   ? NULL
                   : "a stride exceeds 32 bits";
    case GMT_SHAPE_OFFSETS:
        entry->pack_base += gmt_unzigzag(gmt_take_varint(&d->fields));
        entry->pack_width = gmt_take8(&d->fields);
        entry->pack_shift = gmt_take8(&d->fields);
        if (entry->pack_width + entry->pack_shift > 32)
            return "packed offsets exceed 32 bits";
        /* fall through */
    case GMT_SHAPE_PACKED:
        r->shape = GMTRACE_OFFSETS;
        return take_offsets(d, entry);
    case GMT_SHAPE_FULL:
        r->shape = GMTRACE_FULL;
        return take_full(d, r);
    default:
        return "unknown shape";
    }
}

/* The rest of a tensor copy. */
static const char *take_tensor(records *d, gmtrace_record *r)
{
    int32_t *const coordinate[] = {&r->stride, &r->stride2};
    for (unsigned i = 0; i < 2; i++) {
        int32_t moved;
        if (!take_stride(&d->fields, &moved))
            return "a coordinate exceeds 32 bits";
        *coordinate[i] = (int32_t)((uint32_t)*coordinate[i] + (uint32_t)moved);
    }
    int32_t moved;
    if (!take_stride(&d->fields, &moved))
        return "a coordinate exceeds 32 bits";
    r->lanes += (uint32_t)moved;
    const uint64_t map = gmt_take_varint(&d->fields);
    if (map >= d->limits->tensor_maps)
        return no_map;
    r->map = (uint16_t)map;
    return NULL;
}

/* What follows a token that is no run. */
static const char *take_record(records *d, uint8_t token, uint32_t *previous, uint32_t segment)
{
    gmt_decoder *decoder = d->decoder;
    const gmt_entry *before = &decoder->entry[*previous];
    uint32_t e = GMT_NO_ENTRY;
    bool defined = false;
    switch (token & GMT_TOKEN_ENTRY) {
    case 0:
        e = before->next[0];
        break;
    case GMT_ENTRY_OTHER:
        e = before->next[1];
        break;
    case GMT_ENTRY_NAMED: {
        const uint64_t number = gmt_take_varint(&d->fields);
        if (number == 0) {
            const char *problem = define_entry(d, &e);
            if (problem)
                return problem;
            defined = true;
        } else if (number < decoder->entry_count) {
            e = (uint32_t)number;
        }
        break;
    }
    default:
        return "unknown token";
    }
    if (e == GMT_NO_ENTRY)
        return "a record refers to no entry";
    gmt_follow(&decoder->entry[*previous], e);
    *previous = e;
    gmt_entry *entry = &decoder->entry[e];
    gmtrace_record *r = &entry->record;

    if (token & GMT_TOKEN_MASK) {
        r->mask = gmt_take32(&d->fields);
        if (r->mask == 0)
            return "a mask is empty";
        if (r->shape >= GMTRACE_OFFSETS && !(token & GMT_TOKEN_SHAPE))
            return "a new mask comes without its lanes";
    }
    uint64_t address;
    bool lanes = false;
    if (token & GMT_TOKEN_SHAPE) {
        const char *problem = take_shape(d, entry);
        if (problem)
            return problem;
        lanes = r->shape >= GMTRACE_OFFSETS;
    }
    if (lanes || r->shape == GMTRACE_FULL) {
        if (token & GMT_TOKEN_BASE)
            return "a record has two addresses";
        address = r->address;
    } else {
        uint64_t *step = gmt_steps(entry, segment);
        uint64_t moved = step[0];
        const uint8_t base = token & GMT_TOKEN_BASE;
        if (base) {
            if (base == GMT_BASE_OTHER)
                moved = step[1];
            else if (base == GMT_BASE_NAMED)
                moved = gmt_unzigzag(gmt_take_varint(&d->fields));
            else
                return "unknown token";
            if (!defined) {
                step[1] = step[0];
                step[0] = moved;
            }
        }
        address = gmt_base(entry, segment) + moved;
    }
    if (token & GMT_TOKEN_AUX) {
        const uint64_t aux = gmt_take_varint(&d->fields);
        if (aux > UINT32_MAX)
            return "a number exceeds 32 bits";
        r->aux = (uint32_t)aux;
        r->aux64 += gmt_unzigzag(gmt_take_varint(&d->fields));
        if (r->kind == GMTRACE_TENSOR) {
            const char *problem = take_tensor(d, r);
            if (problem)
                return problem;
        }
    }
    gmt_moved(entry, segment, address);
    d->context.space_address[r->space] = address;
    d->context.mask = r->mask;
    return NULL;
}

static const char *decode_records(records *d, const gmtrace_segment *segment, gmtrace_record *out)
{
    gmt_decoder *decoder = d->decoder;
    uint32_t run = 0;
    for (uint32_t s = 0; s < d->head->segments; s++) {
        const uint32_t number = s + 1;
        uint32_t previous = GMT_START;
        for (uint32_t left = segment[s].count; left;) {
            if (run) {
                const uint32_t length = run < left ? run : left;
                gmt_entry *const table = decoder->entry;
                for (uint32_t i = 0; i < length; i++) {
                    const uint32_t e = table[previous].next[0];
                    if (e == GMT_NO_ENTRY)
                        return "a record refers to no entry";
                    gmt_entry *entry = &table[e];
                    uint64_t address = gmt_base(entry, number) + gmt_steps(entry, number)[0];
                    if (entry->record.shape == GMTRACE_FULL)
                        address = entry->record.address;
                    *out = entry->record; /* before its address is there: else the host waits */
                    out++->address = address;
                    gmt_moved(entry, number, address);
                    d->context.space_address[entry->record.space] = address;
                    previous = e;
                }
                d->context.mask = table[previous].record.mask;
                run -= length;
                left -= length;
                continue;
            }
            const uint8_t token = gmt_take8(&d->tokens);
            if (token & GMT_TOKEN_RUN) {
                run = (token & ~GMT_TOKEN_RUN & 0xffu) + 1;
                continue;
            }
            if (token == 0)
                return "unknown token";
            const char *problem = take_record(d, token, &previous, number);
            if (problem)
                return problem;
            *out++ = decoder->entry[previous].record;
            left--;
        }
    }
    if (run || gmt_left(&d->tokens) || gmt_left(&d->fields) || gmt_left(&d->pool) ||
        d->tokens.bad || d->fields.bad || d->pool.bad ||
        d->offset_groups != d->head->offset_groups || d->full_groups != d->head->full_groups)
        return "the streams contradict the chunk's counts";
    return NULL;
}

/* --------------------------------------------------------------------------------------- chunk */

static bool make_room(gmt_decoder *decoder, gmt_held *held, size_t size, uint64_t at,
                      gmtrace_error *error)
{
    if (held->capacity >= size)
        return true;
    gmt_give_back(decoder->budget, held->capacity);
    free(held->storage);
    held->storage = NULL;
    held->capacity = 0;
    if (!gmt_claim(decoder->budget, size, at, error))
        return false;
    held->capacity = size;
    held->storage = malloc(size);
    return held->storage || gmt_fail_memory(error);
}

bool gmt_decode_chunk(gmt_decoder *decoder, const gmt_section *section, const uint8_t *payload,
                      const gmt_limits *limits, gmt_held *held, gmtrace_error *error)
{
    const gmt_chunk_head *head = &held->head;
    const uint64_t at = section->offset;
    size_t raw_size = 0;
    for (unsigned i = 0; i < 4; i++)
        raw_size += head->stream[i];
    gmt_buffer *raw = &decoder->raw;
    raw->size = 0;
    raw->failed = false;
    if (!gmt_reserve(raw, raw_size + 8))
        return gmt_fail_memory(error);
    const size_t packed = (size_t)section->length - GMT_CHUNK_PREFIX;
    if (section->flags & GMT_FLAG_ZSTD) {
        const size_t got = ZSTD_decompressDCtx(decoder->unpack, raw->data, raw_size,
                                               payload + GMT_CHUNK_PREFIX, packed);
        if (gmt_zstd_lacks_memory(got))
            return gmt_fail_memory(error);
        if (ZSTD_isError(got) || got != raw_size)
            return bad(error, at, "it does not unpack");
    } else {
        memcpy(raw->data, payload + GMT_CHUNK_PREFIX, raw_size);
    }
    memset(raw->data + raw_size, 0, 8);

    const size_t records_size = head->records * sizeof(gmtrace_record);
    const size_t full_size = head->full_groups * GMTRACE_WARP_LANES * sizeof(uint64_t);
    const size_t offset_size = head->offset_groups * GMTRACE_WARP_LANES * sizeof(uint32_t);
    const size_t segment_size = head->segments * sizeof(gmtrace_segment);
    if (!make_room(decoder, held, records_size + full_size + offset_size + segment_size, at, error))
        return false;
    uint8_t *room = held->storage;
    gmtrace_record *record = (gmtrace_record *)(void *)room;
    uint64_t *address64 = (uint64_t *)(void *)(room + records_size);
    gmtrace_segment *segment = (gmtrace_segment *)(void *)(room + records_size + full_size);
    uint32_t *offset32 = (uint32_t *)(void *)(room + records_size + full_size + segment_size);

    gmt_view view[4];
    const uint8_t *next = raw->data;
    for (unsigned i = 0; i < 4; i++, next = view[i - 1].end)
        view[i] = (gmt_view){.next = next, .end = next + head->stream[i]};
    const char *problem = decode_segments(&view[0], head, limits, segment);
    if (problem)
        return bad(error, at, problem);
    records d = {.decoder = decoder,
                 .limits = limits,
                 .head = head,
                 .tokens = view[1],
                 .fields = view[2],
                 .pool = view[3],
                 .offset32 = offset32,
                 .address64 = address64};
    gmt_context_reset(&d.context);
    gmt_entry_start(&decoder->entry[GMT_START]);
    decoder->entry_count = 1;
    problem = decode_records(&d, segment, record);
    if (problem)
        return bad(error, at, problem);
    held->chunk = (gmtrace_chunk){.launch = head->launch,
                                  .offset = at,
                                  .segment_count = head->segments,
                                  .record_count = head->records,
                                  .segment = segment,
                                  .record = record,
                                  .offset32 = offset32,
                                  .address64 = address64};
    return true;
}
