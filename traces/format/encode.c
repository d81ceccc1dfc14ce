/* SPDX-License-Identifier: MIT
 *
 * encode.c - turns records into the four streams of a chunk: segments, tokens, fields, and the
 * pool of packed lane offsets. Kept apart because each compresses best among its like. The
 * predictor is predict.h's; decode.c is this file's mirror.
 */
#include "traces/format/encode.h"

bool gmt_encoder_init(gmt_encoder *encoder, int level)
{
    memset(encoder, 0, sizeof *encoder);
    encoder->pack = ZSTD_createCCtx();
    encoder->entry_capacity = 256;
    encoder->entry = malloc(encoder->entry_capacity * sizeof *encoder->entry);
    if (!encoder->pack || !encoder->entry)
        return false;
    ZSTD_CCtx_setParameter(encoder->pack, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(encoder->pack, ZSTD_c_contentSizeFlag, 0); /* the prefix has it */
    return true;
}

void gmt_encoder_free(gmt_encoder *encoder)
{
    free(encoder->entry);
    free(encoder->head);
    gmt_buffer_free(&encoder->segments);
    gmt_buffer_free(&encoder->tokens);
    gmt_buffer_free(&encoder->fields);
    gmt_buffer_free(&encoder->pool);
    gmt_buffer_free(&encoder->raw);
    ZSTD_freeCCtx(encoder->pack);
}

static uint32_t *head_of(gmt_encoder *encoder, uint32_t instr)
{
    return &encoder->head[instr == GMTRACE_NO_INSTR ? encoder->instr_count : instr];
}

static void start_chunk(gmt_encoder *encoder)
{
    for (uint32_t i = 1; i < encoder->entry_count; i++)
        *head_of(encoder, encoder->entry[i].record.instr) = GMT_NO_ENTRY;
    gmt_entry_start(&encoder->entry[GMT_START]);
    encoder->entry_count = 1;
    gmt_context_reset(&encoder->context);
    encoder->segments.size = encoder->tokens.size = encoder->fields.size = encoder->pool.size = 0;
    encoder->run = 0;
    encoder->cta = UINT64_MAX;
    encoder->warp = encoder->count = 0;
    encoder->record_count = encoder->segment_count = 0;
    encoder->offset_groups = encoder->full_groups = 0;
    encoder->ended_warps = encoder->ended_ctas = 0;
}

bool gmt_encoder_launch(gmt_encoder *encoder, uint32_t instr_count)
{
    const size_t slots = (size_t)instr_count + 1;
    uint32_t *head = realloc(encoder->head, slots * sizeof *head);
    if (!head)
        return false;
    for (size_t i = 0; i < slots; i++)
        head[i] = GMT_NO_ENTRY;
    encoder->head = head;
    encoder->instr_count = instr_count;
    encoder->entry_count = 1; /* nothing to take out of head */
    start_chunk(encoder);
    return true;
}

bool gmt_encoder_segment(gmt_encoder *encoder, uint64_t cta, uint32_t warp, uint32_t count,
                         bool last)
{
    gmt_buffer *b = &encoder->segments;
    uint8_t token;
    if (cta == encoder->cta && encoder->segment_count)
        token = warp == encoder->warp + 1 ? GMT_SEG_NEXT_WARP : GMT_SEG_SKIP_WARP;
    else
        token = cta == encoder->cta + 1 && warp == 0 ? GMT_SEG_NEXT_CTA : GMT_SEG_FAR;
    const uint8_t mode = token;
    if (count != encoder->count)
        token |= GMT_SEG_COUNT;
    if (!last)
        token |= GMT_SEG_OPEN;
    gmt_put8(b, token);
    if (mode == GMT_SEG_SKIP_WARP)
        gmt_put_varint(b, warp - encoder->warp - 2);
    if (mode == GMT_SEG_FAR) {
        gmt_put_varint(b, cta - encoder->cta - 1);
        gmt_put_varint(b, warp);
    }
    if (token & GMT_SEG_COUNT)
        gmt_put_varint(b, count);
    encoder->ended_warps += last;
    encoder->ended_ctas += mode == GMT_SEG_NEXT_CTA || mode == GMT_SEG_FAR;
    encoder->cta = cta;
    encoder->warp = warp;
    encoder->count = count;
    encoder->segment_count++;
    encoder->previous = GMT_START;
    return !b->failed;
}

static uint8_t size_code(uint8_t size)
{
    return size ? (uint8_t)(__builtin_ctz(size) + 1) : 0;
}

static uint32_t find_entry(gmt_encoder *encoder, const gmtrace_record *r)
{
    uint32_t e = *head_of(encoder, r->instr);
    while (e != GMT_NO_ENTRY) {
        const gmtrace_record *old = &encoder->entry[e].record;
        if (old->kind == r->kind && old->op == r->op && old->space == r->space &&
            old->size == r->size)
            break;
        e = encoder->entry[e].same_instr;
    }
    return e;
}

static uint32_t define_entry(gmt_encoder *encoder, const gmtrace_record *r)
{
    if (encoder->entry_count == encoder->entry_capacity) {
        uint32_t capacity = encoder->entry_capacity * 2;
        gmt_entry *entry = realloc(encoder->entry, capacity * sizeof *entry);
        if (!entry)
            return GMT_NO_ENTRY;
        encoder->entry = entry;
        encoder->entry_capacity = capacity;
    }
    const uint32_t e = encoder->entry_count++;
    gmt_entry_define(&encoder->entry[e], &encoder->context, r);
    uint32_t *head = head_of(encoder, r->instr);
    encoder->entry[e].same_instr = *head;
    *head = e;
    return e;
}

static uint8_t *write_definition(gmt_encoder *encoder, uint8_t *p, const gmtrace_record *r)
{
    const bool known = r->instr != GMTRACE_NO_INSTR;
    *p++ = 0; /* where an old entry's number would stand */
    *p++ = (uint8_t)(r->kind | r->op << 4);
    *p++ = (uint8_t)(r->space | size_code(r->size) << 3 | !known << 6);
    if (known) {
        p = gmt_write_varint(p, gmt_zigzag((uint64_t)r->instr - encoder->context.instr));
        encoder->context.instr = r->instr;
    }
    return p;
}

static unsigned bits_of(uint32_t v)
{
    return v ? 32u - (unsigned)__builtin_clz(v) : 0;
}

/* Writes OFFSETS: the shape byte, perhaps new packing parameters, and the packed lanes. Packed
 * values count from an entry-wide base, not from the record's own lowest address, because the
 * latter would cost as much as one more lane. */
static uint8_t *write_offsets(gmt_encoder *encoder, gmt_entry *entry, uint8_t *p,
                              const gmtrace_record *r, const uint32_t *offset)
{
    uint32_t all = 0, top = 0;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        all |= offset[i];
        top = offset[i] > top ? offset[i] : top;
    }
    const unsigned lanes = (unsigned)__builtin_popcount(r->mask);
    const unsigned own_shift = all ? (unsigned)__builtin_ctz(all) : 0;
    const unsigned own_width = bits_of(top >> own_shift);
    unsigned shift = entry->pack_shift, width = entry->pack_width;
    uint64_t rise = r->address - entry->pack_base;
    const uint64_t low = (1ull << shift) - 1;
    bool keep = width && !(all & low) && !(rise & low) && rise <= UINT32_MAX - top &&
                (rise + top) >> shift >> width == 0 && (width - own_width) * lanes <= 64;
    if (!keep) {
        /* A base below both old and new addresses serves random streams for good. */
        uint64_t base = rise > INT64_MAX ? r->address : entry->pack_base;
        rise = r->address - base;
        shift = rise ? (unsigned)__builtin_ctzll(rise) : own_shift;
        shift = shift < own_shift ? shift : own_shift;
        uint64_t reach = rise + top;
        width = reach <= UINT32_MAX ? bits_of((uint32_t)(reach >> shift)) : 64;
        if (width + shift > 32 || (width - own_width) * lanes > 64) {
            base = r->address;
            rise = 0;
            shift = own_shift;
            width = own_width;
        }
        *p++ = GMT_SHAPE_OFFSETS;
        p = gmt_write_varint(p, gmt_zigzag(base - entry->pack_base));
        *p++ = (uint8_t)width;
        *p++ = (uint8_t)shift;
        entry->pack_base = base;
        entry->pack_width = (uint8_t)width;
        entry->pack_shift = (uint8_t)shift;
    } else {
        *p++ = GMT_SHAPE_PACKED;
    }
    uint8_t *out = encoder->pool.data + encoder->pool.size;
    uint64_t pending = 0;
    unsigned held = 0;
    for (uint32_t mask = r->mask; mask; mask &= mask - 1) {
        const unsigned i = (unsigned)__builtin_ctz(mask);
        pending |= (rise + offset[i]) >> shift << held;
        held += width;
        if (held >= 32) {
            gmt_set32(out, (uint32_t)pending);
            out += 4;
            pending >>= 32;
            held -= 32;
        }
    }
    for (; held; held -= held < 8 ? held : 8, pending >>= 8)
        *out++ = (uint8_t)pending;
    encoder->pool.size = (size_t)(out - encoder->pool.data);
    encoder->offset_groups++;
    return p;
}

static uint8_t *write_shape(gmt_encoder *encoder, gmt_entry *entry, uint8_t *p,
                            const gmtrace_record *r, const void *lanes)
{
    switch ((gmtrace_shape)r->shape) {
    case GMTRACE_AFFINE:
        *p++ = GMT_SHAPE_AFFINE;
        return gmt_write_varint(p, gmt_zigzag((uint64_t)(int64_t)r->stride));
    case GMTRACE_GRID:
        *p++ = (uint8_t)(GMT_SHAPE_GRID | r->log2_columns << 3);
        p = gmt_write_varint(p, gmt_zigzag((uint64_t)(int64_t)r->stride));
        return gmt_write_varint(p, gmt_zigzag((uint64_t)(int64_t)r->stride2));
    case GMTRACE_OFFSETS:
        return write_offsets(encoder, entry, p, r, lanes);
    case GMTRACE_FULL:
        break;
    }
    *p++ = GMT_SHAPE_FULL;
    const uint64_t *address = lanes;
    uint8_t *out = encoder->pool.data + encoder->pool.size;
    for (uint32_t mask = r->mask; mask; mask &= mask - 1, out += 8)
        gmt_set64(out, address[__builtin_ctz(mask)]);
    encoder->pool.size = (size_t)(out - encoder->pool.data);
    encoder->full_groups++;
    return p;
}

static bool same_shape(const gmt_entry *entry, const gmtrace_record *r, const void *lanes)
{
    const gmtrace_record *old = &entry->record;
    if (r->kind == GMTRACE_TENSOR)
        return true;
    if (old->shape != r->shape)
        return false;
    if (r->shape == GMTRACE_AFFINE)
        return old->stride == r->stride;
    if (r->shape == GMTRACE_GRID)
        return old->stride == r->stride && old->stride2 == r->stride2 &&
               old->log2_columns == r->log2_columns;
    const size_t lane = r->shape == GMTRACE_OFFSETS ? 4 : 8;
    return old->mask == r->mask && !memcmp(entry->lanes, lanes, lane * GMTRACE_WARP_LANES);
}

/* What a tensor copy has besides address and aux. */
static bool same_tensor(const gmtrace_record *r, const gmtrace_record *old)
{
    return r->stride == old->stride && r->stride2 == old->stride2 && r->lanes == old->lanes &&
           r->map == old->map;
}

static uint8_t *write_tensor(uint8_t *p, const gmtrace_record *r, const gmtrace_record *old)
{
    const uint32_t moved[] = {(uint32_t)r->stride - (uint32_t)old->stride,
                              (uint32_t)r->stride2 - (uint32_t)old->stride2, r->lanes - old->lanes};
    for (unsigned i = 0; i < sizeof moved / sizeof *moved; i++)
        p = gmt_write_varint(p, gmt_zigzag((uint64_t)(int64_t)(int32_t)moved[i]));
    return gmt_write_varint(p, r->map);
}

static void end_run(gmt_encoder *encoder)
{
    for (; encoder->run; encoder->run -= encoder->run < 128 ? encoder->run : 128) {
        uint32_t length = encoder->run < 128 ? encoder->run : 128;
        encoder->tokens.data[encoder->tokens.size++] = (uint8_t)(GMT_TOKEN_RUN | (length - 1));
    }
}

bool gmt_encoder_record(gmt_encoder *encoder, const gmtrace_record *record, const void *lanes)
{
    /* Room for the longest record, so that the writes below need no test each. */
    const uint32_t run_tokens = encoder->run / 128 + 2;
    if (!gmt_reserve(&encoder->tokens, run_tokens + 1) || !gmt_reserve(&encoder->fields, 128) ||
        !gmt_reserve(&encoder->pool, 8 * GMTRACE_WARP_LANES + 8))
        return false;
    gmtrace_record r = *record;
    uint8_t *const fields = encoder->fields.data + encoder->fields.size;
    uint8_t *p = fields;
    uint8_t token = 0;

    gmt_entry *previous = &encoder->entry[encoder->previous];
    uint32_t e = find_entry(encoder, &r);
    bool defined = false;
    if (e == GMT_NO_ENTRY) {
        defined = true;
        e = define_entry(encoder, &r);
        if (e == GMT_NO_ENTRY)
            return false;
        previous = &encoder->entry[encoder->previous]; /* the table may have moved */
        token |= GMT_ENTRY_NAMED;
        p = write_definition(encoder, p, &r);
    } else if (e != previous->next[0]) {
        if (e == previous->next[1]) {
            token |= GMT_ENTRY_OTHER;
        } else {
            token |= GMT_ENTRY_NAMED;
            p = gmt_write_varint(p, e);
        }
    }
    gmt_follow(previous, e);
    encoder->previous = e;
    gmt_entry *entry = &encoder->entry[e];

    /* One active lane fits any stride: take the one that is expected. */
    if (r.shape == GMTRACE_AFFINE && entry->record.shape == GMTRACE_AFFINE &&
        r.stride != entry->record.stride && !(r.mask & (r.mask - 1)) && r.kind == GMTRACE_ACCESS) {
        const uint64_t lane = (uint64_t)__builtin_ctz(r.mask);
        r.address += lane * (uint64_t)((int64_t)r.stride - entry->record.stride);
        r.stride = entry->record.stride;
    }

    if (r.mask != entry->record.mask)
        token |= GMT_TOKEN_MASK;
    if (!same_shape(entry, &r, lanes) || (token & GMT_TOKEN_MASK && r.shape >= GMTRACE_OFFSETS))
        token |= GMT_TOKEN_SHAPE;
    if (token & GMT_TOKEN_MASK) {
        gmt_set32(p, r.mask);
        p += 4;
    }
    if (token & GMT_TOKEN_SHAPE)
        p = write_shape(encoder, entry, p, &r, lanes);

    const uint32_t segment = encoder->segment_count;
    if (r.shape < GMTRACE_OFFSETS || (r.shape == GMTRACE_OFFSETS && !(token & GMT_TOKEN_SHAPE))) {
        uint64_t *step = gmt_steps(entry, segment);
        const uint64_t moved = r.address - gmt_base(entry, segment);
        if (moved != step[0]) {
            if (moved == step[1]) {
                token |= GMT_BASE_OTHER;
            } else {
                token |= GMT_BASE_NAMED;
                p = gmt_write_varint(p, gmt_zigzag(moved));
            }
            if (!defined) { /* a first address is no step */
                step[1] = step[0];
                step[0] = moved;
            }
        }
    }
    const bool tensor = r.kind == GMTRACE_TENSOR;
    if (r.aux != entry->record.aux || r.aux64 != entry->record.aux64 ||
        (tensor && !same_tensor(&r, &entry->record))) {
        token |= GMT_TOKEN_AUX;
        p = gmt_write_varint(p, r.aux);
        p = gmt_write_varint(p, gmt_zigzag(r.aux64 - entry->record.aux64));
        if (tensor)
            p = write_tensor(p, &r, &entry->record);
    }

    if (token) {
        end_run(encoder);
        encoder->tokens.data[encoder->tokens.size++] = token;
    } else {
        encoder->run++;
    }
    encoder->fields.size += (size_t)(p - fields);
    gmt_moved(entry, segment, r.address);
    entry->record = r;
    entry->lanes = lanes;
    encoder->context.space_address[r.space] = r.address;
    encoder->context.mask = r.mask;
    encoder->record_count++;
    return true;
}

bool gmt_encoder_finish(gmt_encoder *encoder, uint32_t launch, bool continues, gmt_buffer *payload,
                        uint32_t *flags)
{
    if (!gmt_reserve(&encoder->tokens, encoder->run / 128 + 1))
        return false;
    end_run(encoder);
    gmt_buffer *raw = &encoder->raw;
    const gmt_buffer *stream[4] = {&encoder->segments, &encoder->tokens, &encoder->fields,
                                   &encoder->pool};
    payload->size = raw->size = 0;
    const uint32_t head[8] = {
        launch,
        continues ? GMT_CHUNK_CONTINUES : 0,
        encoder->record_count,
        encoder->segment_count,
        encoder->offset_groups,
        encoder->full_groups,
        continues ? 0 : encoder->ended_ctas,
        encoder->ended_warps,
    };
    for (unsigned i = 0; i < 8; i++)
        gmt_put32(payload, head[i]);
    for (unsigned i = 0; i < 4; i++) {
        gmt_put32(payload, (uint32_t)stream[i]->size);
        gmt_put(raw, stream[i]->data, stream[i]->size);
    }
    bool failed = raw->failed;
    for (unsigned i = 0; i < 4; i++)
        failed |= stream[i]->failed;
    const size_t bound = ZSTD_compressBound(raw->size);
    if (failed || !gmt_reserve(payload, bound + raw->size))
        return false;
    const size_t packed =
        ZSTD_compress2(encoder->pack, payload->data + payload->size, bound, raw->data, raw->size);
    if (ZSTD_isError(packed)) /* there is room for whatever it makes, so it lacks memory */
        return false;
    if (packed < raw->size) {
        payload->size += packed;
        *flags = GMT_FLAG_ZSTD;
    } else {
        gmt_put(payload, raw->data, raw->size);
        *flags = 0;
    }
    start_chunk(encoder);
    return !payload->failed;
}
