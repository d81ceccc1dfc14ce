/* SPDX-License-Identifier: MIT
 *
 * clean.c - names of a trace as they may be shown. Leaves out which characters look alike.
 */
#include "traces/command/command.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of the character there; 0 where it is none, or is not to be shown. */
static unsigned harmless(const unsigned char *p)
{
    const unsigned bytes = p[0] < 0x80   ? 1
                           : p[0] < 0xc2 ? 0
                           : p[0] < 0xe0 ? 2
                           : p[0] < 0xf0 ? 3
                           : p[0] < 0xf5 ? 4
                                         : 0;
    uint32_t c = bytes == 1 ? p[0] : p[0] & (0x7fu >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},  {0xd800, 0xdfff},
                  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return 0;
    return c < least[bytes] || c > 0x10ffff ? 0 : bytes;
}

const char *clean(const char *text)
{
    static char *kept[8], fixed[8][512]; /* without memory the start of a text has to do */
    static unsigned turn;
    const unsigned at = turn++ % 8;
    const size_t length = strlen(text);
    char *grown = realloc(kept[at], length + 1);
    if (grown)
        kept[at] = grown;
    char *const first = grown ? grown : fixed[at], *out = first;
    const char *const last = first + (grown ? length : sizeof fixed[at] - 1);
    while (*text) {
        const unsigned bytes = harmless((const unsigned char *)text), step = bytes ? bytes : 1;
        if (step > last - out)
            break;
        if (bytes)
            memcpy(out, text, bytes);
        else
            *out = '?';
        out += step;
        text += step;
    }
    *out = '\0';
    return first;
}
