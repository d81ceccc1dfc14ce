/* SPDX-License-Identifier: MIT
 *
 * bench_import.c - how fast `gmtrace import --accelsim` reads text. `bench_import GMTRACE FOLDER`
 * writes .traceg files there, imports each and prints million warp instructions a second of
 * processor time, and peak memory; each pattern in two sizes, as memory must not grow with the
 * file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARPS 8u
#define STEPS 64u /* loop iterations a warp */
#define BASE  0x7f0000000000u

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

/* One access in four instructions: about what compiled loops have. */
static void put_loop(FILE *out, const char *opcode, uint64_t base, int scattered)
{
    fprintf(out, "0010 ffffffff 1 R6 IMAD.WIDE 2 R4 R3 0 0 \n0020 ffffffff 1 R8 %s 1 R6 4 ",
            opcode);
    if (scattered) {
        fprintf(out, "2 0x%" PRIx64, base);
        for (unsigned lane = 1; lane < 32; lane++)
            fprintf(out, " %d", (int)(random32() & 0xffffffcu) - 0x8000000);
        fputs(" 0 \n", out);
    } else {
        fprintf(out, "1 0x%" PRIx64 " 4 0 \n", base);
    }
    fputs("0030 ffffffff 1 R5 FFMA 3 R8 R9 R5 0 0 \n0040 ffffffff 0 BRA 0 0 0 \n", out);
}

static void write_kernel(const char *path, uint32_t ctas, int scattered)
{
    FILE *out = fopen(path, "w");

    if (out == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(out,
            "-kernel name = bench\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n"
            "-shmem = 0\n-nregs = 12\n-binary version = 80\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007e8000000000\n"
            "-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] [mem_addresses] immediate\n",
            ctas, WARPS * 32);
    for (uint32_t cta = 0; cta < ctas; cta++) {
        fprintf(out, "\n#BEGIN_TB\n\nthread block = %u,0,0\n", cta);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            fprintf(out, "\nwarp = %u\ninsts = %u\n", warp, STEPS * 4 + 1);
            for (uint32_t step = 0; step < STEPS; step++)
                put_loop(out, "LDG.E", BASE + ((uint64_t)(cta * WARPS + warp) * STEPS + step) * 128,
                         scattered);
            fputs("0050 ffffffff 0 EXIT 0 0 0 \n", out);
        }
        fputs("\n#END_TB\n", out);
    }
    if (ferror(out) | fclose(out)) {
        perror(path);
        exit(1);
    }
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void measure(const char *gmtrace, const char *from, const char *to, struct rusage *used)
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);

        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
        execl(gmtrace, gmtrace, "import", "--accelsim", from, "-o", to, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, used) != child || status != 0) {
        fprintf(stderr, "bench_import: %s import %s failed\n", gmtrace, from);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        uint32_t ctas;
        int scattered;
    } run[] = {{"coalesced", 500, 0},
               {"coalesced", 2000, 0},
               {"scattered", 250, 1},
               {"scattered", 1000, 1}};
    char from[4096], to[4096];

    if (argc != 3) {
        fputs("Usage: bench_import GMTRACE FOLDER\n", stderr);
        return 2;
    }
    snprintf(from, sizeof from, "%s/kernel-1.traceg", argv[2]);
    snprintf(to, sizeof to, "%s/kernel-1.trc", argv[2]);
    printf("%-10s %12s %10s %10s %9s   Accel-Sim import\n", "addresses", "instructions", "text MB",
           "M/s", "peak MiB");
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        uint64_t count = (uint64_t)run[i].ctas * WARPS * (STEPS * 4 + 1);
        struct rusage used;
        struct stat file;

        write_kernel(from, run[i].ctas, run[i].scattered);
        if (stat(from, &file) != 0) {
            perror(from);
            return 1;
        }
        measure(argv[1], from, to, &used);
        printf("%-10s %12" PRIu64 " %10.1f %10.2f %9.1f\n", run[i].name, count,
               (double)file.st_size / 1e6,
               (double)count / 1e6 / (seconds(&used.ru_utime) + seconds(&used.ru_stime)),
               (double)used.ru_maxrss / 1024);
    }
    unlink(from);
    unlink(to);
    return 0;
}
