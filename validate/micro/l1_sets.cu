/* SPDX-License-Identifier: MIT
 *
 * l1_sets.cu - which lines of L1 compete with which, and who is evicted, by scripted reads
 * (l1_script.h). Settles usable L1 against carve-out to 2 KiB, set count and index, replacement.
 * Output: CSV rows  experiment,a,b,c,value:
 *   fit,percent,lines,pass,hits                re-reading `lines` consecutive lines
 *   evict,base,extra,line,1                    `line` was evicted after base lines and one extra
 *   stride,stride,lines,pass,hits              lines `stride` apart
 *   pair,lines,offset,pass,hits                two runs of lines/2, the second `offset` lines away
 */
#include <cstdint>

#define MAX_STEPS 15000
typedef uint32_t script_line;
#include "validate/micro/l1_script.h"

static FILE *csv;

static void passes(const char *name, long a, long b, const std::vector<uint32_t> &one, int percent, uint32_t count)
{
    std::vector<uint32_t> all;
    for (uint32_t p = 0; p < count; p++)
        all.insert(all.end(), one.begin(), one.end());
    std::vector<bool> hit = script_play(all, percent);
    for (uint32_t p = 1; p < count; p++) {
        uint32_t hits = 0;
        for (size_t i = 0; i < one.size(); i++)
            hits += hit[p * one.size() + i];
        fprintf(csv, "%s,%ld,%ld,%u,%u\n", name, a, b, p, hits);
    }
}

int main(int argc, char **argv)
{
    csv = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!csv) {
        perror(argv[1]);
        return 1;
    }
    script_begin(256u << 20);
    fprintf(csv, "experiment,a,b,c,value\n");
    /* Usable capacity for every carve-out preference that may select another configuration. */
    static const int percent[] = {-1, 0, 1, 3, 4, 7, 8, 10, 14, 15, 20, 28, 29, 40, 44, 50, 58, 60, 72, 80, 86, 90, 100};
    for (int pc : percent)
        for (uint32_t n = 16; n <= 1840; n += 16) {
            std::vector<uint32_t> one;
            for (uint32_t i = 0; i < n; i++)
                one.push_back(i);
            passes("fit", pc, n, one, pc, 4);
        }
    /* One line too many: who goes. The probing pass runs backwards so that the youngest lines are
     * looked at first. */
    for (uint32_t base = 1600; base <= 1728; base += 32)
        for (uint32_t extra = 0; extra < 24; extra++) {
            std::vector<uint32_t> s;
            for (int p = 0; p < 3; p++)
                for (uint32_t i = 0; i < base; i++)
                    s.push_back(i);
            uint32_t x = 4096 + extra * 37;
            s.push_back(x);
            for (uint32_t i = base; i-- > 0;)
                s.push_back(i);
            s.push_back(x);
            std::vector<bool> hit = script_play(s, 0);
            for (uint32_t i = 0; i < base; i++)
                if (!hit[3 * base + 1 + (base - 1 - i)])
                    fprintf(csv, "evict,%u,%u,%u,1\n", base, x, i);
            fprintf(csv, "evict,%u,%u,%u,%d\n", base, x, x, (int)hit[s.size() - 1]);
        }
    for (uint32_t stride = 1; stride <= 1024; stride *= 2)
        for (uint32_t n = 4; n <= 1792 && (uint64_t)n * stride < 2000000; n = n < 64 ? n + 4 : n + n / 8) {
            std::vector<uint32_t> one;
            for (uint32_t i = 0; i < n; i++)
                one.push_back(i * stride);
            passes("stride", stride, n, one, 0, 4);
        }
    for (uint32_t offset = 1024; offset <= 1u << 20; offset *= 2) {
        std::vector<uint32_t> one;
        for (uint32_t i = 0; i < 832; i++)
            one.push_back(i);
        for (uint32_t i = 0; i < 832; i++)
            one.push_back(i + offset);
        passes("pair", 1664, offset, one, 0, 4);
    }
    return fclose(csv) ? 1 : 0;
}
