#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# random_kernels.py - writes COUNT random functions of integers and floating-point numbers, kernels
# that call them, and a reference for the host: FOLDER/functions.h, kernels.cu, reference.cpp. The
# program compares all threads of all kernels, bit for bit.
#
#   random_kernels.py COUNT SEED FOLDER [FIRST]
#
# Nothing here is undefined or left to the implementation: signed arithmetic wraps through unsigned
# types, shifts and indexes are masked, divisors are neither 0 nor -1, conversions stay in range, and
# NaNs are made one before their bits are looked at. Function N depends on SEED and N alone.
import random
import sys

INTS = {"u8": 8, "i8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64}
FLOATS = ("f32", "f64")
INTERESTING = (0, 1, 2, 3, 7, 15, 31, 63, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
               0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
               0x8000000000000000, 0xffffffffffffffff, 0x5555555555555555, 0xf0f0f0f0)
REALS = ("0", "1", "-1", "0.5", "2", "3", "1e-3", "-7.25", "1e10", "0.1", "1e-40", "123456.789")


def unsigned(t):
    return "u" + t[1:] if t[0] == "i" else t


class Function:
    def __init__(self, number, seed):
        self.r = random.Random(seed * 1000003 + number)
        self.number = number
        self.variables = []  # (name, type); constants and counters are not among them
        self.readable = []
        self.arrays = []
        self.names = 0
        self.left = self.r.randint(4, 18)  # statements
        self.loops = 0
        self.switches = 0
        self.real = self.r.random() < 0.45
        self.lines = []

    # ------------------------------------------------------------------------------ expressions

    def constant(self, t):
        r = self.r
        if t in FLOATS:
            return "(%s)%s" % (t, r.choice(REALS))
        value = r.choice(INTERESTING) if r.random() < 0.6 else r.getrandbits(r.choice((3, 8, 32, 64)))
        return "(%s)%dull" % (t, value & (2 ** 64 - 1))

    def leaf(self, t):
        r = self.r
        same = [n for n, u in self.readable if u == t]
        if same and r.random() < 0.7:
            return r.choice(same)
        if self.arrays and t not in FLOATS and r.random() < 0.4:
            name, u, size = r.choice(self.arrays)
            return "(%s)%s[%s & %d]" % (t, name, self.leaf("u32"), size - 1)
        if r.random() < 0.55 and self.readable:
            name, u = r.choice(self.readable)
            return self.convert(name, u, t)
        return self.constant(t)

    def convert(self, text, u, t):
        if u == t:
            return text
        if u in FLOATS and t not in FLOATS:
            return "(%s)%s_of_%s(%s)" % (t, "i64" if self.r.random() < 0.5 else "i32", u, text)
        return "(%s)%s" % (t, text) if text.isidentifier() else "(%s)(%s)" % (t, text)

    def expression(self, t, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(t)
        if r.random() < 0.12:
            u = r.choice(self.types())
            return self.convert(self.expression(u, depth - 1), u, t)
        if r.random() < 0.1:
            return "(%s ? %s : %s)" % (self.condition(depth - 1), self.expression(t, depth - 1),
                                       self.expression(t, depth - 1))
        return self.float_operation(t, depth - 1) if t in FLOATS else self.int_operation(t, depth - 1)

    def int_operation(self, t, d):
        r, bits, u = self.r, INTS[t], unsigned(t)
        wide = "u64" if bits == 64 else "u32"
        a = lambda: self.expression(t, d)
        kind = r.randrange(19)
        if kind < 5:
            return "(%s)((%s)%s %s (%s)%s)" % (t, wide, a(), r.choice("+-*"), wide, a())
        if kind < 8:
            return "(%s)(%s %s %s)" % (t, a(), r.choice("&|^"), a())
        if kind == 8:
            return "(%s)((%s)(%s)%s << (%s & %d))" % (t, wide, u, a(), self.expression("u32", d), bits - 1)
        if kind == 9:
            return "(%s)(%s >> (%s & %d))" % (t, a(), self.expression("u32", d), bits - 1)
        if kind == 10:
            return "(%s)(%s >> %d)" % (t, a(), r.randrange(bits))
        if kind == 11:
            return "(%s)((%s)(%s)%s << %d)" % (t, wide, u, a(), r.randrange(bits))
        if kind == 12:
            return "(%s)(%s %s divisor_%s(%s))" % (t, a(), r.choice("/%"), t, a())
        if kind == 13:
            constant = r.choice((2, 3, 5, 7, 10, 16, 100, 127))
            return "(%s)(%s %s (%s)%d)" % (t, a(), r.choice("/%"), t, constant)
        if kind == 14:
            return "(%s)%s%s" % (t, r.choice("~-"), "(%s)%s" % (wide, a()))
        if kind == 15:  # a field, as programs cut them
            at, count = r.randrange(bits), r.randint(1, bits)
            return "(%s)(%s >> %d & (%s)%dull)" % (t, a(), at, wide, 2 ** count - 1)
        if kind == 16:
            return "(%s)(%s < 0 ? %s : %s)" % (t, "(i%d)%s" % (bits, a()), self.constant(t), self.constant(t))
        if kind == 17:
            return "(%s)%s" % (t, self.condition(d))
        return "(%s)%s" % (t, self.intrinsic(d))

    def intrinsic(self, d):
        r = self.r
        e = lambda t: self.expression(t, d)
        return r.choice((
            lambda: "popc32(%s)" % e("u32"), lambda: "popc64(%s)" % e("u64"),
            lambda: "clz32(%s)" % e("u32"), lambda: "clz64(%s)" % e("u64"),
            lambda: "ffs32(%s)" % e("u32"), lambda: "brev32(%s)" % e("u32"),
            lambda: "brev64(%s)" % e("u64"), lambda: "mulhi_u32(%s, %s)" % (e("u32"), e("u32")),
            lambda: "mulhi_i32(%s, %s)" % (e("i32"), e("i32")),
            lambda: "mulhi_u64(%s, %s)" % (e("u64"), e("u64")),
            lambda: "funnel_l(%s, %s, %s)" % (e("u32"), e("u32"), e("u32")),
            lambda: "funnel_r(%s, %s, %s)" % (e("u32"), e("u32"), e("u32")),
            lambda: "pick_bytes(%s, %s, %s & 0x7777u)" % (e("u32"), e("u32"), e("u32")),
            lambda: "sad(%s, %s, %s)" % (e("u32"), e("u32"), e("u32")),
            lambda: "bits_f32(%s)" % e("f32"), lambda: "bits_f64(%s)" % e("f64"),
            lambda: "helper%d(%s, %s)" % (r.randrange(4), e("u64"), e("u32"))))()

    def float_operation(self, t, d):
        r = self.r
        a = lambda: self.expression(t, d)
        f = "f" if t == "f32" else ""
        kind = r.randrange(12)
        if kind < 5:
            return "(%s %s %s)" % (a(), r.choice("+-*"), a())
        if kind == 5:
            return "(%s / %s)" % (a(), a())
        if kind == 6:
            return "fma%s(%s, %s, %s)" % (f, a(), a(), a())
        if kind == 7:
            return "sqrt%s(fabs%s(%s))" % (f, f, a())
        if kind == 8:
            return "%s%s(%s)" % (r.choice(("floor", "ceil", "trunc", "rint", "fabs")), f, a())
        if kind == 9:
            return "(-%s)" % a()
        if kind == 10:
            u = r.choice(("u32", "i32", "u64", "i64", "i16", "u8"))
            return "(%s)%s" % (t, self.expression(u, d))
        return "lesser_%s(%s, %s)" % (t, a(), a())

    def condition(self, d):
        r = self.r
        if r.random() < 0.2:
            return "(%s %s %s)" % (self.condition(d - 1), r.choice(("&&", "||")), self.condition(d - 1))
        t = r.choice(self.types())
        if t not in FLOATS and r.random() < 0.25:
            return "(%s & %d)" % (self.expression(t, d - 1), 1 << r.randrange(INTS[t] - 1))
        return "(%s %s %s)" % (self.expression(t, d - 1), r.choice(("<", "<=", ">", ">=", "==", "!=")),
                               self.expression(t, d - 1))

    def types(self):
        return ("u32", "i32", "u64", "i64", "f32", "f64") if self.real else \
            ("u8", "i8", "u16", "i16", "u32", "i32", "u32", "i32", "u64", "i64")

    # ------------------------------------------------------------------------------- statements

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def fresh(self, letter):
        self.names += 1
        return "%s%d" % (letter, self.names)

    def assign(self, depth):
        name, t = self.r.choice(self.variables)
        if self.r.random() < 0.3 and t not in FLOATS:
            self.put(depth, "%s = (%s)(%s %s %s);" % (name, t, name, self.r.choice("^|&"), self.expression(t, 2)))
        else:
            self.put(depth, "%s = %s;" % (name, self.expression(t, 3)))

    def block(self, depth, count):
        readable, arrays = list(self.readable), list(self.arrays)
        for _ in range(count):
            self.statement(depth)
        self.readable, self.arrays = readable, arrays

    def statement(self, depth):
        r = self.r
        self.left -= 1
        if self.left < 0 or depth > 4:
            self.assign(depth)
            return
        kind = r.randrange(20)
        if kind < 7:
            self.assign(depth)
        elif kind < 10:
            self.put(depth, "if (%s) {" % self.condition(2))
            self.block(depth + 1, r.randint(1, 3))
            if r.random() < 0.5:
                self.put(depth, "} else {")
                self.block(depth + 1, r.randint(1, 3))
            self.put(depth, "}")
        elif kind < 13 and self.loops < 2:
            self.loop(depth)
        elif kind == 13:
            self.put(depth, "switch (%s & 3) {" % self.expression("u32", 2))
            self.switches += 1
            for case in range(r.randint(2, 4)):
                self.put(depth, "case %d: {" % case if case < 3 else "default: {")
                self.block(depth + 1, r.randint(1, 2))
                self.put(depth, "} break;" if r.random() < 0.7 else "}")
            self.switches -= 1
            self.put(depth, "}")
        elif kind == 14:
            name, size = self.fresh("t"), r.choice((4, 8, 16))
            t = r.choice(("u8", "u16", "u32", "u64"))
            index = self.fresh("j")
            self.put(depth, "%s %s[%d];" % (t, name, size))
            self.put(depth, "for (int %s = 0; %s < %d; %s++)" % (index, index, size, index))
            self.put(depth + 1, "%s[%s] = (%s)(%s + (u32)%s * %du);" %
                     (name, index, t, self.leaf("u32"), index, r.randrange(1000)))
            self.arrays.append((name, t, size))
        elif kind == 15 and self.arrays:
            name, t, size = r.choice(self.arrays)
            self.put(depth, "%s[%s & %d] = %s;" % (name, self.expression("u32", 1), size - 1, self.expression(t, 2)))
        elif kind == 16 and depth > 1 and r.random() < 0.5:
            self.put(depth, "if (%s)" % self.condition(2))
            self.put(depth + 1, "return %s;" % self.expression("u64", 2))
        else:
            t = r.choice(self.types())
            name = self.fresh("v")
            self.put(depth, "%s %s = %s;" % (t, name, self.expression(t, 2)))
            self.readable.append((name, t))

    def loop(self, depth):
        r = self.r
        name = self.fresh("j")
        self.loops += 1
        bound = str(r.randint(1, 5)) if r.random() < 0.4 else "(int)(%s & 3) + %d" % (self.expression("u32", 1), r.randint(0, 2))
        limit = self.fresh("n")
        self.put(depth, "const int %s = %s;" % (limit, bound))
        self.put(depth, "for (int %s = 0; %s < %s; %s++) {" % (name, name, limit, name))
        readable, arrays = list(self.readable), list(self.arrays)
        self.readable.append((name, "i32"))
        for _ in range(r.randint(1, 4)):
            self.statement(depth + 1)
            if r.random() < 0.15:
                self.put(depth + 1, "if (%s)" % self.condition(1))
                self.put(depth + 2, r.choice(("break", "continue")) + ";")
        self.readable, self.arrays = readable, arrays
        self.put(depth, "}")
        self.loops -= 1

    def text(self):
        r = self.r
        self.put(0, "FUNCTION u64 fn%d(u64 a, u64 b, u64 c, u64 d)" % self.number)
        self.put(0, "{")
        self.readable = [(n, "u64") for n in "abcd"]
        for i in range(r.randint(2, 5)):
            t = r.choice(self.types())
            name = "x%d" % i
            source = r.choice("abcd")
            value = "%s_from(%s)" % (t, source) if t in FLOATS else "(%s)%s" % (t, source)
            self.put(1, "%s %s = %s;" % (t, name, value))
            self.variables.append((name, t))
        self.readable += self.variables
        while self.left > 0:
            self.statement(1)
        self.put(1, "u64 h = 1;")
        for name, t in self.variables:
            bits = "bits_%s(%s)" % (t, name) if t in FLOATS else "(u64)" + name
            self.put(1, "h = h * 0x9e3779b97f4a7c15ull + %s;" % bits)
        self.put(1, "return h;")
        self.put(0, "}")
        return "\n".join(self.lines) + "\n"


PRELUDE = r"""/* made by random_kernels.py */
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;

#define DIVISOR(t) FUNCTION t divisor_##t(t v) { v = (t)(v | 1); return v == (t)-1 ? (t)3 : v; }
DIVISOR(u8) DIVISOR(i8) DIVISOR(u16) DIVISOR(i16) DIVISOR(u32) DIVISOR(i32) DIVISOR(u64) DIVISOR(i64)

FUNCTION i32 i32_of_f32(f32 v) { return v > -2e9f && v < 2e9f ? (i32)v : 5; }
FUNCTION i64 i64_of_f32(f32 v) { return v > -9e18f && v < 9e18f ? (i64)v : 6; }
FUNCTION i32 i32_of_f64(f64 v) { return v > -2e9 && v < 2e9 ? (i32)v : 7; }
FUNCTION i64 i64_of_f64(f64 v) { return v > -9e18 && v < 9e18 ? (i64)v : 8; }
/* + 0: clang and nvcc make min of x < 0 ? x : 0, which gives another zero for -0 */
FUNCTION f32 lesser_f32(f32 a, f32 b) { return (a < b ? a : b) + 0; }
FUNCTION f64 lesser_f64(f64 a, f64 b) { return (a < b ? a : b) + 0; }
FUNCTION u32 bits_f32(f32 v) { u32 u; memcpy(&u, &v, 4); return v != v ? 0x7fc00000u : u; }
FUNCTION u64 bits_f64(f64 v) { u64 u; memcpy(&u, &v, 8); return v != v ? 0x7ff8000000000000ull : u; }
/* numbers of all sizes, few of them not finite */
FUNCTION f32 f32_from(u64 v) { u32 u = (u32)v; f32 f; memcpy(&f, &u, 4); return v >> 60 ? (f32)(i32)(u >> 7) / 64 : f; }
FUNCTION f64 f64_from(u64 v) { f64 f; memcpy(&f, &v, 8); return v >> 60 != 7 ? (f64)(i64)(v >> 9) / 4096 : f; }
/* functions of their own, one of which calls itself */
NEVER_INLINE u64 helper0(u64 a, u32 b) { return a / (b | 1u) + a % (b | 1u); }
NEVER_INLINE u64 helper1(u64 a, u32 b) { for (u32 i = 0; i < (b & 7); i++) { if (a >> i & 1) a = a * 3 + 1; else a >>= 1; } return a; }
NEVER_INLINE u64 helper2(u64 a, u32 b) { return b & 3 ? helper2(a * 5 + b, (b & 3) - 1) ^ a : a; }
NEVER_INLINE u64 helper3(u64 a, u32 b) { return b % 3 == 0 ? helper0(a, b >> 3) : helper1(a ^ b, b >> 5); }
"""

DEVICE = r"""#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FUNCTION     static __device__ __forceinline__
#define NEVER_INLINE static __device__ __noinline__
#define popc32     __popc
#define popc64     __popcll
#define clz32      __clz
#define clz64      __clzll
#define ffs32      __ffs
#define brev32     __brev
#define brev64     __brevll
#define mulhi_u32  __umulhi
#define mulhi_i32  __mulhi
#define mulhi_u64  __umul64hi
#define funnel_l   __funnelshift_l
#define funnel_r   __funnelshift_r
#define pick_bytes __byte_perm
#define sad        __usad
#include "functions.h"

#define THREADS 64
#define BLOCKS  2

/* What a thread gets from the others, by kind. */
template <int kind> static __device__ u64 exchange(u64 v)
{
    __shared__ u64 word[THREADS];
    __shared__ u32 sum;
    const u32 t = threadIdx.x;
    if (kind == 1) return __shfl_xor_sync(~0u, v, 5);
    if (kind == 2) return __shfl_up_sync(~0u, v, 3);
    if (kind == 3) return __ballot_sync(~0u, v & 1);
    if (kind == 4) return __shfl_sync(~0u, v, (int)(v >> 7 & 31));
    if (kind == 5) {
        word[t] = v;
        __syncthreads();
        return word[(t * 5 + 3) % THREADS];
    }
    if (kind == 6) {
        if (t == 0) sum = 0;
        __syncthreads();
        atomicAdd(&sum, (u32)v);
        __syncthreads();
        return sum;
    }
    if (kind == 7) {
        word[t] = v;
        for (u32 d = THREADS / 2; d > 0; d /= 2) {
            __syncthreads();
            if (t < d) word[t] += word[t + d];
        }
        __syncthreads();
        return word[0];
    }
    return v * 3;
}
extern "C" void reference(u32 kernel, const u64 *in, u64 *out);
"""

HOST = r"""#include <math.h>
#include <string.h>
#define FUNCTION     static
#define NEVER_INLINE static __attribute__((noinline))
typedef unsigned int w32;
typedef unsigned long long w64;
static int popc32(w32 v) { int n = 0; for (; v; v &= v - 1) n++; return n; }
static int popc64(w64 v) { int n = 0; for (; v; v &= v - 1) n++; return n; }
static int clz64(w64 v) { int n = 64; for (; v; v >>= 1) n--; return n; }
static int clz32(w32 v) { return clz64(v) - 32; }
static int ffs32(w32 v) { for (int i = 0; i < 32; i++) if (v >> i & 1) return i + 1; return 0; }
static w64 brev64(w64 v) { w64 r = 0; for (int i = 0; i < 64; i++) r |= (v >> i & 1) << (63 - i); return r; }
static w32 brev32(w32 v) { return (w32)(brev64(v) >> 32); }
static w32 mulhi_u32(w32 a, w32 b) { return (w32)((w64)a * b >> 32); }
static int mulhi_i32(int a, int b) { return (int)((long long)a * b >> 32); }
static w64 mulhi_u64(w64 a, w64 b) { return (w64)((unsigned __int128)a * b >> 64); }
static w32 funnel_l(w32 lo, w32 hi, w32 n) { return (w32)((((w64)hi << 32 | lo) << (n & 31)) >> 32); }
static w32 funnel_r(w32 lo, w32 hi, w32 n) { return (w32)(((w64)hi << 32 | lo) >> (n & 31)); }
static w32 pick_bytes(w32 a, w32 b, w32 s)
{
    w32 r = 0;
    for (int i = 0; i < 4; i++) r |= (w32)(((w64)b << 32 | a) >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
static w32 sad(w32 a, w32 b, w32 c) { return c + (a > b ? a - b : b - a); }
#include "functions.h"

#define THREADS 64
#define BLOCKS  2
static u64 exchange(int kind, const u64 *v, u32 t)
{
    const u32 warp = t & ~31u, lane = t & 31;
    u64 r = 0;
    switch (kind) {
    case 1: return v[t ^ 5];
    case 2: return lane < 3 ? v[t] : v[t - 3];
    case 3: for (u32 i = 0; i < 32; i++) r |= (v[warp + i] & 1) << i; return r;
    case 4: return v[warp + (v[t] >> 7 & 31)];
    case 5: return v[(t * 5 + 3) % THREADS];
    case 6: for (u32 i = 0; i < THREADS; i++) r += (u32)v[i]; return (u32)r;
    case 7: for (u32 i = 0; i < THREADS; i++) r += v[i]; return r;
    }
    return v[t] * 3;
}
"""

MAIN = r"""
int main()
{
    const u32 n = THREADS * BLOCKS, count = sizeof kernel / sizeof *kernel;
    u64 state = 88172645463325252ull, bad = 0;
    u64 *in, *out;
    static u64 host[4 * n], found[n], wanted[n];
    static const u64 special[] = {0, 1, ~0ull, 1ull << 63, (1ull << 63) - 1, 0xffffffff, 0x80000000, 0x7f800000};
    for (u32 i = 0; i < 4 * n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        host[i] = i % 11 == 3 ? special[state >> 20 & 7] : i % 5 == 2 ? state >> 40 : state;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof found);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (u32 k = 0; k < count; k++) {
        kernel[k]<<<BLOCKS, THREADS>>>(in, out);
        cudaError_t error = cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            printf("kernel %u: %s\n", FIRST + k, cudaGetErrorString(error));
            return 1;
        }
        reference(k, host, wanted);
        for (u32 t = 0; t < n; t++)
            if (found[t] != wanted[t]) {
                printf("kernel %u thread %u: %llx, not %llx\n", FIRST + k, t, found[t], wanted[t]);
                bad++;
                break;
            }
    }
    printf("%u kernels, %llu differ\n", count, bad);
    return bad != 0;
}
"""


def twice(number):  # what the others gave goes through the function again
    return number % 8 == 0


def main():
    count, seed, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    kinds = [random.Random(seed * 7919 + n).randrange(8) for n in range(first, first + count)]
    functions = [Function(n, seed).text() for n in range(first, first + count)]
    with open(folder + "/functions.h", "w") as out:
        out.write(PRELUDE + "".join(functions))
    with open(folder + "/kernels.cu", "w") as out:
        out.write("#define FIRST %du\n" % first + DEVICE)
        for i, kind in enumerate(kinds):
            out.write("__global__ void k%d(const u64 *in, u64 *out) { const u32 t = blockIdx.x * THREADS + threadIdx.x; "
                      "const u64 a = in[4 * t], b = in[4 * t + 1], c = in[4 * t + 2], d = in[4 * t + 3]; "
                      "const u64 v = fn%d(a, b, c, d), e = exchange<%d>(v); out[t] = v + 31 * %s; }\n"
                      % (first + i, first + i, kind, "fn%d(e, v, b, a)" % (first + i) if twice(first + i) else "e"))
        out.write("static void (*const kernel[])(const u64 *, u64 *) = {%s};\n" %
                  ", ".join("k%d" % (first + i) for i in range(count)) + MAIN)
    with open(folder + "/reference.cpp", "w") as out:
        out.write(HOST)
        out.write("static u64 (*const function[])(u64, u64, u64, u64) = {%s};\nstatic const int kind[] = {%s};\n"
                  "static const bool twice[] = {%s};\n" %
                  (", ".join("fn%d" % (first + i) for i in range(count)), ", ".join(map(str, kinds)),
                   ", ".join("%d" % twice(first + i) for i in range(count))))
        out.write(r"""
extern "C" void reference(u32 k, const u64 *in, u64 *out)
{
    for (u32 block = 0; block < BLOCKS; block++) {
        const u64 *from = in + 4 * THREADS * block;
        u64 v[THREADS];
        for (u32 t = 0; t < THREADS; t++)
            v[t] = function[k](from[4 * t], from[4 * t + 1], from[4 * t + 2], from[4 * t + 3]);
        for (u32 t = 0; t < THREADS; t++) {
            const u64 e = exchange(kind[k], v, t);
            out[block * THREADS + t] = v[t] + 31 * (twice[k] ? function[k](e, v[t], from[4 * t + 1], from[4 * t]) : e);
        }
    }
}
""")


if __name__ == "__main__":
    main()
