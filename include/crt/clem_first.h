/* What clem's compilers include before a source: a name that programs' own headers have not, so that a
 * cuda_runtime.h of theirs does not come in the place of clem's.
 * SPDX-License-Identifier: Apache-2.0 */

/* In the device pass clang defines the host's macros too, and so those of __float128, but refuses the type even where it
 * is only declared. libstdc++ asks the macros, glibc the version of clang: its header that does so is read here, once and
 * for all, under a clang too old for the type. */
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
#undef __FLOAT128__
#undef __SIZEOF_FLOAT128__
#if defined(__x86_64__) && __has_include(<features.h>) && __has_include(<bits/floatn.h>)
#include <features.h>
#pragma push_macro("__glibc_clang_prereq")
#undef __glibc_clang_prereq
#define __glibc_clang_prereq(major, minor) 0
#include <bits/floatn.h>
#pragma pop_macro("__glibc_clang_prereq")
#endif
#endif

#include "../cuda_runtime.h"
