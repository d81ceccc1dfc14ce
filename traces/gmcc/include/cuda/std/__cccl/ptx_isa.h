/* SPDX-License-Identifier: MIT
 *
 * cuda/std/__cccl/ptx_isa.h - stands before libcu++'s, which leaves out instructions that are newer
 * than the compiler: inline PTX passes through clang as it is, and the interpreter knows them.
 */
#include_next <cuda/std/__cccl/ptx_isa.h>
#if defined(__cccl_ptx_isa) && __cccl_ptx_isa < 800
#undef __cccl_ptx_isa
#define __cccl_ptx_isa 800ULL
#endif
