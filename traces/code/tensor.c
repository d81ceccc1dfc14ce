/* SPDX-License-Identifier: MIT
 *
 * tensor.c - see tensor.h.
 */
#include "traces/code/tensor.h"

#include <string.h>

bool gmtrace_tensor_read(const uint64_t w[GMTRACE_TENSOR_WORDS], gmtrace_tensor *tensor)
{
    /* u8 u16 u32 s32 u64 s64 f16 f32 f32-ftz f64 bf16 */
    static const uint8_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};
    const uint32_t form = (uint32_t)w[1], type = form >> 7 & 15;
    const bool im2col = form & 1, interleaved = form >> 11 & 3;
    memset(tensor, 0, sizeof *tensor);
    tensor->rank = (form >> 4 & 7) + 1;
    if (im2col || interleaved || tensor->rank > GMTRACE_TENSOR_DIMS || type >= sizeof element)
        return false;
    tensor->base = w[0];
    tensor->element = element[type];
    tensor->promote = (form >> 17 & 3) ? 32u << (form >> 17 & 3) : 0;
    const uint64_t low[] = {w[1] >> 32, (uint32_t)w[2], w[2] >> 32, (uint32_t)w[3]};
    const uint64_t last[] = {(uint32_t)w[4], w[4] >> 32, (uint32_t)w[5], w[5] >> 32,
                             (uint32_t)w[6]};
    for (unsigned i = 0; i < GMTRACE_TENSOR_DIMS; i++) {
        const bool used = i < tensor->rank;
        tensor->size[i] = used ? last[i] + 1 : 1;
        tensor->every[i] = used ? (uint32_t)(w[6] >> (32 + 3 * i) & 7) + 1 : 1;
        tensor->box[i] = !used    ? 1
                         : i == 0 ? (uint32_t)(w[6] >> 56) + 1
                                  : (uint32_t)(w[7] >> (8 * (i - 1)) & 255) + 1;
        if (i && used)
            tensor->stride[i] = (low[i - 1] | (w[3] >> (32 + 4 * (i - 1)) & 15) << 32) << 4;
    }
    tensor->stride[0] = tensor->element;
    return tensor->every[0] == 1;
}

static uint32_t steps(const gmtrace_tensor *tensor, unsigned i)
{
    return (tensor->box[i] + tensor->every[i] - 1) / tensor->every[i];
}

uint32_t gmtrace_tensor_rows(const gmtrace_tensor *tensor)
{
    uint64_t rows = 1;
    for (unsigned i = 1; i < GMTRACE_TENSOR_DIMS; i++)
        rows *= steps(tensor, i);
    return rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX;
}

bool gmtrace_tensor_touches(const gmtrace_tensor *tensor,
                            const int32_t coordinate[GMTRACE_TENSOR_DIMS])
{
    bool touches = true;
    for (unsigned i = 0; i < tensor->rank; i++) {
        const int64_t every = tensor->every[i], at = coordinate[i];
        const int64_t first = at < 0 ? at + (-at + every - 1) / every * every : at;
        touches &= first < at + (int64_t)tensor->box[i] && first < (int64_t)tensor->size[i];
    }
    return touches;
}

void gmtrace_tensor_begin(gmtrace_tensor_walk *walk, const gmtrace_tensor *tensor,
                          const int32_t coordinate[GMTRACE_TENSOR_DIMS])
{
    *walk = (gmtrace_tensor_walk){
        .tensor = tensor, .coordinate = coordinate, .left = gmtrace_tensor_rows(tensor)};
}

bool gmtrace_tensor_next(gmtrace_tensor_walk *walk, gmtrace_tensor_row *row)
{
    const gmtrace_tensor *t = walk->tensor;
    if (walk->left == 0)
        return false;
    walk->left--;
    const int64_t first = walk->coordinate[0], size = (int64_t)t->size[0];
    int64_t begin = first < 0 ? -first : 0, end = size - first;
    bool inside = true;
    row->address = t->base + (uint64_t)first * t->element;
    for (unsigned i = 1; i < t->rank; i++) {
        const int64_t at = (int64_t)walk->coordinate[i] + walk->at[i];
        inside &= at >= 0 && (uint64_t)at < t->size[i];
        row->address += (uint64_t)at * t->stride[i];
    }
    end = end < (int64_t)t->box[0] ? end : (int64_t)t->box[0];
    if (!inside || end <= begin)
        begin = end = 0;
    row->begin = (uint32_t)begin * t->element;
    row->end = (uint32_t)end * t->element;
    for (unsigned i = 1; i < t->rank; i++) {
        walk->at[i] += t->every[i];
        if (walk->at[i] < t->box[i])
            break;
        walk->at[i] = 0;
    }
    return true;
}
