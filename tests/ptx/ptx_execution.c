/* SPDX-License-Identifier: MIT
 *
 * ptx_execution.c - the PTX interpreter beyond arithmetic: memory, lanes that see each other,
 * control flow, calls, barriers, faults, and the records it writes.
 */
#include "tests/ptx/ptx_fixture.h"

#include <glib/gstdio.h>

/* Runs `body` with %t0 = tid, %o = address of this thread's word of `out`, and declared registers
 * %a0.. (32 bits), %x0.. (64), %p0.., %f0.. */
static char *kernel_text(const char *module, const char *body)
{
    return g_strdup_printf(
        PTX_HEAD "%s\n.visible .entry k(.param .u64 po, .param .u64 pi, .param .u32 n)\n"
                 "{ .reg .b32 %%a<16>; .reg .b64 %%x<16>; .reg .pred %%p<8>; .reg .f32 %%f<8>;"
                 " .reg .b32 %%t0; .reg .b64 %%o; .reg .b64 %%i; .reg .b16 %%h<8>;\n"
                 "mov.u32 %%t0, %%tid.x; mul.wide.u32 %%x0, %%t0, 4;\n"
                 "ld.param.u64 %%o, [po]; add.u64 %%o, %%o, %%x0; ld.param.u64 %%i, [pi];\n"
                 "%s\nret; }\n",
        module, body);
}

static void run_body(const char *module, const char *body, uint32_t threads, uint32_t *out,
                     void *in, uint32_t n)
{
    g_autofree char *text = kernel_text(module, body);
    void *args[] = {&out, &in, &n};
    ptx_case c;
    case_open(&c, text, "k");
    if (!case_run(&c, 1, threads, 1024, args))
        g_error("%s\n%s", c.error.text, body);
    case_close(&c);
}

static void test_memory(void)
{
    uint32_t out[64] = {0};
    uint8_t in[256];
    for (int i = 0; i < 256; i++)
        in[i] = (uint8_t)(i * 37 + 129);
#define LOADS(BODY, EXPR)                                                                          \
    memset(out, 0, sizeof out);                                                                    \
    run_body("", BODY, 32, out, in, 0);                                                            \
    for (uint32_t i = 0; i < 32; i++)                                                              \
        g_assert_cmphex(out[i], ==, (uint32_t)(EXPR));
    LOADS("cvt.u64.u32 %x1, %t0; add.u64 %x1, %i, %x1; ld.global.u8 %a0, [%x1]; "
          "st.global.u32 [%o], %a0;",
          in[i])
    LOADS("cvt.u64.u32 %x1, %t0; add.u64 %x1, %i, %x1; ld.global.s8 %a0, [%x1+3]; "
          "st.global.u32 [%o], %a0;",
          (int8_t)in[i + 3])
    LOADS("mul.wide.u32 %x1, %t0, 2; add.u64 %x1, %i, %x1; ld.global.s16 %a0, [%x1]; "
          "st.global.u32 [%o], %a0;",
          (int16_t)(in[2 * i] | in[2 * i + 1] << 8))
    LOADS("mul.wide.u32 %x1, %t0, 4; add.u64 %x1, %i, %x1; ld.global.v2.u16 {%h0, %h1}, [%x1]; "
          "mov.b32 %a0, {%h1, %h0}; st.global.u32 [%o], %a0;",
          (uint32_t)(in[4 * i] | in[4 * i + 1] << 8) << 16 | in[4 * i + 2] | in[4 * i + 3] << 8)
    LOADS("and.b32 %a1, %t0, 7; mul.wide.u32 %x1, %a1, 16; add.u64 %x1, %i, %x1; "
          "ld.global.nc.v4.u32 {%a0, %a1, %a2, %a3}, [%x1]; st.global.u32 [%o], %a2;",
          in[16 * (i & 7) + 8] | in[16 * (i & 7) + 9] << 8 | in[16 * (i & 7) + 10] << 16 |
              (uint32_t)in[16 * (i & 7) + 11] << 24)
    LOADS("mov.u32 %a0, 0x12345678; st.global.u8 [%o+1], %a0; st.global.u16 [%o+2], %a0;",
          0x56787800)
    /* shared: every thread reads its mirror's word; static, then dynamic memory behind it */
    LOADS(".shared .align 4 .b8 s[128]; mov.u32 %a0, s; mad.lo.u32 %a1, %t0, 4, %a0;"
          "mul.lo.u32 %a2, %t0, 7; st.shared.u32 [%a1], %a2; bar.sync 0; sub.u32 %a3, 31, %t0;"
          "mad.lo.u32 %a3, %a3, 4, %a0; ld.shared.u32 %a4, [%a3]; st.global.u32 [%o], %a4;",
          (31 - i) * 7)
    /* local arrays are each thread's own, also through generic addresses */
    LOADS(".local .align 4 .b8 l[64]; mov.u64 %x1, l; cvta.local.u64 %x2, %x1;"
          "and.b32 %a0, %t0, 15; mul.wide.u32 %x3, %a0, 4; add.u64 %x4, %x2, %x3;"
          "st.u32 [%x4], %t0; add.u64 %x5, %x1, %x3; ld.local.u32 %a1, [%x5];"
          "isspacep.local %p0, %x4; selp.u32 %a2, 100, 0, %p0; add.u32 %a1, %a1, %a2;"
          "st.global.u32 [%o], %a1;",
          i + 100)
    /* lanes of one generic access in different spaces */
    LOADS(".shared .align 4 .b8 s[128]; mov.u64 %x1, s; cvta.shared.u64 %x1, %x1;"
          "add.u64 %x1, %x1, %x0; and.b32 %a0, %t0, 1; setp.eq.u32 %p0, %a0, 0;"
          "selp.b64 %x2, %x1, %o, %p0; add.u32 %a1, %t0, 5; st.u32 [%x2], %a1; bar.sync 0;"
          "@%p0 ld.shared.u32 %a2, [s+8]; @%p0 st.global.u32 [%o], %a2;",
          i & 1 ? i + 5 : 7)
    run_body(".global .align 4 .u32 g[3] = {7, 8, 9};\n.const .align 4 .b8 c[8] = {1, 2, 3, 4, 5};"
             ".global .align 8 .u64 at = generic(g)+8;",
             "mov.u64 %x1, at; ld.global.u64 %x2, [%x1]; ld.u32 %a0, [%x2];"
             "ld.const.u32 %a1, [c+4]; shl.b32 %a0, %a0, 8; or.b32 %a0, %a0, %a1;"
             "st.global.u32 [%o], %a0;",
             1, out, in, 0);
    g_assert_cmphex(out[0], ==, 9 << 8 | 5);
    /* cp.async, the second half filled with zeros */
    LOADS(".shared .align 16 .b8 s[512]; and.b32 %a0, %t0, 7; mul.wide.u32 %x1, %a0, 16;"
          "add.u64 %x2, %i, %x1; mov.u32 %a1, s; mad.lo.u32 %a2, %t0, 16, %a1;"
          "mov.u32 %a3, 8; cp.async.cg.shared.global [%a2], [%x2], 16, %a3;"
          "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %a4, [%a2+4];"
          "ld.shared.u32 %a5, [%a2+8]; add.u32 %a4, %a4, %a5; st.global.u32 [%o], %a4;",
          in[16 * (i & 7) + 4] | in[16 * (i & 7) + 5] << 8 | in[16 * (i & 7) + 6] << 16 |
              (uint32_t)in[16 * (i & 7) + 7] << 24)
}

static void test_atomics(void)
{
    uint32_t out[32];
    uint32_t cell[4];
#define ATOMIC(BODY, START, EXPR_OLD, LAST)                                                        \
    cell[0] = START;                                                                               \
    run_body("", BODY " st.global.u32 [%o], %a0;", 32, out, cell, 0);                              \
    g_assert_cmphex(cell[0], ==, LAST);                                                            \
    for (uint32_t i = 0; i < 32; i++)                                                              \
        g_assert_cmphex(out[i], ==, (uint32_t)(EXPR_OLD));
    ATOMIC("atom.global.add.u32 %a0, [%i], %t0;", 5, 5 + i * (i - 1) / 2, 5 + 31 * 16)
    ATOMIC("atom.global.exch.b32 %a0, [%i], %t0;", 77, i ? i - 1 : 77, 31)
    ATOMIC("atom.global.max.s32 %a0, [%i], %t0;", 10, i <= 10 ? 10 : i - 1, 31)
    ATOMIC("atom.global.min.u32 %a0, [%i], 4;", 10, i ? 4 : 10, 4)
    ATOMIC("atom.global.inc.u32 %a0, [%i], 2;", 0, i % 3, 32 % 3)
    ATOMIC("atom.global.dec.u32 %a0, [%i], 2;", 0, i == 0 ? 0 : (2 - (i - 1) % 3), 1)
    ATOMIC("atom.global.cas.b32 %a0, [%i], 9, %t0;", 9, i ? 0 : 9, 0)
    ATOMIC("mov.u32 %a1, 1; shl.b32 %a1, %a1, %t0; atom.global.or.b32 %a0, [%i], %a1;", 0,
           (1ull << i) - 1, UINT32_MAX)
    ATOMIC("cvt.rn.f32.u32 %f0, %t0; red.global.add.f32 [%i], %f0; mov.u32 %a0, 3;", 0, 3,
           0x43f80000)
    /* on shared memory, from 2 warps */
    uint32_t two[64];
    run_body("",
             ".shared .align 4 .u32 s; setp.eq.u32 %p0, %t0, 0; @%p0 st.shared.u32 [s], 0;"
             "bar.sync 0; red.shared.add.u32 [s], 3; bar.sync 0; ld.shared.u32 %a0, [s];"
             "st.global.u32 [%o], %a0;",
             64, two, cell, 0);
    for (int i = 0; i < 64; i++)
        g_assert_cmpuint(two[i], ==, 192);
}

static void test_warp(void)
{
    uint32_t out[32];
#define WARP(BODY, EXPR)                                                                           \
    run_body("", "mul.lo.u32 %a0, %t0, 3; " BODY " st.global.u32 [%o], %a1;", 32, out, NULL, 0);   \
    for (uint32_t i = 0; i < 32; i++)                                                              \
        g_assert_cmphex(out[i], ==, (uint32_t)(EXPR));
    WARP("shfl.sync.down.b32 %a1, %a0, 4, 31, -1;", 3 * (i + 4 < 32 ? i + 4 : i))
    WARP("shfl.sync.up.b32 %a1, %a0, 4, 0, -1;", 3 * (i >= 4 ? i - 4 : i))
    WARP("shfl.sync.bfly.b32 %a1, %a0, 5, 31, -1;", 3 * (i ^ 5))
    WARP("shfl.sync.idx.b32 %a1, %a0, 9, 31, -1;", 27)
    /* segments of 8 lanes: c = (32 - 8) << 8 | 31 */
    WARP("shfl.sync.down.b32 %a1|%p0, %a0, 3, 6175, -1; @!%p0 mov.u32 %a1, 1000;",
         (i & 7) + 3 < 8 ? 3 * (i + 3) : 1000)
    WARP("shfl.sync.idx.b32 %a1, %a0, 2, 6175, -1;", 3 * ((i & ~7u) | 2))
    WARP("setp.gt.u32 %p0, %t0, 20; vote.sync.ballot.b32 %a1, %p0, -1;", 0xffe00000)
    WARP("setp.gt.u32 %p0, %t0, 20; vote.sync.ballot.b32 %a1, !%p0, -1;", 0x001fffff)
    WARP("setp.gt.u32 %p0, %t0, 20; vote.sync.any.pred %p1, %p0, -1; selp.u32 %a1, 1, 0, %p1;", 1)
    WARP("setp.gt.u32 %p0, %t0, 20; vote.sync.all.pred %p1, %p0, -1; selp.u32 %a1, 1, 0, %p1;", 0)
    WARP("setp.lt.u32 %p0, %t0, 40; vote.sync.uni.pred %p1, %p0, -1; selp.u32 %a1, 1, 0, %p1;", 1)
    WARP("and.b32 %a2, %t0, 3; match.any.sync.b32 %a1, %a2, -1;", 0x11111111u << (i & 3))
    WARP("match.all.sync.b32 %a1|%p0, %t0, -1; @!%p0 mov.u32 %a1, 6;", 6)
    WARP("redux.sync.add.s32 %a1, %a0, -1;", 3 * 31 * 16)
    WARP("sub.u32 %a2, %t0, 9; redux.sync.min.s32 %a1, %a2, -1;", -9)
    WARP("sub.u32 %a2, %t0, 9; redux.sync.min.u32 %a1, %a2, -1;", 0)
    WARP("redux.sync.xor.b32 %a1, %a0, -1;", 0x20)
    WARP("mov.u32 %a1, 0; setp.lt.u32 %p0, %t0, 7; @%p0 activemask.b32 %a1;", i < 7 ? 0x7f : 0)
    WARP("mov.u32 %a1, %lanemask_lt;", (1ull << i) - 1)
    WARP("mov.u32 %a1, %lanemask_ge;", ~((1ull << i) - 1))
    WARP("elect.sync %a1|%p0, -1; selp.u32 %a1, 1, 0, %p0;", i == 0)
}

static void test_control(void)
{
    uint32_t out[128];
    /* a loop whose only exit is a branch to ret: lanes that part in its body meet in each round */
    run_body("",
             "mov.u32 %a0, 0; mov.u32 %a1, 0;\n"
             "LOOP: setp.gt.u32 %p0, %a0, 4; @%p0 bra DONE;\n"
             "setp.lt.u32 %p1, %t0, 9; @%p1 bra MEET; add.u32 %a1, %a1, 100;\n"
             "MEET: activemask.b32 %a2; setp.eq.u32 %p1, %a2, -1; @%p1 add.u32 %a1, %a1, 1;\n"
             "add.u32 %a0, %a0, 1; st.global.u32 [%o], %a1; bra LOOP;\n"
             "DONE:",
             32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, i < 9 ? 5 : 505);
    /* loops of different lengths that meet again: the mask after them is whole */
    run_body("",
             "mov.u32 %a0, 0; mov.u32 %a1, 0;\n"
             "LOOP: add.u32 %a1, %a1, %a0; add.u32 %a0, %a0, 1;\n"
             "setp.le.u32 %p0, %a0, %t0; @%p0 bra LOOP;\n"
             "activemask.b32 %a2; setp.eq.u32 %p1, %a2, -1; @!%p1 mov.u32 %a1, 9999;\n"
             "st.global.u32 [%o], %a1;",
             32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, i * (i + 1) / 2);
    /* nested branches with an early exit inside: those that are left meet again */
    run_body(
        "",
        "st.global.u32 [%o], 0; and.b32 %a0, %t0, 1; setp.eq.u32 %p0, %a0, 0;\n"
        "@%p0 bra EVEN;\n"
        "setp.eq.u32 %p1, %t0, 5; @%p1 bra LEAVE;\n"
        "mov.u32 %a1, 10; bra JOIN;\n"
        "LEAVE: st.global.u32 [%o], 55; exit;\n"
        "EVEN: mov.u32 %a1, 20; setp.lt.u32 %p2, %t0, 8; @%p2 bra SMALL; add.u32 %a1, %a1, 1;\n"
        "SMALL: add.u32 %a1, %a1, 100;\n"
        "JOIN: activemask.b32 %a2; popc.b32 %a2, %a2; mad.lo.u32 %a1, %a2, 1000, %a1;\n"
        "st.global.u32 [%o], %a1;",
        32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, i == 5 ? 55 : i & 1 ? 31010 : i < 8 ? 31120 : 31121);
    run_body("",
             "and.b32 %a0, %t0, 3; mov.u32 %a1, 0;\n"
             "T: .branchtargets L0, L1, L2, L1;\n"
             "brx.idx %a0, T;\n"
             "L0: add.u32 %a1, %a1, 1; bra J;\nL1: add.u32 %a1, %a1, 10; bra J;\n"
             "L2: add.u32 %a1, %a1, 100;\n"
             "J: activemask.b32 %a2; popc.b32 %a2, %a2; mad.lo.u32 %a1, %a2, 1000, %a1;"
             " st.global.u32 [%o], %a1;",
             32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, 32000 + (i % 4 == 0 ? 1 : i % 4 == 2 ? 100 : 10));
    static const char functions[] =
        ".func (.param .b32 r) fact(.param .b32 n) {\n"
        " .reg .b32 %a<4>; .reg .pred %p0; .param .b32 q; \n"
        " ld.param.u32 %a0, [n]; mov.u32 %a1, 1; setp.lt.u32 %p0, %a0, 2; @%p0 bra OUT;\n"
        " sub.u32 %a2, %a0, 1; { .param .b32 p0; .param .b32 r0; st.param.b32 [p0+0], %a2;\n"
        " call.uni (r0), fact, (p0); ld.param.b32 %a3, [r0+0]; } mul.lo.u32 %a1, %a0, %a3;\n"
        "OUT: st.param.b32 [r+0], %a1; ret; }\n"
        ".func (.param .b32 r) twice(.param .b32 n) { .reg .b32 %a0; ld.param.u32 %a0, [n];"
        " add.u32 %a0, %a0, %a0; st.param.b32 [r+0], %a0; ret; }\n"
        ".global .align 8 .u64 table[2] = {fact, twice};\n";
    run_body(functions,
             "and.b32 %a0, %t0, 7; { .param .b32 p0; .param .b32 r0; st.param.b32 [p0+0], %a0;"
             " call.uni (r0), fact, (p0); ld.param.b32 %a1, [r0+0]; } st.global.u32 [%o], %a1;",
             32, out, NULL, 0);
    static const uint32_t factorial[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, factorial[i & 7]);
    /* through pointers, to different functions in one warp */
    run_body(functions,
             "and.b32 %a0, %t0, 7; and.b32 %a2, %t0, 1; mul.wide.u32 %x1, %a2, 8;"
             "mov.u64 %x2, table; add.u64 %x2, %x2, %x1; ld.global.u64 %x3, [%x2];"
             "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0+0], %a0;"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);"
             " call (r0), %x3, (p0), P; ld.param.b32 %a1, [r0+0]; } st.global.u32 [%o], %a1;",
             32, out, NULL, 0);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(out[i], ==, i & 1 ? 2 * (i & 7) : factorial[i & 7]);
    /* barriers with reductions, three warps, the last one not full */
    run_body("",
             "setp.lt.u32 %p0, %t0, 50; bar.red.popc.u32 %a0, 0, %p0;"
             "bar.red.or.pred %p1, 0, !%p0; selp.u32 %a1, 1000, 0, %p1; add.u32 %a0, %a0, %a1;"
             "bar.red.and.pred %p1, 0, %p0; selp.u32 %a1, 5000, 0, %p1; add.u32 %a0, %a0, %a1;"
             "st.global.u32 [%o], %a0;",
             70, out, NULL, 0);
    for (uint32_t i = 0; i < 70; i++)
        g_assert_cmpuint(out[i], ==, 1050);
}

static bool in_array(void *user, uint64_t address, uint64_t bytes, bool is_write, uint64_t *shift)
{
    (void)shift;
    const uint64_t base = (uint64_t)(uintptr_t)user;
    (void)is_write;
    return address >= base && address + bytes <= base + 128;
}

static void expect_fault(const char *body, gmptx_fault_kind kind, uint32_t thread)
{
    g_autofree char *text = kernel_text("", body);
    uint32_t memory[64] = {0}, n = 0;
    void *out = memory, *in = memory;
    void *args[] = {&out, &in, &n};
    ptx_case c;
    case_open(&c, text, "k");
    const gmptx_launch launch = {.kernel = c.kernel,
                                 .grid = {2, 1, 1},
                                 .block = {32, 1, 1},
                                 .args = args,
                                 .check = in_array,
                                 .check_user = memory,
                                 .instruction_limit = 100000};
    g_assert_false(gmptx_run(&launch, &c.result, &c.error));
    g_assert_cmpint(c.result.fault.kind, ==, kind);
    g_assert_cmpuint(c.result.fault.block[0], ==, 0);
    if (thread != UINT32_MAX)
        g_assert_cmpuint(c.result.fault.thread[0], ==, thread);
    g_assert_nonnull(strstr(c.error.text, "block (0,0,0)"));
    case_close(&c);
}

static void test_faults(void)
{
    expect_fault("st.global.u32 [%o+4], 1;", GMPTX_FAULT_ACCESS, 31);
    expect_fault("st.global.u32 [%o+2], 1;", GMPTX_FAULT_MISALIGNED, 0);
    expect_fault(".shared .b32 s[4]; mov.u32 %a0, s; ld.shared.u32 %a1, [%a0+16];",
                 GMPTX_FAULT_ACCESS, 0);
    expect_fault("L: bra L;", GMPTX_FAULT_LIMIT, UINT32_MAX);
    expect_fault("setp.lt.u32 %p0, %t0, 5; @%p0 bar.sync 0; add.u32 %a0, %t0, 1; bar.sync 0;",
                 GMPTX_FAULT_BARRIER, 5);
    expect_fault("setp.eq.u32 %p0, %t0, 9; @%p0 trap;", GMPTX_FAULT_TRAP, 9);
    expect_fault("setp.lt.u32 %p0, %t0, 9; @%p0 shfl.sync.idx.b32 %a0, %t0, 0, 31, -1;",
                 GMPTX_FAULT_INSTRUCTION, 9);
}

static void expect_error(const char *text, const char *word)
{
    gmtrace_error error = {0};
    gmptx_module *m = gmptx_parse(text, strlen(text), "t", &error);
    if (m) {
        g_assert_null(gmptx_find_kernel(m, "k", &error));
        gmptx_free(m);
    }
    if (!strstr(error.text, word) || !strstr(error.text, "line "))
        g_error("'%s' does not say '%s'", error.text, word);
}

static void test_mbarrier(void)
{
    static const char module[] = ".shared .align 8 .b64 bar; .shared .align 4 .b8 s[256];";
    uint32_t out[64];
    /* the second warp's words are read by the first, and the other way round */
    run_body(module,
             "setp.eq.u32 %p0, %t0, 0; @%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;"
             "mov.u32 %a0, s; mad.lo.u32 %a1, %t0, 4, %a0; mul.lo.u32 %a2, %t0, 7;"
             "st.shared.u32 [%a1], %a2; mbarrier.arrive.shared.b64 %x1, [bar];"
             "WAIT: mbarrier.test_wait.shared.b64 %p1, [bar], %x1; @!%p1 bra WAIT;"
             "xor.b32 %a3, %t0, 63; mad.lo.u32 %a3, %a3, 4, %a0; ld.shared.u32 %a4, [%a3];"
             "st.global.u32 [%o], %a4;",
             64, out, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        g_assert_cmpuint(out[i], ==, (63 - i) * 7);
    /* what is missing before an arrival; a phase waits for bytes, too; one that drops out is not
     * waited for again */
    run_body(module,
             "mov.u32 %a9, 0; mbarrier.init.shared::cta.b64 [bar], 2;"
             "mbarrier.arrive.noComplete.shared.b64 %x1, [bar], 1;"
             "mbarrier.pending_count.b64 %a0, %x1; add.u32 %a9, %a9, %a0;"
             "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;"
             "mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;"
             "@%p0 add.u32 %a9, %a9, 10;"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;"
             "mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0, 1000;"
             "@%p0 add.u32 %a9, %a9, 100;"
             "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 1; @%p0 add.u32 %a9, %a9, 1000;"
             "mbarrier.arrive_drop.shared.b64 _, [bar]; mbarrier.arrive.shared.b64 _, [bar];"
             "cp.async.mbarrier.arrive.shared.b64 [bar];"
             "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
             "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0; @%p0 add.u32 %a9, %a9, 10000;"
             "mbarrier.inval.shared.b64 [bar]; st.global.u32 [%o], %a9;",
             1, out, NULL, 0);
    g_assert_cmpuint(out[0], ==, 10102);
}

static void test_errors(void)
{
    expect_error(PTX_HEAD ".entry k() { frobnicate.u32 1; }", "frobnicate");
    expect_error(PTX_HEAD ".entry k() { .reg .b32 %r<2>; add.nonsense.u32 %r0, %r1, 1; }",
                 "add.nonsense.u32");
    expect_error(PTX_HEAD ".entry k() { .reg .b32 %r<2>; add.u32 %r0, %r2, 1; }", "%r2");
    expect_error(PTX_HEAD ".entry k() { .reg .b32 %r<2>; .reg .b64 %x; add.u32 %r0, %x, 1; }",
                 "operand 2");
    expect_error(PTX_HEAD ".entry k() { bra NOWHERE; }", "NOWHERE");
    expect_error(PTX_HEAD ".entry k() { ret;", "end");
    expect_error(PTX_HEAD ".entry k() { .reg .b64 %r<2>; mbarrier.init.b64 [%r0], 1; }",
                 "mbarrier.init.b64");
    expect_error(PTX_HEAD ".func f(); .entry k() { call f; }", "no body");
}

/* Two CTAs, one thread each: what they print comes in order. */
static void test_print(void)
{
    static const char text[] =
        PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".global .align 1 .b8 f[16] = {37, 100, 32, 37, 46, 50, 102, 37, 37, 10, 0};\n"
                 ".entry k() { .local .align 8 .b8 l[16]; .reg .b64 %x<4>; .reg .b32 %a<2>;\n"
                 "mov.u64 %x0, l; cvta.local.u64 %x1, %x0; mov.u32 %a0, %ctaid.x;\n"
                 "st.local.u32 [%x0], %a0; st.local.f64 [%x0+8], 0d3FF8000000000000;\n"
                 "mov.u64 %x2, f; cvta.global.u64 %x2, %x2;\n"
                 "{ .param .b64 p0; st.param.b64 [p0+0], %x2; .param .b64 p1;\n"
                 "st.param.b64 [p1+0], %x1; .param .b32 r0; call.uni (r0), vprintf, (p0, p1); }\n"
                 "ret; }\n";
    ptx_case c;
    case_open(&c, text, "k");
    char buffer[64] = "";
    FILE *file = fmemopen(buffer, sizeof buffer, "w");
    const gmptx_launch launch = {
        .kernel = c.kernel, .grid = {3, 1, 1}, .block = {1, 1, 1}, .threads = 2, .print = file};
    g_assert_true(gmptx_run(&launch, &c.result, &c.error));
    fclose(file);
    g_assert_cmpstr(buffer, ==, "0 1.50%\n1 1.50%\n2 1.50%\n");
    case_close(&c);
}

/* What a kernel with every kind of record writes, on one thread and on three. */
static void write_trace(const char *path, unsigned threads)
{
    g_autofree char *text =
        kernel_text("", ".shared .align 16 .b8 s[512]; mov.u32 %a1, s; mad.lo.u32 %a2, %t0, 4, %a1;"
                        "ld.global.u32 %a3, [%o]; cp.async.ca.shared.global [%a2], [%o], 4;"
                        "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;"
                        "ld.shared.u32 %a4, [%a2]; setp.lt.u32 %p0, %t0, 3; @%p0 bra DONE;"
                        "st.global.u32 [%o], %a4;\nDONE: bar.warp.sync -1;");
    static uint32_t memory[256];
    void *out = memory, *in = memory;
    uint32_t n = 0;
    void *args[] = {&out, &in, &n};
    ptx_case c;
    const gmtrace_capture capture = {
        .source = "test", .program = "", .gpu = "", .detail = GMTRACE_DETAIL_FULL};
    case_open(&c, text, "k");
    gmtrace_writer *writer = gmtrace_writer_create(path, &capture, NULL, &c.error);
    gmptx_launch launch = {.kernel = c.kernel,
                           .grid = {20, 1, 1},
                           .block = {64, 1, 1},
                           .args = args,
                           .threads = threads,
                           .writer = writer,
                           .trace = {.shared_config = GMTRACE_UNKNOWN, .carveout_percent = -1}};
    g_assert_true(gmptx_add_to_trace(c.kernel, "k()", 0, writer, &launch.trace.kernel, &c.error));
    if (!gmptx_run(&launch, &c.result, &c.error))
        g_error("%s", c.error.text);
    g_assert_true(gmtrace_writer_close(writer, true, &c.error));
    case_close(&c);
}

static void test_trace(void)
{
    g_autofree char *folder = g_dir_make_tmp("ptx-XXXXXX", NULL);
    g_autofree char *one = g_build_filename(folder, "one.trc", NULL);
    g_autofree char *three = g_build_filename(folder, "three.trc", NULL);
    gmtrace_error error = {0};
    write_trace(one, 1);
    write_trace(three, 3);
    g_autofree char *a = NULL, *b = NULL;
    gsize as, bs;
    g_assert_true(g_file_get_contents(one, &a, &as, NULL));
    g_assert_true(g_file_get_contents(three, &b, &bs, NULL));
    g_assert_cmpmem(a, as, b, bs);
    gmtrace_reader *reader = gmtrace_open(one, &error);
    g_assert_nonnull(reader);
    g_assert_true(gmtrace_verify(reader, &error));
    g_assert_true(gmtrace_select_launch(reader, 0, &error));
    const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, 0);
    gmtrace_cursor cursor;
    unsigned kinds[GMTRACE_KIND_COUNT] = {0}, ops[GMTRACE_OP_COUNT] = {0};
    g_assert_true(gmtrace_cursor_open(reader, &cursor, 7, 0, &error));
    while (cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, &error)) {
        const gmtrace_record *r = cursor.next++;
        kinds[r->kind]++;
        ops[r->op]++;
        if (r->op == GMTRACE_OP_STORE) {
            g_assert_cmphex(r->mask, ==, 0xfffffff8);
            g_assert_cmpint(r->stride, ==, 4);
            g_assert_cmpstr(kernel->instr[r->instr].opcode, ==, "st.global.u32");
        }
    }
    gmtrace_cursor_close(reader, &cursor);
    g_assert_cmpuint(ops[GMTRACE_OP_LOAD], ==, 2);
    g_assert_cmpuint(ops[GMTRACE_OP_COPY_READ], ==, 1);
    g_assert_cmpuint(ops[GMTRACE_OP_COPY_WRITE], ==, 1);
    g_assert_cmpuint(ops[GMTRACE_OP_STORE], ==, 1);
    g_assert_cmpuint(kinds[GMTRACE_BARRIER], ==, 1);
    g_assert_cmpuint(kinds[GMTRACE_COPY_COMMIT], ==, 1);
    g_assert_cmpuint(kinds[GMTRACE_COPY_WAIT], ==, 1);
    g_assert_cmpuint(kinds[GMTRACE_SYNCWARP], ==, 1);
    /* mov mul.wide 2 ld.param add | mov mad | setp bra | ret */
    g_assert_cmpuint(kinds[GMTRACE_EXEC], ==, 10);
    gmtrace_close(reader);
    g_unlink(one);
    g_unlink(three);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ptx/memory", test_memory);
    g_test_add_func("/ptx/atomics", test_atomics);
    g_test_add_func("/ptx/warp", test_warp);
    g_test_add_func("/ptx/control", test_control);
    g_test_add_func("/ptx/faults", test_faults);
    g_test_add_func("/ptx/mbarrier", test_mbarrier);
    g_test_add_func("/ptx/errors", test_errors);
    g_test_add_func("/ptx/print", test_print);
    g_test_add_func("/ptx/trace", test_trace);
    return g_test_run();
}
