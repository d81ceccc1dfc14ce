/* SPDX-License-Identifier: MIT
 *
 * exec_convert.c - the conversions that most programs consist of, a loop over all lanes each: whole
 * numbers among one another, to floats rounded to the nearest, and floats to whole numbers. What
 * saturates, rounds otherwise, or is half a float is exec_move.c's, which can do these, too, and
 * gives the same bits.
 */
#include "traces/ptx/exec.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

/* From a register of `F`, as `FROM` of it, to `TO` in a register of `T`. */
#define WHOLE(NAME, T, TO, F, FROM) RUN1(NAME, T, F, (T)(TO)(FROM)a)
WHOLE(u64_u32, uint64_t, uint64_t, uint32_t, uint32_t)
WHOLE(u64_s32, uint64_t, uint64_t, uint32_t, int32_t)
WHOLE(u32_u64, uint32_t, uint32_t, uint64_t, uint64_t)
WHOLE(u32_u16, uint32_t, uint32_t, uint16_t, uint16_t)
WHOLE(u32_s16, uint32_t, uint32_t, uint16_t, int16_t)
WHOLE(u32_u8_of_16, uint32_t, uint32_t, uint16_t, uint8_t)
WHOLE(u32_s8_of_16, uint32_t, uint32_t, uint16_t, int8_t)
WHOLE(u32_u8_of_32, uint32_t, uint32_t, uint32_t, uint8_t)
WHOLE(u32_s8_of_32, uint32_t, uint32_t, uint32_t, int8_t)
WHOLE(u16_u32, uint16_t, uint16_t, uint32_t, uint32_t)
WHOLE(u64_u16, uint64_t, uint64_t, uint16_t, uint16_t)

RUN1(f32_s32, float, int32_t, a)
RUN1(f32_u32, float, uint32_t, a)
RUN1(f64_s32, double, int32_t, a)
RUN1(f64_u32, double, uint32_t, a)
RUN1(f64_f32, double, float, a)
RUN1(f64_f32_ftz, double, float, flush(a))
RUN1(f32_f64, float, double, a)

/* Beyond the type's range its end, and 0 of what is no number. */
static inline int32_t to_s32(double v)
{
    v = isnan(v) ? 0 : v;
    v = v > 2147483647.0 ? 2147483647.0 : v;
    return (int32_t)(v < -2147483648.0 ? -2147483648.0 : v);
}
static inline uint32_t to_u32(double v)
{
    v = v > 0 ? v : 0; /* false of what is no number */
    v = v > 4294967295.0 ? 4294967295.0 : v;
    return (uint32_t)(int32_t)(v - 2147483648.0) ^ UINT32_C(0x80000000);
}
#define FLOATS(WAY, ROUND)                                                                         \
    RUN1(s32_f32_##WAY, uint32_t, float, to_s32(ROUND((double)a)))                                 \
    RUN1(u32_f32_##WAY, uint32_t, float, to_u32(ROUND((double)a)))                                 \
    RUN1(s32_f64_##WAY, uint32_t, double, to_s32(ROUND(a)))                                        \
    RUN1(u32_f64_##WAY, uint32_t, double, to_u32(ROUND(a)))                                        \
    RUN1(f32_f32_##WAY, float, float, ROUND((double)a))
FLOATS(rni, nearbyint)
FLOATS(rzi, trunc)
FLOATS(rmi, floor)
FLOATS(rpi, ceil)

typedef struct row {
    uint8_t to, from, width[2];
    ptx_run run[4]; /* by mode2 - 1; the first where there is none */
} row;

#define WAYS(NAME) NAME##_rni, NAME##_rzi, NAME##_rmi, NAME##_rpi

ptx_run gmptx_plain_cvt(const ptx_op *op)
{
    static const row plain[] = {
        {PTX_U64, PTX_U32, {8, 4}, {u64_u32}},     {PTX_S64, PTX_U32, {8, 4}, {u64_u32}},
        {PTX_U64, PTX_S32, {8, 4}, {u64_s32}},     {PTX_S64, PTX_S32, {8, 4}, {u64_s32}},
        {PTX_U32, PTX_U64, {4, 8}, {u32_u64}},     {PTX_U32, PTX_S64, {4, 8}, {u32_u64}},
        {PTX_S32, PTX_U64, {4, 8}, {u32_u64}},     {PTX_S32, PTX_S64, {4, 8}, {u32_u64}},
        {PTX_U32, PTX_U16, {4, 2}, {u32_u16}},     {PTX_S32, PTX_U16, {4, 2}, {u32_u16}},
        {PTX_U32, PTX_S16, {4, 2}, {u32_s16}},     {PTX_S32, PTX_S16, {4, 2}, {u32_s16}},
        {PTX_U32, PTX_U8, {4, 2}, {u32_u8_of_16}}, {PTX_S32, PTX_U8, {4, 2}, {u32_u8_of_16}},
        {PTX_U32, PTX_S8, {4, 2}, {u32_s8_of_16}}, {PTX_S32, PTX_S8, {4, 2}, {u32_s8_of_16}},
        {PTX_U32, PTX_U8, {4, 4}, {u32_u8_of_32}}, {PTX_S32, PTX_U8, {4, 4}, {u32_u8_of_32}},
        {PTX_U32, PTX_S8, {4, 4}, {u32_s8_of_32}}, {PTX_S32, PTX_S8, {4, 4}, {u32_s8_of_32}},
        {PTX_U16, PTX_U32, {2, 4}, {u16_u32}},     {PTX_S16, PTX_U32, {2, 4}, {u16_u32}},
        {PTX_U16, PTX_S32, {2, 4}, {u16_u32}},     {PTX_S16, PTX_S32, {2, 4}, {u16_u32}},
        {PTX_U64, PTX_U16, {8, 2}, {u64_u16}},     {PTX_S64, PTX_U16, {8, 2}, {u64_u16}},
        {PTX_F32, PTX_S32, {4, 4}, {f32_s32}},     {PTX_F32, PTX_U32, {4, 4}, {f32_u32}},
        {PTX_F64, PTX_S32, {8, 4}, {f64_s32}},     {PTX_F64, PTX_U32, {8, 4}, {f64_u32}},
        {PTX_F64, PTX_F32, {8, 4}, {f64_f32}},     {PTX_F32, PTX_F64, {4, 8}, {f32_f64}},
    };
    static const row whole[] = {
        {PTX_S32, PTX_F32, {4, 4}, {WAYS(s32_f32)}}, {PTX_U32, PTX_F32, {4, 4}, {WAYS(u32_f32)}},
        {PTX_S32, PTX_F64, {4, 8}, {WAYS(s32_f64)}}, {PTX_U32, PTX_F64, {4, 8}, {WAYS(u32_f64)}},
        {PTX_F32, PTX_F32, {4, 4}, {WAYS(f32_f32)}},
    };
    const bool flushes = op->flags & PTX_FLAG_FTZ;
    const row *table = op->mode2 ? whole : plain;
    const unsigned count = op->mode2 ? sizeof whole / sizeof *whole : sizeof plain / sizeof *plain;
    if (op->flags & PTX_FLAG_SATURATE || op->mode)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        const row *r = &table[i];
        const ptx_run run = r->run[op->mode2 ? op->mode2 - 1 : 0];
        if (r->to != op->type || r->from != op->type2 || r->width[0] != op->width[0] ||
            r->width[1] != op->width[1])
            continue;
        /* To the nearest, or to 0, what would be flushed is 0 anyway. */
        if (!flushes || (op->mode2 && op->mode2 < 3 && r->to != PTX_F32))
            return run;
        return run == f64_f32 ? f64_f32_ftz : NULL;
    }
    return NULL;
}
