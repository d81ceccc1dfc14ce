/* SPDX-License-Identifier: MIT
 *
 * make_tracez.c - packs a .traceg file into the .tracez container, for tests of the importer:
 *
 *     make_tracez [-d] IN.traceg OUT.tracez LINES
 *
 * LINES instruction lines go into a piece; with -d pieces are packed with a dictionary. Cluster
 * lines are taken along. Written from the format's description, not from the importer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static FILE *out;
static uint8_t index_bytes[1 << 20];
static size_t index_size;

static void need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "make_tracez: %s\n", what);
        exit(1);
    }
}

static size_t put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
    return bytes;
}

static void file32(uint32_t value)
{
    uint8_t bytes[4];
    fwrite(bytes, put(bytes, value, 4), 1, out);
}

static void index_put(uint64_t value, unsigned bytes)
{
    need(index_size + bytes <= sizeof index_bytes, "too large");
    index_size += put(index_bytes + index_size, value, bytes);
}

/* A warp: its lines into pieces; `lines` is their text, one after another. */
static void put_warp(ZSTD_CCtx *pack, char *lines, uint32_t count, uint32_t piece)
{
    static uint8_t packed[1 << 20];
    const uint32_t pieces = (count + piece - 1) / piece;
    index_put(count, 4);
    index_put(pieces, 4);
    index_put((uint64_t)ftell(out), 8);
    file32(count);
    file32(pieces);
    for (uint32_t first = 0; first < count; first += piece) {
        const uint32_t here = count - first < piece ? count - first : piece;
        char *end = lines;
        for (uint32_t i = 0; i < here; i++)
            end = strchr(end, '\n') + 1;
        const size_t size =
            ZSTD_compress2(pack, packed, sizeof packed, lines, (size_t)(end - lines));
        need(!ZSTD_isError(size), "cannot compress");
        file32((uint32_t)size);
        fwrite(packed, size, 1, out);
        index_put(here, 4);
        lines = end;
    }
}

int main(int argc, char **argv)
{
    const int dictionary = argc > 1 && strcmp(argv[1], "-d") == 0;
    argv += dictionary;
    need(argc - dictionary == 4, "usage: make_tracez [-d] IN.traceg OUT.tracez LINES");
    FILE *in = fopen(argv[1], "r");
    out = fopen(argv[2], "wb");
    const uint32_t piece = (uint32_t)atoi(argv[3]);
    need(in && out && piece, "cannot open the files");
    static const char words[] = "ffffffff 1 R4 LDG.E 1 R4 4 1 0x7fb0fc430e00 4 0 \n";
    ZSTD_CCtx *pack = ZSTD_createCCtx();
    if (dictionary)
        ZSTD_CCtx_loadDictionary(pack, words, sizeof words - 1);

    char *line = NULL;
    static char lines[1 << 20];
    size_t capacity = 0, used = 0, warps_at = 0;
    uint32_t left = 0, count = 0, ctas = 0, warps = 0, cluster[7] = {0};
    int header = 1;
    while (getline(&line, &capacity, in) >= 0) {
        uint32_t v[3];
        if (header && line[0] == '-') {
            fputs(line, out);
        } else if (line[0] == '#' && header) {
            header = 0;
            fputc('\0', out);
            file32(dictionary ? sizeof words - 1 : 0);
            file32(piece);
            if (dictionary)
                fwrite(words, sizeof words - 1, 1, out);
            index_put(0, 4);
        } else if (line[0] == '\n') {
            continue;
        } else if (left) {
            need(used + strlen(line) < sizeof lines, "too many lines");
            strcpy(lines + used, line);
            used += strlen(line);
            if (--left == 0) {
                put_warp(pack, lines, count, piece);
                warps++;
            }
        } else if (sscanf(line, "thread block = %u,%u,%u", &v[0], &v[1], &v[2]) == 3) {
            for (unsigned i = 0; i < 3; i++)
                index_put(v[i], 4);
            memset(cluster, 0, sizeof cluster);
            warps_at = 0;
            ctas++;
            warps = 0;
        } else if (sscanf(line, "cluster cta = %u,%u,%u", &cluster[3], &cluster[4], &cluster[5]) ==
                   3) {
            continue;
        } else if (sscanf(line, "insts = %u", &left) == 1) {
            if (!warps_at) {
                for (unsigned i = 0; i < 7; i++)
                    index_put(cluster[i], 4);
                warps_at = index_size;
                index_put(0, 4);
            }
            count = left;
            used = 0;
            if (!count) {
                put_warp(pack, lines, 0, piece);
                warps++;
            }
        } else if (strncmp(line, "#END_TB", 7) == 0) {
            put(index_bytes + warps_at, warps, 4);
        }
    }
    put(index_bytes, ctas, 4);
    uint8_t offset[8];
    put(offset, (uint64_t)ftell(out), 8);
    fwrite(index_bytes, index_size, 1, out);
    fwrite(offset, sizeof offset, 1, out);
    ZSTD_freeCCtx(pack);
    free(line);
    fclose(in);
    need(fclose(out) == 0, "cannot write");
    return 0;
}
