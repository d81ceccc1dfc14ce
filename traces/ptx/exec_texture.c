/* SPDX-License-Identifier: MIT
 *
 * exec_texture.c - reads of textures and accesses to surfaces, as the CUDA C++ Programming Guide
 * defines them in "Texture Fetching": coordinates, addressing modes, and the linear filter with
 * its weights of 8 fractional bits. A trace has these operations without their addresses: no
 * texture cache is modelled. Left out: what decode_texture.c leaves out.
 */
#include "traces/ptx/texture.h"

typedef union texel {
    float f;
    int32_t i;
    uint32_t u;
} texel;

/* The place of a texel in one dimension; -1: the border. */
static int64_t place(int64_t i, uint32_t extent, gmptx_texture_address mode)
{
    const int64_t n = extent;
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case GMPTX_TEXTURE_WRAP:
        return (i % n + n) % n;
    case GMPTX_TEXTURE_MIRROR:
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case GMPTX_TEXTURE_BORDER:
        return -1;
    case GMPTX_TEXTURE_CLAMP:
        break;
    }
    return i < 0 ? 0 : n - 1;
}

static texel read_channel(const gmptx_texture *t, const uint8_t *from)
{
    texel out = {.u = 0};
    const double top = (double)((1ull << (t->bits - (t->kind == GMPTX_TEXTURE_SIGNED))) - 1);
    uint32_t bits = 0;
    memcpy(&bits, from, t->bits / 8u);
    if (t->kind == GMPTX_TEXTURE_FLOAT) {
        if (t->bits == 16)
            out.f = gmptx_half_to_float((uint16_t)bits);
        else
            out.u = bits;
        return out;
    }
    if (t->kind == GMPTX_TEXTURE_SIGNED)
        out.i = (int32_t)(bits << (32 - t->bits)) >> (32 - t->bits);
    else
        out.u = bits;
    if (!t->normalized)
        return out;
    const double v = t->kind == GMPTX_TEXTURE_SIGNED ? (double)out.i : (double)out.u;
    out.f = (float)(v / top < -1 ? -1 : v / top);
    return out;
}

static void read_texel(const gmptx_texture *t, const int64_t at[3], uint32_t layer, texel out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c].u = 0;
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        for (unsigned c = 0; c < t->channels; c++)
            if (t->kind == GMPTX_TEXTURE_FLOAT || t->normalized)
                out[c].f = t->border[c];
            else
                out[c].i = (int32_t)t->border[c];
        return;
    }
    const uint8_t *from = t->texels + (uint64_t)at[2] * t->slice_bytes + layer * t->slice_bytes +
                          (uint64_t)at[1] * t->row_bytes +
                          (uint64_t)at[0] * t->channels * (t->bits / 8u);
    for (unsigned c = 0; c < t->channels; c++)
        out[c] = read_channel(t, from + c * (t->bits / 8u));
}

static double floor_within(double v)
{
    return floor(isnan(v) ? 0 : v < -0x1p40 ? -0x1p40 : v > 0x1p40 ? 0x1p40 : v);
}

static void nearest(const gmptx_texture *t, unsigned dimensions, const double x[3], uint32_t layer,
                    texel out[4])
{
    int64_t at[3] = {0};
    for (unsigned k = 0; k < dimensions; k++)
        at[k] =
            place((int64_t)floor_within(x[k]), t->extent[k], (gmptx_texture_address)t->address[k]);
    read_texel(t, at, layer, out);
}

static void linear(const gmptx_texture *t, unsigned dimensions, const double x[3], uint32_t layer,
                   texel out[4])
{
    double weight[3] = {0}, sum[4] = {0};
    int64_t low[3] = {0};
    for (unsigned k = 0; k < dimensions; k++) {
        const double from = x[k] - 0.5, whole = floor_within(from);
        low[k] = (int64_t)whole;
        weight[k] = isfinite(from) ? rint((from - whole) * 256) / 256 : 0;
    }
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        int64_t at[3] = {0};
        double share = 1;
        texel one[4];
        for (unsigned k = 0; k < dimensions; k++) {
            const unsigned upper = corner >> k & 1;
            at[k] = place(low[k] + upper, t->extent[k], (gmptx_texture_address)t->address[k]);
            share *= upper ? weight[k] : 1 - weight[k];
        }
        if (share == 0)
            continue;
        read_texel(t, at, layer, one);
        for (unsigned c = 0; c < t->channels; c++)
            sum[c] += share * (double)one[c].f;
    }
    for (unsigned c = 0; c < 4; c++)
        out[c].f = (float)sum[c];
}

/* The object's description; NULL and a fault where there is none. */
static const gmptx_texture *find(ptx_warp *w, const ptx_op *op, unsigned lane, bool surface)
{
    const gmptx_launch *launch = w->cta->launch;
    const uint64_t object = ((const uint64_t *)lanes_of(w, op->address))[lane];
    const gmptx_texture *t =
        launch->texture != NULL ? launch->texture(launch->check_user, object) : NULL;
    const unsigned size = t != NULL ? (t->bits / 8u) * t->channels : 0;
    if (t != NULL && t->surface == surface && size != 0)
        return t;
    w->cta->fault.address = object;
    gmptx_fault_at(w, op, lane, GMPTX_FAULT_INSTRUCTION);
    return NULL;
}

static uint32_t layer_of(const gmptx_texture *t, const ptx_warp *w, const ptx_op *op, unsigned at,
                         unsigned lane)
{
    if (!op->mode2)
        return 0;
    const int32_t layer = ((const int32_t *)lanes_of(w, op->r[at]))[lane];
    return (uint32_t)place(layer, t->layers, GMPTX_TEXTURE_CLAMP);
}

void gmptx_run_texture(ptx_warp *w, const ptx_op *op)
{
    const unsigned first = 4u + op->mode2;
    const gmptx_texture *t = NULL;
    uint64_t known = 0;
    EACH_ACTIVE(w)
    {
        const uint64_t object = ((const uint64_t *)lanes_of(w, op->address))[i];
        double x[3] = {0};
        texel out[4];
        if (t == NULL || object != known) {
            t = find(w, op, i, false);
            if (t == NULL)
                return;
            known = object;
        }
        const bool reads_float = t->kind == GMPTX_TEXTURE_FLOAT || t->normalized;
        if (reads_float != (op->type == PTX_F32)) {
            gmptx_fault_at(w, op, i, GMPTX_FAULT_INSTRUCTION);
            return;
        }
        const uint32_t layer = layer_of(t, w, op, 4, i);
        for (unsigned k = 0; k < op->mode; k++) {
            const void *from = lanes_of(w, op->r[first + k]);
            x[k] = op->type2 == PTX_F32 ? (double)((const float *)from)[i] *
                                              (t->normalized_coordinates ? t->extent[k] : 1)
                                        : (double)((const int32_t *)from)[i];
        }
        if (t->linear && op->type2 == PTX_F32)
            linear(t, op->mode, x, layer, out);
        else
            nearest(t, op->mode, x, layer, out);
        for (unsigned c = 0; c < 4; c++)
            ((uint32_t *)lanes_of(w, op->r[c]))[i] = out[c].u;
    }
    record_exec(w, op, w->active);
}

/* Where a surface's access begins; NULL outside, after a fault where that is asked for. */
static uint8_t *surface_place(ptx_warp *w, const ptx_op *op, unsigned first, unsigned lane,
                              unsigned bytes)
{
    const gmptx_texture *t = find(w, op, lane, true);
    if (t == NULL)
        return NULL;
    const unsigned element = t->channels * (t->bits / 8u);
    const uint32_t extent[3] = {t->extent[0] * element, t->extent[1], t->extent[2]};
    int64_t at[3] = {0};
    bool outside = false, fits = true;
    for (unsigned k = 0; k < op->mode; k++) {
        const int64_t room = (int64_t)extent[k] - (k == 0 ? bytes : 1);
        at[k] = ((const int32_t *)lanes_of(w, op->r[first + op->mode2 + k]))[lane];
        outside = outside || at[k] < 0 || at[k] > room;
        fits = fits && room >= 0;
        if (op->imm == 1)
            at[k] = at[k] < 0 ? 0 : at[k] > room ? room : at[k];
    }
    const bool faults = !fits || at[0] % bytes != 0 || (outside && op->imm == 0);
    if (faults && w->cta->fault.kind == GMPTX_FAULT_NONE) {
        w->cta->fault.address = (uint64_t)at[0]; /* in its row */
        w->cta->fault.bytes = bytes;
        w->cta->fault.is_write = op->writes == 0;
    }
    if (faults)
        gmptx_fault_at(w, op, lane,
                       at[0] % bytes != 0 ? GMPTX_FAULT_MISALIGNED : GMPTX_FAULT_ACCESS);
    if (faults || (outside && op->imm != 1))
        return NULL;
    return t->texels + ((uint64_t)at[2] + layer_of(t, w, op, first, lane)) * t->slice_bytes +
           (uint64_t)at[1] * t->row_bytes + (uint64_t)at[0];
}

static void run_surface(ptx_warp *w, const ptx_op *op, unsigned data, unsigned first, bool load)
{
    const unsigned each = gmptx_type_bytes((ptx_type)op->type), width = op->width[0];
    EACH_ACTIVE(w)
    {
        uint8_t *p = surface_place(w, op, first, i, each * op->count);
        if (w->cta->fault.kind != GMPTX_FAULT_NONE)
            return;
        for (unsigned e = 0; e < op->count; e++) {
            uint8_t *reg = (uint8_t *)lanes_of(w, op->r[data + e]) + i * width;
            if (load)
                memset(reg, 0, width);
            if (p != NULL)
                memcpy(load ? reg : p + e * each, load ? p + e * each : reg, each);
        }
    }
    record_exec(w, op, w->active);
}

void gmptx_run_surface_load(ptx_warp *w, const ptx_op *op)
{
    run_surface(w, op, 0, op->count, true);
}

void gmptx_run_surface_store(ptx_warp *w, const ptx_op *op)
{
    run_surface(w, op, op->mode + op->mode2, 0, false);
}
