/* SPDX-License-Identifier: MIT
 *
 * bits/shared_ptr_base.h - libstdc++'s, which writes __attribute__((__noinline__)): CUDA's word of
 * that name must not be a macro while it is read.
 */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
