/* SPDX-License-Identifier: MIT
 *
 * keys.c - the schema table, and text to number and back. GKeyFile's own conversions accept too
 * much (128KiB fails, "8 # ways" passes), so values are parsed here, to the last character.
 */
#include "sim/device/keys.h"

#include "sim/device/cost.h"
#include "sim/policy/hash.h"
#include "sim/policy/order.h"
#include "sim/policy/prefetch.h"
#include "sim/policy/replacement.h"
#include "sim/policy/write.h"
#include "traces/gmtrace.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(gmsim_gpu, name)

/* A file must give the key; may, and the model does without; or has it by default: what every GPU
 * of today does, or what was measured on an H200. */
/* clang-format off */
#define ROW(group, key, kind, least, most, unknown, text, meaning)                                 \
    {#group, #key, GMSIM_KEY_##kind, FIELD(group##_##key), least, most, unknown, text, meaning,   \
     NULL, 0}
/* A policy; those before `least` are not for this place. Plug-ins may have others. */
#define POLICY(group, key, kind, names, least, text, meaning)                                      \
    {#group, #key, GMSIM_KEY_NAME, FIELD(group##_##key), least, GMSIM_##kind##_COUNT - 1u, false, text,   \
     meaning, names, 0}
#define PLUGGED(group, key, kind, names, part, text, meaning)                                      \
    {#group, #key, GMSIM_KEY_NAME, FIELD(group##_##key), 0, GMSIM_##kind##_COUNT - 1u, false, text,   \
     meaning, names, offsetof(gmsim_plugin, part)}
/* clang-format on */
#define NEEDED(group, key, kind, least, most, meaning)                                             \
    ROW(group, key, kind, least, most, false, NULL, meaning)
#define MAYBE(group, key, kind, least, most, meaning)                                              \
    ROW(group, key, kind, least, most, true, "unknown", meaning)
#define GIVEN(group, key, kind, least, most, text, meaning)                                        \
    ROW(group, key, kind, least, most, false, text, meaning)

#define COST(key, text, meaning) ROW(pipe, key, COST, 0, 0, false, text, meaning)

const gmsim_key gmsim_keys[] = {
    {"gpu", "title", GMSIM_KEY_TEXT, FIELD(title), 0, 63, false, NULL, "the part's name", NULL, 0},
    NEEDED(gpu, cc_major, COUNT, 7, 12, "compute capability, before the point"),
    NEEDED(gpu, cc_minor, COUNT, 0, 9, "compute capability, after the point"),
    NEEDED(gpu, sm_count, COUNT, 1, 1024, "SMs"),
    NEEDED(gpu, clock_mhz, COUNT, 100, 10000, "SM clock under load"),
    NEEDED(occupancy, warps_per_sm, COUNT, 1, 64, "resident warps an SM"),
    NEEDED(occupancy, threads_per_sm, COUNT, 32, 2048, "resident threads an SM"),
    GIVEN(occupancy, threads_per_block, COUNT, 32, 1024, "1024", "threads a CTA may have"),
    NEEDED(occupancy, blocks_per_sm, COUNT, 1, 32, "resident CTAs an SM"),
    NEEDED(occupancy, registers_per_sm, COUNT, 1024, 1u << 20, "32-bit registers an SM"),
    NEEDED(occupancy, registers_per_block, COUNT, 1024, 1u << 20,
           "32-bit registers a CTA may have"),
    GIVEN(occupancy, registers_per_thread, COUNT, 16, 256, "256",
          "32-bit registers a thread may have"),
    GIVEN(occupancy, register_unit, COUNT, 1, 4096, "256",
          "a warp's registers are rounded up to this"),
    GIVEN(occupancy, sub_partitions, COUNT, 1, 8, "4",
          "sub-partitions of an SM; registers are divided among them"),
    GIVEN(occupancy, barriers_per_sm, COUNT, 0, 1024, "0",
          "named barriers an SM; 0: they limit nothing"),
    NEEDED(shared, per_sm, SIZE, 1024, 1u << 20, "largest carve-out"),
    NEEDED(shared, per_block, SIZE, 1024, 1u << 20,
           "shared memory a CTA may have without opting in"),
    NEEDED(shared, per_block_optin, SIZE, 1024, 1u << 20,
           "shared memory a CTA may have after opting in"),
    GIVEN(shared, reserved, SIZE, 0, 1u << 16, "1K", "shared memory the system takes in each CTA"),
    GIVEN(shared, unit, SIZE, 1, 1u << 16, "128", "a CTA's shared memory is rounded up to this"),
    MAYBE(shared, generous, SIZE, 0, 1u << 20,
          "carve-out up to which the driver leaves room for twice the CTAs"),
    NEEDED(shared, carveouts, SIZES, 0, 1u << 20, "carve-outs the hardware offers"),
    NEEDED(shared, latency, COUNT, 1, 10000, "clocks of a shared load without conflict"),
    GIVEN(shared, wavefront, COUNT, 0, 1000, "2",
          "clocks that each further wavefront adds to a load"),
    GIVEN(shared, issue, COUNT, 0, 64, "4", "clocks between two accesses of a sub-partition"),
    GIVEN(shared, load16, COUNT, 0, 64, "2",
          "clocks that a load of 16 bytes a lane takes at least"),
    NEEDED(l1, size, SIZE, 1024, 1u << 22, "unified L1 and shared memory of an SM"),
    NEEDED(l1, max_cache, SIZE, 1024, 1u << 22, "most of it that caches"),
    NEEDED(l1, sets, COUNT, 1, 4096, "sets of L1, whatever its size"),
    GIVEN(l1, ways, COUNT, 0, 4, "4",
          "lines that a set of L1 has tags for; 0: as many as L1 has room for"),
    PLUGGED(l1, replacement, REPLACEMENT, gmsim_replacement_names, replacement, "slru",
            "which line of a full set leaves"),
    POLICY(l1, hash, HASH, gmsim_hash_names, 0, "banked", "which set a line belongs to"),
    POLICY(l1, write, WRITE, gmsim_write_names, GMSIM_WRITE_through, "through",
           "what a store leaves behind"),
    PLUGGED(l1, prefetch, PREFETCH, gmsim_prefetch_names, prefetcher, "none",
            "which lines come before a load asks for them"),
    GIVEN(l1, reserved, SIZE, 0, 1u << 20, "0", "what neither the carve-out takes nor L1 can use"),
    NEEDED(l1, latency, COUNT, 1, 10000, "clocks of a load that hits"),
    GIVEN(l1, tag_sets, POWER, 1, 16, "4",
          "sets of the tag stage, which takes a line of each a clock"),
    GIVEN(l1, hit_wavefront, COUNT, 0, 1000, "35",
          "16ths of a clock that each further wavefront adds to a load that hits"),
    GIVEN(l1, miss_wavefront, COUNT, 0, 1000, "19", "the same of a load that misses"),
    GIVEN(l1, writes, COUNT, 32, 1u << 16, "512",
          "clocks of writing that an SM has under way at most"),
    GIVEN(l1, packets, COUNT, 0, 32, "28",
          "lines whose stores an SM has under way, and further stores join, at most"),
    GIVEN(l1, packet_idle, COUNT, 1, 10000, "9",
          "clocks without a request after which no store joins"),
    GIVEN(l1, packet_stores, COUNT, 0, 32, "2", "further stores after which none joins, at most"),
    NEEDED(l2, size, SIZE64, 1u << 16, 1ull << 32, "L2"),
    NEEDED(l2, ways, COUNT, 1, 32, "ways of a set of L2"),
    MAYBE(l2, slices, COUNT, 1, 512, "slices of L2"),
    MAYBE(l2, partitions, COUNT, 1, 2, "partitions of L2; two keep copies of each other's lines"),
    GIVEN(l2, partition_lines, POWER, 1, 1u << 16, "32",
          "neighbouring lines whose home is the same partition"),
    GIVEN(l2, fill_sectors, COUNT, 1, 4, "2", "sectors brought from DRAM for a missing one"),
    MAYBE(l2, bytes_per_clock, COUNT, 1, 1u << 20, "bytes L2 gives all SMs together, an SM clock"),
    MAYBE(l2, write_bytes_per_clock, COUNT, 1, 1u << 20,
          "bytes L2 takes from all SMs together, an SM clock"),
    MAYBE(l2, group_write_bytes_per_clock, COUNT, 1, 1u << 20,
          "bytes L2 takes from a group of SMs (GPC), an SM clock"),
    GIVEN(l2, completed_percent, COUNT, 0, 1000, "80",
          "of DRAM's time for what it completes for a store, that the store's slice takes"),
    GIVEN(l2, contested_clocks, COUNT, 0, 1u << 16, "75",
          "clocks from one side's store to a line to the other's that hold each other up"),
    GIVEN(l2, contested, COUNT, 0, 1024, "13",
          "16ths of a clock that a slice takes for such a store, at least"),
    GIVEN(l2, contested_line, COUNT, 0, 1024, "8",
          "and for each line that its last four such stores were to"),
    GIVEN(l2, contested_sector_percent, COUNT, 0, 1000, "45",
          "more for each sector, and for a line not written whole"),
    MAYBE(l2, reads_per_clock, COUNT, 1, 1u << 16, "lines of loads that L2 looks up, an SM clock"),
    MAYBE(l2, crossings_per_clock, COUNT, 1, 1u << 16,
          "requests of a line that cross between the sides of L2, both ways, an SM clock"),
    MAYBE(l2, atomics_per_clock, COUNT, 1, 1u << 16,
          "atomic operations of different sectors, an SM clock"),
    PLUGGED(l2, replacement, REPLACEMENT, gmsim_replacement_names, replacement, "lasting",
            "which line of a full set leaves"),
    POLICY(l2, hash, HASH, gmsim_hash_names, 0, "even", "which set a line belongs to"),
    POLICY(l2, write, WRITE, gmsim_write_names, 0, "back",
           "what a write leaves behind, and when it goes to DRAM"),
    GIVEN(l2, dirty_percent, COUNT, 1, 100, "50", "lines of a group that may be dirty"),
    GIVEN(l2, partial_percent, COUNT, 1, 100, "19",
          "lines of a group that may hold partly written sectors"),
    GIVEN(l2, partial_groups, COUNT, 1, 1000, "120",
          "groups for partly written lines, of every 100 for dirty ones"),
    GIVEN(l2, flush_dirty, COUNT, 0, 1u << 24, "0",
          "dirty sectors that a profiler's flush leaves behind"),
    NEEDED(l2, latency, COUNT, 1, 10000, "clocks of a load that L2 serves"),
    NEEDED(l2, far_latency, COUNT, 1, 10000, "clocks of a load that L2's other partition serves"),
    GIVEN(l2, group_slices, POWER, 1, 64, "4", "slices that share what carries out atomics"),
    GIVEN(l2, group_lines, POWER, 1, 1u << 16, "8", "neighbouring lines of a group of slices"),
    GIVEN(l2, cluster_slices, COUNT, 1, 512, "16", "slices of a cluster"),
    GIVEN(l2, cluster_lines, POWER, 1, 1u << 16, "64", "neighbouring lines of a cluster"),
    GIVEN(l2, spread, COUNT, 0, 1000, "28",
          "clocks that a slice lies nearer or farther than the mean at most"),
    GIVEN(l2, write_percent, COUNT, 0, 1000, "50", "of latency, until a write is there"),
    GIVEN(atomic, request, COUNT, 0, 10000, "54",
          "percent of a sector's time that a group of slices takes: for several words of a line"),
    GIVEN(atomic, sector, COUNT, 0, 10000, "58", "and the same for each of its sectors"),
    GIVEN(atomic, back_request, COUNT, 0, 10000, "27", "request, if values come back"),
    GIVEN(atomic, back_sector, COUNT, 0, 10000, "93", "and sector"),
    GIVEN(atomic, half, COUNT, 0, 10000, "150",
          "the same of compare-and-swap, less swap: for lanes of half a line"),
    GIVEN(atomic, lane, COUNT, 0, 10000, "4", "and the same for each of them"),
    GIVEN(atomic, swap, COUNT, 0, 10000, "155", "percent of both for compare-and-swap"),
    GIVEN(atomic, alone, COUNT, 0, 10000, "82", "the same for a lane alone in half of its line"),
    GIVEN(atomic, meeting, COUNT, 0, 10000, "127", "the same for lanes of a line that all meet"),
    GIVEN(atomic, returning, COUNT, 0, 10000, "135",
          "percent of alone, meeting and swap, if a value comes back"),
    GIVEN(atomic, slice, COUNT, 0, 10000, "209",
          "percent of a sector's time that one slice takes: for a sector with all its words"),
    GIVEN(atomic, slice_part, COUNT, 0, 10000, "260", "the same for one with some"),
    GIVEN(atomic, slice_wide, COUNT, 0, 10000, "416",
          "the same for one with doubles in both halves, or for compare-and-swap of several lanes"),
    GIVEN(atomic, slice_float, COUNT, 0, 10000, "623",
          "the same until a float can be added to the same word"),
    GIVEN(atomic, latency, COUNT, 0, 10000, "30",
          "clocks that it takes longer than a load that L2 serves"),
    GIVEN(atomic, read, COUNT, 0, 10000, "50",
          "hundredths of a clock that a sector which its slice reads keeps reductions waiting"),
    GIVEN(atomic, fill, COUNT, 0, 10000, "67", "the same of one that comes from DRAM"),
    GIVEN(atomic, near_percent, COUNT, 1, 99, "75",
          "percent of a slice for SMs of the line's side, while SMs of both sides wait"),
    GIVEN(lrc, merge, COUNT, 1, 64, "1",
          "reads of a line by SMs of a GPC that become one before L2; 1: none do"),
    GIVEN(lrc, way_percent, COUNT, 0, 50, "40", "of l2.latency, from an SM to where reads merge"),
    GIVEN(lrc, again_percent, COUNT, 100, 1000, "100",
          "percent of a slice's time for a read that meets another of its line there"),
    NEEDED(dram, size, SIZE64, 1u << 20, 1ull << 44, "device memory"),
    MAYBE(dram, bytes_per_clock, COUNT, 1, 1u << 20, "bytes DRAM gives, an SM clock"),
    MAYBE(dram, bank_clocks, COUNT, 0, 100000,
          "clocks of waiting for others in a bank, times load / (1 - load / 2)"),
    MAYBE(dram, row_bytes, COUNT, 1, 4096, "bytes' time that an access to another row costs"),
    GIVEN(dram, row_write_bytes, COUNT, 0, 4096, "0", "the same of what is written; 0: as much"),
    NEEDED(dram, latency, COUNT, 1, 100000,
           "clocks of a load that DRAM serves, on the reader's side of L2"),
    MAYBE(dram, far_latency, COUNT, 1, 100000,
          "clocks of a load that DRAM serves, on the other side"),
    MAYBE(dram, refresh_period, COUNT, 1, 1u << 20,
          "clocks from one refresh of a bank to the next"),
    MAYBE(dram, refresh_clocks, COUNT, 1, 1u << 20, "clocks that a refresh takes"),
    GIVEN(dram, granule, POWER, GMSIM_SECTOR_BYTES, 4096, "64", "bytes of the least access"),
    GIVEN(dram, write_percent, COUNT, 100, 1000, "123",
          "of the time of a read, that a write takes"),
    GIVEN(dram, write_weight, COUNT, 1, 100, "2", "reads' worth that a write keeps reads waiting"),
    GIVEN(dram, load_steps, COUNT, 1, 1024, "4", "steps of 128 clocks over which load is averaged"),
    GIVEN(dram, row_lines, POWER, 1, 4096, "2", "neighbouring lines of a row"),
    GIVEN(dram, open_rows, POWER, 1, GMSIM_OPEN_ROWS, "4096", "rows in use at a time"),
    GIVEN(dram, refresh_lines, POWER, 1, 4096, "32",
          "neighbouring lines that are refreshed together"),
    GIVEN(sm, issue, COUNT, 1, 64, "1", "clocks in which a scheduler issues one instruction"),
    GIVEN(sm, queue, COUNT, 1, GMSIM_QUEUE, "8", "memory instructions that a sub-partition holds"),
    GIVEN(sm, store_issue, COUNT, 1, 64, "6",
          "clocks until a sub-partition has something for the load-store unit behind a store"),
    GIVEN(sm, wavefront, COUNT, 1, 64, "2",
          "clocks between two wavefronts of one warp in the load-store unit"),
    GIVEN(sm, branch, COUNT, 0, 1000, "4",
          "clocks that a taken branch takes beyond what its control bits say"),
    GIVEN(sm, code, SIZE, 128, 1u << 24, "32K", "code that an SM's cache holds"),
    GIVEN(sm, code_line, COUNT, 0, 1u << 16, "20",
          "clocks that a line of code takes from the cache behind the SM's"),
    GIVEN(sm, code_jump, COUNT, 0, 1u << 16, "45",
          "clocks that a line of code takes from there that a warp jumps to"),
    GIVEN(sm, operands, COUNT, 0, 1000, "10",
          "clocks until a memory instruction has read its operands"),
    GIVEN(sm, under_way, COUNT, 1, 6, "4",
          "accesses that a warp has under way where the code tells no dependences"),
    GIVEN(sm, barrier, COUNT, 0, 1000, "12",
          "clocks from the last arrival at a barrier until its warps go on"),
    GIVEN(sm, meeting, COUNT, 0, 1000, "55",
          "percent of load / (1 - load) that a warp waits at a pipe that others use, times how "
          "unevenly it asks"),
    GIVEN(sm, passed, COUNT, 0, 800, "35",
          "percent of a clock that special functions lose to other instructions"),
    GIVEN(sm, missed, COUNT, 0, 100, "4",
          "percent of clocks in which a scheduler that could always issue does not"),
    GIVEN(sm, barrier_warp, COUNT, 0, 1000, "2", "clocks more for each warp of the CTA"),
    GIVEN(sm, barrier_shadow, COUNT, 0, 1000, "6",
          "clocks behind a barrier in which its warp still issues"),
    GIVEN(sm, mbarrier, COUNT, 0, 1000, "38", "clocks from the test of an mbarrier to its answer"),
    GIVEN(sm, cluster_barrier, COUNT, 0, 1000, "60",
          "clocks from the last arrival at a cluster's barrier until its warps go on"),
    GIVEN(sm, remote, COUNT, 0, 1000, "80", "clocks of the way to another SM of the cluster"),
    GIVEN(sm, remote_bytes, COUNT, 1, 1024, "17",
          "bytes that an SM gets from or gives to others of its cluster, a clock"),
    GIVEN(sm, mbarrier_issue, COUNT, 0, 1000, "2",
          "clocks in which an SM takes an arrival at an mbarrier; twice that for a test"),
    GIVEN(sm, mbarrier_wake, COUNT, 0, 1000, "18",
          "clocks from the end of an mbarrier's phase until a warp that waits for it goes on"),
    GIVEN(sm, constant_address, COUNT, 0, 1000, "11",
          "clocks of each further address of a load of constants"),
    GIVEN(sm, constant_miss, COUNT, 0, 10000, "70",
          "clocks that a constant comes later which the SM's first cache does not hold"),
    GIVEN(sm, constant_uniform, COUNT, 0, 10000, "40",
          "the same of one load for all lanes, of which a sub-partition holds four lines"),
    GIVEN(sm, constant_cold, COUNT, 0, 10000, "215",
          "clocks that a constant comes later still which nobody on the SM has read"),
    GIVEN(sm, constant_dram, COUNT, 0, 10000, "300",
          "and later still if no SM has read it since L2 was emptied"),
    COST(other, "latency 12",
         "what is issued and no more: control flow, and memory, whose time follows from addresses"),
    COST(fp32, "fma 1, full 1", "FFMA, FADD, FMUL"),
    COST(fp16, "fma 1, full 1", "HFMA2, HADD2, HMUL2"),
    COST(fp16_mma, "fma 1, full 1, doubles 2", "HFMA2.MMA"),
    COST(fp64, "fp64 2, latency 8", "DFMA, DADD, DMUL, DSETP"),
    COST(imad, "fma 1, heavy 2", "IMAD, IDP"),
    COST(imad_wide, "alu 2, heavy 4, issue 3, delay 2", "IMAD.WIDE, IMAD.HI"),
    COST(alu, "alu 2", "integer addition, logic, shifts, selection, comparison, minimum"),
    COST(sfu, "xu 8, latency 17", "MUFU"),
    COST(check, "xu 9, latency 17", "FCHK"),
    COST(convert, "xu 8, latency 17", "F2I, I2F, F2F, FRND"),
    COST(convert64, "xu 8, issue 2, latency 17", "the same from or to 64 bits"),
    COST(bits, "xu 8, latency 17", "POPC, FLO, BREV"),
    COST(tensor, "tensor 6, latency 25", "HMMA.16816.F32; other shapes in proportion"),
    COST(tensor_f16, "tensor 6, latency 25", "HMMA.16816.F16; other shapes in proportion"),
    COST(tensor_tf32, "tensor 6, latency 25", "HMMA.1688.F32.TF32; other shapes in proportion"),
    COST(tensor_int8, "tensor 6, latency 25", "IMMA.16832; other shapes and types in proportion"),
    COST(tensor_fp64, "tensor 16, latency 32", "DMMA.8x8x4"),
    COST(wgmma, "tensor 32, latency 42",
         "warpgroup MMA of m64n64, 32 bytes deep; other n in proportion"),
    COST(shuffle, "lsu 1, latency 24", "SHFL"),
    COST(vote, "alu 2", "VOTE"),
    COST(match_any, "lsu 64, latency 375", "MATCH.ANY"),
    COST(match_all, "lsu 2, latency 28", "MATCH.ALL"),
    COST(redux, "lsu 2, latency 44", "REDUX"),
    COST(ldc, "constant 2, latency 28",
         "LDC; so often the clocks as there are addresses that lanes ask for"),
    COST(uldc, "uniform 2, latency 30", "ULDC"),
    COST(s2r, "lsu 2, latency 31", "S2R"),
    COST(s2ur, "lsu 2, latency 36", "S2UR"),
    COST(cs2r, "alu 2, latency 12", "CS2R, R2UR"),
    COST(b2r, "lsu 4, latency 36", "B2R: what a barrier found out"),
    COST(uniform, "uniform 2, latency 12", "the uniform datapath: U..."),
    COST(membar, "delay 560, latency 250, lsu 11",
         "MEMBAR of the GPU; latency: right after another"),
    COST(membar_cta, "delay 1, latency 1", "MEMBAR of the CTA"),
    COST(membar_sys, "delay 985, latency 985", "MEMBAR of the system"),
    COST(reconverge, "delay 9", "BSYNC"),
    COST(return, "delay 30, issue 8", "RET, with the CALL before it"),
    COST(jump, "delay 30, issue 2", "BRX, by a table"),
    MAYBE(launch, groups, COUNTS, 1, 1024,
          "SMs of each group of SMs, in the order in which the first CTAs fill them"),
    MAYBE(launch, singles, COUNT, 0, 64,
          "TPCs of the first group, where each is by itself: in no cluster of more than two CTAs"),
    PLUGGED(launch, order, ORDER, gmsim_order_names, order, "groups",
            "which SMs the first CTAs go to"),
    MAYBE(launch, again, COUNT, 1, 32, "groups, before whose last the first has its turn again"),
    MAYBE(launch, turn, COUNT, 1, 1u << 16,
          "clocks in which later CTAs are handed to one group after another"),
    GIVEN(launch, turn_ctas, COUNT, 0, 1024, "3",
          "CTAs of one warp to a group in its turn, where places wait for CTAs"),
    MAYBE(launch, overhead, COUNT, 0, 1u << 20,
          "clocks of a launch before its first and after its last warp"),
    MAYBE(launch, settle, COUNT, 0, 1u << 16,
          "clocks that a launch ends later, at most, for what its SMs asked L2 for"),
    GIVEN(launch, settle_sectors, COUNT, 1, 1u << 20, "1024",
          "sectors read and written in L2 for each of those clocks"),
    GIVEN(launch, first, COUNT, 0, 1u << 16, "600",
          "clocks from the start of an SM's first CTA to its first instruction"),
    GIVEN(launch, start, COUNT, 0, 1u << 16, "30",
          "clocks from a later CTA's start to its first instruction"),
    GIVEN(launch, exit, COUNT, 0, 1u << 16, "70",
          "clocks from a warp's last instruction until it is gone"),
    GIVEN(launch, early, COUNT, 0, 1u << 16, "200",
          "clocks from a warp's end, before its CTA's, until its place counts for another CTA"),
    GIVEN(launch, refill, COUNT, 0, 1u << 16, "290",
          "clocks from a CTA's end until the next starts in its place"),
    GIVEN(launch, half, COUNT, 0, 1u << 16, "280",
          "clocks by which the second half of an SM's first warps starts later"),
    MAYBE(launch, ctas, COUNT, 1, 1u << 20,
          "CTAs that can end in 1000 clocks, on all SMs together"),
    GIVEN(launch, first_warps, COUNT, 1, 64, "32", "warps of an SM that start at once"),
    GIVEN(launch, code, SIZE, 0, 1u << 24, "64K",
          "code of a kernel that is in the larger cache of code when it begins"),
    GIVEN(launch, code_line, COUNT, 0, 1u << 16, "105",
          "clocks that a line of code takes which has never been there"),
    GIVEN(launch, code_kept, SIZE, 0, 1u << 24, "128K", "code that the larger cache holds"),
    GIVEN(launch, code_again, COUNT, 0, 1u << 16, "47",
          "clocks that a line of code takes which has been there before"),
    GIVEN(launch, code_jump, COUNT, 0, 1u << 16, "255",
          "clocks that a line of code takes from beyond that cache that a warp jumps to"),
};
const unsigned gmsim_key_count = G_N_ELEMENTS(gmsim_keys);

const gmsim_key *gmsim_key_find(const char *group, const char *key)
{
    for (unsigned i = 0; i < gmsim_key_count; i++)
        if (!strcmp(gmsim_keys[i].group, group) && !strcmp(gmsim_keys[i].key, key))
            return &gmsim_keys[i];
    return NULL;
}

const gmsim_key *gmsim_key_renamed(const char *group, const char *key, const char **value)
{
    static const struct {
        const char *group, *was, *said, *is, *says;
    } names[] = {{"l1", "store_allocate", "yes", "write", "through"},
                 {"l1", "store_allocate", "no", "write", "around"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (!strcmp(names[i].group, group) && !strcmp(names[i].was, key) &&
            !strcmp(names[i].said, *value)) {
            *value = names[i].says;
            return gmsim_key_find(group, names[i].is);
        }
    return NULL;
}

unsigned gmsim_word_distance(const char *a, const char *b)
{
    size_t n = strlen(b);
    unsigned row[64];
    if (n >= G_N_ELEMENTS(row))
        return UINT_MAX;
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; *a; a++, i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            unsigned best = MIN(MIN(row[j], row[j - 1]) + 1, diagonal + (*a != b[j - 1]));
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const gmsim_key *gmsim_key_suggest(const char *name)
{
    const gmsim_key *nearest = NULL;
    unsigned best = MIN(4u, (unsigned)strlen(name) / 3u + 1u); /* more errors: another word */
    const char *dot = strchr(name, '.'), *bare = dot ? dot + 1 : name;
    for (unsigned i = 0; i < gmsim_key_count; i++) {
        g_autofree char *full = g_strdup_printf("%s.%s", gmsim_keys[i].group, gmsim_keys[i].key);
        unsigned d = gmsim_word_distance(name, full);
        if (d < best) {
            best = d;
            nearest = &gmsim_keys[i];
        }
    }
    /* The right key of the wrong group, or of none. */
    for (unsigned i = 0; !nearest && i < gmsim_key_count; i++)
        if (!strcmp(bare, gmsim_keys[i].key))
            nearest = &gmsim_keys[i];
    return nearest;
}

static char *parse_number(const char *text, bool size, uint64_t *value)
{
    if (!*text)
        return g_strdup("has no value");
    if (!g_ascii_isdigit(*text))
        return g_strdup_printf("'%s' is not a number", text);
    bool good = gmtrace_read_size(text, value);
    if (!good && *value)
        return g_strdup_printf("'%s' is too large", text);
    if (!good || (!size && text[strspn(text, "0123456789")]))
        return g_strdup_printf("'%s' is not a %s", text,
                               size ? "size (like 65536, 64K or 64KiB)" : "number");
    return NULL;
}

static char *check_range(const gmsim_key *key, uint64_t value)
{
    if (key->kind == GMSIM_KEY_POWER && (value & (value - 1u)))
        return g_strdup_printf("%" G_GUINT64_FORMAT " is not a power of two", value);
    if (value >= key->min && value <= key->max)
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT " is out of range (%" G_GUINT64_FORMAT
                           " to %" G_GUINT64_FORMAT "%s)",
                           value, key->min, key->max, key->may_be_unknown ? ", or unknown" : "");
}

static char *parse_list(const gmsim_key *key, const char *text, gmsim_list *field)
{
    bool sizes = key->kind == GMSIM_KEY_SIZES;
    g_auto(GStrv) part = g_strsplit_set(text, ", ", -1);
    gmsim_list list = {.count = 0};
    if (key->may_be_unknown && !strcmp(text, "unknown")) {
        *field = list;
        return NULL;
    }
    for (char **p = part; *p; p++) {
        uint64_t value = 0;
        if (!**p)
            continue;
        char *wrong = parse_number(*p, sizes, &value);
        if (!wrong)
            wrong = check_range(key, value);
        if (wrong)
            return wrong;
        if (list.count == GMSIM_LIST_MAX)
            return g_strdup_printf("more than %u %s", GMSIM_LIST_MAX, sizes ? "sizes" : "numbers");
        if (sizes && list.count && value <= list.value[list.count - 1])
            return g_strdup("the sizes must ascend");
        list.value[list.count++] = (uint32_t)value;
    }
    if (!list.count)
        return g_strdup(sizes ? "no size given" : "no number given");
    *field = list;
    return NULL;
}

bool gmsim_key_plugged(const gmsim_key *key, const gmsim_plugin *plugin)
{
    return key->plugged && G_STRUCT_MEMBER(const void *, plugin, key->plugged) != NULL;
}

static char *parse_name(const gmsim_key *key, const char *text, const gmsim_gpu *gpu,
                        uint32_t *field)
{
    g_autoptr(GString) known = g_string_new(NULL);
    for (uint32_t i = (uint32_t)key->min; i <= key->max; i++) {
        if (!strcmp(text, key->names[i])) {
            *field = i;
            return NULL;
        }
        g_string_append_printf(known, "%s%s", known->len ? ", " : "", key->names[i]);
    }
    for (uint32_t i = 0; key->plugged && i < gpu->plugins; i++) {
        if (!gmsim_key_plugged(key, gpu->plugin[i]))
            continue;
        if (!strcmp(text, gpu->plugin[i]->name)) {
            *field = (uint32_t)key->max + 1u + i;
            return NULL;
        }
        g_string_append_printf(known, ", %s", gpu->plugin[i]->name);
    }
    return g_strdup_printf("'%s' is none of %s", text, known->str);
}

char *gmsim_key_parse(const gmsim_key *key, const char *text, gmsim_gpu *gpu)
{
    char *field = (char *)gpu + key->offset, *wrong = NULL;
    uint64_t value = 0;
    switch (key->kind) {
    case GMSIM_KEY_TEXT:
        if (!*text || strlen(text) > key->max || !g_utf8_validate(text, -1, NULL))
            return g_strdup_printf("a name of 1 to %u characters is needed", (unsigned)key->max);
        g_strlcpy(field, text, key->max + 1);
        return NULL;
    case GMSIM_KEY_SIZES:
    case GMSIM_KEY_COUNTS:
        return parse_list(key, text, (gmsim_list *)(void *)field);
    case GMSIM_KEY_COST:
        return gmsim_cost_parse(text, (gmsim_cost *)(void *)field);
    case GMSIM_KEY_NAME:
        return parse_name(key, text, gpu, (uint32_t *)(void *)field);
    case GMSIM_KEY_COUNT:
    case GMSIM_KEY_POWER:
    case GMSIM_KEY_SIZE:
    case GMSIM_KEY_SIZE64:
        break;
    }
    if (!strcmp(text, "unknown")) {
        if (!key->may_be_unknown)
            wrong = g_strdup("the model cannot do without this number");
    } else {
        wrong = parse_number(text, key->kind >= GMSIM_KEY_SIZE, &value);
        if (!wrong)
            wrong = check_range(key, value);
    }
    if (wrong)
        return wrong;
    if (key->kind == GMSIM_KEY_SIZE64)
        memcpy(field, &value, sizeof value);
    else
        memcpy(field, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    return NULL;
}

static char *format_size(uint64_t bytes)
{
    static const char *const unit[] = {"", "K", "M", "G"};
    unsigned u = 0;
    while (u < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        u++;
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT "%s", bytes, unit[u]);
}

char *gmsim_key_format(const gmsim_key *key, const gmsim_gpu *gpu)
{
    const char *field = (const char *)gpu + key->offset;
    uint64_t value;
    uint32_t small;
    switch (key->kind) {
    case GMSIM_KEY_TEXT:
        return g_strdup(field);
    case GMSIM_KEY_NAME:
        memcpy(&small, field, sizeof small);
        return g_strdup(small <= key->max ? key->names[small]
                                          : gpu->plugin[small - key->max - 1u]->name);
    case GMSIM_KEY_SIZES:
    case GMSIM_KEY_COUNTS: {
        gmsim_list list;
        GString *words = g_string_new(NULL);
        memcpy(&list, field, sizeof list);
        if (list.count == 0)
            g_string_append(words, "unknown");
        for (uint32_t i = 0; i < list.count; i++) {
            g_autofree char *word = key->kind == GMSIM_KEY_SIZES
                                        ? format_size(list.value[i])
                                        : g_strdup_printf("%u", list.value[i]);
            g_string_append_printf(words, "%s%s", i ? ", " : "", word);
        }
        return g_string_free(words, FALSE);
    }
    case GMSIM_KEY_COST:
        return gmsim_cost_format((const gmsim_cost *)(const void *)field);
    case GMSIM_KEY_SIZE64:
        memcpy(&value, field, sizeof value);
        return format_size(value);
    case GMSIM_KEY_SIZE:
    case GMSIM_KEY_COUNT:
    case GMSIM_KEY_POWER:
        break;
    }
    memcpy(&small, field, sizeof small);
    if (key->may_be_unknown && !small)
        return g_strdup("unknown");
    return key->kind == GMSIM_KEY_SIZE ? format_size(small) : g_strdup_printf("%u", small);
}
