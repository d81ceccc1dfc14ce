/* SPDX-License-Identifier: MIT
 *
 * turns.c - reports go to their stretch's kernel; launches are opened in the order in which kernels
 * begin, and what is reported of a later one meanwhile is held.
 *
 * Leaves out kernels of one stretch that overlap (programmatic dependent launch in a graph) where
 * both run the same function, and a kernel that runs twice.
 */
#include "traces/capture/turns.h"

#include <stdlib.h>
#include <string.h>

#include "traces/capture/held.h"

#define NONE UINT32_MAX

/* What runs one kernel after another. */
typedef struct stretch {
    uint32_t kernel; /* that runs; NONE between two */
    bool entered;    /* its CTA 0 has begun */
    uint64_t exited; /* its threads that have ended */
    /* Of the one that comes, in `coming`: */
    bool told; /* its CTA 0 has begun ... */
    uint64_t shape;
    uint32_t dynamic_shared;
    uint32_t function; /* ... and a kernel with its code, NONE until a report lies in one */
} stretch;

struct gmc_turns {
    gmc_turn_calls calls;
    gmc_intake *intake;
    stretch stretch[GMC_GRAPH_KERNELS];
    gmc_held coming; /* by stretch: reports whose kernel is not known yet */
    gmc_held held;   /* by kernel: reports whose kernel's launch is not open yet */
    uint32_t order[GMC_GRAPH_KERNELS], dynamic_shared[GMC_GRAPH_KERNELS], begun; /* kernels */
    uint32_t turn; /* of order: the one whose launch is open, or to be opened */
    bool open;     /* it is, ... */
    bool reading;  /* ... and its reports are taken */
    uint64_t strays;
};

gmc_turns *gmc_turns_create(const gmc_turn_calls *calls, gmc_intake *intake)
{
    gmc_turns *turns = calloc(1, sizeof *turns);
    if (!turns)
        return NULL;
    turns->calls = *calls;
    turns->intake = intake;
    turns->coming.limit = turns->held.limit = calls->memory;
    for (uint32_t i = 0; i < GMC_GRAPH_KERNELS; i++)
        turns->stretch[i].kernel = turns->stretch[i].function = NONE;
    return turns;
}

/* ---------------------------------------------------------------------------------- the launches
 */

static void close_launch(gmc_turns *turns)
{
    const uint32_t number = turns->order[turns->turn];
    const gmc_graph_kernel *kernel = turns->calls.kernel(number);
    if (turns->reading) {
        if (turns->intake->result.exited != kernel->ctas)
            gmc_intake_fail(turns->intake, NULL);
        gmc_intake_end(turns->intake);
        turns->calls.close(number, &turns->intake->result);
    }
    turns->open = turns->reading = false;
    turns->turn++;
}

static void open_launch(gmc_turns *turns)
{
    const uint32_t number = turns->order[turns->turn];
    const gmc_held_list *list = &turns->held.list[number];
    memset(&turns->intake->job, 0, sizeof turns->intake->job);
    gmc_intake_begin(turns->intake);
    turns->open = true;
    turns->reading = turns->calls.kernel(number)->captured &&
                     turns->calls.open(number, turns->dynamic_shared[number], &turns->intake->job);
    for (size_t i = 0; turns->reading && i < list->count;
         i += 1 + (size_t)gmc_payload_cells(&list->cell[i]))
        gmc_intake_take(turns->intake, &list->cell[i], &list->cell[i + 1]);
    if (list->dropped)
        gmc_intake_fail(turns->intake, NULL);
    gmc_held_clear(&turns->held, number);
}

static bool is_over(const gmc_turns *turns)
{
    return !turns->reading ||
           turns->intake->result.exited == turns->calls.kernel(turns->order[turns->turn])->ctas;
}

/* A launch is closed when all it did has been taken; then the next one is opened. */
static void settle(gmc_turns *turns)
{
    while (turns->open ? is_over(turns) : turns->turn < turns->begun)
        if (turns->open)
            close_launch(turns);
        else
            open_launch(turns);
}

/* ------------------------------------------------------------------------------ whose is a report
 */

static bool lies_in(const gmc_graph_kernel *kernel, const gmc_cell *header)
{
    const int64_t at = (int32_t)header->pc;
    return header->pc != GMC_FAR_PC && at >= kernel->entry && at < kernel->entry + kernel->length;
}

/* Does it belong to the kernel that runs in its stretch, rather than to the next one? */
static bool is_of(gmc_turns *turns, const stretch *at, const gmc_cell *header)
{
    const gmc_graph_kernel *kernel, *running = turns->calls.kernel(at->kernel);
    if (GMC_MARK_EVENT(header->mark) == GMC_ENTER)
        return !at->entered;
    if (!at->told || lies_in(running, header))
        return true;
    for (uint32_t i = 0; (kernel = turns->calls.kernel(i)); i++)
        if (!kernel->begun && lies_in(kernel, header))
            return false;
    return true;
}

/* Its pc becomes one that counts from its kernel's entry. */
static void give(gmc_turns *turns, stretch *at, const gmc_cell *header, const gmc_cell *payload)
{
    const gmc_graph_kernel *kernel = turns->calls.kernel(at->kernel);
    gmc_cell own = *header;
    const int64_t pc = (int64_t)(int32_t)header->pc - kernel->entry;
    if (header->pc != GMC_FAR_PC)
        own.pc = pc == (int32_t)pc ? (uint32_t)(int32_t)pc : GMC_FAR_PC;
    if (turns->open && turns->order[turns->turn] == at->kernel) {
        if (turns->reading)
            gmc_intake_take(turns->intake, &own, payload);
    } else if (kernel->captured) {
        gmc_held_add(&turns->held, at->kernel, &own, payload, (unsigned)gmc_payload_cells(header));
    }
    at->entered |= GMC_MARK_EVENT(header->mark) == GMC_ENTER;
    if (GMC_MARK_EVENT(header->mark) != GMC_EXIT)
        return;
    at->exited += (unsigned)__builtin_popcount(header->mask);
    if (at->exited == kernel->threads * kernel->ctas)
        at->kernel = NONE;
    settle(turns);
}

/* The kernel that comes: the first one that has not run, of this shape and with this code. */
static uint32_t find(gmc_turns *turns, const stretch *at)
{
    const gmc_graph_kernel *kernel, *like = turns->calls.kernel(at->function);
    for (uint32_t i = 0; (kernel = turns->calls.kernel(i)); i++)
        if (!kernel->begun && kernel->shape == at->shape && kernel->entry == like->entry)
            return i;
    return NONE;
}

static void wait(gmc_turns *turns, uint32_t number, const gmc_cell *header, const gmc_cell *payload)
{
    stretch *at = &turns->stretch[number];
    gmc_graph_kernel *kernel;
    if (GMC_MARK_EVENT(header->mark) == GMC_ENTER) {
        at->told = true;
        at->shape = header->address;
        at->dynamic_shared = header->aux;
    }
    for (uint32_t i = 0; at->function == NONE && (kernel = turns->calls.kernel(i)); i++)
        if (!kernel->begun && GMC_MARK_EVENT(header->mark) != GMC_ENTER && lies_in(kernel, header))
            at->function = i;
    gmc_held_add(&turns->coming, number, header, payload, (unsigned)gmc_payload_cells(header));
}

/* Between two kernels: the next one begins when it is known which it is. */
static void begin(gmc_turns *turns, uint32_t number)
{
    stretch *at = &turns->stretch[number];
    while (at->kernel == NONE && at->told && at->function != NONE) {
        const uint32_t next = find(turns, at);
        if (next == NONE)
            return;
        gmc_held_list list = turns->coming.list[number];
        turns->coming.list[number] = (gmc_held_list){0};
        turns->coming.bytes -= list.room * sizeof *list.cell;
        turns->calls.kernel(next)->begun = true;
        turns->order[turns->begun++] = next;
        turns->dynamic_shared[next] = at->dynamic_shared;
        turns->held.list[next].dropped = list.dropped;
        *at = (stretch){.kernel = next, .function = NONE};
        settle(turns);
        for (size_t i = 0; i < list.count; i += 1 + (size_t)gmc_payload_cells(&list.cell[i])) {
            if (at->kernel != NONE && is_of(turns, at, &list.cell[i]))
                give(turns, at, &list.cell[i], &list.cell[i + 1]);
            else
                wait(turns, number, &list.cell[i], &list.cell[i + 1]);
        }
        free(list.cell);
    }
}

void gmc_turns_take(gmc_turns *turns, const gmc_cell *header, const gmc_cell *payload)
{
    const uint32_t number = GMC_MARK_KERNEL(header->mark);
    if (number >= GMC_GRAPH_KERNELS || gmc_payload_cells(header) < 0) {
        turns->strays++;
        return;
    }
    stretch *at = &turns->stretch[number];
    if (at->kernel != NONE && is_of(turns, at, header)) {
        give(turns, at, header, payload);
        if (at->kernel == NONE)
            begin(turns, number);
    } else {
        wait(turns, number, header, payload);
        begin(turns, number);
    }
}

uint64_t gmc_turns_end(gmc_turns *turns)
{
    settle(turns);
    while (turns->turn < turns->begun) {
        if (!turns->open)
            open_launch(turns);
        close_launch(turns);
    }
    uint64_t strays = turns->strays;
    for (uint32_t i = 0; i < GMC_GRAPH_KERNELS; i++) {
        strays += turns->coming.list[i].count + turns->coming.list[i].dropped;
        gmc_held_clear(&turns->coming, i);
        gmc_held_clear(&turns->held, i);
    }
    free(turns);
    return strays;
}
