/* SPDX-License-Identifier: MIT
 *
 * particles.cu - position += velocity * dt for n particles of eight floats, of which the update
 * needs six, in three layouts: array of structures, structure of arrays, and an array of
 * structures that each hold eight particles (AoSoA), where a field of eight neighbours fills one
 * 32-byte sector. dt is 1/2, so that the comparison is exact.
 */
#include "kernels/gmkernels.h"

#define DT    0.5f
#define GROUP 8

struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

struct particle_arrays {
    float *x, *y, *z, *vx, *vy, *vz, *mass, *charge;
};

struct particle_group {
    float x[GROUP], y[GROUP], z[GROUP], vx[GROUP], vy[GROUP], vz[GROUP], mass[GROUP], charge[GROUP];
};

__global__ void particles_aos(particle *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].vx * DT;
        p[i].y += p[i].vy * DT;
        p[i].z += p[i].vz * DT;
    }
}

__global__ void particles_soa(particle_arrays p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p.x[i] += p.vx[i] * DT;
        p.y[i] += p.vy[i] * DT;
        p.z[i] += p.vz[i] * DT;
    }
}

__global__ void particles_aosoa(particle_group *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        particle_group &g = p[i / GROUP];
        int k = i % GROUP;
        g.x[k] += g.vx[k] * DT;
        g.y[k] += g.vy[k] * DT;
        g.z[k] += g.vz[k] * DT;
    }
}

/* Field f of particle i lies at index(i, f) of one array of 8 n floats. */
enum layout { AOS, SOA, AOSOA };

static size_t index(layout how, size_t n, size_t i, int f)
{
    switch (how) {
    case AOS:
        return i * 8 + f;
    case SOA:
        return f * n + i;
    default:
        return i / GROUP * GROUP * 8 + f * GROUP + i % GROUP;
    }
}

static void update(gmk_run &run, layout how)
{
    int n = run.size;
    if (n % GROUP)
        gmk_fail(false, "--size must be a multiple of %d", GROUP);
    gmk_array<float> p((size_t)n * 8);
    p.fill(1, -1000, 1000);
    int blocks = gmk_blocks(n, run.block);
    switch (how) {
    case AOS:
        particles_aos<<<blocks, run.block>>>((particle *)p.device, n);
        break;
    case SOA: {
        float *d = p.device;
        size_t s = n;
        particle_arrays arrays = {d,         d + s,     d + 2 * s, d + 3 * s,
                                  d + 4 * s, d + 5 * s, d + 6 * s, d + 7 * s};
        particles_soa<<<blocks, run.block>>>(arrays, n);
        break;
    }
    case AOSOA:
        particles_aosoa<<<blocks, run.block>>>((particle_group *)p.device, n);
        break;
    }
    gmk_finish();
    if (!run.check)
        return;
    float *want = p.expect(); /* starts as the input; the update is made on the CPU */
    for (int i = 0; i < n; i++)
        for (int f = 0; f < 3; f++)
            want[index(how, n, i, f)] += want[index(how, n, i, f + 3)] * DT;
    gmk_compare(run, p, 0);
}

static const gmk_kernel table[] = {
    {"particles_aos", 1 << 19, 1 << 14, 1 << 27, 256, true,
     "array of structures: wastes most of every line", [](gmk_run &run) { update(run, AOS); }},
    {"particles_soa", 1 << 19, 1 << 14, 1 << 27, 256, true, "structure of arrays: coalesced",
     [](gmk_run &run) { update(run, SOA); }},
    {"particles_aosoa", 1 << 19, 1 << 14, 1 << 27, 256, true,
     "blocks of 8: every sector full, four lines a warp", [](gmk_run &run) { update(run, AOSOA); }},
};
GMK_TOPIC(gmk_particles, "particles");
