/* SPDX-License-Identifier: MIT
 *
 * section.c - the typed, checksummed pieces that a trace file is made of: headers, payloads,
 * hashes. It does not know what a payload means.
 */
#include "traces/format/internal.h"

#include <errno.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd_errors.h>

uint64_t gmt_hash(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

bool gmt_zstd_lacks_memory(size_t result)
{
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

bool gmt_hash_is(uint64_t stored, uint64_t computed)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored, (void)computed; /* let the fuzzer reach what lies behind the checksums */
    return true;
#else
    return stored == computed;
#endif
}

bool gmt_claim(gmt_budget *budget, uint64_t bytes, uint64_t offset, gmtrace_error *error)
{
    uint64_t used = atomic_load(&budget->used);
    do {
        if (bytes > budget->limit || used > budget->limit - bytes)
            return gmt_fail(
                error, GMTRACE_MEMORY, offset,
                "what lies at byte %llu would take more memory than the limit of %llu bytes; "
                "if you trust the file, raise it with --limit-memory",
                (unsigned long long)offset, (unsigned long long)budget->limit);
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + bytes));
    return true;
}

void gmt_give_back(gmt_budget *budget, uint64_t bytes)
{
    atomic_fetch_sub(&budget->used, bytes);
}

uint64_t gmt_scatter(uint64_t cta)
{
    static _Atomic uint64_t key;
    if (!key) {
        uint64_t drawn = 0;
        if (getentropy(&drawn, sizeof drawn) != 0)
            drawn = (uint64_t)(uintptr_t)&drawn ^ (uint64_t)getpid() << 32;
        key = drawn | 1u;
    }
    return XXH3_64bits_withSeed(&cta, sizeof cta, key);
}

bool gmt_read_at(int fd, uint64_t offset, void *data, size_t size, gmtrace_error *error)
{
    uint8_t *to = data;
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gmt_fail_errno(error, "cannot read");
        if (got == 0)
            return gmt_fail(error, GMTRACE_TRUNCATED, offset + done, "the file ends early");
        done += (size_t)got;
    }
    return true;
}

/* The seed is the section's place in the file, so that a section cannot be mistaken for another. */
void gmt_section_header(const gmt_section *section, uint8_t header[GMT_SECTION_SIZE])
{
    gmt_set32(header, section->type);
    gmt_set32(header + 4, section->flags);
    gmt_set64(header + 8, section->length);
    gmt_set64(header + 16, section->hash);
    gmt_set64(header + 24, gmt_hash(header, 24, section->offset));
}

bool gmt_section_parse(const uint8_t *header, uint64_t file_size, uint64_t offset,
                       gmt_section *section, gmtrace_error *error)
{
    if (!gmt_hash_is(gmt_get64(header + 24), gmt_hash(header, 24, offset)))
        return gmt_fail(error, GMTRACE_CORRUPT, offset,
                        "wrong checksum of a section header at byte %llu",
                        (unsigned long long)offset);
    section->offset = offset;
    section->type = gmt_get32(header);
    section->flags = gmt_get32(header + 4);
    section->length = gmt_get64(header + 8);
    section->hash = gmt_get64(header + 16);
    if (section->flags & ~GMT_KNOWN_FLAGS)
        return gmt_fail(error, GMTRACE_UNSUPPORTED, offset,
                        "section flags 0x%x at byte %llu are from a newer version; update gmsim",
                        section->flags, (unsigned long long)offset);
    if (section->length > file_size - GMT_SECTION_SIZE - offset)
        return gmt_fail(error, GMTRACE_TRUNCATED, offset,
                        "the file ends inside the section at byte %llu",
                        (unsigned long long)offset);
    return true;
}

bool gmt_section_read_header(int fd, uint64_t file_size, uint64_t offset, gmt_section *section,
                             gmtrace_error *error)
{
    if (offset > file_size || file_size - offset < GMT_SECTION_SIZE)
        return gmt_fail(error, GMTRACE_TRUNCATED, offset,
                        "the file ends where a section should begin, at byte %llu",
                        (unsigned long long)offset);
    uint8_t header[GMT_SECTION_SIZE];
    return gmt_read_at(fd, offset, header, sizeof header, error) &&
           gmt_section_parse(header, file_size, offset, section, error);
}

bool gmt_section_read(int fd, const gmt_section *section, ZSTD_DCtx *unpack,
                      const gmt_budget *budget, gmt_buffer *scratch, gmt_buffer *raw,
                      gmtrace_error *error)
{
    const uint64_t offset = section->offset + GMT_SECTION_SIZE;
    if (section->length > GMT_MAX_RAW)
        return gmt_fail(error, GMTRACE_CORRUPT, section->offset,
                        "the section at byte %llu is too long",
                        (unsigned long long)section->offset);
    const size_t length = (size_t)section->length;
    const bool packed = (section->flags & GMT_FLAG_ZSTD) != 0;
    gmt_buffer *stored = packed ? scratch : raw;
    stored->size = raw->size = 0;
    stored->failed = raw->failed = false;
    if (!gmt_reserve(stored, length + 1))
        return gmt_fail_memory(error);
    if (!gmt_read_at(fd, offset, stored->data, length, error))
        return false;
    stored->size = length;
    if (!gmt_hash_is(section->hash, gmt_hash(stored->data, length, 0)))
        return gmt_fail(error, GMTRACE_CORRUPT, section->offset,
                        "wrong checksum of the section at byte %llu",
                        (unsigned long long)section->offset);
    if (!packed)
        return true;
    uint64_t size = length >= 8 ? gmt_get64(stored->data) : UINT64_MAX;
    if (size > GMT_MAX_RAW)
        return gmt_fail(error, GMTRACE_CORRUPT, section->offset,
                        "the section at byte %llu has an impossible unpacked length",
                        (unsigned long long)section->offset);
    /* The buffer is used again: it counts while it is. */
    gmt_budget left = {.limit = budget->limit, .used = budget->used};
    if (!gmt_claim(&left, size + length, section->offset, error))
        return false;
    if (!gmt_reserve(raw, (size_t)size + 1))
        return gmt_fail_memory(error);
    size_t got = ZSTD_decompressDCtx(unpack, raw->data, (size_t)size, stored->data + 8, length - 8);
    if (gmt_zstd_lacks_memory(got))
        return gmt_fail_memory(error);
    if (ZSTD_isError(got) || got != size)
        return gmt_fail(error, GMTRACE_CORRUPT, section->offset,
                        "the section at byte %llu does not unpack",
                        (unsigned long long)section->offset);
    raw->size = got;
    return true;
}
