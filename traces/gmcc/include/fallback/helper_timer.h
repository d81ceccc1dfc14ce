/* SPDX-License-Identifier: MIT
 *
 * helper_timer.h - the stop watch of NVIDIA's samples, for programs that use it where those are not
 * at hand: the host's clock, in milliseconds.
 */
#ifndef GMCUDA_HELPER_TIMER_H
#define GMCUDA_HELPER_TIMER_H

#include <stdlib.h>
#include <time.h>

typedef struct StopWatchInterface {
    struct timespec start;
    double total, last;
    int sessions, running;
} StopWatchInterface;

static inline double gmcuda_helper_since(const StopWatchInterface *w)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - w->start.tv_sec) * 1e3 +
           (double)(now.tv_nsec - w->start.tv_nsec) * 1e-6;
}
static inline int sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = (StopWatchInterface *)calloc(1, sizeof **timer);
    return *timer != NULL;
}
static inline int sdkDeleteTimer(StopWatchInterface **timer)
{
    free(*timer);
    *timer = NULL;
    return 1;
}
static inline int sdkStartTimer(StopWatchInterface **timer)
{
    clock_gettime(CLOCK_MONOTONIC, &(*timer)->start);
    (*timer)->running = 1;
    return 1;
}
static inline int sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->last = gmcuda_helper_since(*timer);
    (*timer)->total += (*timer)->last;
    (*timer)->sessions++;
    (*timer)->running = 0;
    return 1;
}
static inline int sdkResetTimer(StopWatchInterface **timer)
{
    (*timer)->total = (*timer)->last = 0;
    (*timer)->sessions = 0;
    clock_gettime(CLOCK_MONOTONIC, &(*timer)->start);
    return 1;
}
static inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (float)((*timer)->total + ((*timer)->running ? gmcuda_helper_since(*timer) : 0));
}
static inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->sessions > 0 ? (float)((*timer)->total / (*timer)->sessions) : 0.0f;
}

#endif
