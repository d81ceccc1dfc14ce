/* SPDX-License-Identifier: MIT
 *
 * settings.h - what the gmcapture command tells the library it injects: environment variables, and
 * back again a report in the scratch folder. Both sides include this; nothing else names them.
 */
#ifndef GMCAPTURE_SETTINGS_H
#define GMCAPTURE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define GMC_ENV_OUTPUT    "GMCAPTURE_OUTPUT"
#define GMC_ENV_KERNEL    "GMCAPTURE_KERNEL"
#define GMC_ENV_SKIP      "GMCAPTURE_LAUNCH_SKIP"
#define GMC_ENV_COUNT     "GMCAPTURE_LAUNCH_COUNT"
#define GMC_ENV_SAMPLE    "GMCAPTURE_SAMPLE"
#define GMC_ENV_NVTX      "GMCAPTURE_NVTX_INCLUDE" /* ranges.h; one a line */
#define GMC_ENV_START     "GMCAPTURE_FROM_START"   /* "off": not before cudaProfilerStart() */
#define GMC_ENV_BUFFER    "GMCAPTURE_BUFFER"
#define GMC_ENV_MEMORY    "GMCAPTURE_MEMORY"
#define GMC_ENV_LEVEL     "GMCAPTURE_LEVEL"
#define GMC_ENV_VERBOSE   "GMCAPTURE_VERBOSE"
#define GMC_ENV_SCRATCH   "GMCAPTURE_SCRATCH"
#define GMC_ENV_NVDISASM  "GMCAPTURE_NVDISASM"
#define GMC_ENV_CUFILT    "GMCAPTURE_CUFILT"
#define GMC_ENV_SANITIZER "GMCAPTURE_SANITIZER"
#define GMC_ENV_LIBRARY   "GMCAPTURE_LIBRARY" /* read by the command alone */

#define GMC_DEFAULT_BUFFER  (64ull << 20)
#define GMC_SMALLEST_BUFFER (64ull << 10)
#define GMC_LARGEST_BUFFER  (16ull << 30)

typedef struct gmc_settings {
    const char *output;
    const char *kernel; /* regular expression; NULL: every kernel */
    uint64_t skip, count;
    uint64_t sample;  /* captured at most of launches of a kind; 0: all */
    const char *nvtx; /* ranges, one a line; NULL: all of the program */
    bool from_start;  /* before cudaProfilerStart(), too */
    uint64_t buffer;  /* bytes of the ring */
    uint64_t memory;  /* bytes of records held on the host; 0: the writer's default */
    int level;        /* zstd; 0: the writer's default */
    bool verbose;
    const char *scratch;  /* a folder of this run's own */
    const char *nvdisasm; /* NULL: not found */
    const char *cufilt;
    const char *sanitizer;
} gmc_settings;

/* The library's side. */
void gmc_settings_read(gmc_settings *settings);
/* "64M", "512k", "1G", "4096"; false where the text is no size. */
bool gmc_parse_size(const char *text, uint64_t *size);

/* The report: lines "KEY VALUE" appended to SCRATCH/report by the traced processes. */
#define GMC_REPORT "report"
void gmc_report(const gmc_settings *settings, const char *key, const char *value);

#endif
