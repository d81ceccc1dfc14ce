/* SPDX-License-Identifier: MIT
 *
 * l1_replace.cu - which lines L1 gives up when more are read again and again than it holds, by
 * scripted reads (l1_script.h) and by carve-outs, which are preferred shares of shared memory in
 * percent. Settles: that lines read twice outlast those read once, how many of them, in which sets.
 * Leaves out: stores, several warps. Output: CSV:
 * kind,percent,a,b,c,read,hits - hits of the reads number `read` on, 64 a row, as hexadecimal bits,
 * the first the lowest; in one row where it is a count:
 *   cyclic,percent,lines,0,0     `lines` lines in turn, as often as the script holds, at most 12 times
 *   hot,percent,hot,times,once   `hot` lines, `times` times, then `once` others, then the hot ones
 *   pair,percent,hot,twice,0     `hot` lines twice, then `twice` others, each twice in a row, then the hot ones
 *   set,percent,base,times,extra `base` lines, `times` times, then line `extra`; then all of them backwards
 */
#include <cstdint>

#define MAX_STEPS 24000
typedef uint16_t script_line;
#include "validate/micro/l1_script.h"

static void run(const char *kind, int percent, uint32_t a, uint32_t b, uint32_t c,
                const std::vector<uint16_t> &lines, uint32_t from)
{
    const std::vector<bool> hit = script_play(lines, percent);
    for (size_t read = from; read < lines.size(); read += 64) {
        unsigned long long bits = 0;
        for (size_t i = 0; i < 64 && read + i < lines.size(); i++)
            bits |= (unsigned long long)hit[read + i] << i;
        printf("%s,%d,%u,%u,%u,%zu,%llx\n", kind, percent, a, b, c, read, bits);
    }
}

static void add(std::vector<uint16_t> &lines, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lines.push_back((uint16_t)(from + i));
}

static void cyclic(int percent, uint32_t count)
{
    std::vector<uint16_t> lines;
    for (uint32_t pass = 0; pass < 12 && lines.size() + count <= MAX_STEPS; pass++)
        add(lines, 0, count);
    run("cyclic", percent, count, 0, 0, lines, count);
}

static void hot(int percent, uint32_t hot, uint32_t times, uint32_t once)
{
    std::vector<uint16_t> lines;
    for (uint32_t pass = 0; pass < times; pass++)
        add(lines, 0, hot);
    add(lines, 16384, once);
    add(lines, 0, hot);
    run("hot", percent, hot, times, once, lines, hot * times + once);
}

static void pair(int percent, uint32_t hot, uint32_t twice)
{
    std::vector<uint16_t> lines;
    add(lines, 0, hot);
    add(lines, 0, hot);
    for (uint32_t i = 0; i < twice; i++)
        lines.insert(lines.end(), 2, (uint16_t)(16384 + i));
    add(lines, 0, hot);
    run("pair", percent, hot, twice, 0, lines, 2 * hot + 2 * twice);
}

static void set(int percent, uint32_t base, uint32_t times, uint32_t extra)
{
    std::vector<uint16_t> lines;
    for (uint32_t pass = 0; pass < times; pass++)
        add(lines, 0, base);
    lines.push_back((uint16_t)extra);
    for (uint32_t i = base; i-- > 0;)
        lines.push_back((uint16_t)i);
    lines.push_back((uint16_t)extra);
    run("set", percent, base, times, extra, lines, base * times);
}

int main(void)
{
    /* Lines that L1 holds: 256 KiB less 8 less the carve-out. */
    static const struct {
        int percent;
        uint32_t lines;
    } carveout[] = {{4, 1856}, {7, 1728}, {14, 1472}, {28, 1184}, {44, 672}, {72, 160}};
    script_begin(16u << 20);
    puts("kind,percent,a,b,c,read,hits");
    for (auto l1 : carveout) {
        for (uint32_t more : {0u, 16u, 32u, 64u, 96u, 128u, 192u, 256u, 384u})
            cyclic(l1.percent, l1.lines + more);
        for (uint32_t eighths : {2u, 4u, 5u, 6u, 7u, 8u})
            for (uint32_t times : {1u, 2u, 3u})
                for (uint32_t once : {l1.lines / 2, 2 * l1.lines})
                    hot(l1.percent, l1.lines * eighths / 8, times, once);
        for (uint32_t quarters : {1u, 2u, 3u, 4u})
            for (uint32_t eighths : {2u, 4u, 6u, 8u})
                pair(l1.percent, l1.lines * quarters / 4, l1.lines * eighths / 8);
        if (l1.percent == 7 || l1.percent == 14)
            for (uint32_t times = 1; times <= 3; times += 2) {
                for (uint32_t extra = 2048; extra <= 32768; extra *= 2)
                    set(l1.percent, l1.lines, times, extra);
                for (uint32_t i = 0; i < 24; i++)
                    set(l1.percent, l1.lines, times, 4096 + 37 * i);
            }
    }
    return 0;
}
