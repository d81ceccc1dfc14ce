/* SPDX-License-Identifier: MIT
 *
 * operands.c - reading the register file. A bank gives a register a clock, in the order of the
 * instructions, and an instruction issues when it will have read all of each bank within three
 * clocks, or within two what reads one register alone. A result is fresh for six clocks behind its
 * instruction's issue: of fresh ones a bank does not give two to one instruction, which waits until
 * the older of the two is eight clocks old. Results of doubles come two clocks later than others:
 * what would write then issues a clock later. Meanwhile the scheduler issues nothing else
 * (validate/micro/register_reads.cu).
 *
 * Left out: results of other units than those of FP32, of 32-bit IMAD and of integers, which are
 * never fresh; a result that is read so soon that the code is wrong; what went before a memory
 * access, behind which a way begins anew; results of loads, which keep a full scheduler, too.
 */
#include "sim/model/time/operands.h"

#include <glib.h>

#define WITHIN       3u /* clocks */
#define WITHIN_ALONE 2u
#define FRESH        6u
#define SETTLED      8u

/* Clocks since the result that is in the register was issued; more than FRESH: it is not fresh. */
static uint64_t age_of(const gmsim_operands *o, uint8_t number, uint64_t now)
{
    for (uint32_t i = 0; i < MIN(o->results, GMSIM_RESULTS); i++) {
        const uint32_t at = (o->results - 1u - i) % GMSIM_RESULTS;
        if (now - o->written[at] > FRESH)
            break;
        if (o->result[at] == number)
            return now - o->written[at];
    }
    return FRESH + 1u;
}

/* Of the two youngest of a bank the older decides. */
static uint64_t settles(const gmsim_operands *o, const gmtrace_decoded *decoded, uint64_t now)
{
    uint64_t youngest[2] = {FRESH + 1u, FRESH + 1u}, second[2] = {FRESH + 1u, FRESH + 1u};
    for (unsigned s = 0; s < decoded->sources; s++) {
        const uint64_t age = age_of(o, decoded->source[s], now);
        const unsigned b = decoded->source[s] & 1u;
        second[b] = MIN(second[b], MAX(age, youngest[b]));
        youngest[b] = MIN(youngest[b], age);
    }
    const uint64_t older = MIN(second[0], second[1]);
    return older <= FRESH ? now + SETTLED - older : now;
}

uint64_t gmsim_operands_read(gmsim_operands *o, const gmtrace_decoded *decoded, uint64_t now)
{
    const uint64_t within = decoded->reads[0] + decoded->reads[1] == 1 ? WITHIN_ALONE : WITHIN;
    if (decoded->sources > 1)
        now = settles(o, decoded, now);
    for (unsigned b = 0; b < 2; b++) {
        const uint64_t early = within - MIN(decoded->reads[b], within);
        if (decoded->reads[b] && o->bank[b] > now + early)
            now = o->bank[b] - early;
    }
    if (decoded->results)
        for (unsigned k = 2; k-- > 0;) /* the older first */
            now += o->late[k] && now + 1u == o->late[k] + GMSIM_LATER;
    if (decoded->writes_late) {
        o->late[1] = o->late[0];
        o->late[0] = now + 1u;
    }
    for (unsigned b = 0; b < 2; b++)
        if (decoded->reads[b])
            o->bank[b] = MAX(o->bank[b], now) + decoded->reads[b];
    if (decoded->results) {
        o->written[o->results % GMSIM_RESULTS] = now;
        o->result[o->results++ % GMSIM_RESULTS] = decoded->result;
    }
    return now;
}
