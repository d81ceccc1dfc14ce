/* SPDX-License-Identifier: MIT
 *
 * sm_times.h - when the first warp of an SM began and the last ended, over all its CTAs, and the
 * mean over SMs of what lies between. Kernels take the minimum and the maximum of clock64().
 */
#ifndef GMSIM_MICRO_SM_TIMES_H
#define GMSIM_MICRO_SM_TIMES_H

#include <string.h>

struct times {
    unsigned long long first[256], last[256];
};

__device__ static unsigned sm_number()
{
    unsigned sm;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    return sm;
}

/* Before a launch; `t` is the device's. */
static inline cudaError_t times_clear(times *t)
{
    times host;
    memset(&host, 0, sizeof host);
    memset(host.first, 0xff, sizeof host.first);
    return cudaMemcpy(t, &host, sizeof host, cudaMemcpyHostToDevice);
}

/* After it: clocks, of SMs that had a CTA. */
static inline double times_mean(const times *host)
{
    double clocks = 0;
    unsigned sms = 0;
    for (unsigned i = 0; i < 256; i++)
        if (host->last[i])
            clocks += (double)(host->last[i] - host->first[i]), sms++;
    return clocks / sms;
}

#endif
