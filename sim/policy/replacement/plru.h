/* SPDX-License-Identifier: MIT
 *
 * plru.h - tree-PLRU: a binary tree over the ways, a bit a node, says in which half the older line
 * is. The set's word holds the nodes of a tree of 32 leaves, numbered as a heap (1 is the root);
 * fewer ways use the tree's left end. Subtrees without a candidate are passed by.
 */
#ifndef GMSIM_PLRU_H
#define GMSIM_PLRU_H

static inline void gmsim_plru_use(gmsim_lines lines, uint32_t way)
{
    uint32_t node = 1u;
    for (uint32_t half = 16u; half; half /= 2u) {
        uint32_t right = (way & half) != 0; /* the older line is in the other half */
        *lines.set = right ? *lines.set & ~(1u << node) : *lines.set | 1u << node;
        node = 2u * node + right;
    }
}

static inline void gmsim_plru_fill(gmsim_lines lines, uint32_t way)
{
    gmsim_plru_use(lines, way);
}

static inline uint32_t gmsim_plru_victim(gmsim_lines lines, uint32_t candidates)
{
    uint32_t node = 1u, first = 0;
    for (uint32_t half = 16u; half; half /= 2u) {
        uint32_t leaves = (1u << half) - 1u;
        uint32_t left = candidates >> first & leaves, right = candidates >> first >> half & leaves;
        uint32_t go = right && (!left || *lines.set >> node & 1u);
        first += go ? half : 0;
        node = 2u * node + go;
    }
    return first;
}

#endif
