/* SPDX-License-Identifier: MIT
 *
 * policy.c - the tables of the policies and their names, made from the lists in their headers.
 */
#include "sim/policy/hash.h"
#include "sim/policy/order.h"
#include "sim/policy/prefetch.h"
#include "sim/policy/replacement.h"
#include "sim/policy/write.h"

#define NAME(name) #name,

#define REPLACEMENT(name) {gmsim_##name##_fill, gmsim_##name##_use, gmsim_##name##_victim},
const gmsim_replacement gmsim_replacements[] = {GMSIM_REPLACEMENTS(REPLACEMENT)};
const char *const gmsim_replacement_names[] = {GMSIM_REPLACEMENTS(NAME)};

#define HASH(name) {gmsim_##name##_mix},
const gmsim_hash gmsim_hashes[] = {GMSIM_HASHES(HASH)};
const char *const gmsim_hash_names[] = {GMSIM_HASHES(NAME)};

#define WRITE(name) {gmsim_##name##_write},
const gmsim_write gmsim_writes[] = {GMSIM_WRITES(WRITE)};
const char *const gmsim_write_names[] = {GMSIM_WRITES(NAME)};

#define ORDER(name) {gmsim_##name##_deal},
const gmsim_order gmsim_orders[] = {GMSIM_ORDERS(ORDER)};
const char *const gmsim_order_names[] = {GMSIM_ORDERS(NAME)};

const char *const gmsim_prefetch_names[] = {"none"};
