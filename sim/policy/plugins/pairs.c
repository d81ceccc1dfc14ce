/* SPDX-License-Identifier: MIT
 *
 * pairs.c - an order of CTAs: two in a row go to one SM, where the second may find in L1 what the
 * first has read.
 *
 *     cc -O2 -fPIC -shared $(pkg-config --cflags gmsim) pairs.c -o pairs.so
 *     gmsim --plugin pairs.so --set launch.order=pairs --trace F
 */
#include <sim/policy/plugin.h>

typedef struct pairs {
    uint32_t sm, given; /* the SM whose turn it is; CTAs that it got in this turn */
} pairs;

static uint32_t next(void *data, const gmsim_plugin_launch *launch, uint64_t cta,
                     const uint8_t *held)
{
    pairs *state = data;
    (void)cta;
    while (state->given == 2 || held[state->sm] == launch->places) {
        state->sm = (state->sm + 1) % launch->sms;
        state->given = 0;
    }
    state->given++;
    return state->sm;
}

static const gmsim_plugin_order order = {.next = next};

GMSIM_PLUGIN = {
    .version = GMSIM_PLUGIN_VERSION,
    .name = "pairs",
    .about = "two CTAs in a row go to one SM",
    .order = &order,
};
